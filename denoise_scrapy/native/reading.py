"""A page's columns in C (`source/columns.c`), of which `Elements` and `Blocks` in `page` are the twins."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.library import Library, address_of

Array = npt.NDArray[Any]


def _one(count: int) -> tuple[int]:
    return (count,)


def _two(count: int) -> tuple[int]:
    return (2 * count,)


def _two_and_end(count: int) -> tuple[int]:
    return (2 * count + 1,)


#: Arrays of n elements as `struct page_columns` points to them: name, type, shape.
_OF_ELEMENTS: list[tuple[str, type[np.generic], Callable[[int], tuple[int]]]] = [
    *((name, np.int64, _one) for name in ("parent", "end", "depth", "own_chars", "block_element")),
    ("path_token", np.uint64, _one),
    *((name, np.int64, _two) for name in ("mark_element", "text_owner", "block_of_text")),
    *((name, np.int64, _two_and_end) for name in ("mark_bounds", "visible_before")),
    ("path_tag", np.uint32, _one),
    *((name, np.int32, _one) for name in ("path_flags", "path_own_flags")),
    ("is_start", np.bool_, _two),
]
_SIZES = [np.dtype(dtype).itemsize * (shape(1000)[0] // 1000) for _, dtype, shape in _OF_ELEMENTS]
#: Bytes an element of all of them, and of those before each. There is room for up to `_UNIT` elements more: all arrays
#: begin at whole words then, and there is a place for an end.
_BYTES, _OFFSETS, _UNIT = sum(_SIZES), np.cumsum([0, *_SIZES[:-1]]), 4
_ELEMENT_COLUMNS = {
    name: (int(offset), np.dtype(dtype), shape)
    for (name, dtype, shape), offset in zip(_OF_ELEMENTS, _OFFSETS, strict=True)
}
#: Where attributes of `Blocks` stand in `struct block_record`, and their types.
_BLOCK_COLUMNS: dict[str, tuple[int, type[np.generic]]] = {
    name: (place, np.int64)
    for place, name in enumerate("element first after start end chars link_chars tokens".split())
} | {"text_hashes": (17, np.uint64), "path_keys": (18, np.uint64), "ends_in_stop": (19, np.bool_)}
_COUNTS = slice(8, 17)
#: Sizes of `struct page_columns` and `struct block_record`, in words of 64 bits.
_PAGE_WORDS, _RECORD_WORDS = 20, 20
#: Marks the classes of characters of words.
WORD_BIT = 16


class PageColumns:
    """Columns of a page of n elements and m blocks, all computed at once; arrays are made where somebody asks.

    Args:
        n: How many elements it has.
        words: Memory of the arrays of elements.
        records: Those of the blocks, shape (m, `_RECORD_WORDS`).
    """

    def __init__(self, n: int, words: npt.NDArray[np.int64], records: npt.NDArray[np.int64]) -> None:
        self._n, self._words = n, words
        self._blocks = records.T.copy()  # there was room for more

    def of_elements(self, name: str) -> Array | None:
        """An attribute of `Elements`, or a column of the path table as "path_tag"; None where C has it not."""
        found = _ELEMENT_COLUMNS.get(name)
        if found is None:
            return None
        at, dtype, shape = found
        array: Array = np.ndarray(shape(self._n), dtype, self._words, at * _padded(self._n))
        return array

    def of_blocks(self, name: str) -> Array | None:
        """An attribute of `Blocks`, None where C has it not."""
        if name in _BLOCK_COLUMNS:
            place, dtype = _BLOCK_COLUMNS[name]
            column: Array = self._blocks[place].astype(dtype, copy=False)
            return column
        if name == "counts":
            return np.asarray(self._blocks[_COUNTS].T)
        return self.of_elements(name)


def _padded(n: int) -> int:
    return (n + _UNIT) & -_UNIT


def read_page(
    library: Library,
    text: tuple[bytes, bool],
    paths: npt.NDArray[np.int32],
    table: tuple[bytearray, int],
    characters: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]],
) -> PageColumns | None:
    """What elements and blocks hold of a page, None where its text and its paths do not fit each other.

    Args:
        library: The compiled library.
        text: The marked text, and whether it is UTF-16 rather than latin-1.
        paths: Path id of each element, shape (n,).
        table: Rows of the path table (`paths.ROW`), and how many there are.
        characters: Of each code of the basic plane its class, with `WORD_BIT` of those of words, and its value in
            hashes, 0 where it does not show; shape (65536,) each.
    """
    (data, wide), (rows, known), (kinds, values) = text, table, characters
    n = len(paths)
    if not n:
        return None
    page, codes = np.empty(_PAGE_WORDS, np.int64), np.frombuffer(data, np.uint8)
    words, records = np.empty(_BYTES * _padded(n) // 8, np.int64), np.empty((2 * n, _RECORD_WORDS), np.int64)
    page[:5] = address_of(codes), wide, len(data) >> wide, n, address_of(paths)
    page[5:] = address_of(words) + _padded(n) * _OFFSETS
    where = ctypes.addressof(ctypes.c_char.from_buffer(rows))
    found = (address_of(array) for array in (kinds, values, records))
    m = library.read_page(address_of(page), where, known, *found, 2 * n)
    return None if m < 0 else PageColumns(n, words, records[:m])
