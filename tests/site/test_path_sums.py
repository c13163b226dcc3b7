"""Sums by path are additive, bounded, and answer for each path what was put in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.site import path_sums
from denoise_scrapy.site.path_sums import PathSums

#: Probabilities that add up without rounding.
BLOCKS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 8).map(lambda n: n / 8), st.integers(0, 50)), max_size=12)


def columns(blocks):
    keys, probability, tokens = zip(*blocks, strict=True) if blocks else ((), (), ())
    return np.array(keys, np.uint64), np.array(probability, float), np.array(tokens, np.int64)


def sums_of(pages):
    sums = PathSums()
    for blocks in pages:
        sums = sums.add(*columns(blocks))
    return sums


def as_dict(sums):
    return {
        int(k): (float(c), float(t), float(p))
        for k, c, t, p in zip(sums.keys, sums.content, sums.tokens, sums.pages, strict=True)
    }


@given(st.lists(BLOCKS, max_size=6), st.lists(BLOCKS, max_size=6))
def test_merging_is_the_same_as_adding_all(some, others):
    merged = sums_of(some).merge(sums_of(others))
    assert as_dict(merged) == as_dict(sums_of([*some, *others])) == as_dict(sums_of(others).merge(sums_of(some)))


@given(st.lists(BLOCKS, max_size=6))
def test_sums_are_those_of_a_plain_loop(pages):
    expected = {}
    for blocks in pages:
        for key in {key for key, _, _ in blocks}:
            content, tokens, count = expected.get(key, (0.0, 0.0, 0.0))
            own = [(p, n) for k, p, n in blocks if k == key]
            expected[key] = (content + sum(p * n for p, n in own), tokens + sum(n for _, n in own), count + 1)
    sums = sums_of(pages)
    assert as_dict(sums) == expected
    shares = sums.content_share(np.arange(11, dtype=np.uint64))
    for key in range(11):
        content, tokens, _ = expected.get(key, (0.0, 0.0, 0.0))
        assert (np.isnan(shares[key]) and not tokens) or shares[key] == content / tokens
    assert sums.knows(np.arange(11, dtype=np.uint64)).tolist() == [key in expected for key in range(11)]


@given(st.lists(BLOCKS, max_size=6), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_decay_keeps_shares(pages, factor):
    sums = sums_of(pages)
    old = sums.decay(factor)
    assert {k: tuple(factor * v for v in values) for k, values in as_dict(sums).items()} == as_dict(old)
    if factor:
        keys = np.arange(11, dtype=np.uint64)
        assert np.array_equal(sums.content_share(keys), old.content_share(keys), equal_nan=True)


@given(st.lists(BLOCKS, max_size=9))
def test_the_paths_of_the_fewest_pages_leave(pages):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_sums, "MAX_PATHS", 4)
        sums = PathSums()
        for blocks in pages:
            sums = sums.add(*columns(blocks))
            assert len(sums) <= 4
            assert np.all(np.diff(sums.keys.astype(float)) > 0)
        everything = len({key for blocks in pages for key, _, _ in blocks})
        assert sums.evicted >= everything - len(sums)


def test_the_common_paths_stay(monkeypatch):
    monkeypatch.setattr(path_sums, "MAX_PATHS", 10)
    sums = PathSums()
    for n in range(50):
        keys = np.array([1, 2, 3, 100 + n], np.uint64)
        sums = sums.decay(0.99).add(keys, np.ones(4), np.full(4, 10))
    assert {1, 2, 3} < set(sums.keys.tolist())
    assert sums.evicted == 53 - 10


def test_known_share_counts_tokens():
    sums = PathSums().add(np.array([5], np.uint64), np.ones(1), np.array([3]))
    keys = np.array([5, 6], np.uint64)
    assert sums.known_share(keys, np.array([30, 10])) == 0.75
    assert PathSums().known_share(keys, np.array([30, 10])) == 0.0
    assert sums.known_share(keys, np.array([0, 0])) == 1.0
    assert np.isnan(PathSums().content_share(keys)).all()
