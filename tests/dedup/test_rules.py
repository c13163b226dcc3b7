"""The decision: worked by hand, against literal code, and where the literal rule failed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.feature_strings import FeatureStrings, tokens
from denoise_scrapy.dedup.rules import (
    LEVEL_LENGTHS,
    MOST_NEW,
    THRESHOLD,
    Fingerprint,
    NearCopyRule,
    PartRule,
    needed,
    share_new,
)
from tests.dedup.literal import distinct_runs, frequencies, is_stop_word
from tests.dedup.made_texts import chinese, english
from tests.examples import at_least

WORDS = "the of red tree stone river sand 的 山 水 light moss fern".split()


def verdict_on(new, kept, threshold=THRESHOLD):
    return judge(FeatureStrings(new), Fingerprint.of(kept), threshold)


def judge(new, kept, threshold, most_new=MOST_NEW, *, both=False):
    return rule_at(threshold, most_new, both=both).judge(new, kept)


def rule_at(threshold, most_new=MOST_NEW, *, both=False):
    return (NearCopyRule() if both else PartRule()).at(threshold, most_new)


def shares_of(new, kept, threshold, *, both=False):
    checks = rule_at(threshold, both=both).checks(FeatureStrings(new), Fingerprint.of(kept))
    shares = {check.name: check.share for check in checks}
    return shares["c1"], shares["c2"]


def literal(new, kept, threshold, both=False):
    """The rule of the documentation, word for word, without sampling; all may be new."""
    x, p = tokens(new), tokens(kept)
    if x and x == p:
        return True, 1.0, 1.0
    t = sum(len(p) >= length for length in LEVEL_LENGTHS)
    fx, fp = frequencies(x), frequencies(p)
    stops = {u for u in fx + fp if is_stop_word(u)}
    s1x = {u for u in fx if fx[u] > t} - stops
    s1p = {u for u in fp if fp[u] > t} - stops
    s2x, s2p = distinct_runs(x), distinct_runs(p)
    units = max(len(s1x), len(s1p)) if both else len(s1x)
    runs = max(len(s2x), len(s2p)) if both else len(s2x)
    if min(len(x), len(p)) < 20 or len(x) < 0.3 * len(p) or len(s1p) < 4:
        return False, None, None
    if units < 4 or runs < 8:
        return False, None, None
    c1, c2 = len(s1x & s1p) / units, len(s2x & s2p) / runs
    return c1 >= threshold and c2 >= threshold, c1, c2


@at_least(100)
@given(
    st.one_of(*(st.lists(st.sampled_from(WORDS), min_size=size, max_size=70 + size) for size in (18, 70))),
    st.lists(st.sampled_from(WORDS), max_size=30),
    st.integers(0, 110),
    st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]),
    st.booleans(),
)
def test_agrees_with_the_literal_rule(kept, added, start, threshold, both):
    new = " ".join(kept[start:] + added)
    kept = " ".join(kept)
    made = Fingerprint.of(kept)
    found = judge(FeatureStrings(new), made, threshold, 1.0, both=both).duplicate
    duplicate, c1, c2 = literal(new, kept, threshold, both)
    if c1 is None or FeatureStrings(new).digest == made.digest:
        assert found is duplicate
        return
    one, other = shares_of(new, kept, threshold, both=both)
    # 16-bit halves of at most 100 runs: a few may be equal by chance
    assert abs(other - c2) <= 3 / 20
    if other == pytest.approx(c2):
        assert (found, one) == (duplicate, pytest.approx(c1))


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
        ("k1-19", 1.0, 1.0, False),
    ],
)
def test_worked_by_hand(new, c1, c2, duplicate):
    new, kept = spelled(new), spelled("k1-20")
    assert verdict_on(new, kept).duplicate is duplicate
    assert shares_of(new, kept, THRESHOLD) == (pytest.approx(c1), pytest.approx(c2))


def spelled(plan):
    """'k1-3 n1-2' -> 'k1 k2 k3 n1 n2'."""
    runs = [(part[0], *map(int, part[1:].split("-"))) for part in plan.split()]
    return " ".join(f"{kind}{i}" for kind, first, last in runs for i in range(first, last + 1))


def test_near_copies_are_alike_both_ways():
    words = english(40, 400)
    half, edit = words[:200], ["by", "somebody", *words[8:]]
    for new, other, part, copy in ((half, words, True, False), (words, half, False, False), (edit, words, True, True)):
        kept = Fingerprint.of(" ".join(other))
        found = [judge(FeatureStrings(" ".join(new)), kept, THRESHOLD, both=both).duplicate for both in (False, True)]
        assert found == [part, copy]


@pytest.mark.parametrize(("more", "duplicate"), [(20, True), (34, False)])
def test_three_tenths_may_be_new_or_of_near_copies_missing(more, duplicate):
    words = english(54, 60)
    short, long = (" ".join(one) for one in (words, words + english(55, more)))
    assert verdict_on(long, short).duplicate is duplicate and verdict_on(short, long).duplicate
    assert judge(FeatureStrings(short), Fingerprint.of(long), THRESHOLD, both=True).duplicate is duplicate


def test_threshold_is_reached_not_passed():
    assert needed(10, 0.7) == 7 and needed(10, 0.71) == 8
    assert all(needed(n, k / n) == k for n in range(1, 200) for k in range(1, n + 1))


WORDS_OF_ONE, IDEOGRAPHS = english(1, 300), chinese(1, 400)
FOOTER, QUARTZ = english(3, 40), ["quartz", "vein"] * 5
STOPS = "the of and to in a is that for it"
LONG, HALVES = english(8, 1200), english(14, 90)


@pytest.mark.parametrize(
    ("new", "kept", "duplicate"),
    [
        pytest.param(["by", "someone", "else", "today", *WORDS_OF_ONE[4:]], WORDS_OF_ONE, True, id="byline changed"),
        *(
            pytest.param(english(7, length)[: length // 2], english(7, length), True, id=f"first half of {length}")
            for length in (300, 900, 3000, 9000)
        ),
        pytest.param(english(2, 225) + WORDS_OF_ONE[:75], WORDS_OF_ONE, False, id="a quarter quoted"),
        pytest.param(english(4, 120) + FOOTER, english(5, 120) + FOOTER, False, id="same footer"),
        pytest.param(WORDS_OF_ONE + english(6, 300), WORDS_OF_ONE, False, id="twice the length"),
        pytest.param(sorted(WORDS_OF_ONE), WORDS_OF_ONE, False, id="same words in another order"),
        pytest.param(LONG[300:360], LONG, False, id="tiny excerpt"),
        pytest.param([IDEOGRAPHS[:200]], [IDEOGRAPHS], True, id="first half in Chinese"),
        pytest.param(["编辑李四" + IDEOGRAPHS[4:]], [IDEOGRAPHS], True, id="byline changed in Chinese"),
        pytest.param([IDEOGRAPHS[:150] + IDEOGRAPHS[190:]], [IDEOGRAPHS], True, id="cut in Chinese"),
        pytest.param([chinese(2, 400)], [IDEOGRAPHS], False, id="other text in Chinese"),
        pytest.param([chinese(3, 300) + IDEOGRAPHS[:100]], [IDEOGRAPHS], False, id="a quarter quoted in Chinese"),
        # where the literal rule failed
        pytest.param([STOPS] * 3, [" ".join(STOPS.split()[::-1])] * 3, False, id="two empty main strings"),
        pytest.param([], [], False, id="two empty texts"),
        pytest.param(QUARTZ + english(11, 60), QUARTZ + english(12, 60), False, id="one common unit"),
        pytest.param(english(20, 400), english(21, 400), False, id="two English pages"),
        pytest.param(HALVES[45:], HALVES[:45], False, id="adjacent short parts"),
    ],
)
def test_planted_edits(new, kept, duplicate):
    assert verdict_on(" ".join(new), " ".join(kept)).duplicate is duplicate


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
        assert judge(FeatureStrings(new), Fingerprint.of(" ".join(words)), THRESHOLD, 1.0).duplicate
        assert not verdict_on(new, " ".join(words)).duplicate


@pytest.mark.parametrize(
    ("text", "short"),
    [("", True), ("word " * 19, True), ("word " * 30, True), ("the of and " * 20, True)],
)
def test_too_short(text, short):
    assert Fingerprint.of(text).too_short is short
    assert not Fingerprint.of(" ".join(english(1, 30))).too_short
