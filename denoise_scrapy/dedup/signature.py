"""Sets of units as 1,024-bit signatures: an upper bound on what two sets have in common.

Each unit sets one bit. A unit of X whose bit is clear in Z's signature is not in Z, so
|X & Z| <= |X| - popcount(signature(X) & ~signature(Z)); the OR of some signatures bounds every set among them.
The bound never lies low, so pruning by it is exact.

Source: ours (superimposed coding); the tree it serves is the patent's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.features import UNIT_BITS
from denoise_scrapy.native import dedup_index, library

BITS_LOG2 = 10  # 1,024 bits: as fast as 2,048 at 84,000 texts, in half the memory
BITS = 1 << BITS_LOG2
WORDS = BITS // 64
_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

Signatures = npt.NDArray[np.uint64]
Units = npt.NDArray[np.uint16]


def ones(words: Signatures) -> npt.NDArray[np.int64]:
    """Count the set bits of each row.

    Args:
        words: uint64 (k, w).

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


def bits_of(units: Units, bits_log2: int = BITS_LOG2) -> npt.NDArray[np.int64]:
    """Give the bit that each unit sets.

    Args:
        units: uint16, hashes already well spread.
        bits_log2: Bits of a signature, as a power of two.

    Returns:
        int64 of the same length, 0 to 1,023.

    Example:
        >>> bits_of(np.array([0, 65535], np.uint16)).tolist()
        [0, 1023]

    """
    return (units >> (UNIT_BITS - bits_log2)).astype(np.int64)


def sign(units: Units, sizes: npt.NDArray[np.int64], bits_log2: int = BITS_LOG2) -> Signatures:
    """Make the signatures of some sets.

    Args:
        units: uint16, the sets' elements one set after another.
        sizes: int64 (k,), elements of each set.
        bits_log2: Bits of a signature, as a power of two.

    Returns:
        uint64 (k, 16), or as many words as hold the bits.

    Example:
        >>> ones(sign(np.array([1 << 6, 2 << 6, 3 << 6], np.uint16), np.array([2, 1]))).tolist()
        [2, 1]

    """
    native = library()
    return _sign(units, sizes, bits_log2) if native is None else dedup_index.sign(native, units, sizes, bits_log2)


def _sign(units: Units, sizes: npt.NDArray[np.int64], bits_log2: int) -> Signatures:
    owner = np.repeat(np.arange(len(sizes)), sizes)
    grid = np.zeros((len(sizes), 1 << bits_log2), dtype=np.bool_)
    grid[owner, bits_of(units, bits_log2)] = True
    return np.packbits(grid, axis=1, bitorder="little").view(np.uint64)


def gather(sets: Sequence[bytes]) -> tuple[Units, npt.NDArray[np.int64]]:
    """Join sets held as bytes into one array.

    Args:
        sets: Sorted uint16 arrays as bytes.

    Returns:
        All elements one set after another, and the size of each set.

    Example:
        >>> gather([bytes(4), bytes(2)])[1].tolist()
        [2, 1]

    """
    units = np.frombuffer(b"".join(sets), "<u2").astype(np.uint16, copy=False)
    return units, np.fromiter(map(len, sets), np.int64, len(sets)) // 2
