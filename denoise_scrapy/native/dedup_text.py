"""A text for the duplicate index in C (`source/dedup_text.c`); `dedup/tokens.py` and its neighbours have the twins."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64
_UNITS = (ctypes.c_char_p, _INT, *(_POINTER, _INT), *5 * (_POINTER,))
_BANDS = (_POINTER, _INT, _POINTER, _POINTER)

VALUES = 64
"""MinHash values that are made; bands are pairs of them."""

Words = npt.NDArray[np.uint32]


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
        *map(address_of, (hashes, kinds, joined)),
        ctypes.addressof(end),
    )
    return hashes[:count], kinds[:count], joined.data[: end.value]


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
