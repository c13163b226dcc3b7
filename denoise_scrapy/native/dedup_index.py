"""The look-up table and what sets have in common, in C (`source/dedup_index.c`).

Twins: `dedup/lookup.py` and `dedup/decision.py`.
"""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.dedup_text import address
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
    function = library.arrays.denoise_dedup_find
    if function.argtypes is None:
        function.argtypes, function.restype = _FIND, _INT
    room = _ROOM
    while True:
        found = np.empty((2, room), np.int64)
        count = function(
            *(address(segments), len(segments), size, buckets, address(keys), len(keys), room, address(found)),
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
    function = library.arrays.denoise_dedup_put
    if function.argtypes is None:
        function.argtypes, function.restype = _PUT, _INT
    crowded = np.empty(keys.size, np.int64)
    count = function(address(segment), len(segment), address(keys), *keys.shape, used, address(crowded))
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
    function = library.arrays.denoise_dedup_common
    if function.argtypes is None:
        function.argtypes, function.restype = _COMMON, None
    found = np.empty(len(owner), np.int64)
    function(
        *(address(mine), len(mine), address(ends), len(ends)),
        *(address(theirs), len(theirs), address(their_ends), address(owner), len(owner), address(found)),
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
    function = library.arrays.denoise_dedup_sign
    if function.argtypes is None:
        function.argtypes, function.restype = _SIGN, None
    signatures = np.zeros((len(sizes), 1 << (bits_log2 - 6)), np.uint64)
    function(address(units), len(units), address(sizes), len(sizes), bits_log2, address(signatures))
    return signatures
