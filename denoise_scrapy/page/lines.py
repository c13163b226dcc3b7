"""Lines: the runs of text between two block boundaries or `br`, with their counts, as columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import CJK, DIGIT
from denoise_scrapy.page.columns import Elements, IntArray
from denoise_scrapy.page.markup import Flag
from denoise_scrapy.page.page import Page


class Lines:
    """Columns of a page's k lines that show text, in document order. Hidden text is in none of them.

    Attributes:
        element: Nearest block-level element of the line's text, shape (k,).
        chars: Visible characters, shape (k,).
        link_chars: Those inside links, shape (k,).
        tokens: Words, and CJK characters one by one, shape (k,). A word that a tag parts counts twice.
        at_break: Whether a `br` begins or ends the line, shape (k,).

    Example:
        >>> lines = Lines(Page.parse("<p>One two.<br>Three.</p><div><a href=/x>Four</a> 5</div>"))
        >>> lines.chars.tolist(), lines.link_chars.tolist(), lines.tokens.tolist(), lines.at_break.tolist()
        ([7, 6, 5], [0, 0, 4], [2, 1, 2], [True, True, False])
    """

    def __init__(self, page: Page) -> None:
        e = page.elements
        block = np.asarray(e.column("block"), bool)
        breaks = np.asarray(e.column("br"), bool)[e.mark_element] & e.is_start
        line = np.cumsum(block[e.mark_element] | breaks)  # of the text after each mark
        flags = np.asarray(e.column("flags"), np.int64)
        chars = np.diff(e.visible_before)
        shown = np.flatnonzero((chars > 0) & (e.text_owner >= 0))
        shown = shown[(flags[e.text_owner[shown]] & Flag.HIDDEN) == 0]
        owner, chars, line_of = e.text_owner[shown], chars[shown], line[shown]
        found, first = np.unique(line_of, return_index=True)
        linked = (flags[owner] & Flag.LINK) != 0
        size = int(line[-1]) + 2 if len(line) else 2
        self.element: IntArray = e.nearest(block)[owner[first]]
        self.chars = _sums(line_of, chars, size)[found]
        self.link_chars = _sums(line_of, np.where(linked, chars, 0), size)[found]
        begins = np.zeros(size, bool)
        begins[line[breaks]] = True
        self.tokens = _sums(line_of, _tokens_after(e)[shown], size)[found]
        self.at_break: npt.NDArray[np.bool_] = begins[found] | begins[found + 1]

    def __len__(self) -> int:
        return len(self.element)


def _tokens_after(e: Elements) -> IntArray:
    """Tokens in the text after each mark, shape (marks,)."""
    word = (e.classes >= DIGIT) & (e.classes < CJK)
    begins = word.copy()
    begins[1:] &= ~word[:-1]
    before = np.concatenate([[0], np.cumsum(begins | (e.classes == CJK))])
    return np.asarray(np.diff(before[np.append(e.marks, len(word))]))


def _sums(group: IntArray, values: IntArray, size: int) -> IntArray:
    return np.bincount(group, values, size).astype(np.int64)
