"""The tree against a literal linear scan: all matches, at every stage of its growth."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import tree
from denoise_scrapy.dedup.rules import needed
from denoise_scrapy.dedup.sets import count_common, gather, ones, sign
from denoise_scrapy.dedup.tree import SetTree

# Units are spread over the bits of a signature as hashes are.
_SPREAD = 40503
SETS = st.lists(st.sets(st.integers(0, 40), min_size=1, max_size=15), max_size=60)


def as_units(units):
    return np.array(sorted({unit * _SPREAD % 65536 if unit < 41 else unit for unit in units}), np.uint16)


def as_bytes(units):
    return as_units(units).astype("<u2").tobytes()


def linear_scan(sets, lengths, query, need, longest):
    """Every set with enough in common, looked at one by one."""
    return [i for i, s in enumerate(sets) if len(s & query) >= need and lengths[i] <= longest]


def ask(one, query, need, longest):
    return one.search(as_units(query), need, longest).tolist()


def realistic(rnd, count):
    """Sets like those of texts: of common and rare units, some much alike."""
    sets = []
    for _ in range(count):
        if sets and rnd.random() < 0.2:
            base = rnd.choice(sets)
            sets.append({u if rnd.random() < 0.9 else rnd.randrange(41, 1 << 16) for u in base})
        else:
            size = rnd.randint(5, 120)
            sets.append({41 + int(rnd.paretovariate(0.5)) * 2654435769 % ((1 << 16) - 41) for _ in range(size)})
    return sets


def assert_all_matches(found, expected, lengths, longest):
    """A search gives all that a scan gives, in order, none that is too long."""
    assert set(expected) <= set(found)
    assert found == sorted(set(found)) and all(lengths[i] <= longest for i in found)


def assert_hardly_any_more(one, sets, rnd):
    """All matches of 80 queries among realistic sets, and strangers among less than one in a hundred of the sets."""
    lengths, extra = [50] * len(sets), 0
    for query in rnd.sample(sets, 40) + realistic(rnd, 40):
        need = needed(len(query), 0.7)
        found, expected = ask(one, query, need, 99), linear_scan(sets, lengths, query, need, 99)
        assert_all_matches(found, expected, lengths, 99)
        extra += len(found) - len(expected)
    assert extra < 0.01 * 80 * len(sets)


def draw_question(data, sets):
    """Lengths of the sets' texts, a query, and the longest text that is asked for."""
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=len(sets), max_size=len(sets)))
    return lengths, data.draw(st.sets(st.integers(0, 40), min_size=1, max_size=15)), data.draw(st.integers(1, 9))


def grown(sets, lengths):
    one = SetTree()
    for number, units in enumerate(sets):
        one.add([number], [as_bytes(units)], [lengths[number]])
    return one


@pytest.fixture(params=[(0, 16384), (3, 10), (1024, 16384)], ids=lambda sizes: f"tail{sizes[0]}")
def tail(request, monkeypatch):
    monkeypatch.setattr(tree, "TAIL", request.param[0])
    monkeypatch.setattr(tree, "TREE", request.param[1])


@pytest.mark.usefixtures("tail")
@settings(max_examples=150, deadline=None, suppress_health_check=[])
@given(data=st.data(), sets=SETS, threshold=st.sampled_from([0.1, 0.5, 0.7, 0.8, 1.0]))
def test_all_matches_of_a_linear_scan(data, sets, threshold):
    lengths, query, longest = draw_question(data, sets)
    need = needed(len(query), threshold)
    expected = linear_scan(sets, lengths, query, need, longest)
    growing = SetTree()
    for number, units in enumerate(sets):  # asked after every set: tail, merges and all
        growing.add([number], [as_bytes(units)], [lengths[number]])
        seen = ask(growing, query, need, longest)
        assert_all_matches(seen, [i for i in expected if i <= number], lengths, longest)


def test_all_matches_in_a_large_tree():
    rnd = random.Random(5)
    sets = realistic(rnd, 6000)
    one = SetTree()
    one.add(list(range(len(sets))), [as_bytes(s) for s in sets], [50] * len(sets))
    assert_hardly_any_more(one, sets, rnd)
    assert one.visited < 0.3 * 80 * len(sets)


def test_trees_are_closed_before_laying_them_out_takes_long(monkeypatch):
    monkeypatch.setattr(tree, "TAIL", 100)
    monkeypatch.setattr(tree, "TREE", 500)
    sets = realistic(random.Random(9), 2600)
    one = grown(sets, [1] * len(sets))
    assert len(one._closed) == 5 and all(len(each.item) <= 500 for each in one._closed)
    assert len(one._signed) <= 101 + len(one._loose)


def test_the_order_is_the_edit_distance():
    rnd = random.Random(6)
    sets = realistic(rnd, 500)
    layout, deep = tree.build(tree.EMPTY, np.arange(500), [as_bytes(s) for s in sets], [1] * 500)
    assert sorted(layout.item.tolist() + deep.tolist()) == list(range(500))
    for node in range(1, len(layout.item)):
        above, here = node, sets[layout.item[node]]
        while (edge := layout.parent[above]) >= 0:
            other = sets[layout.item[edge]]
            assert max(len(other), len(here)) - len(other & here) == layout.distance[above]
            above = edge


def test_merging_in_batches_makes_the_tree_of_single_insertion():
    sets = [as_bytes(s) for s in realistic(random.Random(7), 300)]
    single = batches = tree.EMPTY
    for number in range(300):
        single, _ = tree.build(single, np.array([number]), sets, [1] * 300)
    for part in np.array_split(np.arange(300), 4):
        batches, _ = tree.build(batches, part, sets, [1] * 300)
    for name in ("item", "parent", "distance", "first", "own", "below", "most"):
        assert np.array_equal(getattr(single, name), getattr(batches, name)), name


def test_a_chain_grows_no_deeper_than_allowed(monkeypatch):
    monkeypatch.setattr(tree, "TAIL", 300)
    sets = [{1, 2, 3, 4, 5}] * 300 + [{10 * i + j for j in range(5)} for i in range(1, 200)]
    one = grown(sets, [9] * len(sets))
    for number in range(600):
        one.add([len(sets) + number], [as_bytes({7, 8, 9})], [9])
    assert set(range(300)) <= set(ask(one, {1, 2, 3, 4, 5}, 4, 9))
    assert 304 in ask(one, {50, 51, 52, 53, 99}, 4, 9)
    assert one._open.depth.max() < tree.MAX_DEPTH
    assert len(one._loose) > 500


def test_empty_tree_and_empty_sets():
    assert ask(SetTree(), {1}, 1, 9) == []
    one = grown([set(), {1}], [1, 1])
    assert ask(one, {1}, 1, 9) == [1]


def test_popcounts_are_signed(monkeypatch):
    rows = np.array([[2**64 - 1, 1], [0, 0]], np.uint64)
    assert ones(rows).dtype == np.int64
    assert (3 - ones(rows)).tolist() == [-62, 3]
    monkeypatch.delattr(np, "bitwise_count", raising=False)  # numpy 1
    assert ones(rows).tolist() == [65, 0]


@given(st.lists(st.sets(st.integers(41, 2**16 - 1), max_size=30), min_size=1, max_size=8))
def test_signature_bounds_the_intersection(sets):
    marks = sign(*gather([as_bytes(s) for s in sets]))
    for mine, mark in zip(sets, marks, strict=True):
        bound = len(mine) - ones(mark & ~marks)
        common = [len(mine & other) for other in sets]
        assert all(real <= most for real, most in zip(common, bound.tolist(), strict=True))
        assert count_common(as_units(mine), [as_bytes(other) for other in sets]) == common
