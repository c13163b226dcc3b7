"""Blocks: the runs of text between two block boundaries, with their counts, as columns."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import CJK, CLASSES, DIGIT, SPACE, STOP, hash_table, segment_hashes
from denoise_scrapy.page.columns import Elements, IntArray
from denoise_scrapy.page.geometry import Boxes
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
        start: Position of the block's first character in the marked text.
        end: Position after its last.
        block_of_text: Block of the text after each mark, -1 where none shows, shape (marks,).
    """

    def __init__(self, elements: Elements, boxes: Boxes | None = None) -> None:
        self.elements = elements
        self._boxes = boxes
        block_of_text, self.element = self._split()
        m = len(self.element)
        edges = np.append(elements.marks, len(elements.text.codes))
        shown = np.flatnonzero(block_of_text >= 0)
        _, first = np.unique(block_of_text[shown], return_index=True)
        last = np.append(first[1:], len(shown)) - 1
        self.start = edges[shown[first]] + 1 if m else np.zeros(0, np.int64)
        self.end = edges[shown[last] + 1] if m else np.zeros(0, np.int64)
        self.block_of_text: IntArray = block_of_text

    def __len__(self) -> int:
        return len(self.element)

    def _split(self) -> tuple[IntArray, IntArray]:
        """Block of the text after each mark (-1 where nothing shows), and the element of each block."""
        e = self.elements
        ends_block = np.asarray(e.column("block"), bool)[e.mark_element] if len(e) else np.zeros(0, bool)
        ends_block = ends_block | self._second_breaks()
        group = np.cumsum(ends_block)
        shows = np.diff(e.visible_before) > 0
        shows &= e.text_owner >= 0
        shown, first = np.unique(group[shows], return_index=True)
        block_of_group = np.full(len(group) + 1, -1)
        block_of_group[shown] = np.arange(len(shown))
        block_of_text = block_of_group[group]
        owner = e.text_owner[shows][first]
        return block_of_text, e.nearest(np.asarray(e.column("block"), bool))[owner]

    def _second_breaks(self) -> npt.NDArray[np.bool_]:
        """Marks of a `br` that follows another one with nothing visible between: they end a block."""
        e = self.elements
        second = np.zeros(len(e.marks), bool)
        breaks = np.flatnonzero(np.asarray(e.column("br"), bool)[e.mark_element] & e.is_start)
        if len(breaks) > 1:
            seen = e.visible_before[breaks]
            second[breaks[1:][seen[1:] == seen[:-1]]] = True
        return second

    def inside(self, element: int) -> npt.NDArray[np.bool_]:
        """Blocks of an element's subtree."""
        return np.asarray((self.element >= element) & (self.element < self.elements.end[element]))

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        """Sum of a column over the blocks in each element's subtree, shape (elements,)."""
        own = np.bincount(self.element, values, len(self.elements))
        return np.asarray(self.elements.subtree_sums(own), np.float64)

    @cached_property
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
        """`subtree_sums` of the tokens, shape (elements,). Several families of features ask for it."""
        return self.subtree_sums(self.tokens)

    @cached_property
    def char_sums(self) -> npt.NDArray[np.float64]:
        """`subtree_sums` of the visible characters, shape (elements,)."""
        return self.subtree_sums(self.chars)

    @cached_property
    def link_char_sums(self) -> npt.NDArray[np.float64]:
        """`subtree_sums` of the visible characters inside links, shape (elements,)."""
        return self.subtree_sums(self.link_chars)

    @cached_property
    def _characters(self) -> tuple[npt.NDArray[np.uint8], IntArray, IntArray]:
        """Classes, blocks and positions of all characters of blocks, marks taken out."""
        e = self.elements
        lengths = np.diff(np.append(e.marks, len(e.text.codes)))  # a mark and the text after it
        head = int(e.marks[0]) if len(e.marks) else len(e.text.codes)
        block = np.concatenate([np.full(head, -1), np.repeat(self.block_of_text, lengths)])
        keep = block >= 0
        keep[e.marks] = False
        position = np.flatnonzero(keep)
        return e.classes[position], block[position], position

    @cached_property
    def _visible(self) -> tuple[IntArray, IntArray]:
        """Positions of the visible characters of blocks, and where each block begins among them, shape (m + 1,)."""
        classes, _, position = self._characters
        return position[classes > SPACE], np.append(0, self.chars.cumsum())  # a block has one at least

    @cached_property
    def counts(self) -> IntArray:
        """Characters of each class (`characters`), shape (m, CLASSES)."""
        classes, block, _ = self._characters
        flat = np.bincount(block * CLASSES + classes, minlength=len(self) * CLASSES)
        return flat.reshape(-1, CLASSES)

    @cached_property
    def chars(self) -> IntArray:
        """Visible characters."""
        return np.asarray(self.counts[:, SPACE + 1 :].sum(axis=1))

    @cached_property
    def tokens(self) -> IntArray:
        """Tokens: runs of word characters, and CJK characters one by one."""
        classes, block, _ = self._characters
        word = (classes >= DIGIT) & (classes < CJK)
        begins = word.copy()
        begins[1:] &= ~(word[:-1] & (block[1:] == block[:-1]))
        return np.bincount(block[begins | (classes == CJK)], minlength=len(self))

    @cached_property
    def link_chars(self) -> IntArray:
        """Visible characters inside links."""
        e = self.elements
        return self._chars_owned_by((np.asarray(e.column("flags"), np.int64) & Flag.LINK) != 0)

    def _chars_owned_by(self, elements: npt.NDArray[np.bool_]) -> IntArray:
        owned = np.append(elements, False)[self.elements.text_owner]  # owner -1 is the last value
        shows = (self.block_of_text >= 0) & owned
        after = np.diff(self.elements.visible_before)[shows]
        return np.bincount(self.block_of_text[shows], after, len(self)).astype(np.int64)

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

    @cached_property
    def paragraph_tokens(self) -> IntArray:
        """The block's tokens where it is a paragraph of prose, else 0."""
        prose = (self.tokens >= PARAGRAPH_TOKENS) & (self.link_density < PARAGRAPH_LINK_DENSITY)
        return np.where(prose, self.tokens, 0)

    @cached_property
    def ends_in_stop(self) -> npt.NDArray[np.bool_]:
        """Whether the last visible character ends a sentence."""
        position, edges = self._visible
        return np.asarray(self.elements.classes[position[edges[1:] - 1]] == STOP)

    @cached_property
    def flags(self) -> IntArray:
        """Flags of the block's element and its ancestors; a browser knows better than markup what is hidden."""
        flags = np.asarray(self.elements.column("flags"), np.int64)[self.element]
        if self._boxes is None:
            return flags
        known, shows = ~np.isnan(self._boxes.width[self.element]), self._boxes.visible[self.element]
        seen = np.where(shows, flags & ~np.int64(Flag.HIDDEN), flags | Flag.HIDDEN)
        return np.where(known, seen, flags)

    @cached_property
    def own_flags(self) -> IntArray:
        """Flags of the block's element."""
        return np.asarray(self.elements.column("own_flags"), np.int64)[self.element]

    @cached_property
    def path_keys(self) -> npt.NDArray[np.uint64]:
        """Hash of the path of the block's element, the same on every page of the template."""
        return np.asarray(self.elements.column("key"), np.uint64)[self.element]

    @cached_property
    def slots(self) -> IntArray:
        """Number of the block's path among the page's: blocks of one path are records of a list, or a story's."""
        return np.unique(self.path_keys, return_inverse=True)[1]

    @cached_property
    def text_hashes(self) -> npt.NDArray[np.uint64]:
        """Hash of the block's text: white space and case do not count, digits are all alike."""
        position, edges = self._visible
        values = hash_table()[self.elements.text.codes[position]]
        return segment_hashes(values, edges[:-1], edges[1:])
