"""A text for the duplicate index in C (`source/dedup_text.c`); `dedup/tokens.py` and its neighbours have the twins."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64
_UNITS = (ctypes.c_char_p, _INT, _POINTER, _INT, _POINTER, _POINTER, _POINTER, _POINTER)
_COUNTS = (_POINTER, _INT, _POINTER, _INT, _POINTER)
_SAMPLE = (_POINTER, _INT, _INT, _INT, _POINTER, _POINTER)
_BANDS = (_POINTER, _INT, _POINTER, _POINTER)

VALUES = 64
"""MinHash values that are made; bands are pairs of them."""

_WORDS = 12  # 32-bit words of workspace for each unit: seven of scratch, then a column for each result

Words = npt.NDArray[np.uint32]


class Counts(NamedTuple):
    """Counts of a text's units and numbered pairs.

    Attributes:
        units: uint32 (k,), ascending.
        counts: Of each unit, (k,).
        stop: Which of them are stop units, bool (k,).
        pairs: uint32 (n - 1,), hashes of the numbered pairs, ascending.
        pair_counts: Count of each pair's first unit, (n - 1,).
    """

    units: Words
    counts: npt.NDArray[Any]
    stop: npt.NDArray[np.bool_]
    pairs: Words
    pair_counts: npt.NDArray[Any]


def units(library: Library, text: bytes, classes: npt.NDArray[np.uint8], crc: Words) -> tuple[Words, memoryview]:
    """Cut a text into units.

    Args:
        library: The compiled library.
        text: UTF-8, surrogates included.
        classes: uint8, of each code point: 0 between units, 1 a unit by itself, 2 a part of a word. Those beyond are 0.
        crc: uint32 (256,), the table of CRC-32.

    Returns:
        CRC-32 of each unit, and the units joined by line feeds.
    """
    function = declared(library.arrays.denoise_dedup_units, *_UNITS, result=_INT)
    size = len(text)
    hashes, joined, end = np.empty(size, np.uint32), np.empty(2 * size, np.uint8), ctypes.c_int64()
    count = function(
        *(text, size, address_of(classes), len(classes), address_of(crc)),
        *(address_of(hashes), address_of(joined), ctypes.addressof(end)),
    )
    return hashes[:count], joined.data[: end.value]


def counts(library: Library, hashes: Words, stop: Words) -> Counts:
    """Count a text's units and numbered pairs.

    Args:
        library: The compiled library.
        hashes: uint32 (n,), contiguous, the units in order.
        stop: uint32, ascending, hashes of stop units.

    Returns:
        The counts, views of one array.
    """
    function = declared(library.arrays.denoise_dedup_counts, *_COUNTS, result=_INT)
    n = len(hashes)
    work = np.empty((_WORDS, n), np.uint32)
    k = function(address_of(hashes), n, address_of(stop), len(stop), address_of(work))
    pairs = max(0, n - 1)
    return Counts(work[7, :k], work[8, :k], work[11].view(np.bool_)[:k], work[9, :pairs], work[10, :pairs])


def sample(library: Library, values: Words, limit: int, most: int) -> tuple[npt.NDArray[np.uint16], int]:
    """The lower halves of the values under a limit, each once; the limit is halved until there are so many at most.

    Args:
        library: The compiled library.
        values: uint32 (n,), contiguous; ascending where the limit is not above them all.
        limit: Values below it are taken.
        most: How many there may be, 0 or more.

    Returns:
        uint16, ascending, and the limit in the end.
    """
    function = declared(library.arrays.denoise_dedup_sample, *_SAMPLE, result=_INT)
    found, end = np.empty(len(values), np.uint16), ctypes.c_int64()
    count = function(address_of(values), len(values), limit, most, address_of(found), ctypes.addressof(end))
    return found[:count], end.value


def minhash(library: Library, hashes: Words, permutations: Words) -> tuple[Words, Words]:
    """The MinHash signature of a text, and the hashes of its bands.

    Args:
        library: The compiled library.
        hashes: uint32 (n,), contiguous, 3 or more units in order.
        permutations: uint32 (2, 64), contiguous, factors and summands.

    Returns:
        uint32 (64,) and uint32 (32,).

    Raises:
        ValueError: Fewer units, or another number of permutations.
    """
    if len(hashes) < 3 or permutations.shape != (2, VALUES):
        raise ValueError(f"3 units and {VALUES} permutations are needed, got {len(hashes)}, {permutations.shape}")
    function = declared(library.arrays.denoise_dedup_bands, *_BANDS)
    made = np.empty(VALUES + VALUES // 2, np.uint32)
    function(address_of(hashes), len(hashes), address_of(permutations), address_of(made))
    return made[:VALUES], made[VALUES:]
