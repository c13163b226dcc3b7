"""A paper, printed each morning: with corrections, a copy of an agency's story, or walls in place of stories."""

import shutil
from pathlib import Path

from tests.crawl.web import Web, story
from tests.processes import run_python
from tests.projects.running import ROOT

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


def copy_of(project: str, folder: Path) -> Path:
    """Return a copy of a project of the docs."""
    ignore = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(ROOT / "example_project" / project, folder / project, ignore=ignore))


def run_crawl(project: Path, *words: str) -> str:
    """Run `scrapy crawl`, which must not complain; return its log."""
    done = run_python(project, ["-m", "scrapy", "crawl", *words])
    assert done.returncode == 0 and " ERROR: " not in done.stdout, done.stdout
    return done.stdout
