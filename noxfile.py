"""Other versions of Python and of the packages we stand on, `make compat`; other projects' tests, `make suites`.

Sessions run one by one. An interpreter that is not here is named and left out. The first lines of each session of `make
compat` have the versions that it tests.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

import nox

PROJECT = nox.project.load_toml("pyproject.toml")
NAMED = (re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one) for one in PROJECT["project"]["classifiers"])
PYTHONS = tuple(found[1] for found in NAMED if found)
LOWEST = PYTHONS[0]
BUILD = PROJECT["build-system"]["requires"]
OPTIONAL = PROJECT["project"]["optional-dependencies"]
# All but PySpark, which is large (`make archive-test`).
EXTRAS = f".[{','.join(sorted(set(OPTIONAL) - {'archive'}))}]"
# Compiled anew, whatever uv has in its cache: it looks at `pyproject.toml` and `setup.py` only.
OURS = ("--reinstall-package", "denoise-scrapy", "-e")
# The first Python that can have the limited API: the core of the development environment serves it and all later ones.
LIMITED = "3.11"
# Of our tools, those that the tests below are made with.
NEEDED = ("attrs", "hypothesis", "markdown-it-py", "pydantic", "pytest", "scrapy-poet", "sybil")
TOOLS = [tool for tool in PROJECT["dependency-groups"]["dev"] if tool.startswith(NEEDED)]
# Run by the lowest versions of all and the newest: what meets other people's code, lxml's parser, numpy, SQLite, Redis,
# a browser, Scrapy with its items, add-ons and feeds. `make test` runs everything, once, under the interpreter of the
# development environment.
PART = (
    "denoise_scrapy",  # the examples in docstrings
    "tests/core",
    "tests/page",
    "tests/dedup/test_index.py",
    "tests/dedup/test_stores.py",
    "tests/dedup/test_redis_store.py",
    "tests/crawl/test_bodies.py",
    "tests/crawl/test_item_pages.py",
    "tests/crawl/test_settings.py",
    "tests/rendered/test_default.py",
    "tests/projects/test_shapes.py::test_item_loaders_pipelines_of_ones_own_and_feeds_of_all_formats",
    "tests/projects/test_shapes.py::test_page_objects_of_scrapy_poet",
    "tests/api/test_public_api.py",
)
# An old lxml, with the Python that is the last to have wheels of it, and the newest.
OLD_LXML, WITH_OLD_LXML, NEW_LXML = "5.2.2", "3.12", "6.1.*"
# What reads its trees.
READERS = ("tests/core", "tests/page")
# Other projects whose tests are run with the add-on, as of when tests/suites/ lists those that fail.
SUITES = {"scrapy": "scrapy==2.19.0", "scrapy-poet": "scrapy-poet==0.27.2"}
# What their tests need; the first is older than the warnings that Scrapy's tests take for errors.
SUITE_TOOLS = (
    "pytest>=8.4.1,<9.2",
    *"attrs pexpect psutil pyftpdlib pygments pytest-rerunfailures pytest-timeout pytest-twisted sybil".split(),
    "pytest-xdist",
)
# Without what needs the internet or a proxy, and without what downloads beneath all middlewares.
SCRAPY_PART = ("-m", "not requires_internet and not requires_mitmproxy", "--ignore-glob=tests/test_downloader_handler*")
# Scrapy forgets to await any pipeline's open_spider(), ours too, where a later one's fails.
SCRAPY_WARNS = ("-W", "ignore:coroutine 'ensure_awaitable.<locals>.coro' was never awaited:RuntimeWarning")
# scrapy-poet's tests have another order in each process.
SUITE_OPTIONS = {"scrapy": ("-n", "2", *SCRAPY_PART, *SCRAPY_WARNS), "scrapy-poet": ()}

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
# Of those that are here.
NEWEST = max(filter(lambda one: shutil.which(f"python{one}"), PYTHONS), key=PYTHONS.index, default="")


@nox.session(python=[one for one in PYTHONS if one not in {LOWEST, LIMITED}], download_python="never")
def newest(session: nox.Session) -> None:
    """The newest versions of everything that this Python can have; Pythons before the newest that is here run less.

    `make test` runs on those of one that is left out; on those of the other, which has a core of its own, the tests of
    other systems do, `.github/workflows/ci.yml`. With one Python then the core, compiled with a new lxml, with an old
    one.
    """
    session.install("--upgrade", f"{_wheel(session)}{EXTRAS[1:]}", *TOOLS)
    _run(session, PART if session.python == NEWEST else READERS)
    if session.python == WITH_OLD_LXML:
        session.install(f"lxml=={OLD_LXML}")
        _run(session, READERS)


@nox.session(python=LOWEST, download_python="never")
def lowest(session: nox.Session) -> None:
    """The lowest versions that we say we work with, of all that we name; the tools of tests are the newest that fit.

    Then the core, compiled with the lowest lxml, with the newest one.
    """
    build = _file(session, "build.txt", *(one.replace(">=", "==") for one in BUILD))
    fast = {"CFLAGS": "-O1"}  # compiles in three quarters of the time
    session.install("--resolution", "lowest-direct", "--build-constraints", build, *OURS, EXTRAS, env=fast)
    frozen = session.run("uv", "-q", "pip", "freeze", "--exclude-editable", silent=True, external=True)
    session.install("--constraints", _file(session, "fixed.txt", str(frozen)), *TOOLS)
    _run(session)
    session.install(f"lxml=={NEW_LXML}")
    _run(session, READERS)


def _wheel(session: nox.Session) -> str:
    """A wheel that `make package` has made, or a new one: of it are entry points and metadata, not the code."""
    made = sorted(Path("dist").glob("*.whl"))
    if not made:
        session.run("uv", "build", "--quiet", "--wheel", "--out-dir", "dist", external=True)
        made = sorted(Path("dist").glob("*.whl"))
    return str(made[-1])


def _file(session: nox.Session, name: str, *lines: str) -> str:
    # not in create_tmp(), where tests would make their files
    path = Path(session.virtualenv.location, name).absolute()
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def _run(session: nox.Session, part: tuple[str, ...] = PART) -> None:
    named = "scrapy twisted lxml numpy redis scrapy-playwright".split()
    code = f"from importlib.metadata import version as v; print(*(f'{{n}} {{v(n)}}' for n in {named}), sep=', ')"
    session.run("python", "-c", code)
    # archives need PySpark and its friends: `make archive-test`
    options = ("-q", "--hypothesis-profile", "compat", "--ignore=denoise_scrapy/archive")
    session.run("python", "-m", "pytest", *options, *(session.posargs or part), env={"PYTHONWARNINGS": ""})


@nox.session(default=False)
@nox.parametrize("suite", list(SUITES), ids=list(SUITES))
def suites(session: nox.Session, suite: str) -> None:
    """Other projects' tests with the add-on in each of their crawlers: those fail that `tests/suites/` lists."""
    with tempfile.TemporaryDirectory() as folder:  # outside of this project, whose settings Scrapy would find
        sources = {name: _source(session, requirement, Path(folder)) for name, requirement in SUITES.items()}
        _add_the_addon(session, sources["scrapy"] / "scrapy" / "addons.py")
        # not editable: our folder `tests` would stand in for theirs
        session.install(*OURS[:-1], ".", "-e", str(sources["scrapy"]), str(sources["scrapy-poet"]), *SUITE_TOOLS)
        lists = Path("tests", "suites").absolute()
        with session.chdir(sources[suite]):
            session.run(
                *("python", "-m", "pytest", "-q", "-rX", "--tb=short", "-p", "no:cacheprovider", "--reactor=asyncio"),
                # a test that waits for a busy machine is run again; a suite ends after half an hour
                *("--timeout=120", "--reruns=1", "--session-timeout=1800"),
                *("-p", "expected_failures", f"--expected-failures={lists / suite}.txt"),
                *SUITE_OPTIONS[suite],
                *(session.posargs or ["tests"]),
                env={"PYTHONPATH": str(lists), "REACTOR": "asyncio"},
            )


def _add_the_addon(session: nox.Session, addons: Path) -> None:
    """Let every crawler of an unpacked Scrapy have the add-on, those with add-ons of their own too."""
    read, ours = 'settings["ADDONS"]', "denoise_scrapy.DenoiseAddon"
    code = addons.read_text(encoding="utf-8")
    if code.count(read) != 2:
        session.error(f"{SUITES['scrapy']} reads the setting ADDONS otherwise than before")
    addons.write_text(code.replace(read, f'{{"{ours}": 500, **{read}}}'), encoding="utf-8")


def _source(session: nox.Session, requirement: str, folder: Path) -> Path:
    """Download and unpack a source package; return its folder."""
    name = requirement.replace("==", "-").replace("scrapy-poet", "scrapy_poet")
    download = ("-m", "pip", "-q", "download", "--no-deps", "--no-binary", ":all:", "-d", str(folder), requirement)
    session.run(sys.executable, *download, external=True)
    with tarfile.open(folder / f"{name}.tar.gz") as packed:
        packed.extractall(folder, filter="data")
    return folder / name
