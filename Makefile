# Two commands: `make demo` sets up and runs the example crawl, `make test` sets up and runs the tests.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PIP     = $(BIN)/python -m pip install --quiet --disable-pip-version-check
CORE    = $(wildcard denoise_scrapy/core/*.pyx denoise_scrapy/core/*.pxd)
DEV     = . --group dev --group docs --group train
# uv takes a fifth of pip's time. Where it reaches no registry that pip is configured for, pip installs: one that knows
# groups of dependencies, as that of Python 3.11 does not.
UV      = $(BIN)/uv pip install --quiet --python $(BIN)/python
INSTALL = $(PIP) "pip>=25.1" uv && { $(UV) $(1) || $(PIP) $(1); }
COMPILE = $(BIN)/python setup.py --quiet build_ext --inplace

# Where there is no C++ compiler, pip brings one, zig. Its own library of C++ it compiles first, once: a minute or two.
ifeq ($(shell command -v c++ || command -v g++ || command -v clang++ || echo $$CXX),)
  ZIG = ziglang
  export CXX = $(abspath $(BIN))/python -I -m ziglang c++ -mcpu=baseline
endif

.PHONY: demo several test unit coverage browser-test days explore format check docs renew gate gate-scores gate-work crawl-gate baseline bench cost scores kinds train sanitize compat lowest newest suites package archive-test clean

demo: $(VENV)/.demo
	$(BIN)/python -m example_project.run

# the portal by four crawlers that share frontier, index and facts of sites through Redis
several: $(VENV)/.dev
	$(BIN)/python -m example_project.several --crawlers 4

# Four processes for two cores: while some wait for a server, the others work. What a file's tests share is made once;
# the files are compiled once, whatever the environment says.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

test: $(VENV)/.dev
	$(PYTEST) -n 4 --ignore=tests/rendered --ignore=tests/readers

# those that need no server, browser or npm, and crawl nothing: a minute and a half on two quiet cores
unit: $(VENV)/.dev
	$(PYTEST) -n 2 -m "not service"

# lines of Python that the tests reach
coverage: $(VENV)/.dev
	$(PYTEST) -n 4 --cov --cov-report=term:skip-covered

# the projects of the docs, each crawled for some days
days: $(VENV)/.dev
	$(PYTEST) -n 2 tests/projects/newsroom.py tests/projects/recipes.py

# what needs a browser or npm: rendered pages, the site of the docs, Markdown of hostile pages in all its readers
browser-test: $(VENV)/.dev
	$(PYTEST) -n 2 tests/docs/site.py tests/rendered tests/readers tests/readers/browser.py

format: $(VENV)/.dev
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/stubtest denoise_scrapy.core --concise --ignore-missing-stub --ignore-disjoint-bases \
	  --allowlist tests/core/stubs.txt --mypy-config-file pyproject.toml
	$(BIN)/lint-imports
	$(BIN)/python -m docs.generate --check

# the documentation as a site, in site/; a warning is an error
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "== open site/index.html"

# regenerate pictures and tables in the docs, and the listing of public names
renew: $(VENV)/.dev
	$(BIN)/python -m docs.generate

# all figures, some 25 minutes. Longer by itself: `python -m benchmarks.soak` (memory of 100,000 pages)
bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks.cost
	$(BIN)/python -m benchmarks.crawl
	$(BIN)/python -m benchmarks.work
	$(BIN)/python -m benchmarks --peers

cost: $(VENV)/.bench
	$(BIN)/python -m benchmarks.cost --write
	$(BIN)/python -m benchmarks.crawl --write

scores: $(VENV)/.bench
	$(BIN)/python -m benchmarks --peers --write

kinds: $(VENV)/.bench
	$(BIN)/python -m benchmarks --kinds --write

train: $(VENV)/.dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m training --corpora $(CORPORA)

$(VENV)/bin/python:
	@echo "== making $(VENV) with $$($(PYTHON) --version)"
	$(PYTHON) -m venv $(VENV)
	$(if $(ZIG),$(PIP) $(ZIG))

$(VENV)/.demo: pyproject.toml setup.py $(CORE) | $(VENV)/bin/python
	@echo "== installing denoise_scrapy and what it needs (some minutes on a first run)"
	$(PIP) -e . trafilatura lxml_html_clean  # to compare with; older pips forget what it needs
	@touch $@

$(VENV)/.dev: pyproject.toml setup.py $(CORE) | $(VENV)/bin/python
	@echo "== installing denoise_scrapy and its development tools (some minutes on a first run)"
	$(if $(filter-out $(CORE),$?),$(call INSTALL,-e $(DEV)),$(COMPILE))
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: pyproject.toml setup.py $(CORE) | $(VENV)/bin/python
	@echo "== installing denoise_scrapy and the peers it is measured against"
	$(call INSTALL,-e $(DEV) --group bench)
	@touch $@ $(VENV)/.demo $(VENV)/.dev

# beside the development tools: nothing of ours is built again
$(VENV)/.archive: $(VENV)/.dev
	@echo "== installing PySpark (450 MB), and datatrove"
	$(UV) -r pyproject.toml --extra archive --group dev --group docs --group train datatrove
	@touch $@

# archives on Spark, which needs Java 17
archive-test: $(VENV)/.archive
	$(BIN)/python -m pytest -q tests/archive/on_spark.py tests/archive/on_datatrove.py

# property tests with a hundred times as many examples, others each time; what fails becomes an `@example` of its test
explore: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m hypothesis --hypothesis-profile explore $(ARGS)

# the core with what finds wrong reads and writes, over all recorded and 20,000 damaged pages, half an hour
sanitize: $(VENV)/.dev
	$(BIN)/python -m tests.core.sanitize $(ARGS)

# a part of the tests under other versions of Python and of what we stand on, as far as their interpreters are here;
# `make newest ARGS="-p 3.12"` for one
compat: lowest newest

lowest newest: $(VENV)/.dev
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/nox -s $@ $(ARGS)

# the tests of Scrapy and of scrapy-poet with the add-on in each crawler; ARGS="-s suites(scrapy-poet)" for one
suites: $(VENV)/.dev
	PATH=$(abspath $(BIN)):$$PATH $(BIN)/nox $(or $(ARGS),-s suites)

# wheel and source distribution in dist/, under tags they may be published with, and their tests
package: $(VENV)/.dev
	rm -rf dist
	$(BIN)/python -m build --installer=uv
	for wheel in dist/*-linux_*.whl; do test ! -e $$wheel || \
	  { PATH=$(abspath $(BIN)):$$PATH auditwheel repair --wheel-dir dist $$wheel && rm $$wheel; } || exit 1; done
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m pytest -q tests/package/built.py tests/package/new_user.py tests/package/frozen.py tests/package/typed.py

gate: gate-scores gate-work

gate-scores: $(VENV)/.dev
	$(BIN)/python -m benchmarks --gate --alone
	$(BIN)/python -m benchmarks --gate --strategies combined --corpora training/unseen --names unseen
	test ! -d "$${DENOISE_CORPORA}_more" || \
	  $(BIN)/python -m benchmarks --gate --strategies combined --corpora "$${DENOISE_CORPORA}_more"

gate-work: $(VENV)/.dev
	$(BIN)/python -m benchmarks.size --gate
	$(BIN)/python -m benchmarks.dedup --gate
	$(BIN)/python -m benchmarks.work --gate
	$(BIN)/python -m benchmarks.cost --gate
	$(BIN)/python -m benchmarks.retrieval --gate --names portal
	$(BIN)/python -m tests.hostile.outputs

# what counted work misses: the speed of a small crawl, of one without the add-on; alone, as it takes both cores
crawl-gate: $(VENV)/.dev
	$(BIN)/python -m benchmarks.crawl --gate

baseline: $(VENV)/.dev
	$(BIN)/python -m benchmarks --set-baseline --alone
	test ! -d "$${DENOISE_CORPORA}_more" || \
	  $(BIN)/python -m benchmarks --set-baseline --strategies combined --corpora "$${DENOISE_CORPORA}_more"
	$(BIN)/python -m benchmarks.dedup --set-baseline
	$(BIN)/python -m benchmarks.work --set-baseline

clean:
	rm -rf $(VENV) .nox build denoise_scrapy/core/*.so *.egg-info dist site example_project/output .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*
