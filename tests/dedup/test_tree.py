"""The tree against a literal linear scan: all matches, at every stage of its growth."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.distance_tree import DistanceTree
from denoise_scrapy.dedup.rules import needed
from tests.examples import at_least

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
    one = DistanceTree()
    for number, units in enumerate(sets, 1):
        one.add(number, as_units(units).tobytes(), lengths[number - 1] if lengths else 9)
    return one


def found_in(tree, query, need, longest=9, runs=None):
    return [number - 1 for number in sorted(tree.search(as_units(query), need, longest, runs or {}, 1 << 30))]


@at_least(60)
@given(data=st.data(), sets=SETS, threshold=st.sampled_from([0.1, 0.5, 0.7, 0.8, 1.0]))
def test_all_matches_of_a_linear_scan_and_no_others(data, sets, threshold):
    lengths = data.draw(st.lists(st.integers(1, 9), min_size=len(sets), max_size=len(sets)))
    query, longest = data.draw(st.sets(st.integers(0, 40), min_size=1, max_size=15)), data.draw(st.integers(1, 9))
    dropped = data.draw(st.sets(st.integers(1, 60)))
    need = needed(len(query), threshold)
    expected = linear_scan(sets, lengths, query, need, longest)
    growing = DistanceTree()
    for number, units in enumerate(sets):
        growing.add(number + 1, as_units(units).tobytes(), lengths[number])
        assert found_in(growing, query, need, longest) == [i for i in expected if i <= number]
    for number in dropped:
        growing.drop(number)
    assert found_in(growing, query, need, longest) == [i for i in expected if i + 1 not in dropped]
    assert len(growing) == len(sets)


RUNS = st.tuples(st.sets(st.integers(0, 30), max_size=12), st.sets(st.integers(0, 60), max_size=30), st.integers(0, 2))


@at_least(60)
@given(texts=st.lists(RUNS, max_size=40), query=RUNS, shares=st.tuples(*[st.integers(0, 10)] * 2))
def test_texts_are_found_by_units_and_runs_together(texts, query, shares):
    units, runs, _ = query
    need, of_runs = max(1, shares[0] * len(units) // 10), max(1, shares[1] * len(runs) // 10)
    tree = DistanceTree()
    for number, (theirs, their_runs, halved) in enumerate(texts, 1):
        tree.add(number, as_units(theirs).tobytes(), 9, as_units(their_runs).tobytes(), halved)
    assert tree.halvings == sorted({halved for *_, halved in texts})
    found = tree.search(as_units(units), need, 9, {0: (as_units(runs), of_runs), 1: (as_units(runs), 0)}, 99)
    alike = [n for n, one in enumerate(texts, 1) if len(one[0] & units) >= need and one[2] == 0]
    matches = {n for n in alike if len({*as_units(texts[n - 1][1])} & {*as_units(runs)}) >= of_runs}
    assert matches <= set(found) <= set(alike) and len(found) == len(set(found))


def test_unrelated_runs_rule_texts_out():
    rnd = random.Random(3)
    tree, units = DistanceTree(), as_units(range(100, 160)).tobytes()
    for number in range(1, 500):  # the same units, in another order
        tree.add(number, units, 60, as_units(rnd.sample(range(41, 1 << 16), 150)).tobytes(), 0)
    mine = as_units(rnd.sample(range(41, 1 << 16), 150))
    assert len(tree.search(as_units(range(100, 160)), 36, 99, {0: (mine, 90)}, 999)) < 5
    assert len(tree.search(as_units(range(100, 160)), 36, 99, {0: (mine, 1)}, 999)) == 499


def test_of_many_the_likest_are_found():
    rnd = random.Random(4)
    tree, mine, units = DistanceTree(), rnd.sample(range(41, 1 << 16), 150), as_units(range(100, 160))
    for number in range(1, 100):  # each lacks one more of the query's runs
        tree.add(number, units.tobytes(), 60, as_units(mine[number:]).tobytes(), 0)
    found = tree.search(units, 36, 99, {0: (as_units(mine), 40)}, 20)
    assert len(found) == 20 and found[0] == 1 and max(found) < 35
    assert tree.search(units, 36, 99, {0: (as_units(mine), 40)}, 0) == []


def test_edges_are_skipped_in_a_large_tree():
    rnd = random.Random(5)
    sets = realistic(rnd, 3000)
    one = grown(sets)
    for query in rnd.sample(sets, 40) + realistic(rnd, 40):
        need = needed(len(query), 0.7)
        assert found_in(one, query, need) == linear_scan(sets, [9] * 3000, query, need, 9)
    assert one.visited < 0.9 * 80 * len(sets)


def test_a_chain_grows_no_deeper_than_allowed():
    sets = [{1, 2, 3, 4, 5}] * 300 + [{10 * i + j for j in range(5)} for i in range(1, 200)] + [{7, 8, 9}] * 300
    one = grown(sets)
    assert set(range(300)) <= set(found_in(one, {1, 2, 3, 4, 5}, 4))
    assert 304 in found_in(one, {50, 51, 52, 53, 99}, 4)
    assert len(one) == len(sets)


def test_empty_tree_and_empty_sets():
    assert found_in(DistanceTree(), {1}, 1) == []
    assert found_in(grown([set(), {1}]), {1}, 1) == [1]


@pytest.mark.parametrize(("size", "halved"), [(1 << 16, 0), (1, 34), (1, -1)])
def test_what_does_not_fit_is_refused(size, halved):
    with pytest.raises(ValueError, match=f"halved {halved} times"):
        DistanceTree().add(1, bytes(2 * size), 9, b"", halved)


def in_order(units):
    return np.array([unit * _SPREAD % 65536 for unit in units], np.uint16)


TEXTS = st.lists(st.integers(0, 25), min_size=1, max_size=12, unique=True)


@at_least(100)
@given(texts=st.lists(TEXTS, max_size=12), query=st.lists(st.integers(0, 25), max_size=60), share=st.floats(0, 1))
def test_parts_are_found_by_a_pair_of_their_own(texts, query, share):
    tree, pairs, expected = DistanceTree(), {}, set()
    for number, text in enumerate(texts, 1):
        tree.add(number, as_units(text).tobytes(), len(text), in_order(text).tobytes(), 0)
        own = list(pairwise(text))[max(1, len(text) // 2) - 1 :]
        pairs.update({pair: number for pair in [next((one for one in own if one not in pairs), None)] if pair})
    for pair in pairwise(query):
        text = texts[pairs[pair] - 1] if pair in pairs else []
        if text and len({*text} & {*query}) >= np.float32(share) * len(text) and len(text) <= 9:
            expected.add(pairs[pair])
    found = tree.parts(as_units(query), 9, share, {0: in_order(query), 1: in_order(query)}, 99)
    assert set(found) == expected
    assert [len(texts[one - 1]) for one in found] == sorted((len(texts[one - 1]) for one in found), reverse=True)
    assert tree.parts(as_units(query), 9, share, {0: in_order(query)}, 1) == found[:1]
    for number in found:
        tree.drop(number)
    assert tree.parts(as_units(query), 9, share, {0: in_order(query)}, 99) == []
