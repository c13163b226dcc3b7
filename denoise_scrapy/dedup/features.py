"""A new text, read once, ready to be cut at the threshold of any kept text.

Source: patent text 'Method and system for web page de-duplication', main and auxiliary feature
string. The form of the auxiliary string (numbered pairs) is ours, see `Features`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.mixing import fmix64
from denoise_scrapy.dedup.prefilter import band_hashes, minhash
from denoise_scrapy.dedup.stop_units import is_stop
from denoise_scrapy.dedup.tokens import tokens, unit_hashes

UNIT_BITS = 16
"""Units in the main feature string. 32 bits take twice the memory and decide the same: of 1,000 kept units one and a
half in a hundred foreign ones would be found by chance, and texts of that many units are one in fifty."""

PAIR_HASH = "numbered-pair-fmix64-v1"
_SPREAD = np.uint32(2654435769)  # the golden ratio in 32 bits: CRC-32's own low bits are less even
_NUMBER = np.uint64(0x9E3779B97F4A7C15)  # an odd constant: the golden ratio in 64 bits
_32 = np.uint64(32)
_LARGEST = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class Cut:
    """A text's two feature strings at one frequency threshold.

    Attributes:
        s1: Main feature string: sorted uint16 hashes of the units above the threshold, stop units
            left out, each once.
        s2: Auxiliary feature string: sorted uint32 hashes of the numbered pairs whose first unit
            is above the threshold, stop units included.

    """

    s1: npt.NDArray[np.uint16]
    s2: npt.NDArray[np.uint32]

    _samples: dict[int, npt.NDArray[np.uint16]] = field(default_factory=dict)

    def sample(self, limit: int) -> npt.NDArray[np.uint16]:
        """Sample the auxiliary string by the hashes of its pairs.

        Args:
            limit: Hashes below this are taken, 0 to 2**32. Two texts sampled at one limit speak of the same pairs.

        Returns:
            Sorted uint16, each once: the low halves of the hashes taken.

        Example:
            >>> Cut(np.empty(0, np.uint16), np.array([1, 65537, 70000], np.uint32)).sample(70000)
            array([1], dtype=uint16)

        """
        if limit not in self._samples:
            end = len(self.s2) if limit > _LARGEST else np.searchsorted(self.s2, np.uint32(limit))
            taken = self.s2[:end]
            self._samples[limit] = np.unique(taken.astype(np.uint16))
        return self._samples[limit]


@dataclass(frozen=True, eq=False)
class Features:
    """Counts of a text's units and its neighbour pairs.

    A pair is numbered: the k-th occurrence of (unit, next unit) is an element of its own. The
    multiset of pairs thereby becomes a set, the size of a multiset intersection is that of a set
    intersection, and keeping the elements with small hashes samples occurrences evenly.

    Attributes:
        n: Length in units.
        digest: 16 bytes, hash of the unit sequence: equal for texts of the same words in order.
        hashes: uint32 (n,), the units in order.

    """

    n: int
    digest: bytes
    hashes: npt.NDArray[np.uint32]
    _units: npt.NDArray[np.uint32]
    _counts: npt.NDArray[np.int64]
    _stop: npt.NDArray[np.bool_]
    _pairs: npt.NDArray[np.uint32]
    _pair_counts: npt.NDArray[np.int64]
    _cuts: dict[int, Cut] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Features:
        """Read a text.

        Args:
            text: Any text, also an empty one.

        Returns:
            Its features.

        Example:
            >>> Features.read("to be or not to be").n
            6

        """
        words = tokens(text)
        joined = "\n".join(words).encode("utf-8", "surrogatepass")
        hashes = unit_hashes(words)
        units, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
        pairs, pair_counts = _numbered_pairs(hashes, counts[inverse[:-1]])
        return cls(
            n=len(words),
            digest=hashlib.blake2b(joined, digest_size=16).digest(),
            hashes=hashes,
            _units=units,
            _counts=counts,
            _stop=is_stop(units),
            _pairs=pairs,
            _pair_counts=pair_counts,
        )

    def cut(self, t: int) -> Cut:
        """Take the feature strings at a frequency threshold.

        Args:
            t: Units must occur more than `t` times.

        Returns:
            Both feature strings; computed once a threshold.

        Example:
            >>> pear = Features.read("pear plum pear plum pear fig")
            >>> len(pear.cut(1).s1), len(pear.cut(1).s2)
            (2, 5)

        """
        if t not in self._cuts:
            units = self._units[(self._counts > t) & ~self._stop]
            s1 = np.unique((units * _SPREAD >> np.uint32(32 - UNIT_BITS)).astype(np.uint16))
            self._cuts[t] = Cut(s1, self._pairs[self._pair_counts > t])
        return self._cuts[t]

    def main_units(self, t: int) -> npt.NDArray[np.uint16]:
        """`Cut.s1` at a frequency threshold."""
        return self.cut(t).s1

    def sample(self, t: int, limit: int) -> npt.NDArray[np.uint16]:
        """`Cut.sample` at a frequency threshold."""
        return self.cut(t).sample(limit)

    @cached_property
    def bands(self) -> npt.NDArray[np.uint32]:
        """Hashes of the bands of its MinHash signature, uint32 (32,); empty where the text has no shingle."""
        return band_hashes(minhash(self.hashes))


def _numbered_pairs(
    hashes: npt.NDArray[np.uint32], counts: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Give the sorted hashes of the numbered pairs, and the count of each one's first unit."""
    if len(hashes) < 2:
        return np.empty(0, np.uint32), np.empty(0, np.int64)
    pairs = (hashes[:-1].astype(np.uint64) << _32) | hashes[1:]
    order = np.argsort(pairs, kind="stable")
    pairs = pairs[order]
    new = np.concatenate(([True], pairs[1:] != pairs[:-1]))
    starts = np.flatnonzero(new)
    number = np.arange(len(pairs)) - starts[np.cumsum(new) - 1]
    mixed = (fmix64(pairs + number.astype(np.uint64) * _NUMBER) >> _32).astype(np.uint32)
    by_hash = np.argsort(mixed)
    return mixed[by_hash], counts[order][by_hash]
