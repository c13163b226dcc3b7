"""Many at once against one by one."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import screen
from denoise_scrapy.dedup.decision import compare
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import Fingerprint
from tests.dedup.made_texts import english


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.6, 0.7, 0.9, 1.0]))
def test_verdicts_are_those_of_one_by_one(seed, threshold):
    rnd = random.Random(seed)
    lengths = [0, 10, 40, 300, 700, 2600, 3000]
    words = english(seed, rnd.choice(lengths))
    kept = []
    for number in range(25):
        start, other = rnd.randrange(len(words) // 2 + 1), english(seed + number, rnd.choice(lengths))
        part = words[start : start + rnd.randrange(len(words) + 1)]
        kept.append(Fingerprint.of(" ".join(part + other[: rnd.randrange(len(other) + 1) // 2])))
    new = Features.read(" ".join(words))
    kept.append(Fingerprint.of(new))
    expected = [i for i, one in enumerate(kept) if compare(new, one, threshold).duplicate]
    assert list(screen.duplicates(new, kept, threshold)) == expected


def test_chunks_keep_the_order(monkeypatch):
    monkeypatch.setattr(screen, "_CHUNK", 3)
    words = english(1, 100)
    kept = [Fingerprint.of(" ".join(english(i, 100) if i % 4 else words)) for i in range(2, 20)]
    found = list(screen.duplicates(Features.read(" ".join(words)), kept, 0.7))
    assert found == [2, 6, 10, 14]


def test_a_threshold_just_reached_counts():
    kept = " ".join(f"k{i}" for i in range(20))
    new = " ".join([f"k{i}" for i in range(16)] + [f"n{i}" for i in range(6)])  # 15 of 21 pairs
    for threshold, expected in [(15 / 21, list(range(9))), (15 / 21 + 0.01, [])]:
        prints = [Fingerprint.of(kept)] * 9
        assert list(screen.duplicates(Features.read(new), prints, threshold)) == expected
