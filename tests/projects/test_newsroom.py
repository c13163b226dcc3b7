"""The newsroom of `docs/newsroom.md`, four mornings long: corrections, a copy, a wall, and the site as it was."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.web import Web, sentence, story
from tests.processes import run_python
from tests.projects.running import ROOT

PROJECT = ROOT / "example_project" / "newsroom"
NAMES = ("Ada Holm", "Ben Carrow", "Cleo Vance", "Hugo Paz")
WALL = (
    "<title>Herald</title><div class=box><h2>We value your privacy</h2><p>We and our 843 partners store cookies.</div>"
)
STORIES, CORRECTED, COPIED = 14, (2, 5), 3


def page(number: int, day: int) -> str:
    """Return a story: teasers and comments are others every day, bylines are those of few authors."""
    text = story(number)
    if day > 1 and number in CORRECTED:
        text = text.replace(". ", f". Correction: an earlier version named the wrong committee of {number}. ", 1)
    paragraphs = "".join(f"<p>{one}.</p>" for one in text.rstrip(".").split(". "))
    teasers = "".join(
        f"<li><a href=/story/{(number * day + n) % STORIES}>Heading of {(number * day + n) % STORIES}</a>"
        f"<span>{NAMES[(number + n) % 4]}</span></li>"
        for n in range(1, 6)
    )
    return (
        f"<!doctype html><html lang=en><title>Heading of {number} | The Herald</title><body>"
        "<header><a href=/>The Herald</a>"
        "<nav><a href=/world>World</a> <a href=/sport>Sport</a></nav></header>"
        f"<article><p class=kicker>Local news</p><h1>Heading of {number}</h1>"
        f"<p class=byline>By {NAMES[number % 4]}</p>"
        f"<time datetime=2026-11-{number + 1:02}T08:15:00Z>{number + 1} November</time>{paragraphs}</article>"
        f"<section class=related><h2>Related stories</h2><ul>{teasers}</ul></section>"
        f"<section class=comments><h2>1 comment</h2><div class=comment><b>{NAMES[(number + day) % 4]}</b>"
        f"<p>On day {day} I agree.</p></div></section>"
        "<footer>All rights reserved. <a href=/imprint>Imprint</a></footer>"
    )


def print_morning(web: Web, day: int, *, is_broken: bool = False) -> None:
    count = STORIES if day > 1 else STORIES - 2
    pages = {f"/story/{number}": page(number, day) for number in range(count)}
    if day > 1:
        pages[f"/agency/{COPIED}"] = page(COPIED, day).replace(f"By {NAMES[COPIED % 4]}", "From our agency")
    if is_broken:
        pages = dict.fromkeys(pages, WALL)
    links = "".join(f"<li><a class=story href={path}>Heading of it</a>" for path in pages)
    web.pages = {"/": f"<title>The Herald</title><h1>Latest</h1><ul>{links}</ul>", **pages}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PROJECT, tmp_path / "newsroom", ignore=shutil.ignore_patterns("__pycache__")))


def crawl(project: Path, web: Web, number: int) -> tuple[dict[str, dict[str, Any]], str]:
    words = ["crawl", "daily", "-a", f"start={web('/')}", "-O", f"{number}.jsonl", "-s", "FEEDS={}"]
    done = run_python(project, ["-m", "scrapy", *words])
    assert done.returncode == 0 and " ERROR: " not in done.stdout, done.stdout
    rows = map(json.loads, (project / f"{number}.jsonl").read_text("utf-8").splitlines())
    return {row["url"].removeprefix(web.url): row for row in rows}, done.stdout


def test_four_mornings(project: Path, web: Web) -> None:
    print_morning(web, 1)
    first, _ = crawl(project, web, 1)
    assert len(first) == STORIES - 2
    for path, item in first.items():
        number = int(path.rpartition("/")[2])
        assert item["authors"] == [NAMES[number % 4]] and item["published"].startswith("2026-11-")
        assert item["title"] == f"Heading of {number}" and item["seen"] is item["no_content"] is None
        assert not re.search("I agree|Related|rights|By ", item["body"])
        assert sentence(number) in item["body"]

    print_morning(web, 2)
    second, _ = crawl(project, web, 2)
    states = {path: item["seen"] and item["seen"]["changed"] for path, item in second.items()}
    assert states == {f"/story/{number}": ["text"] for number in CORRECTED} | {"/story/12": None, "/story/13": None}

    print_morning(web, 2, is_broken=True)
    third, log = crawl(project, web, 3)
    assert len(third) == STORIES + 1 and all(item["no_content"] and not item["seen"] for item in third.values())
    assert "may have changed: " in log
    health = run_python(project, ["-m", "scrapy", "denoise", "health"])
    assert health.returncode == 3 and "have one text in common" in health.stdout

    print_morning(web, 2)
    assert crawl(project, web, 4)[0] == {}


def test_the_page_shows_the_project() -> None:
    text = (ROOT / "docs" / "newsroom.md").read_text("utf-8")
    for file in ("settings.py", "items.py", "spiders/daily.py"):
        code = (PROJECT / "newsroom" / file).read_text("utf-8").partition('"""\n')[2].strip()
        assert code in text, file
