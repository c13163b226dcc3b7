"""Figures and pictures of the pages are those that were computed."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.pictures.__main__ import DRAWN, IMAGES
from tests.docs.pages import DOCS, PAGES, ROOT


def rows(text: str) -> dict[str, set[str]]:
    """The cells of all tables, by the first cell of their row."""
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line.startswith("|"):
            name, *cells = (cell.strip() for cell in line.strip("| ").split("|"))
            found.setdefault(name, set()).update(cells)
    return found


def test_the_figures_of_the_readme_are_those_of_the_methods() -> None:
    readme = (ROOT / "README.md").read_text("utf-8").split("<!-- figures: scores -->")[1]
    quoted = rows(readme.split("<!-- end of figures -->")[0])
    measured = rows((DOCS / "methods" / "figures.md").read_text("utf-8"))
    assert len(quoted) > 3
    assert {name: cells for name, cells in quoted.items() if not cells <= measured[name]} == {}


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
