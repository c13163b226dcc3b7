"""What pages share, against plain counting; and facts that come damaged from outside."""

import struct
from collections import Counter
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.core.markup import CONTAINER_TAGS
from denoise_scrapy.core.sharing import (
    checked,
    columns_of,
    facts_of,
    share,
    similarities,
)
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import SOUP, pages

COLUMNS = ("text_share", "placed_share", "slot_share", "own_tokens", "carried", "likeness")


def facts(rows: list[tuple[int, int, int, bool]], shapes: set[int]) -> bytes:
    """Facts of blocks with texts and paths of a few values: pages share many."""
    texts, paths, tokens, prose = np.array(rows, np.uint64).reshape(-1, 4).T
    hashes = [(values + np.uint64(1)) << np.uint64(bits) for values, bits in ((texts, 40), (paths, 20))]
    arrays = np.array(sorted(shapes), np.uint64), *hashes, (2 * tokens + prose).astype(np.uint32)
    return struct.pack("=QII", 0, len(shapes), len(rows)) + b"".join(array.tobytes() for array in arrays)


blocks = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 9), st.booleans()), max_size=12)
some_facts = st.builds(facts, blocks, st.sets(st.integers(0, 5), max_size=4))


def rows_of(data: bytes) -> list[tuple[int, int, int, int]]:
    """(text, path, tokens, tokens of prose) of each block."""
    _, texts, paths, tokens = (column.tolist() for column in columns_of(data))
    return [(text, path, n >> 1, (n >> 1) * (n & 1)) for text, path, n in zip(texts, paths, tokens, strict=True)]


def plainly(page: bytes, others: list[bytes]) -> list[list[float]]:
    """The columns, counted one by one."""
    own, *theirs = map(rows_of, (page, *others))
    k = max(len(others), 1)
    pages_with = Counter(text for rows in theirs for text in {text for text, *_ in rows})
    placed = Counter(both for rows in theirs for both in {(text, path) for text, path, *_ in rows})
    on_pages = pages_with + Counter({text for text, *_ in own})
    whole, repeated, alone = Counter(), Counter(), Counter()
    for text, path, tokens, _ in (block for rows in (own, *theirs) for block in rows):
        whole[path] += tokens
        repeated[path] += tokens if on_pages[text] > 1 else 0
    for text, path, tokens, _ in (block for rows in theirs for block in rows):
        alone[path] += tokens if on_pages[text] == 1 else 0
    has = [{text for text, *_ in rows} for rows in theirs]
    shapes, *others_shapes = (set(columns_of(data)[0].tolist()) for data in (page, *others))
    return [
        [pages_with[text] / k for text, *_ in own],
        [placed[text, path] / k for text, path, *_ in own],
        [repeated[path] / max(whole[path], 1) for _, path, *_ in own],
        [alone[path] / k for _, path, *_ in own],
        [[sum(block[weight] for block in own if block[0] in texts) for texts in has] for weight in (2, 3)],
        [len(shapes & theirs) / max(min(len(shapes), len(theirs)), 1) for theirs in others_shapes],
    ]


@given(some_facts, st.lists(some_facts, max_size=5))
def test_columns_equal_plain_counting(page, others):
    found = share(page, others)
    for name, expected in zip(COLUMNS, plainly(page, others), strict=True):
        np.testing.assert_array_equal(getattr(found, name), np.array(expected, float), err_msg=name)
    assert similarities(page, others) == found.likeness.tolist()


def plain_originals(page: bytes, others: list[bytes]) -> list[int]:
    """Others that are no copies, by the rule as it is written."""
    tokens, prose = plainly(page, others)[4]
    whole, of_prose = (sum(block[weight] for block in rows_of(page)) for weight in (2, 3))
    different = [i for i in range(len(others)) if tokens[i] <= 0.97 * whole]
    shares = {i: prose[i] / max(of_prose, 1) for i in different}
    if len(different) == 1:
        theirs = sum(block[3] for block in rows_of(others[different[0]]))
        return [i for i in different if shares[i] <= 0.25 or (shares[i] <= 0.9 and prose[i] < 0.9 * theirs)]
    rest = {i: [shares[j] for j in different if j != i] for i in different}
    return [i for i in different if shares[i] <= 0.25 or shares[i] - median(rest[i]) <= 0.2]


@given(some_facts, st.lists(some_facts, max_size=7))
def test_copies_are_found_by_the_rule(page, others):
    found = share(page, others)
    originals = plain_originals(page, others)
    assert found.originals() == originals
    assert found.likest() == sorted(originals, key=lambda i: -found.likeness[i])


def test_copies_among_thousands_of_pages_are_found():
    """Each page's share of the prose is looked up among those of all others: sorting them for each takes seconds."""
    draw = np.random.default_rng(0)
    others = [facts([(text, 0, 9, True) for text in np.flatnonzero(draw.random(60) < 0.5)], {1}) for _ in range(12_000)]
    found = share(facts([(text, 0, 9, True) for text in range(60)], {1}), others)
    assert len(found.originals()) > 11_000


@given(some_facts, st.lists(some_facts, max_size=5), st.randoms())
def test_some_of_the_others_are_compared_as_they_are_alone(page, others, random):
    numbers = random.sample(range(len(others)), random.randint(0, len(others)))
    found, expected = share(page, others).only(numbers), share(page, [others[i] for i in numbers])
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@settings(deadline=None)
@given(pages(), st.lists(pages(), min_size=1, max_size=4))
def test_the_first_pages_are_compared_as_they_are_alone(html, others):
    page, others = Page.parse(html), [Page.parse(other).facts for other in [html, *others]]
    site = SiteStatistics(others).for_page(page)
    for k in (1, 2, 5):
        found, expected = (
            SiteStatistics(others).for_page(page, k).shared_with(page),
            SiteStatistics(site.pages[:k]).shared_with(page),
        )
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)


@given(SOUP | pages())
def test_facts_are_those_of_the_page(html):
    page = Page.parse(html, url="http://a.example/1")
    rows, elements = page.tree.block_rows, page.elements
    shapes, texts, paths, tokens = columns_of(page.facts.data)
    containers = elements.rows["shape"][elements.has_tag(CONTAINER_TAGS)]
    assert shapes.tolist() == sorted(set(containers.tolist()))
    assert (texts.tolist(), paths.tolist()) == (rows["text_hash"].tolist(), rows["path"].tolist())
    assert tokens.tolist() == [2 * n + (prose > 0) for n, prose in rows[["tokens", "prose"]].tolist()]
    assert len(page.facts.data) == 16 + 8 * len(shapes) + 20 * len(texts)
    assert checked(page.facts.data, "http://a.example/1") is page.facts.data


def test_damage_of_any_byte_is_found():
    data = facts_of(Page.parse("<div><p>One two.<p>Three.</div>").tree, "http://a.example/1")
    for at in range(len(data)):
        damaged = data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
        with pytest.raises(ValueError, match="damaged"):
            checked(damaged, "http://a.example/1")
    for other in (b"", data[:7], data[:-1], data + b"x"):
        with pytest.raises(ValueError, match="damaged"):
            checked(other, "http://a.example/1")
        with pytest.raises(ValueError, match="damaged"):
            share(data, [other])
    with pytest.raises(ValueError, match="damaged"):
        checked(data, "http://a.example/other")


def test_counts_that_wrap_around_are_damage():
    for containers, blocks in ((2**32 - 1, 2**32 - 1), (2**31, 0), (0, 2**31)):
        with pytest.raises(ValueError, match="damaged"):
            share(facts([], set()), [struct.pack("=QII", 0, containers, blocks)])
