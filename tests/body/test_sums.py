"""Sums of the blocks' counts, against loops over the blocks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.features.sums import (
    CHARS,
    ONES,
    OWN,
    PROSE,
    TOKENS,
    WIDEST,
    Sums,
    in_best_container,
    in_best_containers,
)
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages

HTML = st.lists(st.one_of(pages(3), SOUP), min_size=1, max_size=3).map("".join)
#: Text goes on behind the children's: blocks do not stand in the order of their elements.
BEHIND = "<div>One.<p>Two three.</p>Four five six.<div><p>Seven.</p>Eight.</div></div>"


def sums_of(html: str) -> Sums:
    page = Page.parse(html)
    return Sums(page, {OWN: np.arange(len(page.blocks)) % 3})


@settings(deadline=None)
@given(HTML)
def test_subtrees(html: str) -> None:
    sums = sums_of(BEHIND + html)
    end, element = sums.page.elements.end, sums.page.blocks.element
    inside = [(element >= e) & (element < end[e]) for e in range(len(end))]
    assert sums.under(slice(None)).T.tolist() == [sums.rows[:, blocks].sum(axis=1).tolist() for blocks in inside]
    above = sums.page.blocks.above[:4]
    assert sums.above[TOKENS - PROSE].tolist() == sums.under(TOKENS)[above].tolist()


@settings(deadline=None)
@given(HTML, st.integers(0, WIDEST))
def test_windows(html: str, width: int) -> None:
    sums = sums_of(BEHIND + html)
    rows = sums.rows[PROSE : ONES + 1]
    around = [rows[:, max(i - width, 0) : i + width + 1].sum(axis=1) for i in range(rows.shape[1])]
    assert sums.windows(width).tolist() == np.array(around).T.tolist()
    assert sums.totals.tolist() == sums.rows.sum(axis=1).tolist()


@settings(deadline=None)
@given(HTML, st.integers(0, 3), st.integers(0, 9))
def test_parts_of_the_page(html: str, low: int, more: int) -> None:
    sums = sums_of(BEHIND + html)
    m = sums.rows.shape[1]
    high = min(low + more, m)
    expected = sums.rows[PROSE : CHARS + 1, low:high].sum(axis=1)
    assert sums.between(np.array([low]), np.array([high]))[:, 0].tolist() == expected.tolist()
    assert sums.before(TOKENS).tolist() == [0, *np.cumsum(sums.rows[TOKENS]).tolist()]


@settings(deadline=None)
@given(HTML)
def test_paths(html: str) -> None:
    sums = sums_of(BEHIND + html)
    keys = sums.page.blocks.path_keys
    tokens = [int(sums.rows[TOKENS][keys == key].sum()) for key in keys]
    assert sums.by_path[TOKENS - PROSE].take(sums.page.blocks.slots).tolist() == tokens


@settings(deadline=None)
@given(HTML)
def test_both_containers_are_those_found_one_by_one(html: str) -> None:
    sums = sums_of(BEHIND + html)
    expected = [in_best_container(sums.page, sums.rows[row]).tolist() for row in (OWN, PROSE)]
    assert in_best_containers(sums).tolist() == expected
