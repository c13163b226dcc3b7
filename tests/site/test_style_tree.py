"""The site style tree: the source's formulas by hand, and the columns against plain recursion."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site.style_tree import StyleTree
from tests.html_strategies import SOUP, pages
from tests.site.literal_style_tree import LiteralTree


def tree_of(*pages: Page, **options) -> StyleTree:
    tree = StyleTree(**options)
    for page in pages:
        tree.add(page)
    return tree


def by_tag(page: Page, values: np.ndarray) -> list[tuple[str, float]]:
    return [(page.path_table.tags[path], float(value)) for path, value in zip(page.elements.paths, values, strict=True)]


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
    fast = tree_of(*parsed, gamma=gamma, lone_importance=lone)
    slow = LiteralTree(gamma, lone)
    for page in parsed:
        slow.add(page)
    for page in parsed:
        importance = fast.importance(page)
        columns = np.stack([importance.composite, importance.highest, importance.content], axis=1)
        expected = np.full_like(columns, np.nan)
        for element, values in slow.table(page).items():
            expected[element] = values
        assert columns == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(st.lists(SOUP, min_size=1, max_size=3))
def test_broken_markup_is_merged_too(site):
    parsed = [Page.parse(html) for html in site]
    tree = tree_of(*parsed)
    for page in parsed:
        assert tree.importance(page).noisy().shape == (len(page.elements),)


SITE = [
    Page.parse(f"<body><p>Home news</p><div>{inner}</div></body>")
    for inner in ("<p>red fox</p>", "<p>blue sky</p>", "<ul><li>x</li></ul>")
]


def test_importance_by_hand():
    # p: 3 pages, "home" and "news" a third on each: H = 1, CompImp = 0
    # p in div: 2 pages, four words of one page each: H = 0, CompImp = 1; li: one page, 1
    # ul: one page, one style: NodeImp 1, (1 - .9) 1 + .9 · 1 = 1
    # div: two styles of 2 and 1 pages: NodeImp = -(2/3 log_3 2/3 + 1/3 log_3 1/3)
    node = -(2 / 3 * log(2 / 3, 3) + 1 / 3 * log(1 / 3, 3))
    assert node == pytest.approx(0.5794, abs=1e-4)
    div = (1 - 0.81) * node + 0.81 * (2 / 3 * 1 + 1 / 3 * 1)
    body = 0.1 * 0 + 0.9 * (0 + div) / 2  # one style: NodeImp 0; mean of p and div
    tree = tree_of(*SITE)
    # html, body, p, div, p
    assert tree.importance(SITE[0]).composite.tolist() == pytest.approx([0.9 * body, body, 0, div, 1])
    third = by_tag(SITE[2], tree.importance(SITE[2]).composite)
    assert third[4:] == [("ul", pytest.approx(1)), ("li", 1)]


def test_importance_of_a_node_on_one_page_is_a_parameter():
    # ul: (1 - .9) 0 + .9 · 1 = .9
    tree = tree_of(*SITE, lone_importance=0.0)
    assert by_tag(SITE[2], tree.importance(SITE[2]).composite)[4:] == [("ul", pytest.approx(0.9)), ("li", 1)]


def test_noise_has_no_part_that_is_not():
    importance = tree_of(*SITE).importance(SITE[0])
    assert importance.noisy(0.2).tolist() == [False, False, True, False, False]  # only the p of the menu
    assert importance.noisy_text(0.2)[[2, 4]].tolist() == [True, False]
    # body's CompImp is below .5, but not its div's
    assert importance.composite[1] < 0.5
    assert not importance.noisy(0.5)[1]


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
    tree = tree_of(*parsed)
    assert tree.importance(parsed[0]).content[2] == pytest.approx(content)


def test_own_text_beside_elements_is_one_more_leaf():
    # p holds "by" on both pages (0) and b, that differs (1): one style, .9 · (0 + 1) / 2
    site = [Page.parse(f"<body><p>by <b>{name}</b></p></body>") for name in ("Ann", "Bob")]
    importance = tree_of(*site).importance(site[0])
    assert importance.composite[2:].tolist() == pytest.approx([0.45, 1])
    assert importance.noisy_text()[2:].tolist() == [True, False]
    assert not importance.noisy()[2]


def test_presentation_parts_what_tags_do_not():
    site = [Page.parse(f"<body><p class={name}>Same text</p></body>") for name in ("ad-1", "ad-2", "story")]
    tree = tree_of(*site)
    assert [tree.importance(page).composite[2] for page in site] == [0, 0, 1]  # ad-1 and ad-2 are one


def test_unknown_parts_are_no_noise():
    tree = tree_of(*SITE[:2])
    importance = tree.importance(SITE[2])
    assert np.isnan(importance.composite[4:]).all()
    assert not importance.noisy()[4:].any()
    for empty in (StyleTree(), tree_of(Page.parse(""))):
        assert np.isnan(empty.importance(SITE[0]).composite).all()


def test_the_oldest_pages_are_forgotten():
    size = tree_of(SITE[0]).size
    tree = tree_of(*[SITE[0]] * 5, max_size=3 * size)
    assert (len(tree), tree.size) == (3, 3 * size)
    assert len(tree_of(*SITE, max_size=0)) == 1


def test_it_grows_page_by_page():
    tree = StyleTree()
    for n, page in enumerate(SITE, 1):
        tree.add(page)
        assert tree.importance(page).composite.tolist() == tree_of(*SITE[:n]).importance(page).composite.tolist()


def test_a_deep_page():
    deep = Page.parse("<p>same</p>" + "<div>" * 5000 + "end")
    other = Page.parse("<p>same</p>" + "<div>" * 5000 + "other")
    importance = tree_of(deep, other).importance(deep)
    assert importance.composite[-1] == 1
    assert not importance.noisy()[0]


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="gamma"):
        StyleTree(gamma=2)
