"""Figures and pictures of the pages are those that were computed."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.quotes import QUOTE, rewritten
from docs.pictures.__main__ import DRAWN, IMAGES
from tests.docs.pages import DOCS, PAGES

QUOTING = [page for page, _, _ in rewritten()]
FIGURE = re.compile(r"(?<![\w./\"=-])\d*\.\d{2,}|\d+ %")
# Of the decision on duplicates, and a version; not measured.
SAID = {"30 %", "3.10"}


def test_pages_quote_what_stands_elsewhere() -> None:
    behind = [page.name for page, text, new in rewritten() if new != text]
    assert behind == [], "rewrite them: python -m benchmarks.quotes"


def test_no_quote_is_lost() -> None:
    assert {"choosing.md", "compared.md", "recipes.md"} <= {page.name for page in QUOTING}
    for page in QUOTING:
        text = page.read_text("utf-8")
        assert text.count("<!-- quote ") == len(QUOTE.findall(text)) == text.count("<!-- end of quote -->")


@pytest.mark.parametrize("page", [*QUOTING, DOCS / "limits.md", DOCS / "start.md"], ids=lambda page: page.name)
def test_figures_of_these_pages_are_all_quoted(page: Path) -> None:
    """Nobody has typed one."""
    text = re.sub(r"^```.*?^```|`[^`]*`", "", QUOTE.sub("", page.read_text("utf-8")), flags=re.S | re.M)
    assert set(FIGURE.findall(text)) - SAID == set()


@pytest.mark.parametrize("name", DRAWN)
def test_pictures_are_what_the_code_computes(name: str) -> None:
    drawn = str(DRAWN[name]())
    assert (IMAGES / name).read_text("utf-8") == drawn, "draw them anew: python -m docs.pictures"
    assert "prefers-color-scheme:dark" in drawn
    assert ElementTree.fromstring(drawn).find("{*}title") is not None


@pytest.mark.parametrize("image", sorted(IMAGES.glob("*.svg")), ids=lambda image: image.name)
def test_pictures_are_used_and_load_nothing(image: Path) -> None:
    assert any(f"images/{image.name})" in page.read_text("utf-8") for page in PAGES)
    text = image.read_text("utf-8")
    ElementTree.fromstring(text)
    assert not re.search(r"(href|src)=|url\(|<script|@import", text)
    assert 'fill="#fff"' in text or "background:" in text, "needs a ground of its own: readers have light and dark ones"
