"""Chunks of a body: bounded, whole, in order, below their headings."""

import re
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.chunks import chunk_markdown, estimate_tokens

SENTENCES = [
    "The storm came over the hills in the evening.",
    "People (e.g. Mr. Smith of No. 7) went home before it rained again!",
    'J. R. Miller of the U.S. said: "It rained."',
    "It took 3.5 hours, i.e. too long, at approx. 40 km.",
    "暴风雨来了。",
    "Дождь шёл всю ночь.",
    "3 &lt; 4 **bold.**",
]
BLOCKS = [
    "# Storm",
    "## Roads",
    "### The A1",
    "## Rivers",
    "- one\n- two. And more.\n  - nested\n  more of it\n- three",
    "1. first\n2. second",
    "| Name | Value |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n| c | 3 |",
    "```\nif a:\n    b()\n\n\nc()\n```",
    "> quoted\n> again",
]


def paragraphs() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)


def numbered(blocks: list[str]) -> str:
    """Each heading differs from all others."""
    return "\n\n".join(f"{block} {n}" if block.startswith("#") else block for n, block in enumerate(blocks))


texts = st.lists(st.one_of(paragraphs(), st.sampled_from(BLOCKS)), max_size=14).map(numbered)


def words(text: str) -> list[str]:
    return re.findall(r"[^\s|]+", text)


FRAMES = {"Name", "Value", "---", "```"}  # may be repeated


def without_headings(text: str) -> list[str]:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [word for word in words(lines) if word not in FRAMES]


@given(texts, st.integers(1, 120))
def test_nothing_is_lost_and_all_stays_in_order(text: str, most: int) -> None:
    chunks = chunk_markdown(text, most)
    assert [word for chunk in chunks for word in without_headings(chunk.text)] == without_headings(text)


@given(texts, st.integers(60, 200))
def test_each_heading_stands_above_what_it_heads(text: str, most: int) -> None:
    """Outline by outline: the headings above the first unit of a chunk, then those inside."""
    above: list[str] = []
    outlines = []
    for line in text.splitlines():
        if line.startswith("#"):
            above = [*(one for one in above if one.index(" ") < line.index(" ")), line]
            outlines.append(tuple(above))
    for chunk in chunk_markdown(text, most):
        first = chunk.text.splitlines()[0]
        whole = (*chunk.headings, first) if first.startswith("#") else chunk.headings
        assert whole == () or whole in outlines
        for line in chunk.text.splitlines():
            assert not line.startswith("#") or any(outline[-1] == line for outline in outlines)
    said = "\n".join(map(str, chunk_markdown(text, most))).splitlines()
    assert [outline[-1] for outline in outlines if outline[-1] not in said] == []


@given(texts, st.integers(2, 120), st.integers(0, 60))
def test_chunks_are_as_large_as_they_may_be(text: str, most: int, overlap: int) -> None:
    """A larger one is one unit: without its headings and frame it ends nowhere but at its end."""
    for chunk in chunk_markdown(text, most, min(overlap, most - 1)):
        assert chunk.tokens == estimate_tokens(str(chunk))
        if chunk.tokens > most:
            again = chunk_markdown(chunk.text, most)
            assert len(again) == 1, again


@given(texts, st.integers(1, 120))
def test_no_sentence_is_cut(text: str, most: int) -> None:
    whole = {sentence for sentence in SENTENCES if sentence in text}
    chunks = [chunk.text for chunk in chunk_markdown(text, most)]
    for sentence in whole:
        assert any(sentence in chunk for chunk in chunks)


@given(texts)
def test_a_large_chunk_is_the_text(text: str) -> None:
    assert [str(chunk) for chunk in chunk_markdown(text, 10**6)] == ([text] if text else [])


def test_headings_take_no_more_than_half_of_a_chunk() -> None:
    text = "# " + "a" * 4000 + "\n\n## b\n\n" + "One sentence here. " * 4000
    chunks = chunk_markdown(text, 60)
    assert all(chunk.headings == ("## b",) for chunk in chunks[1:])
    assert sum(len(str(chunk)) for chunk in chunks) < 2 * len(text)


def test_overlap_repeats_whole_sentences() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in "abcdefgh")
    chunks = chunk_markdown(text, 24, overlap=8)
    for one, other in pairwise(chunks):
        assert other.text.startswith(one.text.rpartition(". ")[2])
    assert chunk_markdown("", 24) == []


def test_long_texts_take_time_by_their_length() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text.split())

    text = "\n\n".join(["One sentence here. Another one there."] * 3000)
    chunk_markdown(text, 10**6, count=count)
    assert counted < 5 * len(text)


@pytest.mark.parametrize("piece", [*".!?…؟।。！？”)*_ \n", ". ", ".)", "。”", "A.", "1.", ". a", "।।。"])
@pytest.mark.parametrize("end", ["", "a", " a", " A"])
def test_rows_of_signs_take_time_by_their_length(piece: str, end: str) -> None:
    start = time.process_time()
    chunk_markdown(f"a{piece * (40_000 // len(piece))}{end}")
    assert time.process_time() - start < 2


@pytest.mark.parametrize(("most", "overlap"), [(0, 0), (5, 5), (5, -1)])
def test_sizes_that_make_no_sense(most: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"not {most} and {overlap}"):
        chunk_markdown("x", most, overlap)
