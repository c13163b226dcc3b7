"""Every command that a page shows is run, or at least known: modules, options, targets, settings."""

import io
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from scrapy.settings import Settings

from denoise_scrapy.commands import SUBCOMMANDS, run
from denoise_scrapy.settings import DenoiseSettings
from tests.crawl.web import Web
from tests.dedup.redis_server import RedisServer
from tests.docs.kit import lay_out, local
from tests.docs.pages import PAGES, ROOT, Command, commands_of, name_of

ALL = [command for page in PAGES for command in commands_of(page)]
# Those of `scrapy denoise` that stand in blocks are run; in the text they stand without what they are about.
SHOWN = [
    c for c in ALL if c.words[:2] == ["scrapy", "denoise"] and f"`{c.text}" not in (ROOT / c.page).read_text("utf-8")
]
# What ends with another exit code than 0, as the page says.
CODES = {"scrapy denoise dedup check other.sqlite": 1}


def options(words: list[str]) -> list[str]:
    return [word.split("=")[0] for word in words if word.startswith("--")]


@cache
def help_of(module: str) -> str:
    """Return the output of `python -m MODULE --help`."""
    command = [sys.executable, "-m", module, "--help"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout


def check_module(command: Command) -> None:
    module = command.words[2]
    spec = find_spec(module)
    assert spec, f"{command}: no such module"
    if spec.submodule_search_locations:
        assert find_spec(f"{module}.__main__"), f"{command}: cannot be run"
    for option in options(command.words[3:]):
        assert option in help_of(module), f"{command}: no option {option}"


def check_scrapy(command: Command) -> None:
    words = command.words
    assert words[1] in {"crawl", "startproject", "shell", "denoise"}, command
    given = dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == "-s")
    DenoiseSettings.from_settings({name: value for name, value in given.items() if name.startswith("DENOISE_")})
    arguments = dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == "-a")
    own = {name.upper(): value for name, value in arguments.items() if name.startswith("denoise_")}
    DenoiseSettings.from_settings(own)
    if words[1] == "denoise" and words[2:] and words[2] != "…":
        assert words[2] in SUBCOMMANDS, f"{command}: no such subcommand"
        for option in options(words[3:]):
            source = "".join(p.read_text("utf-8") for p in (ROOT / "denoise_scrapy/commands").glob("*.py"))
            assert f'"{option}"' in source, f"{command}: no option {option}"


def check_make(command: Command) -> None:
    target = command.words[1].split("=")[0]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), f"{command}: no such target"


def check_pip(command: Command) -> None:
    listed_extras = (ROOT / "pyproject.toml").read_text("utf-8").split("\n[project.optional-dependencies]\n")[1]
    extras = re.findall(r"^(\w+) = ", listed_extras.split("\n[tool.")[0], re.M)
    for listed in re.findall(r"denoise-scrapy\[([\w,]+)\]", command.text):
        assert set(listed.split(",")) <= set(extras), f"{command}: no such extra"


def check_script(command: Command) -> None:
    assert (ROOT / command.words[1]).exists(), command


CHECKS = {"scrapy": check_scrapy, "make": check_make, "pip": check_pip, "bash": check_script}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_are_known(page: Path) -> None:
    for command in commands_of(page):
        program = command.words[0]
        if program == "python":
            check_module(command) if command.words[1] == "-m" else check_script(command)
        else:
            CHECKS.get(program, lambda _: None)(command)


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    site = Web()
    yield site
    site.close()


def test_commands_in_blocks_run(
    tmp_path: Path,
    web: Web,
    redis_server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the order of the pages, in one folder."""
    lay_out(tmp_path, web)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n" * 10))
    capsys.readouterr()
    for command in SHOWN:
        words = local(command, web, redis_server)[2:]
        if words[0] == "explain" and "http" in " ".join(words):  # its downloader wants a process of its own
            scrapy = [sys.executable, "-m", "scrapy", "denoise", *words]
            done = subprocess.run(scrapy, capture_output=True, encoding="utf-8", timeout=60, check=False)
            code, out, err = done.returncode, done.stdout, done.stderr
        else:
            code = run(words, Settings({"JOBDIR": None}))
            out, err = capsys.readouterr()
        assert code == CODES.get(command.text, 0), (str(command), out, err)
        assert out + err, str(command)


def test_there_are_commands_to_run() -> None:
    assert len(SHOWN) > 15
    assert {command.words[2] for command in SHOWN} == set(SUBCOMMANDS)
