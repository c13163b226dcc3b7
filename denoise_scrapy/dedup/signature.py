"""Sets of units as 1,024-bit signatures: an upper bound on what two sets have in common.

Each unit sets one bit. A unit of X whose bit is clear in Z's signature is not in Z, so
|X & Z| <= |X| - popcount(signature(X) & ~signature(Z)); the OR of a subtree's signatures bounds
every set in it. The bound never lies low, so pruning by it is exact.

Source: ours (superimposed coding); the tree it serves is the patent's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

WORDS = 16  # 1,024 bits: as fast as 2,048 at 84,000 texts, in half the memory
_BITS_LOG2 = 10
_SPREAD = np.uint32(2654435769)  # the golden ratio in 32 bits: CRC-32's own low bits are less even
_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

Signatures = npt.NDArray[np.uint64]


def ones(words: Signatures) -> npt.NDArray[np.int64]:
    """Count the set bits of each row.

    Args:
        words: uint64 (k, 16).

    Returns:
        int64 (k,). Signed, because the counts are subtracted: unsigned ones wrap round below zero
        and prune true matches.

    Example:
        >>> ones(np.array([[3, 0], [0, 8]], np.uint64)).tolist()
        [2, 1]

    """
    if hasattr(np, "bitwise_count"):  # numpy 2
        counts = np.bitwise_count(words)
    else:
        counts = _BYTE_ONES[np.ascontiguousarray(words).view(np.uint8)]
    return np.asarray(counts.sum(axis=1, dtype=np.int64))


def sign(units: npt.NDArray[np.uint32], sizes: npt.NDArray[np.int64]) -> Signatures:
    """Make the signatures of some sets.

    Args:
        units: uint32, the sets' elements one set after another.
        sizes: int64 (k,), elements of each set.

    Returns:
        uint64 (k, 16).

    Example:
        >>> ones(sign(np.array([5, 6, 7], np.uint32), np.array([2, 1]))).tolist()
        [2, 1]

    """
    bit = (units * _SPREAD) >> np.uint32(32 - _BITS_LOG2)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    grid = np.zeros((len(sizes), WORDS * 64), dtype=np.bool_)
    grid[owner, bit] = True
    return np.packbits(grid, axis=1, bitorder="little").view(np.uint64)


def gather(sets: Sequence[bytes]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Join sets held as bytes into one array.

    Args:
        sets: Sorted uint32 arrays as bytes.

    Returns:
        All elements one set after another, and the size of each set.

    Example:
        >>> gather([bytes(8), bytes(4)])[1].tolist()
        [2, 1]

    """
    units = np.frombuffer(b"".join(sets), "<u4").astype(np.uint32, copy=False)
    return units, np.fromiter((len(one) // 4 for one in sets), np.int64, len(sets))


def common(units: npt.NDArray[np.uint32], sets: Sequence[bytes]) -> npt.NDArray[np.int64]:
    """Count exactly what one set has in common with some others.

    Args:
        units: Sorted uint32, one set, not empty.
        sets: k sets as bytes.

    Returns:
        int64 (k,), sizes of the intersections.

    Example:
        >>> others = [np.array(s, "<u4").tobytes() for s in ([1, 2], [2, 3, 9])]
        >>> common(np.array([2, 3, 4], np.uint32), others).tolist()
        [1, 2]

    """
    theirs, sizes = gather(sets)
    place = np.minimum(np.searchsorted(units, theirs), len(units) - 1)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.bincount(owner[units[place] == theirs], minlength=len(sets))
