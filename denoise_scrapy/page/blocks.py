"""Blocks: the runs of text between two block boundaries, with their counts, as columns."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import SPACE, STOP, class_table, hash_table, segment_hashes
from denoise_scrapy.page.columns import Elements, IntArray
from denoise_scrapy.page.counts import count_classes, count_tokens
from denoise_scrapy.page.derived import Told, derived
from denoise_scrapy.page.geometry import Boxes
from denoise_scrapy.page.markup import Flag
from denoise_scrapy.page.runs import part_runs

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
        native: Where C finds all of these, None where numpy computes them.
    """

    def __init__(self, elements: Elements, boxes: Boxes | None = None) -> None:
        self.elements = elements
        self.native = elements.native
        self.told: Told | None = None if self.native is None else self.native.of_blocks
        if boxes is not None:
            self.flags[:] = self._seen(self.flags, boxes)  # where C looks for them, too

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
        """Characters of each class (`characters`), shape (m, CLASSES)."""
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
        """Share of each block's visible characters that are own text of the marked elements.

        Args:
            elements: Which of the page's elements, shape (elements,).
        """
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
        order = self.path_keys.argsort()  # `np.unique` does the same in twice the time
        ordered = self.path_keys.take(order)
        slots = np.zeros(len(self), np.int64)
        slots[order[1:]] = (ordered[1:] != ordered[:-1]).cumsum()
        return slots

    @derived
    def text_hashes(self) -> npt.NDArray[np.uint64]:
        """Hash of the block's text: white space and case do not count, digits are all alike."""
        return segment_hashes(hash_table().take(self._visible_codes), *self._visible)
