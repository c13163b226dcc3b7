"""Other versions of Python and of what we stand on: `make compat` runs all sessions, one by one.

An interpreter that is not here is said and left out. What ran is written to `.nox/ran/`; `python -m tests.compat.table`
makes a table of it.
"""

from __future__ import annotations

import os
from pathlib import Path

import nox

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
LOWEST = PYTHONS[0]
RAN = Path(".nox", "ran")
PROJECT = nox.project.load_toml("pyproject.toml")
OPTIONAL = PROJECT["project"]["optional-dependencies"]
#: Those of users; the others are ours.
EXTRAS = f".[{','.join(sorted(set(OPTIONAL) - {'bench', 'dev', 'docs', 'train'}))}]"
#: Of our tools, those that the tests below are made with.
NEEDED = ("attrs", "hatchling", "hypothesis", "markdown-it-py", "pydantic", "pytest", "scrapy-poet", "sybil")
TOOLS = [tool for tool in OPTIONAL["dev"] if tool.startswith(NEEDED)]
#: What meets other people's code: lxml's parser, from Python and from C, numpy, datasketch, SQLite, Redis, a browser,
#: Scrapy with its items, add-ons and feeds. The rest is arithmetic of our own, or processes that are killed in turn:
#: five sessions are to take ten minutes of two cores.
PART = (
    "denoise_scrapy",  # the examples in docstrings
    "tests/page",
    "tests/native/test_events.py",
    "tests/native/test_library.py",
    "tests/site",
    "--ignore=tests/site/test_processes.py",
    *(f"tests/body/test_{name}.py" for name in ("batch", "extract", "kind", "markdown", "selection", "site_model")),
    *(f"tests/dedup/test_{name}.py" for name in ("claims", "fingerprint", "index", "redis_store", "stores")),
    "tests/crawl",
    *(f"--ignore=tests/crawl/test_{name}.py" for name in ("commands", "process", "shared_sites")),
    "tests/rendered/test_default.py",
    "tests/rendered/test_traces.py",
    "tests/projects/test_shapes.py",
    "--deselect=tests/projects/test_shapes.py::test_a_crawl_spider_that_follows_its_rules",
    "--deselect=tests/projects/test_shapes.py::test_a_sitemap_spider",
    "tests/api/test_public_api.py",
)

nox.options.default_venv_backend = "uv"
nox.options.error_on_missing_interpreters = False


def _with_interpreters(path: str) -> str:
    """PATH with the folders of pyenv's interpreters in place of its shims, most of which start nothing."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    ours = [folder for folder in versions.glob("3.*/bin") if folder.parent.name.rpartition(".")[0] in PYTHONS]
    ours.sort(key=lambda folder: int(folder.parent.name.rpartition(".")[2]), reverse=True)
    shims = os.path.join("pyenv", "shims")  # noqa: PTH118 - an end of a text
    parts = [part for part in path.split(os.pathsep) if not part.rstrip(os.sep).endswith(shims)]
    return os.pathsep.join([*parts, *map(str, ours)])


os.environ["PATH"] = _with_interpreters(os.environ.get("PATH", ""))


@nox.session(python=PYTHONS, download_python="never")
def newest(session: nox.Session) -> None:
    """The newest versions of everything that this Python can have."""
    session.install("--upgrade", "-e", EXTRAS, *TOOLS)
    _run(session)


@nox.session(python=LOWEST, download_python="never")
def lowest(session: nox.Session) -> None:
    """The lowest versions that we say we work with, of all that we name; the tools of tests are the newest that fit."""
    build = Path(session.virtualenv.location, "build.txt")  # not in create_tmp(), where tests would make their files
    build.write_text(f"{_lowest_backend()}\n", encoding="utf-8")
    session.install("--resolution", "lowest-direct", "--build-constraints", str(build), "-e", EXTRAS)
    fixed = build.with_name("fixed.txt")
    frozen = session.run("uv", "-q", "pip", "freeze", "--exclude-editable", silent=True, external=True)
    fixed.write_text(str(frozen), encoding="utf-8")
    session.install("--constraints", str(fixed), *TOOLS)
    _run(session)


def _lowest_backend() -> str:
    (requirement,) = PROJECT["build-system"]["requires"]
    return str(requirement).replace(">=", "==")


def _run(session: nox.Session) -> None:
    record = RAN / f"{session.name}.json"
    record.unlink(missing_ok=True)
    environment = {"COMPAT_RECORD": str(record), "PYTHONWARNINGS": ""}
    options = ("-q", "-n", "2", "-p", "tests.compat.recording", "--hypothesis-profile", "compat")
    session.run("python", "-m", "pytest", *options, *(session.posargs or PART), env=environment)
