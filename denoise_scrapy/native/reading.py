"""A page's columns in C (`source/columns.c`), of which `Elements` and `Blocks` in `page` are the twins."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.library import Library, address_of

Array = npt.NDArray[Any]


class Layout:
    """Where arrays stand in a workspace: name, type, and shape for a number of things, as in `struct page_columns`.

    Things are padded to a multiple of `unit`, beyond the last one: all arrays begin at whole words then.
    """

    def __init__(self, unit: int, arrays: Iterable[tuple[str, type[np.generic], Callable[[int], Any]]]) -> None:
        self.unit, self.bytes = unit, 0  # so many for each thing
        self.arrays: dict[str, tuple[int, np.dtype[np.generic], Callable[[int], Any]]] = {}
        for name, dtype, shape in arrays:
            self.arrays[name] = self.bytes, np.dtype(dtype), shape
            self.bytes += np.dtype(dtype).itemsize * (math.prod(shape(1000)) // 1000)
        self.offsets = np.array([at for at, *_ in self.arrays.values()], np.int64)


class Workspace:
    """Memory for arrays of so many things in one piece, which C fills and numpy looks at when somebody asks."""

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
#: Sizes of `struct page_columns` and `struct block_record`, in words of 64 bits.
_PAGE_WORDS, _RECORD_WORDS = 37, 20
#: Marks the classes of characters of words.
WORD_BIT = 16


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
    table: tuple[bytearray, int],
    characters: tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64]],
) -> PageColumns | None:
    """Everything that elements and blocks hold of a page, None where its text and its paths do not fit each other.

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
    elements, scratch = Workspace(OF_ELEMENTS, n), np.empty(2 * n * _RECORD_WORDS, np.int64)
    of_elements = elements.addresses()
    page[:5] = address_of(codes), wide, len(data) >> wide, n, address_of(paths)
    page[5 : 5 + len(of_elements)] = of_elements
    own, records = address_of(page), address_of(scratch)
    where = ctypes.addressof(ctypes.c_char.from_buffer(rows))
    m = library.read_page(own, where, known, address_of(kinds), address_of(values), records, 2 * n)
    if m < 0:
        return None
    blocks = Workspace(OF_BLOCKS, m)
    page[6 + len(of_elements) :] = blocks.addresses()
    library.lay_out_blocks(own, records)
    return PageColumns(page, elements, blocks, codes, paths)
