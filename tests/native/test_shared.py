"""What pages share, in C against numpy."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.blocks import TIMES, FactsArrays, share_blocks
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.site.shared import SharedBlocks
from tests.html_strategies import pages

pytestmark = pytest.mark.skipif(library() is None, reason="the accelerator is not compiled")

ROWS = (
    "text_share",
    "placed_share",
    "slot_share",
    "times_on_page",
    "carried_tokens",
    "likeness",
)


def rows(page: Page, others: list[PageFacts]) -> list[np.ndarray]:
    shared = SharedBlocks(page, others)
    return [np.asarray(getattr(shared, name), float) for name in ROWS]


def facts(rows: list[tuple[int, int, int]]) -> PageFacts:
    """Facts of blocks with texts and paths of a few values: pages share many."""
    texts, paths, tokens = np.array(rows, np.int64).reshape(-1, 3).T
    return PageFacts("", frozenset(), texts.astype(np.uint64) << np.uint64(40), paths.astype(np.uint64), tokens)


blocks = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 9)), max_size=12).map(facts)


@settings(deadline=None)
@given(pages(), st.lists(pages(), max_size=4))
def test_pages_equal_the_twin(html, others):
    page, others = Page.parse(html), [Page.parse(other).facts for other in others]
    found = rows(page, others)
    with switched_off():
        expected = rows(page, others)
    for name, a, b in zip(ROWS, found, expected, strict=True):
        np.testing.assert_array_equal(a, b, err_msg=name)


@settings(deadline=None)
@given(blocks, st.lists(blocks, max_size=5), st.randoms(use_true_random=False))
def test_facts_equal_plain_counting(page, others, random):
    prose = np.array([random.randint(0, 9) for _ in page.tokens], np.int64)
    found, sums, _ = share_blocks(library(), page.arrays, prose, [other.arrays for other in others])
    has = [set(other.text_hashes.tolist()) for other in others]
    for i, text in enumerate(page.text_hashes.tolist()):
        pages_with = sum(text in texts for texts in has)
        assert found[0, i] == (pages_with / len(others) if others else 0)
        assert found[TIMES, i] == page.text_hashes.tolist().count(text)
    for j, texts in enumerate(has):
        carried = np.array([text in texts for text in page.text_hashes.tolist()], bool)
        assert sums[:, j].tolist() == [page.tokens[carried].sum(), prose[carried].sum()]


@settings(deadline=None)
@given(pages(), st.lists(pages(), min_size=1, max_size=4))
def test_comparison_pages_equal_the_twin(html, others):
    page, others = Page.parse(html), [Page.parse(other).facts for other in [html, *others]]
    found = SiteStatistics.of(others).for_page(page)
    with switched_off():
        expected = SiteStatistics.of(others).for_page(page)
        assert expected.pages == found.pages
        for k in (1, 2, 5):
            for name in ROWS:
                a, b = (getattr(site.first(k).shared_with(page), name) for site in (found, expected))
                np.testing.assert_array_equal(a, b, err_msg=name)


def test_copies_of_facts_have_addresses_of_their_own():
    made = facts([(1, 2, 3), (4, 5, 6)])
    words = made.arrays.words
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert not set(other.arrays.words[:3]) & set(words[:3])
        assert other.arrays.words[3] == 2


def test_arrays_of_other_lengths_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        FactsArrays(np.zeros(2, np.uint64), np.zeros(1, np.uint64), np.zeros(2, np.int64), np.zeros(0, np.uint64))
    with pytest.raises(ValueError, match="2 blocks"):
        share_blocks(library(), facts([(1, 2, 3), (4, 5, 6)]).arrays, np.zeros(1, np.int64), [])


def test_read_only_arrays_are_read():
    made = facts([(1, 2, 3), (4, 5, 6)])
    for array in (made.text_hashes, made.path_keys, made.tokens):
        array.flags.writeable = False
    found, _, _ = share_blocks(library(), made.arrays, np.zeros(2, np.int64), [made.arrays])
    assert found[0].tolist() == [1, 1]
