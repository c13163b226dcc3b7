"""The matching in C against the one in numpy: the same nodes, ties included."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.native import library
from denoise_scrapy.native.lcs import match_levels
from denoise_scrapy.page import Boxes, FeatureTree, Page
from denoise_scrapy.site import lcs
from denoise_scrapy.site.lcs import _match_levels, match_trees
from example_project.portal.build import build
from tests.html_strategies import SOUP, pages

native = library()
pytestmark = pytest.mark.skipif(native is None, reason="not compiled here")


def with_boxes(page: Page, seed: int | None) -> Page:
    if seed is not None:
        x, y, w, h = np.random.default_rng(seed).uniform(0, 3, (4, len(page.elements))).astype(np.float32)
        x[::5] = np.nan
        page.boxes = Boxes(x, y, w, h, 1280, 2000)
    return page


def assert_equal(a: FeatureTree, b: FeatureTree, similar: float = 0.5) -> None:
    found, expected = match_trees(a, b, similar), _match_levels(a, b, similar)
    assert found.matched.tolist() == expected.matched.tolist()
    assert found.score == pytest.approx(expected.score, rel=1e-12)


@settings(deadline=None, max_examples=200)
@given(pages(), pages(), st.sampled_from([0.3, 0.5, 0.7]), st.none() | st.integers(0, 3), st.none() | st.integers(0, 3))
def test_trees(a: str, b: str, similar: float, left: int | None, right: int | None) -> None:
    x, y = (FeatureTree(with_boxes(Page.parse(html), seed)) for html, seed in ((a, left), (b, right)))
    if len(x) and len(y):
        assert_equal(x, y, similar)


@given(SOUP, SOUP)
def test_soup(a: str, b: str) -> None:
    x, y = FeatureTree(Page.parse(a)), FeatureTree(Page.parse(b))
    if len(x) and len(y):
        assert_equal(x, y)


def test_whole_pages() -> None:
    trees = [FeatureTree(Page.parse(page.html)) for page in list(build().pages.values())[:40:5]]
    for first, second in itertools.pairwise(trees):
        assert_equal(first, second)


def test_too_large_a_level_is_left_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = FeatureTree(Page.parse("<body>" + "<p>x" * 20))
    assert native is not None
    assert match_levels(native, tree, tree, None, 0.5, 19 * 19) is None
    monkeypatch.setattr(lcs, "MAX_CELLS", 19 * 19)
    assert match_trees(tree, tree).matched.all()


def test_a_malformed_tree_is_left_to_numpy() -> None:
    tree, other = (FeatureTree(Page.parse("<body><p>x<p>y")) for _ in range(2))
    assert native is not None
    for parent, levels in (([-1, 7, 0], [0, 1, 3]), ([-1, -1, 0], [0, 1, 3]), ([-1, 0, 0], [0, 1, 4])):
        other.parent, other.levels = np.array(parent), np.array(levels)
        assert match_levels(native, tree, other, None, 0.5, 100) is None
        assert match_levels(native, other, tree, None, 0.5, 100) is None
