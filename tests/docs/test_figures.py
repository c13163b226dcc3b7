"""Figures and pictures of the pages are those that were computed."""

import json
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs import before_after
from docs.pictures import shots
from docs.pictures.__main__ import DRAWN, IMAGES
from example_project.portal.build import build
from tests.docs.pages import DOCS, PAGES, ROOT


def rows(text: str) -> dict[str, set[str]]:
    """The cells of all tables, by the first cell of their row."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line.startswith("|"):
            name, *cells = (cell.strip() for cell in line.strip("| ").split("|"))
            found.setdefault(name, set()).update(cells)
    return found


def test_quoted_figures_are_those_that_were_measured() -> None:
    section = (ROOT / "README.md").read_text("utf-8").split("<!-- figures: scores -->")[1]
    quoted = rows(section.split("<!-- end of figures -->")[0])
    measured = rows((DOCS / "figures.md").read_text("utf-8"))
    assert len(quoted) > 3
    assert {name: cells for name, cells in quoted.items() if not cells <= measured[name]} == {}


def test_the_page_before_and_after_is_what_the_tools_give_now() -> None:
    """Peers that are not installed, or in another version than the README names, are not compared."""
    written, now = before_after.written((ROOT / "README.md").read_text("utf-8")), before_after.columns()
    assert {"denoise_scrapy"} < set(written) and len(written) == 4
    stale = [name for name in now if name in written and now[name] != written[name]]
    assert stale == [], "make renew"


def test_screenshots_show_what_the_code_gives_now() -> None:
    assert json.loads(shots.DIGESTS.read_text("utf-8")) == shots.digests(), "make renew"
    assert [name for name in shots.digests() if not (IMAGES / name).exists()] == []


def test_the_pictured_body_is_what_the_page_was_made_from() -> None:
    """No label of a button, no advertisement: each line is one of the page's true text."""
    html, body = shots.before_after()
    truth = next(page.truth for page in build().pages.values() if page.html == html)
    lines = [unescape(line) for line in re.findall("<p>(.*?)</p>", body)]
    assert len(lines) > 20 and "<button>Copy</button>" in html
    assert [line for line in lines if " ".join(line.split()) not in " ".join((truth or "").split())] == []


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_what_the_code_computes(name: str) -> None:
    drawn = str(DRAWN[name]())
    assert (IMAGES / name).read_text("utf-8") == drawn, "make renew"
    assert "prefers-color-scheme:dark" in drawn
    assert ElementTree.fromstring(drawn).find("{*}title") is not None


@pytest.mark.parametrize("image", sorted(IMAGES.glob("*.svg")), ids=lambda image: image.name)
def test_pictures_are_used_and_load_nothing(image: Path) -> None:
    assert any(f"images/{image.name})" in page.read_text("utf-8") for page in PAGES)
    text = image.read_text("utf-8")
    ElementTree.fromstring(text)
    assert not re.search(r"(href|src)=|url\(|<script|@import", text)
    assert 'fill="#fff"' in text or "background:" in text, "needs a ground of its own: readers have light and dark ones"
