"""What is true of a stream, against a literal count; what is held to floors."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.dedup import floors
from benchmarks.dedup.quality import FALSE, RECALL
from benchmarks.dedup.stream_truth import Relation, StreamText, Truth
from benchmarks.dedup.streams import StreamScore, scores
from denoise_scrapy.dedup.tokens import tokens
from tests.dedup.made_texts import english

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
    truth = Truth([StreamText(" ".join(one), "") for one in (old, new)], characters=characters, by_object=False)
    assert truth.covered(1, 0) == pytest.approx(literal_cover(new, old, 6 if characters else 4))


def test_all_pairs_agree_with_the_candidates():
    rng = np.random.default_rng(1)
    stock = [english(seed, 120) for seed in range(8)]
    rows = []
    for number in range(60):
        words = stock[rng.integers(8)][rng.integers(0, 60) :] + english(100 + number, int(rng.integers(0, 60)))
        rows.append(StreamText(" ".join(words), ""))
    truth = Truth(rows, characters=False, by_object=False)
    plain = {n for n in range(60) if any(truth.relation(n, old) is Relation.COPY for old in range(n))}
    assert truth.copies() == plain and len(tokens(rows[0].text)) >= 20


def test_a_stream_is_measured_and_held_to_floors(tmp_path, monkeypatch):
    words = english(1, 200)
    rows = [words, english(2, 200), words[:190], words + english(3, 20)]
    with gzip.open(tmp_path / "made.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"text": " ".join(one), "obj": str(n)}) + "\n" for n, one in enumerate(rows))
    ((found, name),) = scores(tmp_path, every_way=False)
    assert (found.right, found.wrong, found.missed, found.between) == (2, 0, 0, 0)
    assert set(found.score.goals) == {RECALL, FALSE} and found.held
    assert len(list(scores(tmp_path, every_way=True))) == 4
    assert floors.failures("stream made", found.score, name)[0].endswith("--set-baseline sets one")
    monkeypatch.setattr(floors.gate, "BASELINE", tmp_path / "baseline.json")
    floors.write("stream made", found.score, name)
    assert floors.failures("stream made", found.score, name) == []
    worse = StreamScore("made", found.rule, found.search, 0, 4, 2, 0, 4)
    assert len(floors.failures("stream made", worse.score, name)) == 2
