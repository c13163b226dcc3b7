"""LCS matching: the table split by depth against the source's full table, and what it says of real layouts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.strategies import lcs
from denoise_scrapy.body.strategies.lcs import match_trees
from denoise_scrapy.page import Boxes, FeatureTree, Page
from tests.html_strategies import SOUP, pages
from tests.site.literal_lcs import literal_best_count, literal_score


def with_boxes(page: Page, seed: int) -> Page:
    n = len(page.elements)
    x, y, w, h = np.random.default_rng(seed).integers(0, 3, (4, n)).astype(np.float32)
    x[::5] = np.nan
    page.boxes = Boxes(x, y, w, h, 1280, 2000)
    return page


@settings(deadline=None)
@given(pages(3), pages(3), st.sampled_from([0.3, 0.5, 0.7]), st.none() | st.integers(0, 5))
def test_score_equals_the_literal_table(a, b, ts, seed):
    first, second = (Page.parse(html) if seed is None else with_boxes(Page.parse(html), seed) for html in (a, b))
    x, y = FeatureTree(first), FeatureTree(second)
    matched, score = match_trees(x, y, ts)
    assert score == pytest.approx(literal_score(x, y, ts))
    if seed is None:
        assert int(matched.sum()) == literal_best_count(x, y, ts)


@given(SOUP, SOUP)
def test_broken_markup_is_matched_too(a, b):
    x, y = FeatureTree(Page.parse(a)), FeatureTree(Page.parse(b))
    assert match_trees(x, y)[0].shape == (len(x),)


def test_a_level_too_large_for_a_table_is_matched_by_equality(monkeypatch):
    html = "<body><ul>" + "".join(f"<li class=c{'x' * (i % 3)}><p>item {i}</p></li>" for i in range(40)) + "</ul>"
    tree = FeatureTree(Page.parse(html))
    monkeypatch.setattr(lcs, "MAX_LEVEL_CELLS", 100)
    assert match_trees(tree, tree)[0].all()
    other = FeatureTree(Page.parse(html.replace("item 7<", "something else<")))
    assert int((~match_trees(other, tree)[0]).sum()) == 1


def test_fourteen_attributes_by_hand():
    html = "<body><div id=a class='b c'>Hi<p>One two<b>!</b></p><script>x()</script></div><p></p>"
    tree = FeatureTree(Page.parse(html))
    tags = [tree.page.tags()[element] for element in tree.element]
    assert tags == ["body", "div", "p", "p", "b"]  # level by level, the script is gone
    assert tree.parent.tolist() == [-1, 0, 0, 1, 3]
    assert tree.depth.tolist() == [0, 1, 1, 2, 3]
    assert tree.text_length.tolist() == [9, 9, 0, 7, 1]
    assert tree.text_rate.tolist() == pytest.approx([0, 2 / 9, 0, 6 / 7, 1])
    assert tree.is_content.tolist() == [False, False, True, True, True]
    assert tree.outer_length[4] == len("<b>!</b>")
    assert (
        tree.outer_length[1] == len("<div id=xax class='b c'></div>" + "<p></p>" + "<script></script>" + "<b></b>") + 9
    )
    assert np.isnan(tree.boxes).all()
