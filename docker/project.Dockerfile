# A container that runs a Scrapy project of yours. Copy this file into the project, as `Dockerfile` beside `scrapy.cfg`
# and a `requirements.txt` that names `denoise-scrapy[redis]`; wheels in `wheels/`, if there are any, come first.
#   docker build -t crawls .
#   docker run --rm --stop-timeout 120 -v crawls:/data crawls crawl SPIDER -O /data/items.jsonl
FROM python:3.13-slim AS build
# for packages without a wheel for this machine
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN mkdir -p /src/wheels && pip wheel --no-cache-dir --find-links /src/wheels --wheel-dir /wheels -r /src/requirements.txt

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels \
    && useradd --create-home crawler && install --directory --owner crawler /data
COPY --chown=crawler . /home/crawler/project
USER crawler
WORKDIR /home/crawler/project
# feeds, indexes and job directories: all that outlives the container
VOLUME /data
# Scrapy is process 1, and ends in order at the first signal, SIGTERM
ENTRYPOINT ["scrapy"]
CMD ["list"]
