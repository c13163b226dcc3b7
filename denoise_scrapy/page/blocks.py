"""Blocks and lines: the runs of text between two block boundaries, with their counts, as columns."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import Boxes, Elements, IntArray, NativeColumn, derived, distinct, is_new
from denoise_scrapy.page.marked_text import (
    CJK,
    CLASSES,
    DIGIT,
    MARK,
    SPACE,
    STOP,
    class_table,
    hash_table,
    running_count,
    segment_hashes,
)
from denoise_scrapy.page.markup import Flag

#: Shorter blocks, or blocks of more links, are no paragraphs. Measured on five corpora: 12 tokens, .34.
PARAGRAPH_TOKENS = 12
PARAGRAPH_LINK_DENSITY = 0.34
#: Levels of `Blocks.above`, the block's own element included.
LEVELS = 8


class Blocks:
    """Columns of a page's m blocks in document order. All arrays have shape (m,) unless they say otherwise.

    Attributes:
        element: Nearest block-level element of the block's text.
        first: Number of the mark before the block's first character.
        after: Number of the mark after its last; the number of all marks at the page's end.
        start: Position of the block's first character in the marked text.
        end: Position after its last.
        block_of_text: Block of the text after each mark, -1 where none shows, shape (marks,).
        native: What C computed of these, None where numpy computes all.
    """

    def __init__(self, elements: Elements, boxes: Boxes | None = None) -> None:
        self.elements = elements
        self.native = elements.native
        self.native_column: NativeColumn | None = None if self.native is None else self.native.of_blocks
        if boxes is not None:
            self.flags = self._seen(self.flags, boxes)

    _runs = derived(lambda self: part_runs(self.elements))
    element: derived[IntArray] = derived(lambda self: self._runs.element)
    first: derived[IntArray] = derived(lambda self: self._runs.first)
    after: derived[IntArray] = derived(lambda self: self._runs.after)
    block_of_text: derived[IntArray] = derived(lambda self: self._runs.block_of_text)
    start: derived[IntArray] = derived(lambda self: self.elements.mark_bounds.take(self.first) + 1)
    end: derived[IntArray] = derived(lambda self: self.elements.mark_bounds.take(self.after))

    def __len__(self) -> int:
        return len(self.element)

    def inside(self, element: int) -> npt.NDArray[np.bool_]:
        """Blocks of an element's subtree."""
        return np.asarray((self.element >= element) & (self.element < self.elements.end[element]))

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        """Sum of a column over the blocks in each element's subtree, shape (elements,)."""
        own = np.bincount(self.element, values, len(self.elements))
        return np.asarray(self.elements.subtree_sums(own), np.float64)

    @derived
    def above(self) -> IntArray:
        """The element of each block, its parent, and so on up, shape (LEVELS, m); the top stays the top."""
        up = self.elements.parent_or_self
        levels = np.empty((LEVELS, len(self)), np.int64)
        levels[0] = self.element
        for level in range(1, LEVELS):
            up.take(levels[level - 1], out=levels[level])
        return levels

    @cached_property
    def token_sums(self) -> npt.NDArray[np.float64]:
        """`subtree_sums` of the tokens, shape (elements,)."""
        return self.subtree_sums(self.tokens)

    @cached_property
    def _visible(self) -> tuple[IntArray, IntArray]:
        """Visible characters of the page before each block's, and with them, shape (m,) each."""
        before = self.elements.visible_before
        return before.take(self.first), before.take(self.after)

    @cached_property
    def _visible_codes(self) -> npt.NDArray[np.integer[npt.NBitBase]]:
        """Codes of the page's visible characters."""
        e = self.elements
        return e.text.codes.take((e.classes > SPACE).nonzero()[0])

    @derived
    def counts(self) -> IntArray:
        """Characters of each class (`marked_text`), shape (m, CLASSES)."""
        return count_classes(self.elements, self.start, self.end)

    @derived
    def chars(self) -> IntArray:
        """Visible characters."""
        before, after = self._visible
        return after - before

    @derived
    def tokens(self) -> IntArray:
        """Tokens: runs of word characters, and CJK characters one by one."""
        return count_tokens(self.elements, self.block_of_text, self.start, self.end)

    @derived
    def link_chars(self) -> IntArray:
        """Visible characters inside links."""
        return self._chars_owned_by((np.asarray(self.elements.column("flags"), np.int64) & Flag.LINK) != 0)

    def _chars_owned_by(self, elements: npt.NDArray[np.bool_]) -> IntArray:
        e = self.elements
        marked = np.zeros(len(e) + 1, np.bool_)  # owner -1 is the last value
        marked[:-1] = elements
        running = np.zeros(len(e.visible_before), np.int64)
        after = e.visible_before[1:] - e.visible_before[:-1]
        (after * marked.take(e.text_owner)).cumsum(out=running[1:])
        return running.take(self.after) - running.take(self.first)

    def share_owned_by(self, elements: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Share of each block's visible characters that are own text of the marked ones of the elements."""
        return np.asarray(self._chars_owned_by(elements) / np.maximum(self.chars, 1))

    @cached_property
    def link_density(self) -> npt.NDArray[np.float64]:
        """Visible characters inside links / visible characters."""
        return np.asarray(self.link_chars / np.maximum(self.chars, 1))

    @derived
    def paragraph_tokens(self) -> IntArray:
        """The block's tokens where it is a paragraph of prose, else 0."""
        prose = (self.tokens >= PARAGRAPH_TOKENS) & (self.link_density < PARAGRAPH_LINK_DENSITY)
        return np.where(prose, self.tokens, 0)

    @derived
    def ends_in_stop(self) -> npt.NDArray[np.bool_]:
        """Whether the last visible character ends a sentence."""
        last = self._visible_codes.take(self._visible[1] - 1)
        return np.asarray(class_table().take(last) == STOP)

    @derived
    def flags(self) -> IntArray:
        """Flags of the block's element and its ancestors; a browser knows better than markup what is hidden."""
        return np.asarray(self.elements.column("flags").take(self.element), np.int64)

    def _seen(self, flags: IntArray, boxes: Boxes) -> IntArray:
        known, shows = ~np.isnan(boxes.width[self.element]), boxes.visible[self.element]
        seen = np.where(shows, flags & ~np.int64(Flag.HIDDEN), flags | Flag.HIDDEN)
        return np.where(known, seen, flags)

    @derived
    def own_flags(self) -> IntArray:
        """Flags of the block's element."""
        return np.asarray(self.elements.column("own_flags").take(self.element), np.int64)

    @derived
    def path_keys(self) -> npt.NDArray[np.uint64]:
        """Hash of the path of the block's element, the same on every page of the template."""
        return np.asarray(self.elements.column("key"), np.uint64)[self.element]

    @derived
    def slots(self) -> IntArray:
        """Number of the block's path among the page's: blocks of one path are records of a list, or a story's."""
        return distinct(self.path_keys)[1]

    @derived
    def text_hashes(self) -> npt.NDArray[np.uint64]:
        """Hash of the block's text: white space and case do not count, digits are all alike."""
        return segment_hashes(hash_table().take(self._visible_codes), *self._visible)


class Runs(NamedTuple):
    """The columns of `Blocks` that are told by its marks."""

    block_of_text: IntArray
    element: IntArray
    first: IntArray
    after: IntArray


def part_runs(e: Elements) -> Runs:
    """Part a page's text at the marks of block-level elements, and at every second `br` with nothing between."""
    is_block = np.asarray(e.column("block"), np.bool_)
    ends = is_block.take(e.mark_element)
    _end_at_second_breaks(e, ends)
    group = ends.cumsum()  # of the text after each mark
    bounds = _bounds(ends)
    shows = (e.visible_before[1:] > e.visible_before[:-1]) & (e.text_owner >= 0)
    shown = shows.nonzero()[0]
    group_shown = group.take(shown)
    is_first = is_new(group_shown)
    of_block = group_shown[is_first]
    block_of_group = np.full(len(bounds), -1)
    block_of_group[of_block] = np.arange(len(of_block))
    element = e.nearest(is_block).take(e.text_owner.take(shown[is_first]))
    return Runs(block_of_group.take(group), element, bounds.take(of_block), bounds.take(of_block + 1))


def _end_at_second_breaks(e: Elements, ends: npt.NDArray[np.bool_]) -> None:
    """A `br` that follows another one with nothing visible between ends a block at its start mark."""
    is_break = np.asarray(e.column("br"), np.bool_)
    if is_break.any():
        breaks = (is_break.take(e.mark_element) & e.is_start).nonzero()[0]
        seen = e.visible_before.take(breaks)
        ends[breaks[1:][seen[1:] == seen[:-1]]] = True


def _bounds(ends: npt.NDArray[np.bool_]) -> IntArray:
    """Number of the mark where each group of runs begins, and the number of all marks as last value."""
    inner = ends.nonzero()[0]
    bounds = np.zeros(len(inner) + 2, np.int64)  # the first group begins at the first mark
    bounds[1:-1] = inner
    bounds[-1] = len(ends)
    return bounds


def count_tokens(e: Elements, block_of_text: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Tokens of each block, see `Blocks`."""
    classes = e.classes
    word = classes - DIGIT < CJK - DIGIT  # unsigned: what is below wraps round to large values
    begins = word.copy()
    np.greater(word[1:], word[:-1], out=begins[1:])
    begins[_goes_on(e, block_of_text, word)] = False
    if e.text.wide:
        begins |= classes == CJK
    total = running_count(begins)
    return (total.take(end) - total.take(start)).astype(np.int64)


def _goes_on(e: Elements, block_of_text: IntArray, word: npt.NDArray[np.bool_]) -> IntArray:
    """Positions where a word of the same block goes on after marks: `foo<b>bar</b>` is one."""
    bounds = e.mark_bounds
    before_text = (bounds[1:] - bounds[:-1] > 1).nonzero()[0]
    block = block_of_text.take(before_text)
    left, right = bounds.take(before_text[:-1] + 1) - 1, bounds.take(before_text[1:]) + 1
    return np.asarray(right[word.take(left) & word.take(right) & (block[1:] == block[:-1])])


def count_classes(e: Elements, start: IntArray, end: IntArray) -> IntArray:
    """Characters of each class in each block, shape (m, CLASSES); marks are none."""
    m = len(start)
    edges = np.zeros(2 * m + 2, np.int64)
    edges[1:-1:2], edges[2:-1:2], edges[-1] = start, end, len(e.classes)
    cells = np.full(2 * m + 1, m * CLASSES)  # of what stands before each block, and behind the last: of none
    cells[1::2] = np.arange(0, m * CLASSES, CLASSES)
    of_character = cells.repeat(edges[1:] - edges[:-1])
    of_character += e.classes
    counts = np.bincount(of_character, minlength=(m + 1) * CLASSES).reshape(-1, CLASSES)[:m]
    counts[:, MARK] = 0
    return counts


class Lines:
    """Columns of a page's k lines that show text, in document order. Hidden text is in none of them.

    Attributes:
        element: Nearest block-level element of the line's text, shape (k,).
        chars: Visible characters, shape (k,).
        link_chars: Those inside links, shape (k,).
        tokens: Words, and CJK characters one by one, shape (k,). A word that a tag parts counts twice.
        at_break: Whether a `br` begins or ends the line, shape (k,).

    Example:
        >>> from denoise_scrapy.page import Page
        >>> lines = Lines(Page.parse("<p>One two.<br>Three.</p><div><a href=/x>Four</a> 5</div>").elements)
        >>> lines.chars.tolist(), lines.link_chars.tolist(), lines.tokens.tolist(), lines.at_break.tolist()
        ([7, 6, 5], [0, 0, 4], [2, 1, 2], [True, True, False])
    """

    def __init__(self, e: Elements) -> None:
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
