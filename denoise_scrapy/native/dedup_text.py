"""A text for the duplicate index in C (`source/dedup_text.c`); `dedup/tokens.py` and its neighbours have the twins."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64
_UNITS = (ctypes.c_char_p, _INT, *(_POINTER, _INT), *5 * (_POINTER,))
_RUNS = (_POINTER, _POINTER, _INT, _POINTER, _INT, _POINTER, _POINTER)
_SAMPLE = (_POINTER, _INT, _INT, _INT, _POINTER, _POINTER)
_BANDS = (_POINTER, _INT, _POINTER, _POINTER)

VALUES = 64
"""MinHash values that are made; bands are pairs of them."""

_WORDS = 10  # 32-bit words of workspace for each unit, six of them for the runs in order and for scratch

Words = npt.NDArray[np.uint32]


class Runs(NamedTuple):
    """The different runs of a text, and the frequencies of its units.

    Attributes:
        at: uint64 (n,), in order of the text: hash of the run and, in the lower half, its first unit; 0 for none.
        distinct: uint32, hashes of the different runs, ascending.
        units: uint32 (k,), ascending.
        counts: Of how many different runs each unit is the first, (k,).
        stop: Which of them are stop units, bool (k,).
    """

    at: npt.NDArray[np.uint64]
    distinct: Words
    units: Words
    counts: npt.NDArray[Any]
    stop: npt.NDArray[np.bool_]


def units(
    library: Library, text: bytes, classes: npt.NDArray[np.uint8], crc: Words
) -> tuple[Words, npt.NDArray[np.uint8], memoryview]:
    """Cut a text into units.

    Args:
        library: The compiled library.
        text: UTF-8, surrogates included.
        classes: uint8, of each code point: 0 between units, 1 a part of a word, 2 a digit in one, 3 a unit by itself,
            4 an ideograph. Those beyond are 0.
        crc: uint32 (256,), the table of CRC-32.

    Returns:
        CRC-32 of each unit; uint8, 1 for an ideograph, 2 for a word with a digit, else 0; the units joined by line
        feeds.
    """
    function = declared(library.arrays.denoise_dedup_units, *_UNITS, result=_INT)
    size = len(text)
    hashes, kinds, joined = np.empty(size, np.uint32), np.empty(size, np.uint8), np.empty(2 * size, np.uint8)
    end = ctypes.c_int64()
    count = function(
        *(text, size, address_of(classes), len(classes), address_of(crc)),
        *(address_of(hashes), address_of(kinds), address_of(joined), ctypes.addressof(end)),
    )
    return hashes[:count], kinds[:count], joined.data[: end.value]


def runs(library: Library, hashes: Words, kinds: npt.NDArray[np.uint8], stop: Words) -> Runs:
    """Find the different runs of a text, and the frequencies of its units.

    Args:
        library: The compiled library.
        hashes: uint32 (n,), contiguous, the units in order.
        kinds: uint8 (n,), contiguous, see `units`.
        stop: uint32, ascending, hashes of stop units.

    Returns:
        The runs, views of one array.
    """
    function = declared(library.arrays.denoise_dedup_runs, *_RUNS)
    work, sizes = np.empty((_WORDS, len(hashes)), np.uint32), np.empty(2, np.int64)
    function(
        *(address_of(hashes), address_of(kinds), len(hashes), address_of(stop), len(stop)),
        *(address_of(work), address_of(sizes)),
    )
    distinct, k = sizes.tolist()
    return Runs(
        *(work[:2].reshape(-1).view(np.uint64), work[6, :distinct], work[7, :k], work[8, :k]),
        work[9].view(np.bool_)[:k],
    )


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
