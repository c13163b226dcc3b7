"""Sums over a page's blocks, of the counts that features and rules ask for, and where its prose is.

On a page of 500 elements a call of numpy costs more than its arithmetic. So the counts of the blocks are rows of one
array, and each kind of sum (windows, subtrees, paths) is taken of all rows at once. They are integers: running sums
of floats take six times as long (24 µs in place of 4 for 7,000 values), since each waits for the one before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Number = TypeVar("Number", np.int64, np.float64)

#: The rows: prose that speaks for the page's own content; all prose; characters in links; tokens; characters; the
#: blocks themselves; tokens times comparison pages that carry them; headings; lines of meta data; prices.
OWN, PROSE, LINKS, TOKENS, CHARS, ONES, COPIES, HEADINGS, META, PRICES = range(10)
CHANNELS = 10
#: What shares are made of: prose is a part of the tokens, links of the characters.
PARTS, WHOLES = slice(PROSE, LINKS + 1), slice(TOKENS, CHARS + 1)
#: Half width of the widest window, in blocks. So many zeros before and after the rows stand for what lies beyond the
#: page: windows are slices of the running sums then, without indices to cut.
WIDEST = 12
_FIRST = WIDEST + 1


class Sums:
    """Counts of a page's m blocks, and their sums.

    Args:
        page: The page of n elements.
        marks: Further rows, by number: integers or booleans, shape (m,) each; 0 where not given.

    Attributes:
        rows: The counts, shape (CHANNELS, m).
        totals: Their sums, shape (CHANNELS,).

    Example:
        >>> sums = Sums(Page.parse("<div><p>One.<p>Two three.</div><p>Four."), {})
        >>> float(sums.totals[TOKENS]), sums.windows(1)[TOKENS - PROSE].tolist()
        (4.0, [3.0, 4.0, 3.0])
        >>> sums.under(TOKENS, np.array([1, 2])).tolist()  # body, div
        [4.0, 3.0]
    """

    def __init__(self, page: Page, marks: Mapping[int, npt.NDArray[np.generic]]) -> None:
        blocks = page.blocks
        self.page = page
        padded = np.zeros((CHANNELS, len(blocks) + 2 * WIDEST + 1), np.int64)
        self.rows: IntArray = padded[:, _FIRST : _FIRST + len(blocks)]
        self.rows[PROSE], self.rows[LINKS] = blocks.paragraph_tokens, blocks.link_chars
        self.rows[TOKENS], self.rows[CHARS] = blocks.tokens, blocks.chars
        self.rows[ONES] = 1
        for row, values in marks.items():
            self.rows[row] = values
        # through all rows: what came before a row stands before and behind it, and cancels out
        self._running: FloatArray = padded.ravel().cumsum().reshape(padded.shape).astype(float)
        self.totals: FloatArray = self._running[:, -1] - self._running[:, WIDEST]

    @cached_property
    def whole(self) -> int:
        """Tokens of the page, 1 at least."""
        return max(int(self.totals[TOKENS]), 1)

    @cached_property
    def log_tokens(self) -> FloatArray:
        """log(1 + tokens) of each block, shape (m,)."""
        return np.asarray(np.log1p(self.rows[TOKENS]))

    def before(self, row: int) -> FloatArray:
        """Sums of a row before each block, and of all as last value, shape (m + 1,)."""
        running = self._running[row, WIDEST : _FIRST + self.rows.shape[1]]
        return np.asarray(running - running[0])

    def between(self, low: IntArray, high: IntArray) -> FloatArray:
        """Sums of PROSE to CHARS over the blocks from `low` to before `high`, shape (4, any); shape (any,) each."""
        running = self._running[PROSE : CHARS + 1, WIDEST:]
        return np.asarray(_take(running, high) - _take(running, low))

    def windows(self, width: int, rows: slice = slice(PROSE, ONES + 1)) -> FloatArray:
        """Sums over each block, `width` before and as many after (WIDEST at most), shape (rows, m)."""
        m = self.rows.shape[1]
        running = self._running[rows]
        return np.asarray(running[:, _FIRST + width : _FIRST + width + m] - running[:, WIDEST - width :][:, :m])

    @cached_property
    def _subtrees(self) -> tuple[FloatArray, IntArray, IntArray]:
        """Sums over the blocks in the order of their elements; of each element the first of its blocks, and the end.

        A block of an element may follow those of its children: text goes on behind them.
        """
        elements, element = self.page.elements, self.page.blocks.element
        running = np.zeros((CHANNELS, len(element) + 1))
        running[:, 1:] = _take(self.rows, element.argsort(kind="stable")).cumsum(axis=1)
        first = np.zeros(len(elements) + 1, np.int64)
        np.bincount(element, minlength=len(elements)).cumsum(out=first[1:])
        return running, first, _take(first, elements.end)

    def under(self, rows: int | slice, elements: IntArray | None = None) -> FloatArray:
        """Sums over the blocks in the subtrees of elements, shape (rows, elements).

        Args:
            rows: Which rows; a single one is left out of the shape.
            elements: Indices of elements, any shape; None: all n of them.
        """
        running, first, end = self._subtrees
        low, high = (first[:-1], end) if elements is None else (_take(first, elements), _take(end, elements))
        chosen = running[rows]
        return np.asarray(_take(chosen, high) - _take(chosen, low))

    @cached_property
    def above(self) -> FloatArray:
        """Sums of PROSE to COPIES over the subtrees 0 to 3 levels above each block, shape (6, 4, m)."""
        return self.under(slice(PROSE, COPIES + 1), self.page.blocks.above[:4])

    @cached_property
    def shares_above(self) -> FloatArray:
        """Shares of prose and of links there, shape (2, 4, m)."""
        return np.asarray(self.above[:2] / np.maximum(self.above[2:4], 1))

    @cached_property
    def by_path(self) -> FloatArray:
        """Sums of PROSE to COPIES over all blocks of each path of the page (`Blocks.slots`), shape (6, paths)."""
        slots = self.page.blocks.slots
        paths, rows = int(slots.max(initial=-1)) + 1, self.rows[PROSE : COPIES + 1]
        number = slots + np.arange(0, len(rows) * paths, max(paths, 1))[: len(rows), None]
        found = np.bincount(number.ravel(), rows.ravel(), len(rows) * paths)
        return np.asarray(found.reshape(len(rows), paths), np.float64)


def _take(values: npt.NDArray[Number], at: IntArray) -> npt.NDArray[Number]:
    """Columns of rows; see the module."""
    return np.asarray(values.take(at, axis=-1, mode="clip"))


def in_best_container(page: Page, prose: npt.NDArray[np.int64]) -> BoolArray:
    """Blocks inside the element whose text is nearest to being all the prose and nothing else.

    The element with the highest F = 2 · prose inside / (tokens inside + all prose), the deepest of equals.

    Args:
        page: A page of m blocks.
        prose: Tokens of each block that count as prose, shape (m,).

    Returns:
        Shape (m,); all true on a page without prose.

    Example:
        >>> page = Page.parse("<div><p>Long prose.<p>More prose.</div><div><p>Note</div>")
        >>> in_best_container(page, np.array([2, 2, 0])).tolist()
        [True, True, False]
    """
    blocks, total = page.blocks, float(prose.sum())
    if not total:
        return np.ones(len(blocks), bool)
    scores = 2 * blocks.subtree_sums(prose) / (blocks.token_sums + total)
    return blocks.inside(len(scores) - 1 - int(scores[::-1].argmax()))


def in_best_containers(sums: Sums) -> BoolArray:
    """The same for two kinds of prose at once, the rows OWN and PROSE of the sums, shape (2, m).

    Example:
        >>> page = Page.parse("<div><p>Long prose.<p>More prose.</div><div><p>Note</div>")
        >>> in_best_containers(Sums(page, {OWN: np.array([0, 0, 1])})).tolist()  # no paragraph is long enough
        [[False, False, True], [True, True, True]]
    """
    elements, element, totals = sums.page.elements, sums.page.blocks.element, sums.totals[OWN : PROSE + 1, None]
    inside = sums.under(slice(OWN, TOKENS + 1))
    # without prose all scores would be 0 / 0 where there are no tokens either
    scores = 2 * inside[OWN : PROSE + 1] / (inside[TOKENS] + np.maximum(totals, 1))
    best = len(elements) - 1 - scores[:, ::-1].argmax(axis=1)[:, None]
    found = (element >= best) & (element < elements.end.take(best))
    return np.asarray(found | (totals == 0))
