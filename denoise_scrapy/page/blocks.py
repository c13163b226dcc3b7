"""Blocks and lines: the runs of text between two block boundaries, with their counts, as columns."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.markup import Flag
from denoise_scrapy.page.columns import BoolArray, Boxes, Elements, IntArray

#: Levels of `Blocks.above`, the block's own element included.
LEVELS = 8


def _column(name: str, doc: str) -> cached_property[IntArray]:
    """A column of the core's rows, as numbers of 64 bits."""

    def read(blocks: Blocks) -> IntArray:
        return blocks.rows[name].astype(np.int64)

    read.__doc__ = doc
    return cached_property(read)


class Blocks:
    """Columns of a page's m blocks in document order. All arrays have shape (m,) unless they say otherwise.

    Attributes:
        elements: The page's elements.
        rows: The core's rows (`core/tree.pxd`).
    """

    def __init__(self, elements: Elements, boxes: Boxes | None = None) -> None:
        self.elements = elements
        self.rows = elements.tree.block_rows
        self._boxes = boxes
        if boxes is not None:
            self.rows["flags"] = self._seen(self.rows["flags"].astype(np.int64), boxes)

    element = _column("element", "Nearest block-level element of the block's text.")
    chars = _column("chars", "Visible characters.")
    link_chars = _column("link_chars", "Visible characters inside links.")
    tokens = _column("tokens", "Runs of word characters, and CJK characters one by one.")
    paragraph_tokens = _column("prose", "The block's tokens where it is a paragraph of prose, else 0.")
    slots = _column("slot", "Number of the block's path among the page's: records of a list, or a story's.")
    counts = _column("counts", "Characters of each class (`core/characters.pxd`), shape (m, classes).")

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def start(self) -> IntArray:
        """Position of the block's first character in the page's text."""
        return self.rows["text"]["start"].astype(np.int64)

    @cached_property
    def end(self) -> IntArray:
        """Position after its last."""
        return self.rows["text"]["end"].astype(np.int64)

    @cached_property
    def block_of_text(self) -> IntArray:
        """Block of the text after each mark, -1 where none shows, shape (marks,)."""
        first = self.elements.marks + 1
        block = self.start.searchsorted(first, "right") - 1
        inside = (
            (block >= 0) & (first <= self.end.take(block, mode="clip")) if len(self) else np.zeros(len(first), bool)
        )
        return np.where(inside, block, -1)

    def inside(self, element: int) -> BoolArray:
        """Blocks of an element's subtree."""
        return np.asarray((self.element >= element) & (self.element < self.elements.rows["end"][element]))

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

    def share_owned_by(self, elements: BoolArray) -> npt.NDArray[np.float64]:
        """Share of each block's visible characters that are own text of the marked ones of the elements."""
        e = self.elements
        owned = np.append(elements, False)[e.text_owner]  # owner -1 is the last value
        chosen = owned & (self.block_of_text >= 0)
        chars = np.bincount(self.block_of_text[chosen], e.visible_after[chosen], len(self))
        return np.asarray(chars / np.maximum(self.chars, 1))

    @cached_property
    def link_density(self) -> npt.NDArray[np.float64]:
        """Visible characters inside links / visible characters."""
        return np.asarray(self.link_chars / np.maximum(self.chars, 1))

    @cached_property
    def ends_in_stop(self) -> BoolArray:
        """Whether the last visible character ends a sentence."""
        return self.rows["ends_in_stop"].astype(bool)

    @cached_property
    def flags(self) -> IntArray:
        """Flags of the block's element and its ancestors; a browser knows better than markup what is hidden."""
        flags = np.asarray(self.elements.column("flags").take(self.element), np.int64)
        return flags if self._boxes is None else self._seen(flags, self._boxes)

    def _seen(self, flags: IntArray, boxes: Boxes) -> IntArray:
        known, shows = ~np.isnan(boxes.width[self.element]), boxes.visible[self.element]
        seen = np.where(shows, flags & ~np.int64(Flag.HIDDEN), flags | Flag.HIDDEN)
        return np.where(known, seen, flags)

    @cached_property
    def own_flags(self) -> IntArray:
        """Flags of the block's element."""
        return np.asarray(self.elements.column("own_flags").take(self.element), np.int64)

    @cached_property
    def path_keys(self) -> npt.NDArray[np.uint64]:
        """Hash of the path of the block's element, the same on every page of the template."""
        return np.ascontiguousarray(self.rows["path"])

    @cached_property
    def text_hashes(self) -> npt.NDArray[np.uint64]:
        """Hash of the block's text: white space and case do not count, digits are all alike."""
        return np.ascontiguousarray(self.rows["text_hash"])


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
        shown = np.flatnonzero((e.visible_after > 0) & (e.text_owner >= 0))
        shown = shown[(flags[e.text_owner[shown]] & Flag.HIDDEN) == 0]
        owner, chars, line_of = e.text_owner[shown], e.visible_after[shown], line[shown]
        found, first = np.unique(line_of, return_index=True)
        linked = (flags[owner] & Flag.LINK) != 0
        size = int(line[-1]) + 2 if len(line) else 2
        self.element: IntArray = e.nearest(block)[owner[first]]
        self.chars = _sums(line_of, chars, size)[found]
        self.link_chars = _sums(line_of, np.where(linked, chars, 0), size)[found]
        begins = np.zeros(size, bool)
        begins[line[breaks]] = True
        tokens = e.tree.count_tokens(e.marks[shown] + 1, e.text_ends[shown])
        self.tokens = _sums(line_of, tokens, size)[found]
        self.at_break: BoolArray = begins[found] | begins[found + 1]

    def __len__(self) -> int:
        return len(self.element)


def _sums(group: IntArray, values: IntArray, size: int) -> IntArray:
    return np.bincount(group, values, size).astype(np.int64)
