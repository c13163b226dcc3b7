"""The truth of a stream, against a literal count."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dedup.streams import Relation, StreamText, Truth
from denoise_scrapy.core.units import tokens
from tests.dedup.made_texts import english

WORDS = st.lists(st.sampled_from("red tree stone river sand light moss fern".split()), max_size=40)


def literal_cover(new, old, length):
    """Share of the words of a text that lie in a run which another has."""
    theirs = {tuple(old[i : i + length]) for i in range(len(old) - length + 1)}
    covered = set()
    for i in range(len(new) - length + 1):
        if tuple(new[i : i + length]) in theirs:
            covered |= set(range(i, i + length))
    return len(covered) / len(new) if new else 0.0


@given(WORDS, WORDS, st.booleans())
def test_what_is_covered(old, new, characters):
    truth = Truth([StreamText(" ".join(one), "") for one in (old, new)], characters=characters, by_subject=False)
    assert truth.covered(1, 0) == pytest.approx(literal_cover(new, old, 6 if characters else 4))


def test_all_pairs_agree_with_the_candidates():
    rng = np.random.default_rng(1)
    stock = [english(seed, 120) for seed in range(8)]
    rows = []
    for number in range(60):
        words = stock[rng.integers(8)][rng.integers(0, 60) :] + english(100 + number, int(rng.integers(0, 60)))
        rows.append(StreamText(" ".join(words), ""))
    truth = Truth(rows, characters=False, by_subject=False)
    plain = {n for n in range(60) if any(truth.relation(n, old) is Relation.COPY for old in range(n))}
    assert truth.copies == plain and len(tokens(rows[0].text)) >= 20
