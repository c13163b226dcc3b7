"""The decision: worked by hand, against literal code, and where the literal rule failed."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.core.feature_strings import FeatureStrings
from denoise_scrapy.core.units import is_stop, tokens, unit_hashes
from denoise_scrapy.dedup.fingerprint import LEVEL_LENGTHS, Fingerprint
from denoise_scrapy.dedup.rules import MOST_NEW, THRESHOLD, NearCopyRule, PartRule, needed, share_new
from tests.dedup.made_texts import chinese, english

WORDS = "the of red tree stone river sand 的 山 水 light moss fern".split()


def verdict_on(new, kept, threshold=THRESHOLD):
    return judge(FeatureStrings(new), [Fingerprint.of(kept)], threshold)[0]


def judge(new, kept, threshold, most_new=MOST_NEW, *, both=False, every=False):
    return (NearCopyRule() if both else PartRule()).judge(new, kept, threshold, most_new, every=every)


def runs_of(words):
    """The run that begins at each unit, None where it would not end."""
    lengths = [3 if "\u4e00" <= word <= "\u9fff" else 5 for word in words]
    return [tuple(words[i : i + k]) if i + k <= len(words) else None for i, k in enumerate(lengths)]


def frequencies(words):
    """Of how many different runs each unit is the first; those that begin none count each time."""
    runs = runs_of(words)
    return Counter([run[0] for run in set(runs) - {None}] + [w for w, run in zip(words, runs, strict=True) if not run])


def literal(new, kept, threshold, both=False):
    """The rule of the documentation, word for word, without sampling; all may be new."""
    x, p = tokens(new), tokens(kept)
    if x and x == p:
        return True, 1.0, 1.0
    t = sum(len(p) >= length for length in LEVEL_LENGTHS)
    fx, fp = frequencies(x), frequencies(p)
    stops = {u for u in fx + fp if is_stop(unit_hashes([u]))[0]}
    s1x = {u for u in fx if fx[u] > t} - stops
    s1p = {u for u in fp if fp[u] > t} - stops
    s2x, s2p = set(runs_of(x)) - {None}, set(runs_of(p)) - {None}
    units = max(len(s1x), len(s1p)) if both else len(s1x)
    runs = max(len(s2x), len(s2p)) if both else len(s2x)
    if min(len(x), len(p)) < 20 or len(x) < 0.3 * len(p) or len(s1p) < 4:
        return False, None, None
    if units < 4 or runs < 8:
        return False, None, None
    c1, c2 = len(s1x & s1p) / units, len(s2x & s2p) / runs
    return c1 >= threshold and c2 >= threshold, c1, c2


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(*(st.lists(st.sampled_from(WORDS), min_size=size, max_size=70 + size) for size in (18, 70))),
    st.lists(st.sampled_from(WORDS), max_size=30),
    st.integers(0, 110),
    st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]),
    st.booleans(),
)
def test_agrees_with_the_literal_rule(kept, added, start, threshold, both):
    new = " ".join(kept[start:] + added)
    prints = [Fingerprint.of(" ".join(kept))]
    [verdict] = judge(FeatureStrings(new), prints, threshold, 1.0, both=both, every=True)
    [first] = judge(FeatureStrings(new), prints, threshold, 1.0, both=both)
    assert first.checks == verdict.checks[: len(first.checks)] and first.duplicate == verdict.duplicate
    duplicate, c1, c2 = literal(new, " ".join(kept), threshold, both)
    if c1 is None:
        assert not verdict.duplicate
        return
    if verdict.c2:
        # 16-bit halves of at most 100 runs: a few may be equal by chance
        assert abs(verdict.c2 - c2) <= 3 / 20
    if verdict.c2 == pytest.approx(c2):
        assert (verdict.duplicate, verdict.c1) == (duplicate, pytest.approx(c1))


@pytest.mark.parametrize(
    ("new", "c1", "c2", "duplicate"),
    [
        # of 24 units 18 are known, in one piece: 14 of 20 runs
        ("k1-18 n1-6", 18 / 24, 14 / 20, True),
        # the same units in two pieces: 10 of 20 runs
        ("k1-9 n1-3 k10-18 n4-6", 18 / 24, 10 / 20, False),
        # 15 of 24 units: 11 of 20 runs, below 0.6
        ("k1-15 n1-9", 15 / 24, 11 / 20, False),
        # 19 units: too short to be judged
        ("k1-19", 0.0, 0.0, False),
    ],
)
def test_worked_by_hand(new, c1, c2, duplicate):
    verdict = verdict_on(spelled(new), spelled("k1-20"))
    assert verdict.duplicate is duplicate
    assert (verdict.c1, verdict.c2) == (pytest.approx(c1), pytest.approx(c2))


def spelled(plan):
    """'k1-3 n1-2' -> 'k1 k2 k3 n1 n2'."""
    runs = [(part[0], *map(int, part[1:].split("-"))) for part in plan.split()]
    return " ".join(f"{kind}{i}" for kind, first, last in runs for i in range(first, last + 1))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.6, 0.7, 0.9, 1.0]), st.booleans())
def test_many_at_once_are_judged_like_one_by_one(seed, threshold, both):
    rnd = random.Random(seed)
    lengths = [0, 10, 40, 300, 700, 2600, 3000]
    words = english(seed, rnd.choice(lengths))
    kept = []
    for number in range(25):
        start, other = rnd.randrange(len(words) // 2 + 1), english(seed + number, rnd.choice(lengths))
        part = words[start : start + rnd.randrange(len(words) + 1)]
        kept.append(Fingerprint.of(" ".join(part + other[: rnd.randrange(len(other) + 1) // 2])))
    new = FeatureStrings(" ".join(words))
    kept.append(Fingerprint.of(new))
    expected = [judge(new, [one], threshold, both=both)[0] for one in kept]
    assert judge(new, kept, threshold, both=both) == expected
    assert judge(new, [], threshold, both=both) == []


def test_near_copies_are_alike_both_ways():
    words = english(40, 400)
    half, edit = words[:200], ["by", "somebody", *words[8:]]
    for new, other, part, copy in ((half, words, True, False), (words, half, False, False), (edit, words, True, True)):
        kept = [Fingerprint.of(" ".join(other))]
        found = [
            judge(FeatureStrings(" ".join(new)), kept, THRESHOLD, both=both)[0].duplicate for both in (False, True)
        ]
        assert found == [part, copy]


def test_threshold_is_reached_not_passed():
    assert needed(10, 0.7) == 7 and needed(10, 0.71) == 8
    assert all(needed(n, k / n) == k for n in range(1, 200) for k in range(1, n + 1))


class TestPlantedEdits:
    KEPT = english(1, 300)

    def test_byline_changed(self):
        new = ["by", "someone", "else", "today", *self.KEPT[4:]]
        assert verdict_on(" ".join(new), " ".join(self.KEPT)).duplicate

    @pytest.mark.parametrize("length", [300, 900, 3000, 9000])
    def test_first_half_only(self, length):
        kept = english(7, length)
        assert verdict_on(" ".join(kept[: length // 2]), " ".join(kept)).duplicate

    def test_a_quarter_quoted_is_new(self):
        new = english(2, 225) + self.KEPT[:75]
        assert not verdict_on(" ".join(new), " ".join(self.KEPT)).duplicate

    def test_same_footer_is_new(self):
        footer = english(3, 40)
        new, kept = english(4, 120) + footer, english(5, 120) + footer
        assert not verdict_on(" ".join(new), " ".join(kept)).duplicate

    def test_twice_the_length_is_new(self):
        new = self.KEPT + english(6, 300)
        assert not verdict_on(" ".join(new), " ".join(self.KEPT)).duplicate

    def test_same_words_in_another_order_are_new(self):
        verdict = verdict_on(" ".join(sorted(self.KEPT)), " ".join(self.KEPT))
        assert verdict.c1 == 1.0 and not verdict.duplicate

    def test_tiny_excerpt_is_not_covered(self):
        kept = english(8, 1200)
        assert not verdict_on(" ".join(kept[300:360]), " ".join(kept)).duplicate


class TestDifferences:
    def test_the_share_that_is_new(self):
        words = english(50, 2000)
        kept = Fingerprint.of(" ".join(words))
        edited = [word if place % 25 else f"edit{place}" for place, word in enumerate(words)]
        for new, share in ((words, 0.0), (words[:900], 0.0), (words + english(51, 400), 1 / 6), (edited, 1 / 25)):
            assert share_new(FeatureStrings(" ".join(new)), kept) == pytest.approx(share, abs=0.07)

    def test_what_repeats_something_new_is_no_duplicate(self):
        words, chorus = english(52, 300), english(53, 30)
        new = " ".join(words + chorus * 12)
        assert judge(FeatureStrings(new), [Fingerprint.of(" ".join(words))], THRESHOLD, 1.0)[0].duplicate
        assert not verdict_on(new, " ".join(words)).duplicate


class TestChinese:
    KEPT = chinese(1, 400)

    def test_edits_are_found(self):
        for new in (self.KEPT[:200], "编辑李四" + self.KEPT[4:], self.KEPT[:150] + self.KEPT[190:]):
            assert verdict_on(new, self.KEPT).duplicate

    def test_others_are_new(self):
        assert not verdict_on(chinese(2, 400), self.KEPT).duplicate
        assert not verdict_on(chinese(3, 300) + self.KEPT[:100], self.KEPT).duplicate


class TestWhereTheLiteralRuleFailed:
    """See 'What was wrong in the literal rule' in docs/dedup.md."""

    def test_two_empty_main_strings_are_not_equal(self):
        new, kept = "the of and to in a is that for it " * 3, "it for that is a in to and of the " * 3
        assert not verdict_on(new, kept).duplicate
        assert not verdict_on("", "").duplicate

    def test_one_common_unit_does_not_decide(self):
        shared = "quartz vein " * 5
        new = shared + " ".join(english(11, 60))
        kept = shared + " ".join(english(12, 60))
        assert not verdict_on(new, kept).duplicate

    def test_english_pages_are_not_all_equal(self):
        texts = [" ".join(english(seed, 400)) for seed in range(20, 26)]
        pairs = [(a, b) for a in texts for b in texts if a is not b]
        assert not any(verdict_on(a, b).duplicate for a, b in pairs)

    def test_adjacent_short_parts_are_new(self):
        words = english(14, 90)
        assert not verdict_on(" ".join(words[45:]), " ".join(words[:45])).duplicate


@pytest.mark.parametrize(
    ("text", "short"),
    [("", True), ("word " * 19, True), ("word " * 30, True), ("the of and " * 20, True)],
)
def test_too_short(text, short):
    assert Fingerprint.of(text).too_short is short
    assert not Fingerprint.of(" ".join(english(1, 30))).too_short
