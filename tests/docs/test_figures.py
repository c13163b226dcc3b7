"""Figures, tables and pictures of the pages are those that were computed."""

import json
import re
from collections import defaultdict
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs import before_after
from docs.pictures import shots
from docs.pictures.__main__ import DRAWN, IMAGES
from example_project.portal.build import build
from tests.docs.pages import DOCS, PAGES, ROOT

README = (ROOT / "README.md").read_text("utf-8")


def rows(text: str) -> dict[str, set[str]]:
    """The cells of all tables, by the first cell of their row."""
    found = defaultdict[str, set[str]](set)
    for line in re.findall(r"^\|(.*)\|$", text, re.M):
        name, *cells = map(str.strip, line.split("|"))
        found[name].update(cells)
    return found


def test_quoted_figures_are_those_that_were_measured() -> None:
    quoted = rows(README.partition("<!-- figures: scores -->")[2].partition("<!-- end of figures -->")[0])
    measured = rows((DOCS / "figures.md").read_text("utf-8"))
    assert len(quoted) > 3
    assert {name: cells for name, cells in quoted.items() if not cells <= measured[name]} == {}


def test_the_page_before_and_after_is_what_the_tools_give_now() -> None:
    """Peers that are not installed, or in another version than the README names, are not compared."""
    written, now = before_after.written(README), before_after.columns()
    assert {"denoise_scrapy"} < set(written) and len(written) == 4
    assert [name for name in now if name in written and now[name] != written[name]] == [], "make renew"


def test_every_folder_of_the_package_is_listed() -> None:
    listed = rows((DOCS / "architecture.md").read_text("utf-8"))
    assert {f"`{path.parent.name}/`" for path in (ROOT / "denoise_scrapy").glob("*/__init__.py")} <= set(listed)


def test_screenshots_show_what_the_code_gives_now_and_only_lines_of_the_page_s_text() -> None:
    assert json.loads(shots.DIGESTS.read_text("utf-8")) == shots.digests(), "make renew"
    assert [name for name in shots.digests() if not (IMAGES / name).exists()] == []
    # no label of a button, no advertisement
    html, body = shots.before_after()
    truth = next(page.truth or "" for page in build().pages.values() if page.html == html)
    lines = [" ".join(unescape(line).split()) for line in re.findall("<p>(.*?)</p>", body)]
    assert len(lines) > 20 and "<button>Copy</button>" in html
    assert [line for line in lines if line not in " ".join(truth.split())] == []


@pytest.mark.parametrize("image", sorted(IMAGES.glob("*.svg")), ids=lambda image: image.name)
def test_pictures_are_what_the_code_computes_and_load_nothing(image: Path) -> None:
    text = image.read_text("utf-8")
    assert any(f"images/{image.name})" in page.read_text("utf-8") for page in PAGES)
    assert not re.search(r"(href|src)=|url\(|<script|@import", text)
    assert 'fill="#fff"' in text or "background:" in text, "needs a ground of its own: readers have light and dark ones"
    root = ElementTree.fromstring(text)
    if image.name in DRAWN:
        assert text == str(DRAWN[image.name]()), "make renew"
        assert "prefers-color-scheme:dark" in text and root.find("{*}title") is not None


def test_all_that_is_drawn_is_there() -> None:
    assert set(DRAWN) <= {image.name for image in IMAGES.glob("*.svg")}
