"""Labelled pairs: the same each time, and what their labels say; floors hold and break where they should."""

import json
from collections import Counter
from random import Random

import pytest

pytest.importorskip("sklearn")

from benchmarks import gate
from benchmarks.dedup import floors
from benchmarks.dedup.bases import Base, unlike
from benchmarks.dedup.forms import COMMON, common, form_pairs
from benchmarks.dedup.negatives import NEGATIVES
from benchmarks.dedup.pairs import digest, make_pairs
from benchmarks.dedup.pieces import excerpt, first, pieces, sentences, size, split
from benchmarks.dedup.positives import POSITIVES
from benchmarks.dedup.quality import CHINESE, FALSE, RECALL, Score, Share, measure
from benchmarks.dedup.rules import OTHERS, OWN
from denoise_scrapy.dedup.tokens import tokens

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


def of_kind(pairs, kind):
    return [(pair, tokens(pair.new), tokens(pair.kept)) for pair in pairs if pair.kind == kind]


def test_the_same_seed_makes_the_same_pairs(pairs):
    assert digest(make_pairs(bases_of(), forms=16)) == digest(pairs)
    assert digest(make_pairs(bases_of(), seed=1, forms=16)) != digest(pairs)


def test_every_kind_and_group_is_there(pairs):
    kinds = Counter((pair.kind, pair.duplicate) for pair in pairs)
    assert set(kinds) == {(kind, True) for kind in POSITIVES} | {
        (kind, False) for kind in [*NEGATIVES, "same site", "one form"]
    } | {("other numbers", None)}
    assert {pair.group for pair in pairs} == {"latin", "chinese", "other"}
    assert kinds["one form", False] == 16
    per_base = 30 * 4 + 14 * 7 + 5 * len(POSITIVES)
    assert per_base * 0.9 < sum(bool(pair.duplicate) for pair in pairs) <= per_base


def test_what_is_added_stands_around_the_whole_kept_text(pairs):
    for kind, low, high in [("tenth appended", 0.05, 0.1), ("embedded", 0.13, 0.26), ("extends", 0.45, 0.55)]:
        for pair, new, kept in of_kind(pairs, kind):
            assert pair.kept in pair.new
            assert low <= 1 - len(kept) / len(new) <= high


def test_pages_of_one_form_have_half_in_common():
    for new, kept, _ in form_pairs(24, seed=3):
        assert COMMON[0] <= common(new, kept) <= COMMON[1]
        assert 60 <= size(new) <= 200


def test_pieces_make_up_the_text_again():
    text = "Plain words, 汉字和 kana ひらがな。\nA second line! And more"
    assert "".join(pieces(text)) == "".join(sentences(text)) == "".join(split(text, 5)) == text
    assert size(first(text, 0.5)) >= size(text) / 2
    assert size(excerpt(text, 4, Random(1))) == 4


def test_a_rule_is_scored_by_kind_and_group(pairs):
    score = measure("all", lambda new, kept: True, pairs)
    assert score.goals[RECALL].value == score.goals[CHINESE].value == score.goals[FALSE].value == 1
    assert score.kinds["one form", False] == Share(16, 16)
    assert sum(share.pairs for share in score.groups.values()) == sum(pair.duplicate is not None for pair in pairs)


def test_rules_know_a_text_and_tell_others(pairs):
    for rule in [*OWN.values(), *OTHERS.values()]:
        assert rule(pairs[0].kept, pairs[0].kept)
    for name, rule in (OWN | OTHERS).items():
        assert name == "patent" or not rule(text_of("latin", 98), text_of("latin", 99))


def score_of(recall, chinese, false):
    shares = [Share(round(10_000 * share), 10_000) for share in (recall, chinese, false)]
    return Score("rule", dict(zip((RECALL, CHINESE, FALSE), shares, strict=True)), {}, {})


@pytest.fixture
def baseline(tmp_path, monkeypatch):
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps({"portal lcs k=5": {"corpus": "a", "floor": 0.9}}))
    monkeypatch.setattr(gate, "BASELINE", path)
    return path


def test_floors_are_the_stricter_of_goal_and_measured(baseline):
    floors.write("portal", score_of(0.999, 0.97, 0.0095), "d")
    written = json.loads(baseline.read_text())
    assert written.pop("portal lcs k=5") == {"corpus": "a", "floor": 0.9}
    assert written == {
        "dedup portal rule recall": {"corpus": "d", "floor": pytest.approx(0.9987, abs=1e-4)},
        "dedup portal rule recall on Chinese": {"corpus": "d", "floor": pytest.approx(0.9683, abs=1e-4)},
        "dedup portal rule false share": {"corpus": "d", "ceiling": 0.01},
    }
    assert floors.unreached(score_of(0.999, 0.97, 0.0095)) == ["recall on Chinese: 0.9700, the goal is 0.98"]


def test_the_gate_names_what_is_worse(baseline):
    assert len(floors.failures("portal", score_of(1, 1, 0), "d")) == 3
    floors.write("portal", score_of(0.995, 0.99, 0.005), "d")
    assert not floors.failures("portal", score_of(0.995, 0.99, 0.005), "d")
    worse = floors.failures("portal", score_of(0.98, 0.99, 0.02), "d")
    assert [line.split(":")[0] for line in worse] == ["dedup portal rule recall", "dedup portal rule false share"]
    assert len(floors.failures("portal", score_of(1, 1, 0), "other pairs")) == 3
