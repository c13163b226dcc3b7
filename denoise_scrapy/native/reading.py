"""Reading a page in C: the parser's callbacks (`source/reader.c`), columns and blocks (`source/columns.c`).

`Reader`, `Elements` and `Blocks` in `page` have the twins.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.library import Library, address_of

StartTag = tuple[str, Mapping[str, str]]
Array = npt.NDArray[Any]


class Given(NamedTuple):
    """What the callbacks read and fill; `HELD` in C has the same order.

    Attributes:
        transitions: Path id by parent's id, tag and attributes.
        parent: Parent of each path id, a lower one.
        kinds: What is done at an element, by path id.
        tags: Tag by path id.
        block_tags: A set; one of these ends a head that does not end by itself.
        urls: Gets (element, href) of links.
        kept: Gets (element, name, value) of images.
        declaring: Gets the start tags that may declare what the page is.
        child: From path id, tag and attributes to the child's path id.
        note: Called with element, path id of the parent, tag and attributes, where these may tell more.
        look_into: Called with a skipped element's tag and attributes and the events inside it; those of a head that
            tell nothing are left out.
    """

    transitions: dict[tuple[object, ...], int]
    parent: list[int]
    kinds: list[int]
    tags: list[str]
    block_tags: Collection[str]
    urls: list[tuple[int, str]]
    kept: list[tuple[int, str, str]]
    declaring: list[StartTag]
    child: Callable[[int, str, Mapping[str, str]], int]
    note: Callable[[int, int, str, Mapping[str, str]], object]
    look_into: Callable[[str, Mapping[str, str], list[Any]], object]


class Callbacks(NamedTuple):
    """A reader of one page, and what the parser calls."""

    reader: object
    start: Callable[[str, Mapping[str, str]], object]
    end: Callable[[str], object]
    data: Callable[[str], object]


class Read(NamedTuple):
    """What was read.

    Attributes:
        paths: Path id of each element.
        text: The marked text's codes: latin-1, or UTF-16 where it is wide.
        wide: Whether it is.
        marks: Marks that came with the text, and are none.
    """

    paths: npt.NDArray[np.int32]
    text: bytes
    wide: bool
    marks: int


def callbacks(library: Library, given: Given, *, keep_noscript: bool) -> Callbacks:
    """Callbacks for one page; with `keep_noscript` the text inside `noscript` is the page's."""
    return Callbacks(*library.reader(given, keep_noscript))


def place(library: Library, reader: object) -> tuple[int, int, int]:
    """How far a reader is: elements that have started, path id of the open one, how many are open in a skipped one.

    Raises:
        TypeError: It is finished.
    """
    told: tuple[int, int, int] = library.reader_place(reader)
    return told


def finish(library: Library, reader: object) -> Read:
    """What a reader has read; it lets go of all it holds. Its callbacks raise from then on.

    Raises:
        TypeError: It was finished before.
    """
    paths, text, width, marks = library.reader_finish(reader)
    return Read(np.frombuffer(paths, np.int32), text, width == 2, marks)


def look(library: Library, html: bytes) -> tuple[bool, bool]:
    """Whether a page holds zeros or marks, and whether body or html ends more than once."""
    found: int = library.html_look(html, len(html))
    return bool(found & 1), bool(found & 2)


class Layout:
    """Where arrays stand in a workspace.

    Args:
        unit: Things are padded to a multiple of it, beyond the last one: all arrays begin at whole words then.
        arrays: Name, type, and shape for a number of things of each, in the order of `struct page_columns`.
    """

    def __init__(self, unit: int, arrays: Iterable[tuple[str, type[np.generic], Callable[[int], Any]]]) -> None:
        self.unit, self.bytes = unit, 0  # so many for each thing
        self.arrays: dict[str, tuple[int, np.dtype[np.generic], Callable[[int], Any]]] = {}
        for name, dtype, shape in arrays:
            self.arrays[name] = self.bytes, np.dtype(dtype), shape
            self.bytes += np.dtype(dtype).itemsize * (math.prod(shape(1000)) // 1000)
        self.offsets = np.array([at for at, *_ in self.arrays.values()], np.int64)


class Workspace:
    """Memory for arrays of so many things in one piece, which C fills and numpy looks at when somebody asks.

    Args:
        layout: What there is of each thing.
        count: How many things there are.
    """

    def __init__(self, layout: Layout, count: int) -> None:
        self._layout, self._count, self._padded = layout, count, (count + layout.unit) & -layout.unit
        self._words = np.empty(layout.bytes * self._padded // 8, np.int64)

    def addresses(self) -> npt.NDArray[np.int64]:
        """Where each array begins."""
        return address_of(self._words) + self._padded * self._layout.offsets

    def get(self, name: str) -> Array | None:
        """An array by its name, a view; None where there is no such."""
        found = self._layout.arrays.get(name)
        if found is None:
            return None
        at, dtype, shape = found
        array: Array = np.ndarray(shape(self._count), dtype, self._words, at * self._padded)
        return array


def _one(count: int) -> tuple[int, ...]:
    return (count,)


def _two(count: int) -> tuple[int, ...]:
    return (2 * count,)


def _two_and_end(count: int) -> tuple[int, ...]:
    return (2 * count + 1,)


OF_ELEMENTS = Layout(
    4,
    [
        *((name, np.int64, _one) for name in ("parent", "end", "depth", "own_chars", "block_element")),
        ("path_token", np.uint64, _one),
        *((name, np.int64, _two) for name in ("mark_element", "text_owner", "block_of_text")),
        *((name, np.int64, _two_and_end) for name in ("mark_bounds", "visible_before")),
        ("path_tag", np.uint32, _one),
        *((name, np.int32, _one) for name in ("path_flags", "path_own_flags")),
        ("is_start", np.bool_, _two),
    ],
)
OF_BLOCKS = Layout(
    8,
    [
        *((name, np.int64, _one) for name in ("element", "first", "after", "start", "end", "chars", "tokens")),
        *((name, np.int64, _one) for name in ("link_chars", "paragraph_tokens", "flags", "own_flags")),
        *((name, np.uint64, _one) for name in ("path_keys", "text_hashes")),
        ("above", np.int64, lambda count: (8, count)),
        ("counts", np.int64, lambda count: (count, 9)),
        ("ends_in_stop", np.bool_, _one),
    ],
)
#: Bytes of `struct path_row`.
_ROW_SIZE = 65
#: Sizes of `struct page_columns` and `struct block_record`, in words of 64 bits.
_PAGE_WORDS, _RECORD_WORDS = 37, 20
#: Classes of characters, and the bit of those of words, as in columns.c.
_SPACE, _DIGIT, _LETTER, _IS_WORD = 1, 5, 7, 16


class PathRows(ctypes.Structure):
    """`struct path_table`: so many rows of a path table, copied, for that grows. It holds the array it points to."""

    _fields_ = (("paths", ctypes.c_int64), ("rows", ctypes.c_void_p))
    copied: npt.NDArray[np.uint8] = np.empty(0, np.uint8)

    def grown(self, rows: bytearray) -> PathRows:
        """The rows of the table as it is now, of which these are the first."""
        known, size = self.paths * _ROW_SIZE, len(rows)
        copied = self.copied if size <= len(self.copied) else np.empty(max(2 * size, 1 << 12), np.uint8)
        known = known if copied is self.copied else 0
        # a slice of it first, which is a copy: another thread may make it grow meanwhile
        copied[known:size] = np.frombuffer(rows[known:size], np.uint8)
        made = PathRows(size // _ROW_SIZE, address_of(copied))
        made.copied = copied  # those that share it read on: what they know of it does not change
        return made


class CharacterTables(ctypes.Structure):
    """`struct character_tables`; it holds the arrays that it points to."""

    _fields_ = (("kinds", ctypes.c_void_p), ("values", ctypes.c_void_p))

    @classmethod
    def of(cls, classes: npt.NDArray[np.uint8], values: npt.NDArray[np.uint64]) -> CharacterTables:
        """What C asks of each code of the basic plane.

        Args:
            classes: Its class, shape (65536,).
            values: Its value in hashes, shape (65536,).

        Raises:
            ValueError: There are not 65,536 of each.
        """
        if not len(classes) == len(values) == 1 << 16:
            raise ValueError(f"65536 classes and values expected, got {len(classes)} and {len(values)}")
        word = (classes >= _DIGIT) & (classes <= _LETTER)
        kinds = np.where(word, classes | _IS_WORD, classes).astype(np.uint8)
        shown = np.where(classes > _SPACE, values, 0).astype(np.uint64)
        made = cls(address_of(kinds), address_of(shown))
        made.arrays = kinds, shown
        return made


class PageColumns:
    """Columns of a page of n elements and m blocks, all computed at once, in memory that C can read on.

    Attributes:
        address: Address of `struct page_columns`, valid as long as this object is.
        elements: Attributes of `Elements`, and columns of the path table, as "path_tag".
    """

    def __init__(self, words: npt.NDArray[np.int64], elements: Workspace, blocks: Workspace, *held: object) -> None:
        self._words, self._held = words, held  # they are pointed to
        self.address = address_of(words)
        self.elements, self._blocks = elements, blocks

    def of_blocks(self, name: str) -> Array | None:
        """An attribute of `Blocks`, None where C has it not."""
        found = self._blocks.get(name)
        return self.elements.get(name) if found is None else found


def read_page(
    library: Library,
    text: tuple[bytes, bool],
    paths: npt.NDArray[np.int32],
    table: PathRows,
    characters: CharacterTables,
) -> PageColumns | None:
    """Everything that elements and blocks hold of a page, None where its text and its paths do not fit each other.

    Args:
        library: The compiled library.
        text: The marked text, and whether it is UTF-16 rather than latin-1.
        paths: Path id of each element, shape (n,).
        table: What the path table tells of each id.
        characters: What is known of each character code.
    """
    data, wide = text
    n = len(paths)
    if not n:
        return None
    page, codes = np.empty(_PAGE_WORDS, np.int64), np.frombuffer(data, np.uint8)
    elements, scratch = Workspace(OF_ELEMENTS, n), np.empty(2 * n * _RECORD_WORDS, np.int64)
    of_elements = elements.addresses()
    page[:5] = address_of(codes), wide, len(data) >> wide, n, address_of(paths)
    page[5 : 5 + len(of_elements)] = of_elements
    own, records = address_of(page), address_of(scratch)
    m = library.read_page(own, *map(ctypes.addressof, (table, characters)), records, 2 * n)
    if m < 0:
        return None
    blocks = Workspace(OF_BLOCKS, m)
    page[6 + len(of_elements) :] = blocks.addresses()
    library.lay_out_blocks(own, records)
    return PageColumns(page, elements, blocks, codes, paths)
