"""Elements and blocks of a page as columns: numpy's view of what the core has written; and where they are rendered."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.markup import Flag, word_flags
from denoise_scrapy.core.tree import Kind, Tree, name_code

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
FloatColumn = npt.NDArray[np.float32]

Keys = TypeVar("Keys", bound=np.generic)


def is_new(ordered: npt.NDArray[np.generic]) -> BoolArray:
    """Return which values of a sorted array differ from the one before."""
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


class _Rows(Protocol):
    rows: npt.NDArray[Any]


def _column(name: str, doc: str) -> cached_property[IntArray]:
    """A column of the core's rows, as numbers of 64 bits."""

    def read(of: _Rows) -> IntArray:
        return of.rows[name].astype(np.int64)

    read.__doc__ = doc
    return cached_property(read)


#: Columns by token: of kinds, of hashes of names, of flags.
_OF_KIND = {
    "block": Kind.BLOCK,
    "skipped": Kind.SKIPPED,
    "br": Kind.BREAK,
    "content": Kind.CONTENT,
}
_CODES = {"tag": "tag_code", "class_": "class_code", "id": "id_code", "token": "own", "markup": "markup"}


class Elements:
    """Columns of a page's n elements in document order. All arrays have shape (n,) unless they say otherwise.

    The core's `rows` have one for each element, `tokens` one for each kind of elements (`core/tree.pxd`).
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.rows = tree.element_rows
        self.tokens = tree.token_rows
        self._columns: dict[str, npt.NDArray[np.generic]] = {}

    parent = _column("parent", "Index of the parent element, -1 for the roots.")
    end = _column("end", "First index after the element's subtree, so `cumsum[end] - cumsum[i]` sums over it.")
    depth = _column("depth", "Level in the tree; roots have 1.")
    token = _column("token", "Number of the element's token.")

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def index(self) -> IntArray:
        """Numbers of the elements: 0, 1, and so on."""
        return np.arange(len(self))

    @cached_property
    def parent_or_self(self) -> IntArray:
        """The parent element; a root is its own. Applied again and again it climbs and stays at the top."""
        return np.where(self.parent >= 0, self.parent, self.index)

    @cached_property
    def _tag_codes(self) -> list[int]:
        """Code of the tag of each token."""
        codes: list[int] = self.tokens["tag_code"].tolist()
        return codes

    def holds_tag(self, tags: Collection[str]) -> bool:
        """Return whether any element has one of these tags: one look at the tokens."""
        return not set(map(name_code, tags)).isdisjoint(self._tag_codes)

    def has_tag(self, tags: Collection[str]) -> BoolArray:
        """Return which elements have one of these tags, shape (n,)."""
        wanted = set(map(name_code, tags))
        return np.array([code in wanted for code in self._tag_codes], bool).take(self.token)

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """A column by name, to be read only: those of `_OF_KIND` and of `_CODES`, `flags` and `own_flags`."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = self._computed(name)
        return found

    def _computed(self, name: str) -> npt.NDArray[np.generic]:
        if name in _OF_KIND:
            return np.asarray((self.tokens["kind"] & _OF_KIND[name]) != 0).take(self.token)
        if name in _CODES:
            return np.ascontiguousarray(self.tokens[_CODES[name]]).take(self.token)
        if name == "own_flags":
            return self._token_flags.take(self.token)
        if name == "flags":
            return self.tree.inherited(self._token_flags)
        raise KeyError(name)

    @cached_property
    def _token_flags(self) -> IntArray:
        """Flags of each token, those of the words in names too; the core has those of comments alone."""
        flags = self.tokens["flags"].astype(np.int64)
        for token, kind in enumerate(self.tokens["kind"].tolist()):
            _, id_, class_ = self.tree.name_of(token)
            names = " ".join(filter(None, (class_, id_, self.tree.other_names(token))))
            if names and not kind & Kind.ROOT:
                flags[token] |= word_flags(names)
        return flags

    def step(self, element: int) -> str:
        """Return an element as people read it, digits of its names left out: `div#main.story`."""
        return step_of(self.tree, int(self.rows["token"][element]))

    @cached_property
    def shown(self) -> BoolArray:
        """Elements that may show something: all but skipped ones. A noscript that was read has content."""
        inhabited = self.end - self.index > 1
        return ~np.asarray(self.column("skipped"), bool) | inhabited | (self.own_chars > 0)

    @cached_property
    def own_chars(self) -> IntArray:
        """Visible characters of the element's own text, its children's excluded."""
        seen = self.rows["seen"]
        whole = (seen["end"] - seen["start"]).astype(np.int64)
        inner = np.bincount(self.parent + 1, whole, len(self) + 1)[1:]  # first: of the roots
        return np.asarray(whole - inner.astype(np.int64))

    # ---- the marks in the page's text: where its elements start and end ----

    @cached_property
    def _order(self) -> IntArray:
        marks = self.rows["marks"]
        return np.concatenate([marks["start"], marks["end"]]).argsort(kind="stable")

    def _by_mark(self, column: str) -> IntArray:
        span = self.rows[column]
        return np.concatenate([span["start"], span["end"]]).astype(np.int64).take(self._order)

    @cached_property
    def marks(self) -> IntArray:
        """Positions of all marks in the text, shape (2n,)."""
        return self._by_mark("marks")

    @cached_property
    def mark_element(self) -> IntArray:
        """Element of each mark, shape (2n,)."""
        return self._order % max(len(self), 1)

    @cached_property
    def is_start(self) -> BoolArray:
        """Return whether a mark is a start, shape (2n,)."""
        return self._order < len(self)

    @cached_property
    def text_owner(self) -> IntArray:
        """Element that owns the text after each mark, -1 for none, shape (2n,)."""
        return np.where(self.is_start, self.mark_element, self.parent.take(self.mark_element))

    @cached_property
    def text_ends(self) -> IntArray:
        """Where the text after each mark ends, shape (2n,)."""
        return np.append(self.marks, self.tree.text_size)[1:]

    @cached_property
    def visible_after(self) -> IntArray:
        """Visible characters between each mark and the next, shape (2n,)."""
        before = self._by_mark("seen")
        return np.append(before[1:] - before[:-1], np.zeros(min(1, len(before)), np.int64))

    # ---- sums, and what stands around ----

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        """Sum of a column over each element's subtree, itself included."""
        running = values.cumsum()
        before = np.zeros(len(self) + 1, running.dtype)
        before[1:] = running
        return np.asarray(before.take(self.end) - before[:-1])

    def inside(self, roots: IntArray) -> BoolArray:
        """Elements in the subtrees of these, in any order, themselves included."""
        n = len(self)
        edges = np.bincount(roots, minlength=n + 1) - np.bincount(self.end[roots], minlength=n + 1)
        return np.asarray(np.cumsum(edges[:n]) > 0)

    def nearest(self, marked: BoolArray) -> IntArray:
        """Nearest ancestor-or-self that is marked, -1 where there is none."""
        return self.tree.nearest(np.ascontiguousarray(marked, np.uint8))


def step_of(tree: Tree, token: int) -> str:
    """Return a token as people read it: `div#main.story`."""
    tag, id_, class_ = tree.name_of(token)
    return tag + (f"#{id_}" if id_ else "") + "".join(f".{name}" for name in class_.split())


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
        """Return the boxes of these numbers in this order; -1 stands for an element of which nothing is known."""
        floats = (self.x, self.y, self.width, self.height, self.font_size)
        x, y, width, height, font_size = (np.append(column, np.float32(np.nan))[numbers] for column in floats)
        visible, pinned = np.append(self.visible, True)[numbers], np.append(self.pinned, False)[numbers]
        page, viewport = (self.page_width, self.page_height), (self.viewport_width, self.viewport_height)
        return Boxes(x, y, width, height, *page, visible, font_size, pinned, *viewport)

    def _columns(self) -> tuple[FloatColumn | BoolArray, ...]:
        return self.x, self.y, self.width, self.height, self.visible, self.font_size, self.pinned


#: Levels of `Blocks.above`, the block's own element included.
LEVELS = 8


class Blocks:
    """Columns of a page's m blocks in order, of shape (m,) unless they say otherwise; and the core's `rows`."""

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

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> FloatArray:
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

    def share_owned_by(self, elements: BoolArray) -> FloatArray:
        """Share of each block's visible characters that are own text of the marked ones of the elements."""
        e = self.elements
        owned = np.append(elements, False)[e.text_owner]  # owner -1 is the last value
        chosen = owned & (self.block_of_text >= 0)
        chars = np.bincount(self.block_of_text[chosen], e.visible_after[chosen], len(self))
        return np.asarray(chars / np.maximum(self.chars, 1))

    @cached_property
    def link_density(self) -> FloatArray:
        """Visible characters inside links / visible characters."""
        return np.asarray(self.link_chars / np.maximum(self.chars, 1))

    @cached_property
    def flags(self) -> IntArray:
        """Flags of the block's element and its ancestors; a browser's view of what is hidden goes before markup."""
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


#: Elements without a box of their own stand where the next ones around them do, up to so many levels.
_BOX_LEVELS = 8
#: Blocks whose centres are nearer than this, in CSS pixels, stand in one column: rounding moves them by less.
_NEAR = 1.0


class BlockLayout(NamedTuple):
    """Columns of a page's m blocks, each of shape (m,); NaN where nothing is known.

    Attributes:
        outside: Share of the block's width that lies beside the main column, 0 to 1.
        font: log2 of font size / the main column's.
        pinned: Whether it keeps its place on the screen: 0 or 1.
    """

    outside: FloatArray
    font: FloatArray
    pinned: FloatArray

    @classmethod
    def of(cls, blocks: Blocks, boxes: Boxes) -> BlockLayout:
        """Find the layout of a page's blocks, by the boxes of its elements."""
        element = _with_box(blocks, boxes)
        left, width = boxes.x[element].astype(np.float64), boxes.width[element].astype(np.float64)
        center, font = left + width / 2, boxes.font_size[element].astype(np.float64)
        prose = blocks.paragraph_tokens * (boxes.visible[blocks.element] & ~np.isnan(width))
        weight = prose if prose.any() else blocks.tokens * ~np.isnan(width)
        middle = weighted_median(center, weight)
        column = weighted_median(width, np.where(np.abs(center - middle) < _NEAR, weight, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            overlap = np.minimum(left + width, middle + column / 2) - np.maximum(left, middle - column / 2)
            outside = 1 - np.clip(overlap / width, 0, 1)
            size = np.log2(font / weighted_median(font, weight))
        return cls(
            outside=outside,
            font=np.where(np.isfinite(size), size, np.nan),
            pinned=boxes.pinned[blocks.element].astype(np.float64),
        )


def _with_box(blocks: Blocks, boxes: Boxes) -> IntArray:
    """Each block's element, or the nearest around it that has a box."""
    found: IntArray = blocks.element.copy()
    up = blocks.elements.parent_or_self
    for _ in range(_BOX_LEVELS):
        empty = ~(boxes.width[found] > 0)
        if not empty.any():
            break
        found[empty] = up[found[empty]]
    return found


def weighted_median(values: FloatArray, weight: IntArray) -> float:
    """Weighted median of what is known; NaN of nothing."""
    known = ~np.isnan(values) & (weight > 0)
    if not known.any():
        return float("nan")
    order = np.argsort(values[known], kind="stable")
    sums = np.cumsum(weight[known][order])
    return float(values[known][order][np.searchsorted(sums, sums[-1] / 2)])
