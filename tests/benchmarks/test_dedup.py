"""Benchmarks of duplicates: made data are the same each time, labels are right, the truth equals a literal count."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dedup import forms
from benchmarks.dedup.forms import ACROSS_SITES, HOWS, common, stream
from benchmarks.dedup.pairs import make_pairs
from benchmarks.dedup.pairs import measure as measure_pairs
from benchmarks.dedup.scores import ACROSS, CHINESE, FALSE, FORMS, RECALL, SAME, STORIES, Share, bound
from benchmarks.dedup.streams import StreamText, Truth
from benchmarks.dedup.texts import Base, unlike

LETTERS = {
    "latin": ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"],
    "chinese": [chr(0x4E00 + 37 * i) for i in range(500)],
    "other": ["са", "ке", "ли", "мо", "ну", "ра", "же", "ти", "во", "зу"],
}


def text_of(group, number, count):
    """Sentences of made-up words, each text with words of its own."""
    rng, parts = Random(f"{group} {number}"), LETTERS[group]
    if group == "chinese":
        return "\n".join("".join(rng.choices(parts, k=18)) + "，“" + rng.choice(parts) + "”。" for _ in range(count))
    lines = (" ".join("".join(rng.choices(parts, k=4)) for _ in range(12)) for _ in range(count))
    return "\n".join(line.capitalize() + "." for line in lines)


STORIES_TOLD = [Base.of(f"story {i}", "", text_of("latin", i, 20)) for i in range(40)]


@pytest.fixture(scope="module")
def rows():
    return stream(STORIES_TOLD, pages=8, copies=12)


def test_the_same_seed_makes_the_same_stream(rows):
    assert stream(STORIES_TOLD, pages=8, copies=12) == rows
    assert stream(STORIES_TOLD, seed=1, pages=8, copies=12) != rows


def test_a_copy_comes_after_its_original_and_has_its_words(rows):
    earlier = {}
    for row in rows:
        if row.how:
            original = earlier[row.of]
            assert (row.site == original.site) is (row.how not in ACROSS_SITES)
            assert common(original.body, row.text) >= (0.49 if row.how == "cut" else 0.9), row
            assert (row.text == original.text) is (row.how == "session address"), row
        earlier[row.url] = row
    assert Counter(row.how for row in rows if row.how) == dict.fromkeys(HOWS, 24)


def test_a_score_counts_what_was_called(rows):
    score = forms.measure(rows, titles=True)
    assert {goal: share.pairs for goal, share in score.goals.items()} == {
        FORMS: 240, STORIES: 40, ACROSS: 2 * 24, SAME: 5 * 24
    }  # fmt: skip
    assert score.goals[STORIES].value == 1
    lost = sum(share.called for (kind, truth), share in score.kinds.items() if not truth)
    assert score.goals[FORMS].called == 240 - lost
    assert sum(share.pairs for share in score.kinds.values()) == len(rows)


def bases():
    counts = {"latin": 30, "chinese": 14, "other": 5}
    return unlike(
        Base.of(f"{group} {i}", f"{group} site {i // 3}", text_of(group, i, 8 + i))
        for group, count in counts.items()
        for i in range(count)
    )


@pytest.fixture(scope="module")
def pairs():
    return make_pairs(bases(), forms=16)


def test_the_same_seed_makes_the_same_pairs(pairs):
    assert make_pairs(bases(), forms=16) == pairs != make_pairs(bases(), seed=1, forms=16)


def test_a_rule_is_scored_by_kind_and_group(pairs):
    score = measure_pairs("all", lambda new, kept: True, pairs)
    assert score.goals[RECALL].value == score.goals[CHINESE].value == score.goals[FALSE].value == 1
    assert score.kinds["one form", False] == Share(16, 16)
    assert sum(share.pairs for share in score.groups.values()) == len(pairs)


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


@pytest.mark.parametrize(
    ("goal", "share", "limit"),
    [(RECALL, Share(9999, 10000), 0.9998), (RECALL, Share(991, 1000), 0.99), (FALSE, Share(9, 1000), 0.01)],
)
def test_a_bound_is_the_stricter_of_goal_and_share(goal, share, limit):
    assert bound(goal, share) == limit
