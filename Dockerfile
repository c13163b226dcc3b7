# The demo: a made-up portal is served and crawled, and what was dropped and kept is shown.
#   docker build -t denoise-demo . && docker run --rm denoise-demo
FROM python:3.13-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN pip wheel --no-cache-dir --wheel-dir /wheels /src

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels && useradd --create-home demo
COPY --chown=demo example_project /home/demo/example_project
COPY --chown=demo scrapy.cfg /home/demo/
USER demo
WORKDIR /home/demo
CMD ["python", "-m", "example_project.run"]
