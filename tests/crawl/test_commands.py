"""`scrapy denoise …`: what it prints, what it returns, and that it harms nothing."""

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from denoise_scrapy import commands
from denoise_scrapy.commands import run
from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.crawl.web import Reply, Web, article, story
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["redis_server", "shared_server"]  # fixtures

SCRAPY = [sys.executable, "-m", "scrapy", "denoise"]


@pytest.fixture
def news(here: Path) -> str:
    """An index of 12 texts."""
    with DuplicateIndex(store=SQLiteStore(here / "news.sqlite")) as index:
        for number in range(12):
            index.add(f"https://a.example/{number}", story(number, 3 + number))
    return "news.sqlite"


def call(*argv: str, **given: Any) -> int:
    return run(argv, Settings({"JOBDIR": None, **given}))


def scrapy(*argv: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*SCRAPY, *argv], cwd=cwd, capture_output=True, encoding="utf-8", timeout=60, check=False, **more
    )
    assert "Traceback" not in done.stderr
    return done


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield one
                yield from _parsers(one)


@pytest.mark.parametrize("parser", list(_parsers(commands._parser())), ids=lambda parser: parser.prog)
def test_help_shows_an_example_that_is_right(parser: argparse.ArgumentParser) -> None:
    example = parser.format_help().partition("Example:\n")[2].splitlines()[0].strip()
    assert example.startswith(parser.prog)
    assert commands._parser().parse_args(shlex.split(example)[2:])


class TestProcess:
    """A few for real, as a start of Scrapy takes most of a second."""

    def test_in_a_project_its_settings_name_the_store(self, here: Path, news: str) -> None:
        (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
        (here / "conf.py").write_text(
            f"DENOISE_DEDUP_STORE = {news!r}\nADDONS = {{'denoise_scrapy.DenoiseAddon': 500}}\n"
        )
        done = scrapy("dedup", "stats", "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["texts"] == 12
        assert json.loads(scrapy("version", "--json", cwd=here).stdout)["add-on"] == "enabled"
        (here / "conf.py").open("a").write("ADDONS = {}\n")
        done = scrapy("version", "--json", cwd=here)
        assert json.loads(done.stdout)["add-on"] == "not in ADDONS of this project's settings"

    def test_help_is_that_of_the_subcommand(self, here: Path) -> None:
        done = scrapy("dedup", "forget", "-h", cwd=here)
        assert done.returncode == 0
        assert "--pattern" in done.stdout

    def test_outside_of_one_with_options_of_scrapy_anywhere(self, here: Path, news: str) -> None:
        done = scrapy("-s", "A=b", "dedup", "stats", "-L", "ERROR", news, "--json", "-s", "C=d", cwd=here)
        assert json.loads(done.stdout)["texts"] == 12

    def test_a_page_that_is_not_there_and_one_that_robots_txt_forbids(self, here: Path, web: Web) -> None:
        web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"})
        web.pages["/secret"] = article(1)
        done = scrapy("-s", "ROBOTSTXT_OBEY=1", "compare", web("/none"), web("/secret"), cwd=here)
        assert done.returncode == 1
        assert f"{web('/none')}: status 404; {web('/secret')}: Forbidden by robots.txt\n" in done.stderr
        assert web.count("/secret") == 0
