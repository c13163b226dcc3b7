"""A page's columns and blocks in C (`source/columns.c`, `source/blocks.c`).

`page/nesting.py`, `page/runs.py`, `page/counts.py` and `page/blocks.py` have the twins in numpy.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library
from denoise_scrapy.native.workspace import Array, Layout, Workspace, one, two, two_and_end

#: Bytes of `struct path_row`.
_ROW_SIZE = 65
#: Room for `struct page_columns`, and the size of `struct block_record`, in words of 64 bits.
_PAGE_WORDS, _RECORD_WORDS = 48, 20
#: Classes of characters, and the bit of those of words, as in page_scan.h.
_SPACE, _DIGIT, _LETTER, _IS_WORD = 1, 5, 7, 16


OF_ELEMENTS = Layout(
    4,
    [
        *((name, np.int64, one) for name in ("parent", "end", "depth", "own_chars", "block_element")),
        ("path_token", np.uint64, one),
        *((name, np.int64, two) for name in ("mark_element", "text_owner", "block_of_text")),
        *((name, np.int64, two_and_end) for name in ("mark_bounds", "visible_before")),
        ("path_tag", np.uint32, one),
        *((name, np.int32, one) for name in ("path_flags", "path_own_flags")),
        ("is_start", np.bool_, two),
    ],
)
OF_BLOCKS = Layout(
    8,
    [
        *((name, np.int64, one) for name in ("element", "first", "after", "start", "end", "chars", "tokens")),
        *((name, np.int64, one) for name in ("link_chars", "paragraph_tokens", "flags", "own_flags", "slots")),
        *((name, np.uint64, one) for name in ("path_keys", "text_hashes")),
        ("above", np.int64, lambda count: (8, count)),
        ("counts", np.int64, lambda count: (count, 9)),
        ("ends_in_stop", np.bool_, one),
    ],
)


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


class _Page(ctypes.Structure):
    """`struct page_columns`: its first members by name."""

    _fields_ = (
        ("codes", ctypes.c_char_p),
        ("wide", ctypes.c_int64),
        ("characters", ctypes.c_int64),
        ("n", ctypes.c_int64),
        ("paths", ctypes.c_void_p),
        ("rest", ctypes.c_int64 * (_PAGE_WORDS - 5)),
    )


class PageColumns:
    """Columns of a page of n elements and m blocks, all computed at once, in memory that C can read on.

    Attributes:
        elements: Attributes of `Elements`, and columns of the path table, as "path_tag".
    """

    def __init__(self, page: _Page, paths: npt.NDArray[np.int32], elements: Workspace, blocks: Workspace) -> None:
        self._page, self._paths = page, paths  # both are pointed to
        self.elements, self._blocks = elements, blocks

    @property
    def address(self) -> int:
        """Address of `struct page_columns`, valid as long as this object is."""
        return ctypes.addressof(self._page)

    def of_blocks(self, name: str) -> Array | None:
        """An attribute of `Blocks`, None where C has it not."""
        found = self._blocks.get(name)
        return self.elements.get(name) if found is None else found


def read_page(
    lib: Library,
    text: tuple[bytes, bool],
    paths: npt.NDArray[np.int32],
    table: PathRows,
    characters: CharacterTables,
) -> PageColumns | None:
    """Everything that elements and blocks hold of a page, None where its text and its paths do not fit each other.

    Args:
        lib: The compiled library.
        text: The marked text, and whether it is UTF-16 rather than latin-1.
        paths: Path id of each element, shape (n,).
        table: What the path table tells of each id.
        characters: What is known of each character code.
    """
    data, wide = text
    n = len(paths)
    if not n:
        return None
    page = _Page(data, wide, len(data) >> wide, n, address_of(paths))
    elements, scratch = Workspace(OF_ELEMENTS, n), np.empty(2 * n * (_RECORD_WORDS + 4), np.int64)
    records = address_of(scratch)
    read, lay_out, _ = _functions(lib)
    m = read(page, table, characters, elements.address, records, 2 * n)
    if m < 0:
        return None
    blocks = Workspace(OF_BLOCKS, m)
    lay_out(page, blocks.address, records, records + 8 * m * _RECORD_WORDS)
    return PageColumns(page, paths, elements, blocks)


def container_shapes(lib: Library, paths: npt.NDArray[np.int32], table: PathRows) -> npt.NDArray[np.uint64]:
    """Hashes of the paths of the elements that are layout containers, seldom the same one twice.

    Args:
        lib: The compiled library.
        paths: Path id of each element, shape (n,).
        table: What the path table tells of each id.
    """
    if not len(paths):
        return np.empty(0, np.uint64)
    shapes = np.empty(len(paths), np.uint64)
    find = _functions(lib)[2]
    return shapes[: find(address_of(paths), len(paths), table, address_of(shapes))]


@cache
def _functions(lib: Library) -> tuple[Callable[..., int], Callable[..., None], Callable[..., int]]:
    page, pointer, integer = ctypes.POINTER(_Page), ctypes.c_void_p, ctypes.c_int64
    tables = ctypes.POINTER(PathRows), ctypes.POINTER(CharacterTables)
    return (
        declared(lib.arrays.denoise_read_page, page, *tables, pointer, pointer, integer, result=integer),
        declared(lib.arrays.denoise_lay_out_blocks, page, pointer, pointer, pointer),
        declared(lib.arrays.denoise_container_shapes, pointer, integer, tables[0], pointer, result=integer),
    )
