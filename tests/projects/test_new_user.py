"""From an empty folder: the wheel, `scrapy startproject`, a line of settings, a spider of ten lines."""

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.web import Reply, Web
from tests.projects.new_user import commands, execute, files, follow_the_readme, install
from tests.projects.portal_site import HTML, check_bodies, check_one_of_each, paths_of, serve
from tests.projects.running import NOISE

ORIGINAL = "/news/village-school-opens-its-doors-again-1049.html"
REPRINT = "/evening/reprint-1.html"
LISTED = (
    ORIGINAL,
    REPRINT,
    "/news/coast-line-may-go-electric-says-1070.html",
    "/news/the-night-train-comes-back-to-1084.html",
)


@dataclass
class Journey:
    """What a new user has at the end."""

    folder: Path
    asked: list[str]

    @property
    def programs(self) -> Path:
        return self.folder / "environment" / "bin"

    @property
    def log(self) -> str:
        return (self.folder / "log.txt").read_text(encoding="utf-8")

    @property
    def items(self) -> dict[str, dict[str, Any]]:
        lines = (self.folder / "courier" / "items.jsonl").read_text(encoding="utf-8").splitlines()
        return paths_of(json.loads(line) for line in lines)


@pytest.fixture(scope="session")
def journey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journey]:
    """The journey, made once for all workers of a test run; the last one clears it away, for it is large."""
    folder = tmp_path_factory.getbasetemp()
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    folder = (folder.parent if worker else folder) / "new-user"
    folder.mkdir(exist_ok=True)
    user, asked = folder / f"user-{worker}", folder / "made" / "asked.json"
    with locked(folder):
        user.touch()
        if not asked.exists():
            shutil.rmtree(asked.parent, ignore_errors=True)  # another worker's that failed
            asked.parent.mkdir()
            asked.write_text(json.dumps(make(asked.parent)), encoding="utf-8")
    yield Journey(asked.parent, json.loads(asked.read_text(encoding="utf-8")))
    with locked(folder):
        user.unlink()
        if not list(folder.glob("user-*")):
            shutil.rmtree(asked.parent)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One worker at a time."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        yield


def make(folder: Path) -> list[str]:
    """Go all the way; gives the paths that the server was asked for."""
    programs = install(folder)
    web = Web()
    try:
        serve(web, "news", "evening")
        linked = "".join(f'<h2><a href="{path}">{path}</a></h2>' for path in LISTED)
        web.pages["/news/"] = Reply(f"<!DOCTYPE html><title>News</title>{linked}".encode(), headers=HTML)
        (folder / "log.txt").write_text(follow_the_readme(folder, programs, web.url), encoding="utf-8")
    finally:
        web.close()
    return web.asked


def test_a_line_of_settings_and_a_spider_of_ten_lines() -> None:
    written = files()
    assert len(written["courier/settings.py"].splitlines()) == 1
    spider = written["courier/spiders/stories.py"]
    assert len([line for line in spider.splitlines() if line]) == 10
    assert "denoise" not in spider
    assert [command.split()[:2] for command in commands()] == [
        ["pip", "install"],
        ["scrapy", "startproject"],
        ["cd", "courier"],
        ["scrapy", "crawl"],
    ]


def test_items_have_their_texts_and_the_copy_is_gone(journey: Journey) -> None:
    from example_project.portal import build

    pages = {path: build().pages[path] for path in LISTED}
    assert list(next(iter(journey.items.values()))) == ["url", "title", "body"]
    check_bodies(journey.items, pages)
    check_one_of_each(journey.items, pages)
    assert "Near-duplicate: " in journey.log


def test_nothing_is_said_above_info_and_little_below(journey: Journey) -> None:
    lines = journey.log.splitlines()
    assert [line for line in lines if NOISE.search(line)] == []
    assert "Traceback" not in journey.log
    ours = [line for line in lines if "[denoise_scrapy." in line and " INFO: " in line]
    assert len(ours) == 3, ours  # the copy, the shape of the crawl, the sum at the end
    assert re.search(r"denoise at the end: \d pages, 4 bodies \(0 empty\), .* 1 near-duplicate, 0 errors", journey.log)


def test_pages_the_spider_did_not_ask_for_are_told_in_the_log(journey: Journey) -> None:
    more = set(journey.asked) - {*LISTED, "/news/", "/robots.txt"}
    told = re.findall(r"Crawled \(200\) <GET \S+?//[^/]+(/\S+)> .*\['denoise-comparison'\]", journey.log)
    assert more == set(told)
    assert len(told) <= 4  # `comparison.fetching.FREE`


def test_the_accelerator_and_the_commands_come_with_the_wheel(journey: Journey) -> None:
    told = execute(journey.folder / "courier", journey.programs / "scrapy", "denoise", "version")
    has_compiler = any(map(shutil.which, ("cc", "gcc", "clang")))
    assert re.search(rf"^accelerator +: {'native' if has_compiler else 'numpy'}", told, re.MULTILINE)
    assert re.search(r"^redis +: not installed", told, re.MULTILINE)


def test_a_store_whose_extra_is_missing_says_what_to_install(journey: Journey) -> None:
    options = ("-s", "DENOISE_DEDUP_STORE=redis://localhost:6379/0", "-s", "LOG_LEVEL=CRITICAL")
    with pytest.raises(AssertionError, match=r"pip install denoise-scrapy\[redis\]"):
        execute(journey.folder / "courier", journey.programs / "scrapy", "crawl", "stories", *options)
