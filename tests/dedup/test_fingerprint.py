"""Feature strings against literal set and Counter code; the signature against datasketch."""

import dataclasses
import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.feature_strings import (
    EVERY,
    FeatureStrings,
    read_units,
    tokens,
)
from denoise_scrapy.dedup.rules import RARE_CAP, S1_CAP, S2_CAP, Fingerprint, PartRule
from tests.dedup.literal import STOPS, frequencies, short_hashes
from tests.dedup.made_texts import english

WORDS = "the of tree stone river 的 山 水 light".split()
TEXTS = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join)
LEVELS = st.integers(0, 3)


def literal_s1(text, t):
    counts = {read_units(word).hashes[0]: count for word, count in frequencies(tokens(text)).items()}
    units = {u for u, f in counts.items() if f > t and u not in STOPS}
    return {(int(u) * 2654435769 & 0xFFFFFFFF) >> 16 for u in units}


def literal_sample(features, limit):
    """Low halves of the hashes below a limit, in order of the text, the plain way."""
    hashes = [value >> 32 for value in features.runs.tolist() if value]
    return list(dict.fromkeys(value & 0xFFFF for value in hashes if value < limit))


@given(TEXTS, LEVELS)
def test_main_string_is_the_literal_set(text, t):
    assert FeatureStrings(text).main_units(t).tolist() == sorted(literal_s1(text, t))


@given(st.integers(0, 10**6), st.integers(200, 3000))
def test_sampling_is_the_literal_one_and_bounded(seed, length):
    features = FeatureStrings(" ".join(english(seed, length)))
    kept = Fingerprint.of(features)
    assert kept.runs.tolist() == literal_sample(features, kept.limit)
    assert len(kept.runs) <= S2_CAP
    assert kept.limit & (kept.limit - 1) == 0
    assert kept.limit == EVERY or len(literal_sample(features, 2 * kept.limit)) > S2_CAP


@given(st.integers(0, 10**6), st.integers(600, 4000), st.integers(0, 1500))
def test_rare_units_are_sampled_and_bounded(seed, length, numbers):
    text = " ".join([*english(seed, length), *map(str, range(numbers))])
    kept = Fingerprint.of(text)
    rare = sorted(literal_s1(text, 0) - literal_s1(text, kept.t))  # a hash of two units may be of both kinds
    halved, *sample = np.frombuffer(kept.rare, "<u2").tolist()
    limit = (1 << 16) >> halved
    assert set(sample) >= {one for one in rare if one < limit} and set(sample) <= literal_s1(text, 0)
    assert len(sample) <= RARE_CAP and sample == sorted(set(sample)) and all(one < limit for one in sample)
    assert halved == 0 or len([one for one in literal_s1(text, 0) if one < 2 * limit]) > RARE_CAP


def test_of_a_text_without_threshold_all_units_are_main_ones():
    assert Fingerprint.of("sums " + " ".join(map(str, range(500)))).rare == b""


@given(TEXTS)
def test_places_without_stop_units_are_those_of_the_main_string(text):
    features = FeatureStrings(text)
    assert features.places.tolist() == short_hashes(features).tolist()
    assert set(features.places[features.novel(np.empty(0, np.uint16), 1 << 16)].tolist()) == literal_s1(text, 0)


@pytest.mark.parametrize("length", [100, 599, 900, 4000])
def test_a_text_that_repeats_itself_is_what_it_was(length):
    words = english(5, length)
    once, twice = FeatureStrings(" ".join(words)), FeatureStrings(" ".join(words * 2))
    assert len({*twice.runs.tolist()}) <= len({*once.runs.tolist()}) + 4  # those across the joint
    for new, kept in ((once, twice), (twice, once)):
        verdict = PartRule().judge(new, Fingerprint.of(kept))
        assert verdict.duplicate and min(verdict.c1, verdict.c2) > 0.95 and verdict.new < 0.05


@pytest.mark.parametrize(("length", "t"), [(599, 0), (600, 1), (2500, 2), (8000, 3)])
def test_threshold_by_length(length, t):
    assert Fingerprint.of(" ".join(english(1, length))).t == t


def test_a_vast_vocabulary_is_held_by_a_higher_threshold():
    words = [f"w{number}" for number in range(1500)]
    for often, t in ((1, 1), (2, 2), (9, 3)):
        kept = Fingerprint.of(" ".join(words * often))
        assert (kept.t, kept.units.tolist()) == (t, [])
    anew = [word for seed in range(9) for word in random.Random(seed).sample(words, len(words))]
    assert Fingerprint.of(" ".join(anew)).t == 15
    frequent = [f"f{number}" for number in range(900)] * 17
    random.Random(1).shuffle(frequent)
    kept = Fingerprint.of(" ".join(anew + frequent))
    assert kept.t == 15 and 880 < len(kept.units) <= 900 < S1_CAP


def test_a_fingerprint_is_a_value():
    one, two = Fingerprint.of("a stone in the river"), Fingerprint.of("A stone, in the river!")
    assert one == two and hash(one) == hash(two) and pickle.loads(pickle.dumps(one)) == one
    assert one != Fingerprint.of("a river in the stone")
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.n = 3


def test_same_values_on_every_machine():
    """Stored fingerprints must stay comparable: a change here needs new constants."""
    kept = Fingerprint.of("Bees dance to tell their sisters where the clover is.")
    assert kept.digest.hex() == "7f6f002225dae760ceb5252c79453d29"
    assert kept.units.tolist() == [4455, 9226, 12878, 28300, 29833, 42966]
    assert kept.runs.tolist() == [36187, 37277, 6452, 52215, 15937, 18831]
