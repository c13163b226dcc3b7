"""The page's elements as columns: parent, end of subtree, lengths, derived from path ids and marked text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import SPACE, class_table, mix, segment_hashes
from denoise_scrapy.page.paths import PathTable, name_code

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class MarkedText:
    """A page's text as character codes, with mark 1 where an element starts and 2 where it ends.

    Attributes:
        data: latin-1 bytes where every character fits, else UTF-16 (little endian).
        wide: Whether `data` is UTF-16.
    """

    data: bytes
    wide: bool

    @classmethod
    def encode(cls, text: str) -> MarkedText:
        """Encode a marked string; lone surrogates stay what they are."""
        try:
            return cls(text.encode("latin-1"), False)
        except UnicodeEncodeError:
            return cls(text.encode("utf-16-le", "surrogatepass"), True)

    @property
    def codes(self) -> npt.NDArray[np.integer[npt.NBitBase]]:
        """Character codes with marks, shape (characters,)."""
        return np.frombuffer(self.data, np.dtype("<u2") if self.wide else np.uint8)

    def slice(self, start: int, end: int) -> str:
        """The marked string between two positions in `codes`."""
        if self.wide:
            return self.data[2 * start : 2 * end].decode("utf-16-le", "replace")
        return self.data[start:end].decode("latin-1")

    def slices(self, starts: IntArray, ends: IntArray) -> list[str]:
        """Many of them: cut from a string decoded once, where its characters are as many as the codes."""
        text = self.slice(0, len(self.codes))
        bounds = zip(starts.tolist(), ends.tolist(), strict=True)
        if len(text) != len(self.codes):  # characters beyond the plane are two codes each
            return [self.slice(start, end) for start, end in bounds]
        return [text[start:end] for start, end in bounds]


class Elements:
    """Columns of a page's n elements in document order. All arrays have shape (n,) unless they say otherwise.

    Attributes:
        parent: Index of the parent element, -1 for the roots.
        end: First index after the element's subtree, so `cumsum[end] - cumsum[i]` sums over it.
        depth: Level in the tree; roots have 1.
        marks: Positions of all marks in the text, shape (2n,).
        mark_element: Element of each mark, shape (2n,).
        is_start: Whether a mark is a start, shape (2n,).
        text_owner: Element that owns the text after each mark, -1 for none, shape (2n,).
    """

    def __init__(self, paths: npt.NDArray[np.int32], text: MarkedText, table: PathTable) -> None:
        self.paths = paths
        self.table = table
        self.text = text
        codes = text.codes
        self.marks = np.flatnonzero((codes == 1) | (codes == 2))
        self.is_start = codes[self.marks] == 1
        level = np.cumsum(np.where(self.is_start, 1, -1))
        self.depth = level[self.is_start]
        # marks of one level alternate start, end, start, end: sorted by level they pair up
        levels = np.where(self.is_start, level, level + 1)
        if levels.max(initial=0) < 1 << 15:
            levels = levels.astype(np.int16)  # sorted by radix: .4 of the time of int64
        order = levels.argsort(kind="stable")
        starts_before = np.cumsum(self.is_start)
        n = len(paths)
        self.mark_element = np.empty(2 * n, np.int64)
        self.mark_element[order[0::2]] = starts_before[order[0::2]] - 1
        self.mark_element[order[1::2]] = self.mark_element[order[0::2]]
        self.end = np.empty(n, np.int64)
        self.end[self.mark_element[order[1::2]]] = starts_before[order[1::2]]
        self.parent = self._parents(n)
        self.text_owner = np.where(self.is_start, self.mark_element, self.parent[self.mark_element])

    def __len__(self) -> int:
        return len(self.paths)

    def _parents(self, n: int) -> IntArray:
        """The parent is the last element one level higher that starts before."""
        if not n:
            return np.zeros(0, np.int64)
        index = np.arange(n)
        keys = np.sort(self.depth * n + index)
        found = np.searchsorted(keys, (self.depth - 1) * n + index) - 1
        return np.where(self.depth > 1, keys[found] % n, -1)

    @cached_property
    def parent_or_self(self) -> IntArray:
        """The parent element; a root is its own. Applied again and again it climbs and stays at the top."""
        return np.where(self.parent >= 0, self.parent, np.arange(len(self)))

    def has_tag(self, tags: Collection[str]) -> npt.NDArray[np.bool_]:
        """Which elements have one of these tags.

        Example:
            >>> from denoise_scrapy.page import Page
            >>> Page.parse("<div><p>x</div>").elements.has_tag({"p", "div"}).tolist()
            [False, False, True, True]
        """
        own, found = self.column("tag"), np.zeros(len(self), bool)
        for tag in tags:  # a handful: 4 µs for one tag, 9 for five; np.isin takes 14
            found |= own == name_code(tag)
        return found

    @cached_property
    def shown(self) -> npt.NDArray[np.bool_]:
        """Elements that may show something: all but skipped ones. A noscript that was read has content."""
        inhabited = self.end - np.arange(len(self)) > 1
        return ~np.asarray(self.column("skipped"), bool) | inhabited | (self.own_chars > 0)

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """A column of the path table, a value an element. Names: `paths.COLUMNS`."""
        return self.table.columns[name][self.paths]

    @cached_property
    def classes(self) -> npt.NDArray[np.uint8]:
        """Class (`characters`) of each character, marks included, shape (characters,)."""
        return class_table()[self.text.codes]

    @cached_property
    def visible_before(self) -> IntArray:
        """Visible characters before each mark, and in all as last value, shape (2n + 1,)."""
        total = np.concatenate([[0], np.cumsum(self.classes > SPACE)])
        return np.append(total[self.marks], total[-1])

    @cached_property
    def own_chars(self) -> IntArray:
        """Visible characters of the element's own text, its children's excluded."""
        after = np.diff(self.visible_before)
        owned = self.text_owner >= 0
        counts = np.bincount(self.text_owner[owned], after[owned], len(self))
        return counts.astype(np.int64)

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        """Sum of a column over each element's subtree, itself included."""
        running = values.cumsum()
        before = np.zeros(len(self) + 1, running.dtype)
        before[1:] = running
        return np.asarray(before.take(self.end) - before[:-1])

    def inside(self, roots: IntArray) -> npt.NDArray[np.bool_]:
        """Elements in the subtrees of these, themselves included.

        Args:
            roots: Indices of elements, in any order, shape (any,).

        Example:
            >>> from denoise_scrapy.page import Page
            >>> Page.parse("<div><p>x</div><p>y").elements.inside(np.array([2])).tolist()
            [False, False, True, True, False]
        """
        n = len(self)
        edges = np.bincount(roots, minlength=n + 1) - np.bincount(self.end[roots], minlength=n + 1)
        return np.asarray(np.cumsum(edges[:n]) > 0)

    def nearest(self, marked: npt.NDArray[np.bool_]) -> IntArray:
        """Nearest ancestor-or-self that is marked, -1 where there is none."""
        n = len(self)
        found = np.append(np.where(marked, np.arange(n), self.parent), n)  # n stands for "none"
        found[found < 0] = n
        while not np.array_equal(jumped := found[found], found):  # doubles the distance: log2(depth) rounds
            found = jumped
        return np.where(found[:n] == n, -1, found[:n])

    def inner_hashes(self, url_hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """Hashes that stand for innerHTML: equal where tags, classes, ids, URLs and visible text are.

        Args:
            url_hashes: A hash of each element's link or image URL, 0 for none.
        """
        shown = self.classes != SPACE
        values = mix(self.text.codes[shown].astype(np.uint64))
        position = np.cumsum(shown)[self.marks] - 1
        starts = position[self.is_start]
        values[starts] = mix(np.asarray(self.column("token"), np.uint64) ^ url_hashes)
        ends = np.empty(len(self), np.int64)
        ends[self.mark_element[~self.is_start]] = position[~self.is_start]
        return segment_hashes(values, starts + 1, ends)
