"""The truth of a stream, against a literal count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dedup.streams import StreamText, Truth

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
