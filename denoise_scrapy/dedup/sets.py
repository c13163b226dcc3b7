"""Sets of 16-bit hashes: what they have in common, and signatures that bound it.

A signature has one bit for each of its set's elements. An element of X whose bit is clear in Z's signature is not in Z,
so |X & Z| <= |X| - popcount(signature(X) & ~signature(Z)); the OR of some signatures bounds every set among them. The
bound never lies low, so pruning by it is exact.

Source: ours (superimposed coding).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.fingerprint import UNIT_BITS

BITS_LOG2 = 10  # 1,024 bits of a signature: as fast as 2,048 at 84,000 texts, in half the memory

_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

Row = TypeVar("Row", bound=np.generic)
Ints = npt.NDArray[np.int64]
Units = npt.NDArray[np.uint16]
Signatures = npt.NDArray[np.uint64]


def grown(rows: npt.NDArray[Row]) -> npt.NDArray[Row]:
    """Copy an array into one with room for twice as many rows, which take no memory before they are written."""
    room = np.zeros((2 * len(rows), *rows.shape[1:]), rows.dtype)
    room[: len(rows)] = rows
    return room


def gather(sets: Sequence[bytes]) -> tuple[Units, Ints]:
    """Join sets held as bytes, and return all elements one set after another, and the size of each."""
    units = np.frombuffer(b"".join(sets), "<u2").astype(np.uint16, copy=False)
    return units, np.fromiter(map(len, sets), np.int64, len(sets)) // 2


def count_common(mine: Units, theirs: Sequence[bytes]) -> list[int]:
    """Count what each of some sets, sorted uint16 arrays as bytes, has in common with another.

    Example:
        >>> count_common(np.array([2, 3, 4], np.uint16), [np.array([1, 2, 3], "<u2").tobytes(), b""])
        [2, 0]

    """
    units, sizes = gather(theirs)
    has = np.zeros(1 << UNIT_BITS, np.bool_)
    has[mine] = True
    hits = np.zeros(len(units) + 1, np.int64)
    np.cumsum(has[units], out=hits[1:])
    ends = np.cumsum(sizes)
    found: list[int] = (hits[ends] - hits[ends - sizes]).tolist()
    return found


def bits_of(units: Units, bits_log2: int = BITS_LOG2) -> Ints:
    """Return the bit that each element sets, of 2**bits_log2."""
    return (units >> (UNIT_BITS - bits_log2)).astype(np.int64)


def sign(units: Units, sizes: Ints, bits_log2: int = BITS_LOG2) -> Signatures:
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
    grid = np.zeros((len(sizes), 1 << bits_log2), np.bool_)
    grid[np.repeat(np.arange(len(sizes)), sizes), bits_of(units, bits_log2)] = True
    return np.packbits(grid, axis=1, bitorder="little").view(np.uint64)


def ones(words: Signatures) -> Ints:
    """Count the set bits of each row, as int64: counts are subtracted, and unsigned ones would wrap round."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        counts = np.bitwise_count(words)
    else:
        counts = _BYTE_ONES[np.ascontiguousarray(words).view(np.uint8)]
    return np.asarray(counts.sum(axis=1, dtype=np.int64))
