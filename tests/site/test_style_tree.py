"""The site style tree: the source's formulas by hand, and the columns against plain recursion."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.strategies import style_tree
from denoise_scrapy.body.strategies.style_tree import leaf_importance
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages
from tests.site.literal_style_tree import LiteralTree


def among(page: Page, site: list[Page]) -> np.ndarray:
    return leaf_importance(page, [other for other in site if other is not page])


@st.composite
def sites(draw) -> list[str]:
    """A few pages, some of them made of one another."""
    site = [draw(pages(3))]
    changes = st.sampled_from(
        [("one", "news"), ("<b", "<em"), ("menu", "a"), ("/x", "/y"), ("Two", "Two Two"), ("", "")]
    )
    for _ in range(draw(st.integers(0, 4))):
        site.append(draw(pages(3)) if draw(st.booleans()) else draw(st.sampled_from(site)).replace(*draw(changes)))
    return site


@settings(max_examples=150)
@given(sites())
def test_importance_equals_the_literal_one(site):
    parsed = [Page.parse(html) for html in site]
    slow = LiteralTree()
    for page in parsed:
        slow.add(page)
    for page in parsed:
        expected = np.full(len(page.elements), np.nan)
        for element, value in slow.table(page).items():
            expected[element] = value
        assert among(page, parsed) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(st.lists(SOUP, min_size=1, max_size=3))
def test_broken_markup_is_merged_too(site):
    parsed = [Page.parse(html) for html in site]
    for page in parsed:
        assert among(page, parsed).shape == (len(page.elements),)


@pytest.mark.parametrize(
    ("site", "content"),
    [
        # the source's example: the word "source" on each page alike (H = 1), three agencies a page each (H = 0)
        (["source Xinhua", "source People", "source CCTV"], 1 - 1 / 4),
        # twice on one page of two, once on the other: p = 2/3, 1/3, H = .918
        (["go go", "go"], 1 + (2 / 3 * log(2 / 3, 2) + 1 / 3 * log(1 / 3, 2))),
        # a link: its word is on both pages (1), each target on one (0)
        (["<a href=/x>Home</a>", "<a href=/y>Home</a>"], 1 - 1 / 3),
        (["<img src=/logo.png>", "<img src=/logo.png>"], 0),
        (["", ""], 0),  # nothing says nothing
        (["one page alone"], 1),
        (["Page 12", "page 34"], 0),  # case and digits do not tell pages apart
        (["中文", "中国"], 1 - 1 / 3),  # a character a word
    ],
)
def test_content_importance_by_hand(site, content):
    parsed = [Page.parse(f"<body>{inner if inner[:1] == '<' else f'<p>{inner}</p>'}</body>") for inner in site]
    assert among(parsed[0], parsed)[2] == pytest.approx(content)


def test_own_text_beside_elements_is_a_leaf():
    # p holds "by" on both pages (0) and b, that differs (1)
    site = [Page.parse(f"<body><p>by <b>{name}</b></p></body>") for name in ("Ann", "Bob")]
    assert among(site[0], site)[2:].tolist() == [0, 1]


def test_presentation_parts_what_tags_do_not():
    site = [Page.parse(f"<body><p class={name}>Same text</p></body>") for name in ("ad-1", "ad-2", "story")]
    assert [among(page, site)[2] for page in site] == [0, 0, 1]  # ad-1 and ad-2 are one


def test_too_large_a_site_leaves_the_first_pages_out(monkeypatch):
    site = [Page.parse(f"<p>Menu</p><p>{word}</p>") for word in ("One", "Two")]
    assert among(site[0], site)[2:].tolist() == [0, 1]
    monkeypatch.setattr(style_tree, "MAX_SIZE", 0)
    assert among(site[0], site)[2:].tolist() == [1, 1]
    assert leaf_importance(Page.parse(""), site).tolist() == []


def test_a_deep_page():
    deep, other = (Page.parse("<p>same</p>" + "<div>" * 5000 + word) for word in ("end", "other"))
    assert leaf_importance(deep, [other])[[2, -1]].tolist() == [0, 1]
