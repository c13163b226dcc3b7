"""The stream of forms: thirty kinds, the same each time, each copy after its original and a copy of it by its text."""

from collections import Counter

import pytest

pytest.importorskip("sklearn")

from benchmarks.dedup.forms import ACROSS_SITES, HOWS, common, digest, measure, stream
from benchmarks.dedup.scores import ACROSS, FORMS, SAME, STORIES
from benchmarks.dedup.texts import Base
from tests.dedup.made_texts import english


def story(number):
    """A text of twenty sentences."""
    told = english(number, 200)
    return ". ".join(" ".join(told[i : i + 10]).capitalize() for i in range(0, 200, 10))


STORIES_TOLD = [Base.of(f"story {i}", "", story(i)) for i in range(40)]


@pytest.fixture(scope="module")
def rows():
    return stream(STORIES_TOLD, pages=20, copies=30)


def test_the_same_seed_makes_the_same_stream(rows):
    assert digest(stream(STORIES_TOLD, pages=20, copies=30)) == digest(rows)
    assert digest(stream(STORIES_TOLD, seed=1, pages=20, copies=30)) != digest(rows)


def test_a_copy_comes_after_its_original_and_has_its_words(rows):
    earlier = {}
    for row in rows:
        if row.how:
            original = earlier[row.of]
            assert (row.site == original.site) is (row.how not in ACROSS_SITES)
            assert common(original.body, row.text) >= (0.49 if row.how == "cut" else 0.9), row
            assert (row.text == original.text) is (row.how == "session address"), row
        earlier[row.url] = row
    assert Counter(row.how for row in rows if row.how) == dict.fromkeys(HOWS, 60)


def test_a_score_counts_what_was_called(rows):
    score = measure(rows, titles=True)
    assert {goal: share.pairs for goal, share in score.goals.items()} == {
        FORMS: 600, STORIES: 40, ACROSS: 2 * 60, SAME: 5 * 60
    }  # fmt: skip
    assert score.goals[STORIES].value == 1
    lost = sum(share.called for (kind, truth), share in score.kinds.items() if not truth)
    assert score.goals[FORMS].called == 600 - lost
    assert sum(share.pairs for share in score.kinds.values()) == len(rows)
