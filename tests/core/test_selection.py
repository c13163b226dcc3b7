"""The expected-F1 choice against every subset."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.choice import expected_f1, select_by_expected_f1

PROBABILITIES = st.just(0.0) | st.floats(1e-6, 1)  # smaller ones are lost in rounding
BLOCKS = st.lists(st.tuples(PROBABILITIES, st.integers(1, 50)), min_size=1, max_size=7)


def test_nothing_to_choose_from():
    kept, f1 = select_by_expected_f1(np.zeros(0), np.zeros(0, int))
    assert (kept.tolist(), f1) == ([], 0.0)


@given(BLOCKS, st.sampled_from([0.4, 1.0, 2.5]))
def test_no_subset_has_a_higher_f_beta(blocks, beta):
    probability, tokens = (np.array(column) for column in zip(*blocks, strict=True))
    kept, f1 = select_by_expected_f1(probability, tokens, beta=beta)

    def expected(chosen, beta) -> float:
        chosen = list(chosen)
        hits, all_hits = (probability * tokens)[chosen].sum(), (probability * tokens).sum()
        return (1 + beta**2) * hits / max(tokens[chosen].sum() + beta**2 * all_hits, 1e-9)

    n = len(blocks)
    best = max(expected(c, beta) for size in range(1, n + 1) for c in combinations(range(n), size))
    assert expected(np.flatnonzero(kept), beta) == pytest.approx(best) or best == 0
    assert (
        f1 == pytest.approx(expected(np.flatnonzero(kept), 1)) == pytest.approx(expected_f1(kept, probability, tokens))
    )


@given(BLOCKS)
def test_the_more_recall_counts_the_more_is_kept(blocks):
    probability, tokens = (np.array(column) for column in zip(*blocks, strict=True))
    kept = [select_by_expected_f1(probability, tokens, beta=beta)[0] for beta in (0.4, 1.0, 2.5)]
    assert (kept[0] <= kept[1]).all()
    assert (kept[1] <= kept[2]).all()


def test_what_is_not_a_number_is_not_likely():
    kept, f1 = select_by_expected_f1(np.array([np.nan, 0.9]), np.array([5, 5]))
    assert kept.tolist() == [False, True]
    assert f1 == 1.0 * 2 * 4.5 / (5 + 4.5)


def test_arrays_of_other_lengths():
    with pytest.raises(ValueError, match="2 blocks"):
        select_by_expected_f1(np.zeros(2), np.zeros(3))
