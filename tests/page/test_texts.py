"""Slices of the marked string and their texts, against plain string work."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import MarkedText, collapsed, cut_slices
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
    found = cut_slices(text, np.array(edges[:-1], np.int64), np.array(edges[1:], np.int64) - 1)
    assert found == [text.slice(a, b - 1) for a, b in pairwise(edges)]


@given(SOUP)
def test_no_page_holds_the_mark_of_preformatted_text(html):
    page = Page.parse(html)
    assert "\0" not in page._text.slice(0, len(page._text.codes))
