"""The tree against a literal linear scan: all matches, at every stage of its growth."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup.rules import needed
from denoise_scrapy.dedup.tree import MAX_DEPTH, SetTree, ones

# Units are spread over the bits of a signature as hashes are.
_SPREAD = 40503
SETS = st.lists(st.sets(st.integers(0, 40), min_size=1, max_size=15), max_size=60)


def as_units(units):
    return np.array(sorted({unit * _SPREAD % 65536 if unit < 41 else unit for unit in units}), np.uint16)


def linear_scan(sets, lengths, query, need, longest):
    """Return all sets with enough in common, checking one by one."""
    return [i for i, s in enumerate(sets) if len(s & query) >= need and lengths[i] <= longest]


def realistic(rnd, count):
    """Return sets like those of texts, with common and rare units, some very similar."""
    sets = []
    for _ in range(count):
        if sets and rnd.random() < 0.2:
            base = rnd.choice(sets)
            sets.append({u if rnd.random() < 0.9 else rnd.randrange(41, 1 << 16) for u in base})
        else:
            size = rnd.randint(5, 120)
            sets.append({41 + int(rnd.paretovariate(0.5)) * 2654435769 % ((1 << 16) - 41) for _ in range(size)})
    return sets


def grown(sets, lengths=None):
    one = SetTree()
    for number, units in enumerate(sets):
        one.add(number, as_units(units), lengths[number] if lengths else 9)
    return one


@settings(max_examples=150, deadline=None)
@given(data=st.data(), sets=SETS, threshold=st.sampled_from([0.1, 0.5, 0.7, 0.8, 1.0]))
def test_all_matches_of_a_linear_scan(data, sets, threshold):
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=len(sets), max_size=len(sets)))
    query, longest = data.draw(st.sets(st.integers(0, 40), min_size=1, max_size=15)), data.draw(st.integers(1, 9))
    need = needed(len(query), threshold)
    expected = linear_scan(sets, lengths, query, need, longest)
    growing = SetTree()
    for number, units in enumerate(sets):
        growing.add(number, as_units(units), lengths[number])
        found = growing.search(as_units(query), need, longest).tolist()
        assert {i for i in expected if i <= number} <= {*found} and found == sorted({*found})
        assert all(lengths[i] <= longest for i in found)
    assert len(growing) == len(sets)


def test_hardly_any_more_in_a_large_tree():
    rnd = random.Random(5)
    sets = realistic(rnd, 3000)
    one, more = grown(sets), 0
    for query in rnd.sample(sets, 40) + realistic(rnd, 40):
        need = needed(len(query), 0.7)
        found, expected = one.search(as_units(query), need, 9).tolist(), linear_scan(sets, [9] * 3000, query, need, 9)
        assert {*expected} <= {*found}
        more += len(found) - len(expected)
    assert more < 0.01 * 80 * len(sets) and one.visited < 0.9 * 80 * len(sets)


def test_a_chain_grows_no_deeper_than_allowed():
    sets = [{1, 2, 3, 4, 5}] * 300 + [{10 * i + j for j in range(5)} for i in range(1, 200)] + [{7, 8, 9}] * 300
    one = grown(sets)
    assert set(range(300)) <= set(one.search(as_units({1, 2, 3, 4, 5}), 4, 9).tolist())
    assert 304 in one.search(as_units({50, 51, 52, 53, 99}), 4, 9).tolist()
    assert len(one.levels) == MAX_DEPTH and len(one) == len(sets)


def test_empty_tree_and_empty_sets():
    assert SetTree().search(as_units({1}), 1, 9).tolist() == []
    assert grown([set(), {1}]).search(as_units({1}), 1, 9).tolist() == [1]


def test_popcounts_are_signed(monkeypatch):
    rows = np.array([[2**64 - 1, 1], [0, 0]], np.uint64)
    assert (3 - ones(rows)).tolist() == [-62, 3]
    monkeypatch.delattr(np, "bitwise_count", raising=False)  # numpy 1
    assert ones(rows).tolist() == [65, 0]
