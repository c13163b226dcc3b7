"""The site style tree: columns against plain recursion, the importance of content by hand."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.strategies import style_tree
from denoise_scrapy.body.strategies.style_tree import Importance, importance
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages
from tests.site.literal_style_tree import LiteralTree


def among(page: Page, site: list[Page], **options) -> Importance:
    return importance(page, [other for other in site if other is not page], **options)


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
@given(sites(), st.sampled_from([0.0, 0.5, 0.9, 1.0]), st.sampled_from([0.0, 1.0]))
def test_importance_equals_the_literal_one(site, gamma, lone):
    parsed = [Page.parse(html) for html in site]
    slow = LiteralTree(gamma, lone)
    for page in parsed:
        slow.add(page)
    for page in parsed:
        found = among(page, parsed, gamma=gamma, lone_importance=lone)
        columns = np.stack([found.composite, found.highest, found.content], axis=1)
        expected = np.full_like(columns, np.nan)
        for element, values in slow.table(page).items():
            expected[element] = values
        assert columns == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(st.lists(SOUP, min_size=1, max_size=3))
def test_broken_markup_is_merged_too(site):
    parsed = [Page.parse(html) for html in site]
    for page in parsed:
        assert among(page, parsed).noisy().shape == (len(page.elements),)


SITE = [
    Page.parse(f"<body><p>Home news</p><div>{inner}</div></body>")
    for inner in ("<p>red fox</p>", "<p>blue sky</p>", "<ul><li>sea</li></ul>")
]


def test_noise_has_no_part_that_is_not():
    found = among(SITE[0], SITE)
    assert found.noisy(0.2).tolist() == [False, False, True, False, False]  # only the p of the menu
    assert found.noisy_text(0.2)[[2, 4]].tolist() == [True, False]
    # body's CompImp is below .5, but not its div's
    assert found.composite[1] < 0.5
    assert not found.noisy(0.5)[1]


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
        (["中文网", "中文页"], 1 - 1 / 3),  # two characters are a word
    ],
)
def test_content_importance_by_hand(site, content):
    parsed = [Page.parse(f"<body>{inner if inner[:1] == '<' else f'<p>{inner}</p>'}</body>") for inner in site]
    assert among(parsed[0], parsed).content[2] == pytest.approx(content)


def test_too_large_a_site_leaves_the_first_pages_out(monkeypatch):
    monkeypatch.setattr(style_tree, "MAX_SIZE", 0)
    assert importance(SITE[0], SITE[1:]).composite.tolist() == importance(SITE[0], []).composite.tolist()
    assert importance(Page.parse(""), SITE).composite.tolist() == []


def test_a_deep_page():
    deep, other = (Page.parse("<p>same</p>" + "<div>" * 500 + end) for end in ("end", "other"))
    found = importance(deep, [other])
    assert (found.composite[-1], bool(found.noisy()[0])) == (1, False)
