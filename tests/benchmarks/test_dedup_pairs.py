"""Labelled pairs: the same each time, and what their labels say."""

from random import Random

import pytest

pytest.importorskip("sklearn")

from benchmarks.dedup.pairs import make_pairs, measure
from benchmarks.dedup.scores import CHINESE, FALSE, RECALL, Share
from benchmarks.dedup.texts import Base, unlike

LETTERS = {
    "latin": ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"],
    "chinese": [chr(0x4E00 + 37 * i) for i in range(500)],
    "other": ["са", "ке", "ли", "мо", "ну", "ра", "же", "ти", "во", "зу"],
}


def text_of(group, number, count=12):
    """Sentences of made-up words, each text with words of its own."""
    rng, parts = Random(f"{group} {number}"), LETTERS[group]
    if group == "chinese":
        return "\n".join("".join(rng.choices(parts, k=18)) + "，“" + rng.choice(parts) + "”。" for _ in range(count))
    lines = (" ".join("".join(rng.choices(parts, k=4)) for _ in range(12)) for _ in range(count))
    return "\n".join(line.capitalize() + "." for line in lines)


def bases_of(latin=30, chinese=14, other=5):
    counts = {"latin": latin, "chinese": chinese, "other": other}
    return unlike(
        Base.of(f"{group} {i}", f"{group} site {i // 3}", text_of(group, i, 8 + i))
        for group, count in counts.items()
        for i in range(count)
    )


@pytest.fixture(scope="module")
def pairs():
    return make_pairs(bases_of(), forms=16)


def test_the_same_seed_makes_the_same_pairs(pairs):
    assert make_pairs(bases_of(), forms=16) == pairs != make_pairs(bases_of(), seed=1, forms=16)


def test_a_rule_is_scored_by_kind_and_group(pairs):
    score = measure("all", lambda new, kept: True, pairs)
    assert score.goals[RECALL].value == score.goals[CHINESE].value == score.goals[FALSE].value == 1
    assert score.kinds["one form", False] == Share(16, 16)
    assert sum(share.pairs for share in score.groups.values()) == len(pairs)
