"""What a page shares with others, in C (`source/shared.c`); `site/shared.py` has the twin in numpy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

#: Rows of what is found, a value a block: shares of the others that have its text, its path, its text under its path;
#: share of its path's tokens in texts that two pages have; mean tokens of the others' blocks of its path; how often the
#: page says its text.
TEXT_SHARE, PATH_SHARE, PLACED_SHARE, SLOT_SHARE, SLOT_TOKENS, TIMES = range(6)
#: More blocks are not numbered by 32 bits.
MAX_BLOCKS = 1 << 30

_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64
#: Size of `struct page_facts`.
_FACTS_BYTES = 48


class FactsArrays:
    """The arrays of a page of m blocks as C reads them.

    Args:
        text_hashes: Of its blocks, shape (m,).
        path_keys: Of their paths, shape (m,).
        tokens: Of the blocks, shape (m,).
        shapes: Hashes of the paths of its layout containers, shape (any,); of a page that others are compared with each
            once.

    Raises:
        ValueError: They differ in length.

    Attributes:
        words: `struct page_facts`: addresses and lengths.
    """

    def __init__(
        self,
        text_hashes: npt.NDArray[np.uint64],
        path_keys: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
        shapes: npt.NDArray[np.uint64],
    ) -> None:
        if not len(text_hashes) == len(path_keys) == len(tokens):
            raise ValueError(f"arrays differ in length: {len(text_hashes)}, {len(path_keys)} and {len(tokens)}")
        arrays = (text_hashes, np.uint64), (path_keys, np.uint64), (tokens, np.int64), (shapes, np.uint64)
        self._given = text_hashes, path_keys, tokens, shapes
        self._held = [np.ascontiguousarray(array, dtype) for array, dtype in arrays]
        *blocks, containers = map(address_of, self._held)
        self.words = (*blocks, len(tokens), containers, len(shapes))

    def __reduce__(self) -> tuple[type[FactsArrays], tuple[npt.NDArray[Any], ...]]:
        return FactsArrays, self._given  # a copy lies elsewhere


class Shared(NamedTuple):
    """What a page of m blocks shares with k others.

    Attributes:
        rows: `TEXT_SHARE` and so on, shape (6, m).
        carried: The page's tokens, and tokens of prose, in texts that each other has, shape (2, k).
        likeness: Common containers of layout / containers of the page with fewer, 0 to 1, shape (k,).
    """

    rows: npt.NDArray[np.float64]
    carried: npt.NDArray[np.int64]
    likeness: npt.NDArray[np.float64]


def share_blocks(
    library: Library, page: FactsArrays, prose: npt.NDArray[np.int64], others: Sequence[FactsArrays]
) -> Shared | None:
    """What a page of m blocks shares with k others.

    Args:
        library: The compiled library.
        page: The page.
        prose: Tokens of its blocks that are prose, else 0, shape (m,).
        others: The others.

    Returns:
        What they share; None where there are too many blocks.

    Raises:
        ValueError: There are not as many tokens of prose as blocks.
    """
    m, k = page.words[3], len(others)
    blocks = sum(other.words[3] for other in others)
    if m + blocks + page.words[5] > MAX_BLOCKS:
        return None
    if len(prose) != m:
        raise ValueError(f"{m} blocks expected, got {len(prose)}")
    facts = np.array([page.words, *(other.words for other in others)], np.int64)
    prose = np.ascontiguousarray(prose, np.int64)
    find, space = _functions(library)
    rows, sums, likeness = np.empty(6 * m), np.empty(2 * k, np.int64), np.empty(k)
    work = np.empty(space(m, page.words[5], blocks), np.uint8)
    own = address_of(facts)
    find(own, address_of(prose), own + _FACTS_BYTES, k, *[address_of(array) for array in (work, sums, likeness, rows)])
    return Shared(rows.reshape(6, m), sums.reshape(2, k), likeness)


@cache
def _functions(library: Library) -> tuple[Callable[..., None], Callable[..., int]]:
    find = declared(library.arrays.denoise_shared, *[_POINTER] * 3, _NUMBER, *[_POINTER] * 4)
    return find, declared(library.arrays.denoise_shared_space, *[_NUMBER] * 3, result=_NUMBER)
