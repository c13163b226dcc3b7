"""The choice of blocks in C against the one in numpy: the same blocks, the same F1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.selection import highest_expected_f1, select_by_expected_f1
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.selection import select

pytestmark = pytest.mark.skipif(library() is None, reason="not compiled here")
#: Few values, so that many are equal, or any.
PROBABILITIES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]) | st.floats(0, 1)


@given(st.lists(st.tuples(PROBABILITIES, st.integers(0, 50)), max_size=150), st.sampled_from([0.4, 1.0, 2.5]))
def test_choices(blocks, beta):
    probability = np.array([p for p, _ in blocks], np.float64)
    tokens = np.array([n for _, n in blocks], np.int64)
    kept, f1 = select_by_expected_f1(probability, tokens, beta=beta)
    highest = highest_expected_f1(probability, tokens)
    with switched_off():
        expected, expected_f1 = select_by_expected_f1(probability, tokens, beta=beta)
        assert highest == highest_expected_f1(probability, tokens)
    assert (kept.tolist(), f1) == (expected.tolist(), expected_f1)


def test_a_long_page():
    rng = np.random.default_rng(0)
    probability, tokens = rng.random(5000).round(2), rng.integers(0, 90, 5000)
    kept, f1 = select_by_expected_f1(probability, tokens)
    with switched_off():
        expected, expected_f1 = select_by_expected_f1(probability, tokens)
    assert (kept.tolist(), f1) == (expected.tolist(), expected_f1)


def test_lengths_that_differ_are_refused():
    native = library()
    assert native is not None
    with pytest.raises(ValueError, match="lengths"):
        select(native, np.ones(3), np.ones(2, np.int64), 1.0)
