"""Feature strings against literal set and Counter code."""

import dataclasses
import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup.features import EVERY_PAIR, Cut, Features
from denoise_scrapy.dedup.fingerprint import S1_CAP, S2_CAP, Fingerprint
from denoise_scrapy.dedup.stop_units import is_stop
from denoise_scrapy.dedup.tokens import tokens, unit_hashes
from tests.dedup.made_texts import english

WORDS = "the of tree stone river 的 山 水 light".split()
TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
LEVELS = st.integers(0, 3)


def literal_s1(text, t):
    counts = Counter(unit_hashes(tokens(text)).tolist())
    units = {u for u, f in counts.items() if f > t and not is_stop(np.array([u], np.uint32))[0]}
    return {(u * 2654435769 & 0xFFFFFFFF) >> 16 for u in units}


def literal_pairs(text, t):
    units = unit_hashes(tokens(text)).tolist()
    counts = Counter(units)
    return Counter((a, b) for a, b in pairwise(units) if counts[a] > t)


def literal_sample(features, t, limit):
    """Low halves of the hashes below a limit, the plain way."""
    return sorted({value & 0xFFFF for value in features.cut(t).s2.tolist() if value < limit})


@given(TEXTS, LEVELS)
def test_main_string_is_the_literal_set(text, t):
    s1 = Features.read(text).cut(t).s1.tolist()
    assert s1 == sorted(literal_s1(text, t))


@given(TEXTS, TEXTS, LEVELS)
def test_numbered_pairs_intersect_like_the_literal_multisets(one, two, t):
    mine, theirs = (Features.read(text).cut(t).s2 for text in (one, two))
    left, right = literal_pairs(one, t), literal_pairs(two, t)
    assert len(mine) == left.total()
    assert len(np.intersect1d(mine, theirs)) == (left & right).total()
    assert mine.tolist() == sorted(mine.tolist())


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(200, 3000))
def test_sampling_is_the_literal_one_and_bounded(seed, length):
    features = Features.read(" ".join(english(seed, length)))
    kept = Fingerprint.of(features)
    assert kept.pairs.tolist() == literal_sample(features, kept.t, kept.limit)
    assert len(kept.pairs) <= S2_CAP
    assert kept.limit & (kept.limit - 1) == 0
    assert kept.limit == EVERY_PAIR or len(literal_sample(features, kept.t, 2 * kept.limit)) > S2_CAP


def test_a_part_lies_inside_the_whole_at_every_level():
    words = english(3, 3000)
    whole, part = Features.read(" ".join(words)), Features.read(" ".join(words[200:1700]))
    for t in range(4):
        assert set(part.cut(t).s1.tolist()) <= set(whole.cut(t).s1.tolist())


def test_sample_at_the_ends():
    cut = Cut(np.empty(0, np.uint16), np.array([0, 5, 2**32 - 1], np.uint32))
    assert cut.sample(EVERY_PAIR).tolist() == [0, 5, 65535]
    assert cut.sample(0).tolist() == []


@pytest.mark.parametrize(("length", "t"), [(599, 0), (600, 1), (2500, 2), (8000, 3)])
def test_threshold_by_length(length, t):
    assert Fingerprint.of(" ".join(english(1, length))).t == t


def test_stop_units_count_in_pairs_only():
    features = Features.read("the tree of the stone")
    assert len(features.cut(0).s1) == 2
    assert len(features.cut(0).s2) == 4


def test_a_vast_vocabulary_is_held_by_a_higher_threshold():
    words = [f"w{number}" for number in range(1500)]
    for often, t in ((1, 1), (2, 2), (9, 15)):
        kept = Fingerprint.of(" ".join(words * often))
        assert (kept.t, kept.units.tolist()) == (t, [])
    frequent = [f"f{number}" for number in range(900)]
    kept = Fingerprint.of(" ".join(words * 9 + frequent * 16))
    assert kept.t == 15 and 880 < len(kept.units) <= 900 < S1_CAP


def test_repeated_text_fits_the_cap():
    kept = Fingerprint.of("ha " * 50_000)
    assert len(kept.pairs) <= S2_CAP and len(kept.units) == 1


def test_a_fingerprint_is_a_value():
    one, two = Fingerprint.of("a stone in the river"), Fingerprint.of("A stone, in the river!")
    assert one == two and hash(one) == hash(two) and pickle.loads(pickle.dumps(one)) == one
    assert one != Fingerprint.of("a river in the stone")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.n = 3


@pytest.mark.parametrize("text", ["", " ", "x", "x y", "的"])
def test_tiny_texts(text):
    kept = Fingerprint.of(text)
    assert kept.bands == b"" and kept.n == len(tokens(text))


def test_same_values_on_every_machine():
    """Stored fingerprints must stay comparable: a change here needs new constants."""
    kept = Fingerprint.of("Bees dance to tell their sisters where the clover is.")
    assert kept.digest.hex() == "da1f49297b6270e336e9213312871f4a"
    assert kept.units.tolist() == [4455, 9226, 12878, 28300, 29833, 42966]
    assert kept.pairs.tolist() == [8112, 36226, 38663, 42514, 54712, 56310, 58454, 59777, 65398]
    bands = Fingerprint.of("Bees dance to tell their sisters where the clover is. " * 2).bands
    assert np.frombuffer(bands, "<u4")[:3].tolist() == [745013170, 1959942448, 1805638273]
