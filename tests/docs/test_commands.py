"""Every command that a page shows is run, or at least checked: modules, options, targets, settings."""

import csv
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from scrapy.settings import Settings

from denoise_scrapy.commands import SUBCOMMANDS, run
from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from denoise_scrapy.settings import DenoiseSettings
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, story
from tests.dedup.redis_server import RedisServer
from tests.docs.pages import PAGES, ROOT, blocks_of, name_of
from tests.processes import run_python
from tests.projects.portal_site import serve

# What a line of commands begins with; other lines of such blocks are what was printed.
PROGRAMS = ("scrapy", "python", "pip", "make", "bash", "cd", "redis-server", "apt-get", "docker", "export")
MADE_UP = re.compile(r"https?://(?:[\w.]+\.example|127\.0\.0\.1:8808)(/[^\s'\"]*)")


# The spider that is tried.
SPIDER = """
import scrapy


class StoriesSpider(scrapy.Spider):
    name = "stories"
    start_urls = [{!r}]

    def parse(self, response):
        yield {{"url": response.url}}
"""
SPIDERS = {"SPIDER": "stories.py", "stories": "stories.py"}


class Command(NamedTuple):
    """A command line that a page shows, in a block or in the running text."""

    page: str
    text: str
    in_block: bool

    @property
    def words(self) -> list[str]:
        return shlex.split(re.sub(r"\s+# .*", "", self.text))


def commands_of(page: Path) -> Iterator[Command]:
    for block in blocks_of(page):
        lines = block.text.replace("\\\n", " ").splitlines()
        asked = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        if block.language in {"", "console", "sh", "bash"}:
            for line in asked or [line for line in lines if line.split(" ")[0] in PROGRAMS]:
                yield Command(name_of(page), line, True)
    outside = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)
    for text in re.findall(r"`((?:python -m|scrapy|make) [^`]+)`", outside):
        yield Command(name_of(page), " ".join(text.split()), False)


# Those of `scrapy denoise` that stand in blocks are run; in the text they stand without what they are about.
SHOWN = [one for page in PAGES for one in commands_of(page) if one.in_block and one.words[:2] == ["scrapy", "denoise"]]


def options(words: list[str]) -> list[str]:
    return [word.split("=")[0] for word in words if word.startswith("--")]


def given(words: list[str], option: str) -> dict[str, str]:
    return dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == option)


@cache
def help_of(module: str) -> str:
    """Return the output of `python -m MODULE --help`."""
    done = run_python(ROOT, ["-m", module, "--help"])
    assert done.returncode == 0
    return done.stdout


def check_python(words: list[str]) -> None:
    if words[1] != "-m":
        check_script(words)
        return
    spec = find_spec(words[2])
    assert spec, "no such module"
    assert not spec.submodule_search_locations or find_spec(f"{words[2]}.__main__"), "cannot be run"
    assert [option for option in options(words[3:]) if option not in help_of(words[2])] == []


def check_scrapy(words: list[str]) -> None:
    assert words[1] in {"check", "crawl", "parse", "startproject", "shell", "savefixture", "settings", "denoise"}
    for settings in (given(words, "-s"), {name.upper(): value for name, value in given(words, "-a").items()}):
        DenoiseSettings.from_settings({name: one for name, one in settings.items() if name.startswith("DENOISE_")})
    if words[1] == "denoise" and words[2:] and words[2] != "…":
        assert words[2] in SUBCOMMANDS, "no such subcommand"
        source = "".join(path.read_text("utf-8") for path in (ROOT / "denoise_scrapy/commands").glob("*.py"))
        assert [option for option in options(words[3:]) if f'"{option}"' not in source] == []


def check_make(words: list[str]) -> None:
    target = words[1].split("=")[0]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M), "no such target"


def check_pip(words: list[str]) -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8").split("\n[project.optional-dependencies]\n")[1]
    extras = re.findall(r"^(\w+) = ", project.split("\n[")[0], re.M)
    for listed in re.findall(r"denoise-scrapy\[([\w,]+)\]", " ".join(words)):
        assert set(listed.split(",")) <= set(extras), "no such extra"


def check_script(words: list[str]) -> None:
    assert (ROOT / words[1]).exists()


CHECKS = {"python": check_python, "scrapy": check_scrapy, "make": check_make, "pip": check_pip, "bash": check_script}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_are_known(page: Path) -> None:
    for command in commands_of(page):
        print(command)
        CHECKS.get(command.words[0], lambda _: None)(command.words)


@pytest.fixture
def folder(tmp_path: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the files that commands name in the current folder: texts, pages, indexes, a job, a feed."""
    monkeypatch.chdir(tmp_path)
    bodies = [json.dumps({"url": f"https://a.example/{number}", "body": story(number % 5)}) for number in range(12)]
    files = {
        "kept.txt": story(1),
        "new.txt": f"From our correspondent. {story(1)}",
        "old.html": article(3),
        "page.html": article(4),
        "bodies.jsonl": "\n".join(bodies) + "\n",
        "before.jsonl": "\n".join(bodies) + "\n",
        "after.jsonl": "\n".join(bodies[1:]) + "\n",
        "stories.py": SPIDER.format(web("/stories/")),
        "broken.jsonl": "\n".join([*bodies, "{"]) + "\n",
    }
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    with Path("old.csv").open("w", encoding="utf-8", newline="") as rows:
        dated = ((n, story(n % 3), f"2026-01-{n + 1:02}") for n in range(9))
        csv.writer(rows).writerows([("id", "content", "day"), *dated])
    with DuplicateIndex(store=SQLiteStore("news.sqlite")) as index:
        for number in range(41):
            host = "b.example" if number % 3 else "a.example"
            index.add(f"https://{host}/{number}", story(number), scope=host)
    with DuplicateIndex(store=SQLiteStore("chunks.sqlite")) as index:
        index.add("https://a.example/1", index.read(story(1), chunks=["7f5c1f0e-8f58-5d29-a2a8-2c4c2a4c2f2b"]))
    pages = serve(web, "news", "docs", "forum")
    web.pages["/stories/"] = article(5)
    few = [path for name in ("news", "docs", "forum") for path in sorted(p for p in pages if f"/{name}/" in p)[:9]]
    crawl(spider_of(*map(web, few)), {"JOBDIR": "job", "FEEDS": {"items.jsonl": {"format": "jsonlines"}}})
    Path("denoise-sites.sqlite").write_bytes(Path("job", "denoise-sites.sqlite").read_bytes())


def local(command: Command, web: Web, server: RedisServer) -> list[str]:
    """The words of a command, with our servers in place of those that the page has made up."""
    words = []
    for word in command.words:
        for path in MADE_UP.findall(word):
            web.pages.setdefault(path, article(int(re.sub(r"\D", "", urlsplit(path).path) or 0)))
        to_us = word if "dedup" in command.words else MADE_UP.sub(lambda found: web(found[1]), word)
        words.append(to_us.replace("redis://localhost:6379/0", server.url))
    return words


@pytest.mark.usefixtures("folder")
def test_commands_in_blocks_run(
    web: Web, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the order of the pages, in one folder."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n" * 10))
    capsys.readouterr()
    assert len(SHOWN) > 15 and {command.words[2] for command in SHOWN} == set(SUBCOMMANDS)
    for command in SHOWN:
        words = local(command, web, redis_server)[2:]
        words = [SPIDERS.get(word, word) for word in words] if words[0] == "trial" else words
        if words[0] == "trial" or (words[0] == "explain" and "http" in " ".join(words)):  # downloaders want a process
            done = run_python(Path.cwd(), ["-m", "scrapy", "denoise", *words], apart=True)
            code, out, err = done.returncode, done.stdout, done.stderr
        else:
            code = run(words, Settings({"JOBDIR": None}))
            out, err = capsys.readouterr()
        assert code == 0, (command, out, err)
        assert out + err, command
