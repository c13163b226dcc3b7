"""The expected-F1 choice against every subset."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.selection import select_by_expected_f1

BLOCKS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 50)), min_size=1, max_size=7)


@given(BLOCKS)
def test_no_subset_is_better(blocks):
    probability, tokens = (np.array(column) for column in zip(*blocks, strict=True))
    kept, f1 = select_by_expected_f1(probability, tokens)

    def expected(chosen) -> float:
        chosen = list(chosen)
        hits = (probability * tokens)[chosen].sum()
        return 2 * hits / max(tokens[chosen].sum() + (probability * tokens).sum(), 1e-9)

    n = len(blocks)
    best = max(expected(c) for size in range(1, n + 1) for c in combinations(range(n), size))
    assert f1 == pytest.approx(best)
    assert expected(np.flatnonzero(kept)) == pytest.approx(best) or best == 0


def test_nothing_to_choose_from():
    kept, f1 = select_by_expected_f1(np.zeros(0), np.zeros(0, int))
    assert (kept.tolist(), f1) == ([], 0.0)


def test_nothing_likely():
    kept, f1 = select_by_expected_f1(np.zeros(3), np.ones(3, int))
    assert (kept.any(), f1) == (False, 0.0)
