"""The tree against a literal linear scan: all matches, at every stage of its growth."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import signature, tree, tree_layout
from denoise_scrapy.dedup.decision import needed
from denoise_scrapy.dedup.tree import SetTree

SETS = st.lists(st.sets(st.integers(0, 40), min_size=1, max_size=15), max_size=60)


def as_bytes(units):
    return np.array(sorted(units), "<u4").tobytes()


def linear_scan(sets, lengths, query, need, longest):
    """Every set with enough in common, looked at one by one."""
    return [i for i, s in enumerate(sets) if len(s & query) >= need and lengths[i] <= longest]


def grown(sets, lengths):
    one = SetTree()
    for number, units in enumerate(sets):
        one.add(number, as_bytes(units), lengths[number])
    return one


def ask(one, query, need, longest):
    return one.search(np.array(sorted(query), np.uint32), need, longest).tolist()


@pytest.fixture(params=[0, 3, 1024], ids=lambda tail: f"tail{tail}")
def tail(request, monkeypatch):
    monkeypatch.setattr(tree, "TAIL", request.param)


@pytest.mark.usefixtures("tail")
@settings(max_examples=150, deadline=None, suppress_health_check=[])
@given(data=st.data(), sets=SETS, threshold=st.sampled_from([0.1, 0.5, 0.7, 0.8, 1.0]))
def test_all_matches_of_a_linear_scan(data, sets, threshold):
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=len(sets), max_size=len(sets)))
    query = data.draw(st.sets(st.integers(0, 40), min_size=1, max_size=15))
    longest = data.draw(st.integers(1, 9))
    need = needed(len(query), threshold)
    expected = linear_scan(sets, lengths, query, need, longest)
    one, growing = grown(sets, lengths), SetTree()
    assert ask(one, query, need, longest) == expected
    for number, units in enumerate(sets):  # asked after every set: tail, merges and all
        growing.add(number, as_bytes(units), lengths[number])
        seen = ask(growing, query, need, longest)
        assert seen == [i for i in expected if i <= number]


def realistic(rnd, count):
    """Sets like those of texts: of common and rare units, some much alike."""
    sets = []
    for _ in range(count):
        if sets and rnd.random() < 0.2:
            base = rnd.choice(sets)
            sets.append({u if rnd.random() < 0.9 else rnd.randrange(1 << 32) for u in base})
        else:
            size = rnd.randint(5, 120)
            sets.append({int(rnd.paretovariate(0.5)) % (1 << 32) for _ in range(size)})
    return sets


def test_all_matches_in_a_large_tree():
    rnd = random.Random(5)
    sets = realistic(rnd, 6000)
    one = grown(sets, [50] * len(sets))
    ask(one, {1, 2, 3}, 1, 99)
    one.visited = 0
    for query in rnd.sample(sets, 40) + realistic(rnd, 40):
        need = needed(len(query), 0.7)
        assert ask(one, query, need, 99) == linear_scan(sets, [50] * len(sets), query, need, 99)
    assert one.visited < 0.2 * 80 * len(sets)


def test_the_order_is_the_edit_distance():
    rnd = random.Random(6)
    sets = realistic(rnd, 500)
    layout, deep = tree_layout.build(tree_layout.EMPTY, np.arange(500), [as_bytes(s) for s in sets], [1] * 500)
    assert sorted(layout.item.tolist() + deep.tolist()) == list(range(500))
    for node in range(1, len(layout.item)):
        above, here = node, sets[layout.item[node]]
        while (edge := layout.parent[above]) >= 0:
            other = sets[layout.item[edge]]
            assert max(len(other), len(here)) - len(other & here) == layout.distance[above]
            above = edge


def test_merging_in_batches_makes_the_tree_of_single_insertion():
    sets = [as_bytes(s) for s in realistic(random.Random(7), 300)]
    single = batches = tree_layout.EMPTY
    for number in range(300):
        single, _ = tree_layout.build(single, np.array([number]), sets, [1] * 300)
    for part in np.array_split(np.arange(300), 4):
        batches, _ = tree_layout.build(batches, part, sets, [1] * 300)
    for name in ("item", "parent", "distance", "first", "own", "below", "most"):
        assert np.array_equal(getattr(single, name), getattr(batches, name)), name


def test_a_chain_grows_no_deeper_than_allowed():
    sets = [{1, 2, 3, 4, 5}] * 300 + [{10 * i + j for j in range(5)} for i in range(1, 200)]
    one = grown(sets, [9] * len(sets))
    for number in range(600):
        one.add(len(sets) + number, as_bytes({7, 8, 9}), 9)
    assert ask(one, {1, 2, 3, 4, 5}, 4, 9) == list(range(300))
    assert ask(one, {50, 51, 52, 53, 99}, 4, 9) == [304]
    assert one._layout.depth.max() < tree_layout.MAX_DEPTH
    assert len(one._loose) > 500


def test_empty_tree_and_empty_sets():
    assert ask(SetTree(), {1}, 1, 9) == []
    one = grown([set(), {1}], [1, 1])
    assert ask(one, {1}, 1, 9) == [1]


def test_popcounts_are_signed(monkeypatch):
    rows = np.array([[2**64 - 1, 1], [0, 0]], np.uint64)
    assert signature.ones(rows).dtype == np.int64
    assert (3 - signature.ones(rows)).tolist() == [-62, 3]
    monkeypatch.delattr(np, "bitwise_count", raising=False)  # numpy 1
    assert signature.ones(rows).tolist() == [65, 0]


@given(st.lists(st.sets(st.integers(0, 2**32 - 1), max_size=30), min_size=1, max_size=8))
def test_signature_bounds_the_intersection(sets):
    marks = signature.sign(*signature.gather([as_bytes(s) for s in sets]))
    for mine, mark in zip(sets, marks, strict=True):
        bound = len(mine) - signature.ones(mark & ~marks)
        assert all(len(mine & other) <= b for other, b in zip(sets, bound.tolist(), strict=True))
