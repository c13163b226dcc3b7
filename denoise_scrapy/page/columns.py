"""The page's elements as columns: parent, end of subtree, lengths, derived from path ids and marked text; and boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import library
from denoise_scrapy.native.reading import WORD_BIT, read_page
from denoise_scrapy.page.marked_text import (
    CJK,
    DIGIT,
    SPACE,
    MarkedText,
    class_table,
    hash_table,
    mix,
    running_count,
    segment_hashes,
)
from denoise_scrapy.page.paths import PathTable, name_code

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatColumn = npt.NDArray[np.float32]

T = TypeVar("T")

Keys = TypeVar("Keys", bound=np.generic)


def is_new(ordered: npt.NDArray[np.generic]) -> BoolArray:
    """Which values of a sorted array differ from the one before."""
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def distinct(keys: npt.NDArray[Keys]) -> tuple[npt.NDArray[Keys], IntArray]:
    """The different ones of some keys, sorted, and the number of each key among them: half the time of `np.unique`.

    Example:
        >>> different, number = distinct(np.array([7, 9, 7]))
        >>> different.tolist(), number.tolist()
        ([7, 9], [0, 1, 0])
    """
    order = keys.argsort()
    ordered, number = keys.take(order), np.zeros(len(keys), np.int64)
    new = is_new(ordered)
    number[order] = new.cumsum() - 1
    return ordered.compress(new), number


def capped(values: IntArray, most: int) -> IntArray:
    """Values cut at so much below and above 0: a fourth of the time of `np.clip`."""
    return np.minimum(np.maximum(values, -most), most)


#: From a name to the array that C computed, None where it has none.
NativeColumn = Callable[[str], npt.NDArray[Any] | None]


class derived(Generic[T]):  # noqa: N801 - it stands where `cached_property` would
    """A property that is computed once: by C where that has a column of its name, else by the function.

    Example:
        >>> class Squares:
        ...     native_column = {"four": 16}.get
        ...     four = derived(lambda self: 4 * 4)
        ...     five = derived(lambda self: 5 * 5)
        >>> squares = Squares()
        >>> squares.four, squares.five, vars(squares)
        (16, 25, {'four': 16, 'five': 25})
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> T:
        """Return the value; from then on it is found in the instance's `__dict__`."""
        value = None if instance.native_column is None else instance.native_column(self._name)
        found: T = self._compute(instance) if value is None else value
        vars(instance)[self._name] = found
        return found


@dataclass(frozen=True, eq=False)
class Nesting:
    """Columns of n elements, shape (n,), and of their 2n marks, shape (2n,), as `Elements` describes them."""

    marks: IntArray
    mark_element: IntArray
    text_owner: IntArray
    is_start: BoolArray
    parent: IntArray
    end: IntArray
    depth: IntArray


def nest(codes: npt.NDArray[np.integer[npt.NBitBase]]) -> Nesting:
    r"""Pair the marks of a page.

    Args:
        codes: Character codes, unsigned, with as many marks 1 (start) as 2 (end), and none that ends before it starts.

    Example:
        >>> nesting = nest(np.frombuffer(b"\1a\1b\2\1c\2\2", np.uint8))
        >>> nesting.parent.tolist(), nesting.end.tolist(), nesting.text_owner.tolist()
        ([-1, 0, 0], [3, 2, 3], [0, 1, 0, 2, 0, -1])
    """
    marks = (codes - 1 < 2).nonzero()[0]  # below 1 it wraps to the largest code: two passes in place of three
    is_start = codes.take(marks) == 1
    before = is_start.cumsum()
    n = len(marks) // 2
    level = 2 * before - np.arange(2 * n) - is_start  # of a start and of the end that belongs to it
    opens, closes = _pairs(level, n)
    element = before.take(opens) - 1
    mark_element, end = np.empty(2 * n, np.int64), np.empty(n, np.int64)
    mark_element[opens] = mark_element[closes] = element
    end[element] = before.take(closes)
    # level by level: a first child starts where a start stands before it, and is the element after its parent;
    # its siblings follow it
    first = is_start.take(opens - 1)
    first[:1] = True
    parent = np.empty(n, np.int64)
    parent[element] = element.take(np.maximum.accumulate(first * np.arange(n))) - 1
    owner = np.where(is_start, mark_element, parent.take(mark_element))
    return Nesting(marks, mark_element, owner, is_start, parent, end, level[is_start])


def _pairs(level: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Starts, and the end of each, ordered by level: marks of one level alternate start, end, start, end."""
    # 16 bits are sorted by radix, in .4 of the time of 64
    narrow = level.astype(np.int16) if n < 1 << 15 or int(level.max()) < 1 << 15 else level
    order = narrow.argsort(kind="stable")
    return order[0::2], order[1::2]


@cache
def character_tables() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]]:
    """What C asks of each code of the basic plane: class, and value in hashes, shape (65536,) each."""
    classes = class_table()
    is_word = (classes >= DIGIT) & (classes < CJK)
    return classes | (is_word * np.uint8(WORD_BIT)), np.where(classes > SPACE, hash_table(), np.uint64(0))


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
        native: Columns of elements and blocks as C computed them, None where numpy does, one by one.
    """

    def __init__(self, paths: npt.NDArray[np.int32], text: MarkedText, table: PathTable) -> None:
        self.paths = paths
        self.table = table
        self.text = text
        lib, data = library(), (text.data, text.wide)
        self.native = None if lib is None else read_page(lib, data, paths, table.read(), character_tables())
        self.native_column: NativeColumn | None = None if self.native is None else self.native.of_elements
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
        """Return which elements have one of these tags, shape (n,).

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
            found = None if self.native_column is None else self.native_column(f"path_{name}")
            found = self.table.columns[name].take(self.paths) if found is None else found
            self._columns[name] = found
        return found

    @cached_property
    def classes(self) -> npt.NDArray[np.uint8]:
        """Class (`marked_text`) of each character, marks included, shape (characters,)."""
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
        """Elements in the subtrees of these, in any order, themselves included.

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


@dataclass(frozen=True)
class Boxes:
    """Boxes of a page's n elements in document order, in CSS pixels from the page's own origin.

    What is unknown of an element is NaN, and it counts as visible: nothing is dropped for want of a box.

    Attributes:
        x: Left edge, shape (n,); NaN where unknown, as in all of them.
        y: Top edge, shape (n,).
        width: Shape (n,).
        height: Shape (n,).
        page_width: Width of the whole page.
        page_height: Height of the whole page.
        visible: Whether it shows, shape (n,); all, where not given.
        font_size: Shape (n,); NaN, where not given.
        pinned: Whether it, or what it stands in, keeps its place on the screen (fixed, sticky), shape (n,).
        viewport_width: Width of the browser's window; NaN where unknown.
        viewport_height: Its height.
    """

    x: FloatColumn
    y: FloatColumn
    width: FloatColumn
    height: FloatColumn
    page_width: float
    page_height: float
    visible: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))
    font_size: FloatColumn = field(default_factory=lambda: np.empty(0, np.float32))
    pinned: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))
    viewport_width: float = math.nan
    viewport_height: float = math.nan

    def __post_init__(self) -> None:
        n = len(self.x)
        defaults = {"visible": np.ones(n, np.bool_), "font_size": np.full(n, np.nan, np.float32)}
        for name, column in {**defaults, "pinned": np.zeros(n, np.bool_)}.items():
            if not len(getattr(self, name)):
                object.__setattr__(self, name, column)  # the way of frozen dataclasses
        lengths = {len(column) for column in self._columns()}
        if len(lengths) != 1:
            raise ValueError(f"all columns must have one length, got {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.x)

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return sum(column.nbytes for column in self._columns())

    def taken(self, numbers: npt.NDArray[np.intp]) -> Boxes:
        """Return the boxes of these numbers in this order; -1 stands for an element of which nothing is known.

        Example:
            >>> one = np.ones(1, np.float32)
            >>> boxes = Boxes(one, one, one, one, 100, 200, np.zeros(1, np.bool_)).taken(np.array([-1, 0]))
            >>> boxes.x.tolist(), boxes.visible.tolist()
            ([nan, 1.0], [True, False])
        """
        floats = (self.x, self.y, self.width, self.height, self.font_size)
        x, y, width, height, font_size = (np.append(column, np.float32(np.nan))[numbers] for column in floats)
        visible, pinned = np.append(self.visible, True)[numbers], np.append(self.pinned, False)[numbers]
        page, viewport = (self.page_width, self.page_height), (self.viewport_width, self.viewport_height)
        return Boxes(x, y, width, height, *page, visible, font_size, pinned, *viewport)

    def _columns(self) -> tuple[FloatColumn | BoolArray, ...]:
        return self.x, self.y, self.width, self.height, self.visible, self.font_size, self.pinned
