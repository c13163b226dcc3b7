"""The marked text: its slices, words that meet or are parted, flags of class names, against plain string work."""

import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page, markup
from denoise_scrapy.page.marked_text import MarkedText, collapsed, cut_slices, part_glued
from denoise_scrapy.page.markup import MAX_WORDS_LENGTH, Flag, word_flags
from tests.html_strategies import SOUP

CHARACTERS = [
    "a",
    "Word",
    " ",
    "  ",
    "\n",
    "\x01",
    "\x02",
    "\x0b",
    "\xa0",
    "\xad",
    "é",
    "中",
    "\U0001f600",
    "\ud83d",
    "\u200b",
]
marked = st.lists(st.sampled_from(CHARACTERS), max_size=20).map("".join)


@given(marked, st.booleans())
def test_collapsed(text, as_it_is):
    bare = text.replace("\x01", "").replace("\x02", "")
    if as_it_is:
        assert collapsed("\0" + text) == bare.replace("\x0b", "\n").strip("\n\r").rstrip()
    else:
        lines = (" ".join(line.split()) for line in bare.split("\x0b"))
        assert collapsed(text) == "\n".join(filter(None, lines))


@given(st.lists(marked.filter(lambda text: not text or not "\ud800" <= text[-1] < "\ue000"), max_size=8))
def test_slices(parts):
    text, edges = MarkedText.encode("\x01".join(parts)), [0]
    for part in parts:
        edges.append(edges[-1] + len(part.encode("utf-16-le", "surrogatepass")) // 2 + 1)
    found = cut_slices(
        text, text.slice(0, len(text.codes)), np.array(edges[:-1], np.int64), np.array(edges[1:], np.int64) - 1
    )
    assert found == [text.slice(a, b - 1) for a, b in pairwise(edges)]


@given(SOUP)
def test_no_page_holds_the_mark_of_preformatted_text(html):
    page = Page.parse(html)
    assert "\0" not in page._text.slice(0, len(page._text.codes))


def texts(html):
    page = Page.parse(html)
    return [page.block_text(i) for i in range(len(page.blocks))]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p><span>Trail</span><span>Boots</span>", "Trail Boots"),
        ("<p><span>Jan 3, 2026</span><span>2h</span>", "Jan 3, 2026 2h"),
        ("<p><a>Action</a><a>Open World</a>", "Action Open World"),
        ("<p><b><i>Deep</i></b><span><em>Down</em></span>", "Deep Down"),
        ("<p><a>One</a><span></span><a>Two</a>", "One Two"),
        ("<p><a>首页</a><a>新闻</a>", "首页 新闻"),
        ("<p><a>اقرأ</a><a>شاهد</a>", "اقرأ شاهد"),
        ("<p>😀<span>Trail</span><span>Boots</span>😀", "😀Trail Boots😀"),
        # one word, or no words that meet
        ("<p><span>Le</span><span>arn</span>", "Learn"),
        ("<p><a>b</a><a>acon</a>", "bacon"),
        ("<p><strong>S</strong><span>aving</span>", "Saving"),
        ("<p><span>H</span><span>E</span><span>Y</span>", "HEY"),
        ("<p><span>中</span><span>国</span>", "中国"),
        ("<p>H<sub>2</sub>O and <b>W</b>ord", "H2O and Word"),
        ("<p><span>Price:</span><span>$5</span>", "Price:$5"),
        ("<p><span>One</span> <span>Two</span>", "One Two"),
        ("<p><code><span>get</span><span>Name</span></code>", "getName"),
        ("<pre><span>get</span><span>Name</span></pre>", "getName"),
    ],
)
def test_pairs(html, text):
    assert texts(html) == [text]


@given(SOUP)
def test_parting_twice_is_parting_once(html):
    page = Page.parse(html)
    text = page.elements.text
    assert part_glued(text, page.elements.paths, page.path_table).data == text.data


def test_a_list_is_read_line_by_line_in_its_order():
    rows = "".join(
        f"<li><h3><a href=/{i}>Title {i}</a></h3><div><span>Mar {i}</span><span>2026</span></div><p>Text {i}.</p></li>"
        for i in range(1, 4)
    )
    assert texts(f"<ul>{rows}</ul>") == [
        line for i in range(1, 4) for line in (f"Title {i}", f"Mar {i} 2026", f"Text {i}.")
    ]


def test_hashes_of_blocks_do_not_change():
    glued, parted = Page.parse("<p><a>One</a><a>Two</a>"), Page.parse("<p><a>One</a> <a>Two</a>")
    assert np.array_equal(glued.blocks.text_hashes, parted.blocks.text_hashes)


@pytest.mark.parametrize("unit", ["<span>A</span>", "<span>Ab</span>", "<a>x</a><b></b>", "<i>", "</i><i>a"])
def test_a_hostile_page_takes_linear_time(unit):
    start = time.perf_counter()
    page = Page.parse("<p>" + unit * 50_000)
    assert len(page.elements) > 0
    assert time.perf_counter() - start < 20


# what the patterns are made of, whole and cut, and what stands between words
PARTS = sorted(
    {
        part[:size]
        for words in markup._WORDS.values()
        for part in words.replace("?", "").split("|")
        for size in (2, 3, 5, 40)
    }
)
NAMES = st.lists(
    st.sampled_from(
        [*PARTS, "Ad", "ads", "tab", "tabs", "read", "more", "right", "col", "left", "see", "all", "top", "bar"]
    )
    | st.sampled_from(
        ["-", "_", " ", "  ", "7", "--", "X", "comment", "userComments", "Reply", "replies", "İ", "É", "中"]
    )
    | st.text(max_size=4),
    max_size=12,
).flatmap(lambda parts: st.sampled_from(["", " ", "-"]).map(lambda between: between.join(parts)))


def at_once(names: str) -> int:
    """The literal version."""
    words = markup._NOT_A_LETTER.sub(" ", markup._CAMEL.sub(" ", names[:MAX_WORDS_LENGTH])).lower()
    bits = 0
    for match in markup._WORD_PATTERN.finditer(words):
        bits |= Flag[str(match.lastgroup)]
    return int(bits)


@given(NAMES)
def test_name_by_name_is_as_all_at_once(names: str) -> None:
    assert word_flags(names) == at_once(names)


def test_words_that_go_together_over_two_names() -> None:
    assert word_flags("right") == 0 == word_flags("col")
    assert word_flags("x-right col-3") == Flag.SIDE_WORD == word_flags("right -- col")
    assert word_flags("read more") == Flag.RELATED_WORD
    assert word_flags("ad") == word_flags("ads-top") == Flag.AD_WORD
    assert word_flags("ad" * 300) == at_once("ad" * 300)
