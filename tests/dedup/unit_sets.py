"""Sets of units for the searches, and the scan they are held to."""

import numpy as np
from hypothesis import strategies as st

from denoise_scrapy.dedup.rules import needed

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
