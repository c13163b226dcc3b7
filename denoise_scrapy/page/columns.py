"""The page's elements as columns: parent, end of subtree, lengths, derived from path ids and marked text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import SPACE, class_table, mix, running_count, segment_hashes
from denoise_scrapy.page.derived import Told, derived
from denoise_scrapy.page.native_columns import read_natively
from denoise_scrapy.page.nesting import IntArray, nest
from denoise_scrapy.page.paths import PathTable, name_code

__all__ = ["Elements", "IntArray", "MarkedText"]


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
        native: All columns of elements and blocks as C computed them, None where numpy does, one by one.
    """

    def __init__(self, paths: npt.NDArray[np.int32], text: MarkedText, table: PathTable) -> None:
        self.paths = paths
        self.table = table
        self.text = text
        self.native = read_natively(text.data, text.wide, paths, table)
        self.told: Told | None = None if self.native is None else self.native.elements.get
        self._columns: dict[str, npt.NDArray[np.generic]] = {}

    _nesting = derived(lambda self: nest(self.text.codes))
    mark_element: derived[IntArray] = derived(lambda self: self._nesting.mark_element)
    is_start: derived[npt.NDArray[np.bool_]] = derived(lambda self: self._nesting.is_start)
    text_owner: derived[IntArray] = derived(lambda self: self._nesting.text_owner)
    depth: derived[IntArray] = derived(lambda self: self._nesting.depth)
    parent: derived[IntArray] = derived(lambda self: self._nesting.parent)
    end: derived[IntArray] = derived(lambda self: self._nesting.end)
    marks: derived[IntArray] = derived(lambda self: self.mark_bounds[:-1])

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def index(self) -> IntArray:
        """Numbers of the elements: 0, 1, and so on."""
        return np.arange(len(self))

    @cached_property
    def parent_or_self(self) -> IntArray:
        """The parent element; a root is its own. Applied again and again it climbs and stays at the top."""
        return np.where(self.parent >= 0, self.parent, self.index)

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
        inhabited = self.end - self.index > 1
        return ~np.asarray(self.column("skipped"), bool) | inhabited | (self.own_chars > 0)

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """A column of the path table, a value an element, to be read only. Names: `paths.COLUMNS`."""
        found = self._columns.get(name)
        if found is None:
            found = None if self.told is None else self.told(f"path_{name}")
            found = self.table.columns[name].take(self.paths) if found is None else found
            self._columns[name] = found
        return found

    @cached_property
    def classes(self) -> npt.NDArray[np.uint8]:
        """Class (`characters`) of each character, marks included, shape (characters,)."""
        return class_table().take(self.text.codes, mode="clip")  # no code is too large: the check costs a half more

    @derived
    def mark_bounds(self) -> IntArray:
        """`marks`, and the number of characters as last value, shape (2n + 1,)."""
        marks = self._nesting.marks
        bounds = np.empty(len(marks) + 1, np.int64)
        bounds[:-1] = marks
        bounds[-1] = len(self.text.codes)
        return bounds

    @derived
    def visible_before(self) -> IntArray:
        """Visible characters before each mark, and in all as last value, shape (2n + 1,)."""
        total = running_count(self.classes > SPACE)
        return total.take(self.mark_bounds).astype(np.int64)

    @derived
    def own_chars(self) -> IntArray:
        """Visible characters of the element's own text, its children's excluded."""
        after = self.visible_before[1:] - self.visible_before[:-1]
        return np.bincount(self.text_owner + 1, after, len(self) + 1)[1:].astype(np.int64)  # first: of no element

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
        found = np.full(n + 1, n)  # n stands for "none"
        found[:n] = np.where(marked, self.index, self._parent_or_none)
        for _ in range(self._doublings):
            found = found.take(found)
        nearest = found[:n]
        nearest[nearest == n] = -1
        return nearest

    @cached_property
    def _parent_or_none(self) -> IntArray:
        return np.where(self.parent >= 0, self.parent, len(self))

    @cached_property
    def _doublings(self) -> int:
        """How often a step up must double its length to reach the top from everywhere."""
        return int(self.depth.max(initial=0)).bit_length()

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
