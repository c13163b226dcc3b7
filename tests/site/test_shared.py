"""What pages share, against plain counting."""

from collections import Counter
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site import SiteStatistics, shared
from denoise_scrapy.site.shared import Numbers, SharedBlocks, number_facts, share
from tests.html_strategies import pages

ROWS = ("text_share", "placed_share", "slot_share", "own_tokens", "carried_tokens", "likeness")


def facts(rows: list[tuple[int, int, int]], shapes: list[int]) -> PageFacts:
    """Facts of blocks with texts and paths of a few values: pages share many."""
    texts, paths, tokens = np.array(rows, np.int64).reshape(-1, 3).T
    return PageFacts("", frozenset(shapes), texts.astype(np.uint64) << np.uint64(40), paths.astype(np.uint64), tokens)


blocks = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 9)), max_size=12)
some_facts = st.builds(facts, blocks, st.lists(st.integers(0, 5), max_size=4))


def plainly(page: PageFacts, prose: list[int], others: list[PageFacts]) -> list[list[float]]:
    """The same, counted one by one."""
    own, *theirs = (
        list(zip(*(a.tolist() for a in (p.text_hashes, p.path_keys, p.tokens)), strict=True)) for p in (page, *others)
    )
    k = max(len(others), 1)
    pages_with = Counter(text for blocks in theirs for text in {text for text, _, _ in blocks})
    placed = Counter(both for blocks in theirs for both in {(text, path) for text, path, _ in blocks})
    on_pages = pages_with + Counter({text for text, _, _ in own})
    whole, repeated, alone = Counter(), Counter(), Counter()
    for text, path, tokens in (block for blocks in (own, *theirs) for block in blocks):
        whole[path] += tokens
        repeated[path] += tokens if on_pages[text] > 1 else 0
    for text, path, tokens in (block for blocks in theirs for block in blocks):
        alone[path] += tokens if on_pages[text] == 1 else 0
    has = [{text for text, _, _ in blocks} for blocks in theirs]
    common = [len(page.signature & other.signature) for other in others]
    fewer = [min(len(page.signature), len(other.signature)) for other in others]
    return [
        [pages_with[text] / k for text, _, _ in own],
        [placed[text, path] / k for text, path, _ in own],
        [repeated[path] / max(whole[path], 1) for _, path, _ in own],
        [alone[path] / k for _, path, _ in own],
        [
            [sum(weight for (text, _, _), weight in zip(own, weights, strict=True) if text in texts) for texts in has]
            for weights in (page.tokens.tolist(), prose)
        ],
        [a / max(b, 1) for a, b in zip(common, fewer, strict=True)],
    ]


@settings(deadline=None)
@given(some_facts, st.lists(some_facts, max_size=5), st.lists(some_facts, max_size=3), st.randoms(), st.booleans())
def test_facts_equal_plain_counting(page, others, earlier, random, new_numbers):
    prose = [random.randint(0, 9) for _ in page.tokens]
    number_facts(earlier)
    number_facts([*earlier, *others])
    with patch.multiple(shared, MAX_NUMBERS=0, MOST_TIMES=0 if new_numbers else 4):
        found = share(page, np.array(prose, np.int64), others, number_facts([page, *others]))
    for values, expected in zip(found, plainly(page, prose, others), strict=True):
        np.testing.assert_array_equal(values, np.array(expected, float))


@settings(deadline=None)
@given(pages(), st.lists(pages(), min_size=1, max_size=4))
def test_the_first_pages_are_compared_as_they_are_alone(html, others):
    page, others = Page.parse(html), [Page.parse(other).facts for other in [html, *others]]
    site = SiteStatistics.of(others).for_page(page)
    for k in (1, 2, 5):
        found, expected = site.first(k).shared_with(page), SharedBlocks(page, site.pages[:k])
        for name in ROWS:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@given(st.lists(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 9), max_size=9), max_size=5))
def test_equal_hashes_have_one_number(lists):
    numbers, found = Numbers(), {}
    for hashes in lists:
        for one, number in zip(hashes, numbers.of(np.array(hashes, np.uint64)).tolist(), strict=True):
            assert found.setdefault(one, number) == number < len(numbers)
    assert len(set(found.values())) == len(found)


def test_numbers_of_pages_past_are_forgotten():
    with patch.object(shared, "MAX_NUMBERS", 100):
        for first in range(0, 2000, 20):
            page = facts([(first + i, i, 1) for i in range(20)], [])
            (known,) = number_facts([page])
            assert len(known.numbers) <= 61
        kept = [facts([(i, i, 1)], []) for i in range(50)]
        for first in range(49):
            ages = {known.numbers.birth for known in number_facts(kept[first : first + 2])}
            assert len(ages) == 1
