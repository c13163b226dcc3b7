"""Texts of blocks, made of slices of the marked string only where somebody reads them.

Most of what is asked of short blocks was asked of the same blocks on other pages of the site. So a block's slice, marks
and white space and all, is what answers are remembered by: cutting the slices of a page costs .03 of lxml's parse, its
texts .28 (500 elements).
"""

from __future__ import annotations

import numpy as np

from denoise_scrapy.page.columns import IntArray, MarkedText
from denoise_scrapy.page.parse import END, LINE_BREAK, START

#: Begins the slice of a preformatted block, so that a slice tells all that its text depends on. No page holds it.
PREFORMATTED = "\0"


def cut_slices(text: MarkedText, starts: IntArray, ends: IntArray) -> list[str]:
    """Slices of the marked string; no bound parts a pair of surrogates.

    Args:
        text: The marked string of a page.
        starts: Position of each slice's first character in `text.codes`, shape (m,).
        ends: Position after its last, shape (m,).
    """
    codes = text.codes
    whole = text.slice(0, len(codes))
    if len(whole) != len(codes):  # characters beyond the plane are two codes each, and one in the string
        high, low = codes[:-1] & 0xFC00 == 0xD800, codes[1:] & 0xFC00 == 0xDC00
        pairs = np.flatnonzero(high & low)
        starts, ends = starts - pairs.searchsorted(starts), ends - pairs.searchsorted(ends)
    return list(map(whole.__getitem__, map(slice, starts.tolist(), ends.tolist())))


def without_marks(marked: str) -> str:
    """A slice without the marks of elements."""
    return marked.replace(START, "").replace(END, "")


def collapsed(marked: str) -> str:
    r"""The text of a slice: white space collapsed, lines broken at `<br>`; as it is in preformatted text.

    Example:
        >>> collapsed("\x01 One\n two\x02.\x01\x0b\x02 Three "), collapsed("\0  a\n  b\n")
        ('One two.\nThree', '  a\n  b')
    """
    text = without_marks(marked)
    if text.startswith(PREFORMATTED):
        return text[1:].replace(LINE_BREAK, "\n").strip("\n\r").rstrip()
    text = text.strip()
    # nothing is printable that would have to be collapsed or broken, but for spaces: a fourth of the time of splitting
    if text.isprintable() and "  " not in text:
        return text
    if LINE_BREAK not in text:
        return " ".join(text.split())
    lines = (" ".join(line.split()) for line in text.split(LINE_BREAK))
    return "\n".join(filter(None, lines))
