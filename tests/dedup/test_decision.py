"""The decision: worked by hand, against literal code, and where the literal rule failed."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup.decision import compare, needed, too_short
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import Fingerprint, threshold_for
from denoise_scrapy.dedup.stop_units import is_stop
from denoise_scrapy.dedup.tokens import tokens, unit_hashes
from tests.dedup.made_texts import chinese, cut_out, english

WORDS = "the of red tree stone river sand 的 山 水 light moss fern".split()


def judge(new, kept, threshold=0.7):
    return compare(Features.read(new), Fingerprint.of(kept), threshold)


def literal(new, kept, threshold):
    """The rule of the documentation, word for word, without sampling."""
    x, p = tokens(new), tokens(kept)
    if x and x == p:
        return True, 1.0, 1.0
    t = threshold_for(len(p))
    fx, fp = Counter(x), Counter(p)
    stops = {u for u in fx + fp if is_stop(unit_hashes([u]))[0]}
    s1x = {u for u in fx if fx[u] > t} - stops
    s1p = {u for u in fp if fp[u] > t} - stops
    s2x = Counter((a, b) for a, b in pairwise(x) if fx[a] > t)
    s2p = Counter((a, b) for a, b in pairwise(p) if fp[a] > t)
    if min(len(x), len(p)) < 20 or len(x) < 0.3 * len(p) or len(s1x) < 4 or s2x.total() < 8:
        return False, 0.0, 0.0
    c1, c2 = len(s1x & s1p) / len(s1x), (s2x & s2p).total() / s2x.total()
    return c1 >= threshold and c2 >= threshold, c1, c2


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), min_size=18, max_size=70),
    st.lists(st.sampled_from(WORDS), max_size=30),
    st.integers(0, 40),
    st.sampled_from([0.3, 0.5, 0.7, 0.9, 1.0]),
)
def test_agrees_with_the_literal_rule(kept, added, start, threshold):
    new = " ".join(kept[start:] + added)
    verdict = judge(new, " ".join(kept), threshold)
    duplicate, c1, c2 = literal(new, " ".join(kept), threshold)
    if c1 >= threshold and verdict.c2:
        # 16-bit halves of at most 70 pairs: a few may match by chance, never the other way
        assert 0 <= verdict.c2 - c2 <= 3 / 20
    if verdict.c2 == pytest.approx(c2):
        assert (verdict.duplicate, verdict.c1) == (duplicate, pytest.approx(c1))


@pytest.mark.parametrize(
    ("new", "c1", "c2", "duplicate"),
    [
        # of 22 units 16 are known, in one piece: 15 of 21 pairs
        ("k1-16 n1-6", 16 / 22, 15 / 21, True),
        # the same units in two pieces: 14 of 21 pairs
        ("k1-8 n1-3 k9-16 n4-6", 16 / 22, 14 / 21, False),
        # 15 of 22 units: below 0.7, the pairs are not looked at
        ("k1-15 n1-7", 15 / 22, 0.0, False),
        # 19 units: too short to be judged
        ("k1-19", 0.0, 0.0, False),
    ],
)
def test_worked_by_hand(new, c1, c2, duplicate):
    verdict = judge(spelled(new), spelled("k1-20"))
    assert verdict.duplicate is duplicate
    assert (verdict.c1, verdict.c2) == (pytest.approx(c1), pytest.approx(c2))


def spelled(plan):
    """'k1-3 n1-2' -> 'k1 k2 k3 n1 n2'."""
    runs = [(part[0], *map(int, part[1:].split("-"))) for part in plan.split()]
    return " ".join(f"{kind}{i}" for kind, first, last in runs for i in range(first, last + 1))


def test_threshold_is_reached_not_passed():
    assert needed(10, 0.7) == 7 and needed(10, 0.71) == 8
    assert all(needed(n, k / n) == k for n in range(1, 200) for k in range(1, n + 1))


class TestPlantedEdits:
    KEPT = english(1, 300)

    def test_byline_changed(self):
        new = ["by", "someone", "else", "today", *self.KEPT[4:]]
        assert judge(" ".join(new), " ".join(self.KEPT)).duplicate

    def test_a_tenth_cut(self):
        assert judge(" ".join(cut_out(self.KEPT, 0.1)), " ".join(self.KEPT)).duplicate

    @pytest.mark.parametrize("length", [300, 900, 3000, 9000])
    def test_first_half_only(self, length):
        kept = english(7, length)
        assert judge(" ".join(kept[: length // 2]), " ".join(kept)).duplicate

    def test_a_quarter_quoted_is_new(self):
        new = english(2, 225) + self.KEPT[:75]
        assert not judge(" ".join(new), " ".join(self.KEPT)).duplicate

    def test_same_footer_is_new(self):
        footer = english(3, 40)
        new, kept = english(4, 120) + footer, english(5, 120) + footer
        assert not judge(" ".join(new), " ".join(kept)).duplicate

    def test_twice_the_length_is_new(self):
        new = self.KEPT + english(6, 300)
        assert not judge(" ".join(new), " ".join(self.KEPT)).duplicate

    def test_same_words_in_another_order_are_new(self):
        verdict = judge(" ".join(sorted(self.KEPT)), " ".join(self.KEPT))
        assert verdict.c1 == 1.0 and not verdict.duplicate

    def test_tiny_excerpt_is_not_covered(self):
        kept = english(8, 1200)
        assert not judge(" ".join(kept[300:360]), " ".join(kept)).duplicate


class TestChinese:
    KEPT = chinese(1, 400)

    def test_edits_are_found(self):
        for new in (self.KEPT[:200], "编辑李四" + self.KEPT[4:], self.KEPT[:150] + self.KEPT[190:]):
            assert judge(new, self.KEPT).duplicate

    def test_others_are_new(self):
        assert not judge(chinese(2, 400), self.KEPT).duplicate
        assert not judge(chinese(3, 300) + self.KEPT[:100], self.KEPT).duplicate


class TestWhereTheLiteralRuleFailed:
    """See 'What was wrong in the literal rule' in docs/dedup.md."""

    def test_two_empty_main_strings_are_not_equal(self):
        new, kept = "the of and to in a is that for it " * 3, "it for that is a in to and of the " * 3
        assert not judge(new, kept).duplicate
        assert not judge("", "").duplicate

    def test_one_common_unit_does_not_decide(self):
        shared = "quartz vein " * 5
        new = shared + " ".join(english(11, 60))
        kept = shared + " ".join(english(12, 60))
        assert not judge(new, kept).duplicate

    def test_short_texts_have_a_main_string(self):
        kept = Fingerprint.of(" ".join(english(13, 40)))
        assert kept.t == 0 and len(kept.units) >= 4 and not too_short(kept)

    def test_english_pages_are_not_all_equal(self):
        texts = [" ".join(english(seed, 400)) for seed in range(20, 26)]
        pairs = [(a, b) for a in texts for b in texts if a is not b]
        assert not any(judge(a, b).duplicate for a, b in pairs)

    def test_adjacent_short_parts_are_new(self):
        words = english(14, 90)
        assert not judge(" ".join(words[45:]), " ".join(words[:45])).duplicate


def test_a_short_kept_text_has_no_duplicates_but_its_equals():
    kept = spelled("k1-19")
    assert not judge(spelled("k1-19 n1-2"), kept).duplicate
    assert judge(kept, kept).duplicate
    assert judge(spelled("k1-20 n1-2"), spelled("k1-20")).duplicate


@pytest.mark.parametrize(
    ("text", "short"),
    [("", True), ("word " * 19, True), ("word " * 30, True), ("the of and " * 20, True)],
)
def test_too_short(text, short):
    assert too_short(Fingerprint.of(text)) is short
    assert not too_short(Fingerprint.of(" ".join(english(1, 30))))
