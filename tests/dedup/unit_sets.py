"""Sets of units for the searches, and the scan they are held to."""

import numpy as np
from hypothesis import strategies as st

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
