"""The look-up table and what sets have in common, in C (`source/dedup_index.c`).

Twins: `dedup/lookup.py` and `dedup/decision.py`.
"""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64
_FIND = (_POINTER, _INT, _INT, _INT, _POINTER, _INT, _INT, _POINTER)
_PUT = (_POINTER, _INT, _POINTER, _INT, _INT, _INT, _POINTER)
_COMMON = (_POINTER, _INT, _POINTER, _INT, _POINTER, _INT, _POINTER, _POINTER, _INT, _POINTER)
_SIGN = (_POINTER, _INT, _POINTER, _INT, _INT, _POINTER)
_ROOM = 1024  # finds there is room for at first; few look-ups have more, and these are asked twice

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
Units = npt.NDArray[np.uint16]


def find(library: Library, segments: npt.NDArray[np.uintp], size: int, buckets: int, keys: Keys) -> tuple[Ints, Ints]:
    """Find keys in the segments of a look-up table.

    Args:
        library: The compiled library.
        segments: Addresses of the segments, each uint32 (buckets, 16).
        size: Rows of a segment.
        buckets: Buckets of a segment, 2 or more.
        keys: uint64 (k,), contiguous, none 0.

    Returns:
        For each find the key's place in `keys`, and the row.
    """
    function = declared(library.arrays.denoise_dedup_find, *_FIND, result=_INT)
    room = _ROOM
    while True:
        found = np.empty((2, room), np.int64)
        count = function(
            *(address_of(segments), len(segments), size, buckets, address_of(keys), len(keys), room, address_of(found)),
        )
        if count <= room:
            return found[0, :count], found[1, :count]
        room = count


def put(library: Library, segment: npt.NDArray[np.uint32], keys: Keys, used: int) -> Ints:
    """Put rows into a segment of a look-up table.

    Args:
        library: The compiled library.
        segment: uint32 (buckets, 16), contiguous.
        keys: uint64 (n, width), contiguous; 0 for no key.
        used: Rows that it has; at most 32,768 with the new ones.

    Returns:
        Places in the flat keys of those that found their bucket and the next one full.
    """
    function = declared(library.arrays.denoise_dedup_put, *_PUT, result=_INT)
    crowded = np.empty(keys.size, np.int64)
    count = function(address_of(segment), len(segment), address_of(keys), *keys.shape, used, address_of(crowded))
    return crowded[:count]


def common(library: Library, mine: Units, ends: Ints, theirs: Units, their_ends: Ints, owner: Ints) -> Ints:
    """Count what sets have in common with others.

    Args:
        library: The compiled library.
        mine: uint16, sets one after another, each element once.
        ends: int64 (m,), where each of them ends.
        theirs: uint16, other sets, one after another.
        their_ends: int64 (k,), where each of these ends.
        owner: int64 (k,), which of `mine` each is held against.

    Returns:
        int64 (k,).
    """
    function = declared(library.arrays.denoise_dedup_common, *_COMMON)
    found = np.empty(len(owner), np.int64)
    function(
        *(address_of(mine), len(mine), address_of(ends), len(ends)),
        *(address_of(theirs), len(theirs), address_of(their_ends), address_of(owner), len(owner), address_of(found)),
    )
    return found


def sign(library: Library, units: Units, sizes: Ints, bits_log2: int) -> npt.NDArray[np.uint64]:
    """Make the signatures of some sets.

    Args:
        library: The compiled library.
        units: uint16, the sets' elements one set after another.
        sizes: int64 (k,), elements of each set.
        bits_log2: Bits of a signature, 6 to 16, as a power of two: the highest bits of an element are its bit's number.

    Returns:
        uint64 (k, 2 ** bits_log2 / 64).
    """
    function = declared(library.arrays.denoise_dedup_sign, *_SIGN)
    signatures = np.zeros((len(sizes), 1 << (bits_log2 - 6)), np.uint64)
    function(address_of(units), len(units), address_of(sizes), len(sizes), bits_log2, address_of(signatures))
    return signatures
