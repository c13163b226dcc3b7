"""The site style tree: the source's formulas by hand, and the columns against plain recursion."""

from collections import Counter, defaultdict
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.strategies import style_tree
from denoise_scrapy.body.strategies.style_tree import content_importance
from denoise_scrapy.page import Page
from tests.examples import at_least
from tests.html_strategies import SOUP, pages
from tests.page.literal_reader import words_of


def contents_of(page: Page) -> list[Counter]:
    """The features of each element's own content."""
    e, content = page.elements, [Counter() for _ in page.tags()]
    for owner, mark, end in zip(e.text_owner.tolist(), e.marks.tolist(), e.text_ends.tolist(), strict=True):
        if owner >= 0:
            content[owner].update(words_of(page.tree.slice(mark + 1, end)))
    for element, url in page.noted.references:
        content[element][("url", url)] += 1
    return content


def styles_of(page: Page) -> dict[int, tuple]:
    """The style of each element that shows something: the sequences of (tag, class) from the root down."""
    e, classes = page.elements, page.elements.column("class_").tolist()
    names = [(tag, tag in ("html", "body") or class_) for tag, class_ in zip(page.tags(), classes, strict=True)]
    children = defaultdict(list)
    for i, parent in enumerate(e.parent.tolist()):
        if not (e.column("skipped")[i] and e.end[i] == i + 1 and not e.own_chars[i]):
            children[parent].append(i)
    styles: dict[int, tuple] = {-1: ()}
    for parent in (-1, *range(len(e))):
        for position, child in enumerate(children[parent] if parent in styles else ()):
            styles[child] = (styles[parent], position, tuple(names[inner] for inner in children[child]))
    del styles[-1]
    return styles


def literal_importance(contents: list[Counter]) -> float:
    """1 - mean entropy of the features of a style node, by its content on each page; 0 where there is none."""
    features, m, total = set().union(*contents), len(contents), 0.0
    for feature in features:
        counts = [content[feature] for content in contents if content[feature]]
        shares = [count / sum(counts) for count in counts]
        total -= sum(p * log(p, m) for p in shares) if m > 1 else 0
    return 1 - total / len(features) if features else 0.0


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


@at_least(60)
@given(sites() | st.lists(SOUP, min_size=1, max_size=3))
def test_importance_equals_the_literal_one(site):
    parsed = [Page.parse(html) for html in site]
    styles, merged = [styles_of(page) for page in parsed], defaultdict(list)
    for page, own in zip(parsed, styles, strict=True):
        contents = contents_of(page)
        for element, style in own.items():
            merged[style].append(contents[element])
    for page, own in zip(parsed, styles, strict=True):
        expected = np.full(len(page.elements), np.nan)
        for element, style in own.items():
            expected[element] = literal_importance(merged[style])
        found = content_importance(page, [other for other in parsed if other is not page])
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


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
    assert content_importance(parsed[0], parsed[1:])[2] == pytest.approx(content)


def test_too_large_a_site_leaves_the_first_pages_out(monkeypatch):
    one, two = (Page.parse(f"<body><p>{words}") for words in ("same one", "same two"))
    assert content_importance(one, [two])[2] == pytest.approx(2 / 3)
    monkeypatch.setattr(style_tree, "MAX_SIZE", 0)
    assert content_importance(one, [two])[2] == 1
    assert content_importance(Page.parse(""), [two]).tolist() == []


def test_a_deep_page():
    deep, other = (Page.parse("<p>same</p>" + "<div>" * 500 + end) for end in ("end", "other"))
    assert content_importance(deep, [other])[[2, -1]].tolist() == [0, 1]
