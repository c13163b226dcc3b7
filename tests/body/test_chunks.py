"""Chunks of a body: bounded, whole, in order, below their headings."""

import pickle
import re
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from denoise_scrapy import extract
from denoise_scrapy.body.chunks import Chunk, chunk_markdown, estimate_tokens
from denoise_scrapy.body.rendering import Token, to_markdown

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
    "## Rivers",
    "- one\n- two. And more.\n  - nested\n  more of it\n- three",
    "| Name | Value |\n| --- | --- |\n| a | 1 |\n| b | 2 |\n| c | 3 |",
    "```\nif a:\n    b()\n\n\nc()\n```",
    "> quoted\n> again\n>\n> ```\n> x = 1\n>\n> y = 2\n> ```",
    "- Run it. Then wait.\n\n  ```\n  run()\n\n  wait()\n  ```\n\n  Done.\n\n- next",
    "1. one\n   - ```\n     c = 1\n     ```\n   - two",
]


PARAGRAPHS = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6).map(" ".join)


def numbered(blocks: list[str]) -> str:
    """Each heading differs from all others."""
    return "\n\n".join(f"{block} {n}" if block.startswith("#") else block for n, block in enumerate(blocks))


texts = st.lists(st.one_of(PARAGRAPHS, st.sampled_from(BLOCKS)), max_size=14).map(numbered)


FRAMES = {"Name", "Value", "---", "```", ">"}  # may be repeated


def without_headings(text: str) -> list[str]:
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    return [word for word in re.findall(r"[^\s|]+", lines) if word not in FRAMES]


@given(texts, st.integers(1, 120), st.integers(0, 60))
def test_nothing_is_lost_and_no_sentence_is_cut(text: str, most: int, overlap: int) -> None:
    """A chunk that is too large is one unit: without its headings and frame it ends nowhere but at its end."""
    chunks = chunk_markdown(text, most)
    assert [word for chunk in chunks for word in without_headings(chunk.text)] == without_headings(text)
    assert all(any(one in chunk.text for chunk in chunks) for one in SENTENCES if one in text)
    for chunk in chunk_markdown(text, most, min(overlap, most - 1)):
        assert chunk.tokens == estimate_tokens(str(chunk))
        assert chunk.tokens <= most or len(chunk_markdown(chunk.text, max(most, 2))) == 1
    assert [str(chunk) for chunk in chunk_markdown(text, 10**6)] == ([text] if text else [])


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
        above = tuple(chunk.above.split("\n\n")) if chunk.above else ()
        assert chunk.headings == tuple(one.lstrip("# ") for one in above)
        whole = (*above, first) if first.startswith("#") else above
        assert whole == () or whole in outlines
        for line in chunk.text.splitlines():
            assert not line.startswith("#") or any(outline[-1] == line for outline in outlines)
    said = "\n".join(map(str, chunk_markdown(text, most))).splitlines()
    assert [outline[-1] for outline in outlines if outline[-1] not in said] == []


def test_headings_take_no_more_than_half_of_a_chunk() -> None:
    text = "# " + "a" * 4000 + "\n\n## b\n\n" + "One sentence here. " * 4000
    chunks = chunk_markdown(text, 60)
    assert all(chunk.headings == ("b",) for chunk in chunks[1:])
    assert sum(len(str(chunk)) for chunk in chunks) < 2 * len(text)


@pytest.mark.parametrize(("head", "chunks"), [("| Road | Shut |", 3), ("| Name of the road | Shut since |", 1)])
def test_a_table_is_cut_unless_its_head_takes_more_than_half_of_a_chunk(head: str, chunks: int) -> None:
    head = f"{head}\n| --- | --- |\n"
    text = head + "\n".join(f"| A{n} | Monday |" for n in range(6))
    found = [chunk.text for chunk in chunk_markdown(text, 20)]
    assert len(found) == chunks and all(one.startswith(head) for one in found)


def test_overlap_repeats_whole_sentences() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in "abcdefgh")
    chunks = chunk_markdown(text, 24, overlap=8)
    for one, other in pairwise(chunks):
        assert other.text.startswith(one.text.rpartition(". ")[2])
    assert chunk_markdown("", 24) == []


@pytest.mark.parametrize(
    ("most", "texts"),
    [
        (16, ["One two three four five.", " Six seven as follows:\n\n- eight nine ten eleven"]),
        (10, ["It rained all night here.", "\n\n**Linux**\n\nRun the first of them."]),
        (14, ["It rained all night here.", "\n\na.py\n\n```\nx = 1\ny = 2\n```"]),
        (14, ["- term\n  - It rained all night here, and more of it.", "\n- other\n  - It did not, for once."]),
        (9, ["- It is one. And two.", "\n- term\n  - It rained all night."]),
        (5, ["$$a. B" + "a. B" * 99 + "$$ x"]),
    ],
)
def test_what_leads_to_the_next_stays_with_it(most: int, texts: list[str]) -> None:
    assert [chunk.text for chunk in chunk_markdown("".join(texts), most)] == [text.lstrip() for text in texts]


def test_long_texts_take_time_by_their_length() -> None:
    counted = 0

    def count(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return len(text.split())

    text = "\n\n".join(["One sentence here. Another one there."] * 3000)
    chunk_markdown(text, 10**6, count=count)
    assert counted < 5 * len(text)


LEVELS = "```\n" + "\n".join(" " * n + "x:" for n in range(2000)) + "\n```"
SIGNS = [".", "*", " ", "\n", ". ", ".)", "A.", "।।。"]


@pytest.mark.parametrize("text", [*(f"a{sign * 40_000}{end}" for sign in SIGNS for end in ("", " A")), LEVELS])
def test_many_signs_and_levels_are_cut(text: str) -> None:
    assert "".join(str(chunk) for chunk in chunk_markdown(text, 50)).count("x:") == text.count("x:")


@pytest.mark.parametrize(("most", "overlap"), [(0, 0), (5, 5), (5, -1)])
def test_sizes_that_make_no_sense(most: int, overlap: int) -> None:
    with pytest.raises(ValueError, match=f"got {most} and {overlap}"):
        chunk_markdown("x", most, overlap)


CODE = """import os
import pickle
import re

# Opens a file.
@cached
def first(path):
    if path:
        return open(path)

    return None

def second(
    path,
):
    return first(path)


class Reader:
    size = 3

    def read(self):
        for line in self:

            yield line

    def close(self):
        self.file.close()
"""
IN_C = """#include <stdio.h>

/* Adds
   two. */
int add(int a, int b)
{
    int c = a;

    return c + b;
}

int main(void) {
    return add(1, 2);
}
"""
AROUND = {
    "alone": "{}",
    "item": "- Read it. It is short.\n\n  {}\n\n  Then close it.\n- next",
    "tight item": "- {}\n- next",
    "nested item": "1. one\n\n   - Read it.\n\n     {}\n\n     Then close it.\n\n2. two",
    "quote": "> Read it.\n>\n> {}\n>\n> Then close it.",
    "item in a quote": "> - Read it.\n>\n>   {}\n>\n>   Then close it.",
}
FENCES = {"fence": "```python\n{}\n```", "of active code": "```python\n\n{}\n```"}


def set_in(frame: str, code: str) -> str:
    """Code in a frame of Markdown, whose margin stands before each of its lines."""
    margin = re.search(r"^(.*)\{}", frame, re.MULTILINE)
    assert margin
    before = re.sub(r"[-\d.](?= )", " ", margin[1])
    first, *lines = code.split("\n")
    return frame.replace("{}", "\n".join([first, *(before + line if line else before.rstrip() for line in lines)]))


def codes(chunk: Chunk) -> list[str]:
    """The code in a chunk as CommonMark reads it; all of its fences are closed, none is cut by what follows."""
    found = []
    lines = chunk.text.split("\n")
    for token in MarkdownIt().parse(chunk.text):
        assert token.type != "code_block", chunk.text
        if token.type == "fence":
            assert token.map
            assert lines[token.map[1] - 1].endswith("```"), chunk.text
            found.append(token.content.removeprefix("\n"))
    return found


@pytest.mark.parametrize("fence", FENCES.values(), ids=FENCES)
@pytest.mark.parametrize("frame", AROUND.values(), ids=AROUND)
def test_code_that_fits_is_whole_and_reads_as_it_did(frame: str, fence: str) -> None:
    text = set_in(frame, fence.format(IN_C.rstrip("\n")))
    most = estimate_tokens(set_in("- Read it. It is short.\n\n     {}", fence.format(IN_C)))
    for more in (0, 5, 10**6):
        found = [code for chunk in chunk_markdown(text, most + more) for code in codes(chunk)]
        assert found == [IN_C]


@pytest.mark.parametrize("fence", FENCES.values(), ids=FENCES)
@pytest.mark.parametrize("frame", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("overlap", [0, 10])
@pytest.mark.parametrize(("code", "functions"), [(CODE, 4), (IN_C, 2)], ids=["Python", "C"])
def test_of_code_that_does_not_fit_no_function_is_cut(
    frame: str, fence: str, overlap: int, code: str, functions: int
) -> None:
    text = set_in(frame, fence.format(code.rstrip("\n")))
    parts = re.split(r"\n(?=(?:    def|# Opens|def|int|class|/\*) ?)", code)
    whole = [part.strip("\n") for part in parts if re.search(r"\b(?:def|int) ", part)]
    for most in (34, 38):
        found = [code for chunk in chunk_markdown(text, most, overlap) for code in codes(chunk)]
        assert len(found) > 1
        for function in whole:
            assert any(function in one for one in found), function
        said = [line for one in found for line in one.split("\n") if line]
        if not overlap:
            assert said == [line for line in code.split("\n") if line]


def test_a_transcript_is_cut_before_its_prompts() -> None:
    text = "```pycon\n" + "\n".join(f">>> def f():\n...     return {n}\n>>> f()\n{n}" for n in range(40)) + "\n```"
    for chunk in chunk_markdown(text, 40):
        assert chunk.text.startswith("```pycon\n>>> ")


def test_a_chunk_that_begins_in_an_item_has_no_margin() -> None:
    text = "- One sentence. Another one here.\n\n  A paragraph.\n  - nested\n    - deeper\n- The next."
    texts = [chunk.text for chunk in chunk_markdown(text, 11)]
    assert texts == ["- One sentence. Another one here.", "A paragraph.\n- nested\n  - deeper", "- The next."]


@given(
    st.lists(st.tuples(st.sampled_from(["", "b", "em", "code", "a"]), st.text("ab1*_~`[]()<>&\\\\#!|$ ")), min_size=1)
)
def test_headings_are_plain_text(pieces: list[tuple[str, str]]) -> None:
    tokens = [Token("start", "h2")]
    for tag, text in pieces:
        inner = [Token("text", text)] if text else []
        attributes = (("href", "http://a.example/(b)"),) if tag == "a" else ()
        tokens += [Token("start", tag, attributes), *inner, Token("end", tag)] if tag else inner
    tokens += [Token("end", "h2"), Token("start", "p"), Token("text", "Text."), Token("end", "p")]
    said = " ".join("".join(text for _, text in pieces).split())
    chunks = chunk_markdown(to_markdown(tokens), 10**6)
    assert chunks[0].headings == ((said,) if chunks[0].above else ())


def test_a_section_that_does_not_fit_begins_a_chunk() -> None:
    def written(more: str = "") -> str:
        said = (" ".join(f"Sentence {n} of part {part} is told." for n in range(6)) for part in range(8))
        return "\n\n".join(f"## Part {part}\n\n{text}" for part, text in enumerate(said)).replace(
            "told.", f"told.{more}", 1
        )

    chunks = chunk_markdown(written(), 80)
    assert all(set(re.findall(r"part (\d)", chunk.text)) == {chunk.headings[0].split()[1]} for chunk in chunks)
    # what is added to one section leaves the chunks of others as they are
    assert {chunk.id for chunk in chunks[1:]} <= {chunk.id for chunk in chunk_markdown(written(" And more."), 80)}


def test_names_are_of_the_page_and_the_text() -> None:
    text = "# Storm\n\nIt rained. It rained.\n\n## Roads\n\nIt rained.\n\n# Storm\n\nIt rained."
    names = [chunk.id for chunk in chunk_markdown(text, 6, url="http://a.example/1")]
    assert len({UUID(name) for name in names}) == len(names) > 3
    longer = chunk_markdown(text + "\n\nAnd more.", 6, url="http://a.example/1")
    assert [chunk.id for chunk in longer][: len(names)] == names
    assert not {chunk.id for chunk in chunk_markdown(text, 6, url="http://a.example/2")} & {*names}


def test_chunks_name_the_place_of_their_heading() -> None:
    said = "Call it with a key, and wait for the answer, which takes a moment or two at night, when the rest is idle."
    titles = {"example": "Example", "use-it": "Use it", "example_1": "Example", "": "Further *notes*"}
    sections = "".join(
        f"<section id={place}><h2>{title}<a href='#{place}'>¶</a></h2><p>{said} {number}<p>{said}</section>"
        for number, (place, title) in enumerate(titles.items())
    )
    body = extract(f"<title>Cache</title><main>{sections}</main>", "http://a.example/", keep="main")
    chunks = [chunk for chunk in body.chunks(40) if chunk.headings]
    assert [chunk.anchor for chunk in chunks] == [title for title in titles for _ in range(2)]
    again = pickle.loads(pickle.dumps(body)).chunks(40)
    assert [chunk.row["anchor"] for chunk in again if chunk.headings] == [chunk.anchor for chunk in chunks]
    whole = body.chunks(4000)
    assert [chunk.anchor for chunk in whole] == ["example"]


def test_chunks_of_a_body_have_its_title_and_address() -> None:
    page = "<title>Storm - Courier</title><h1>Storm</h1><p>It rained all night. The river rose.</p>"
    row = extract(page, "http://courier.example/1").chunks()[0].row
    told = {"title": "Storm", "url": "http://courier.example/1", "headings": ["Storm"], "position": 0}
    assert row == row | told
    assert set(row) == {*told, "anchor", "id", "tokens", "text"}


@pytest.mark.parametrize(
    "text",
    [
        *("word " * 9000, "x" * 44_000, "```\n" + "a = 1\n" * 9000 + "```", "| a |\n| --- |\n| " + "b " * 9000),
        *("> " * 9000 + "word", "- " * 9000 + "word", "1. " * 9000 + "word\n\n> x"),  # of others' feeds
    ],
)
def test_no_chunk_is_far_too_long(text: str) -> None:
    chunks = chunk_markdown(text, 400)
    assert max(chunk.tokens for chunk in chunks) <= 2 * 400
    assert "".join("".join(chunk.text for chunk in chunks).split()).count("x") == text.count("x")
    assert sum(chunk.text.count("a = 1") for chunk in chunks) == text.count("a = 1")
    assert sum(chunk.text.count("word") for chunk in chunks) == text.count("word")
