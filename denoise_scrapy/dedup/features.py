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
from denoise_scrapy.dedup.prefilter import bands
from denoise_scrapy.dedup.stop_units import STOP_UNITS, is_stop
from denoise_scrapy.dedup.tokens import read_units
from denoise_scrapy.native import dedup_text, library
from denoise_scrapy.native.dedup_text import Counts

UNIT_BITS = 16
"""Units in the main feature string. 32 bits take twice the memory and decide the same: of 1,000 kept units one and a
half in a hundred foreign ones would be found by chance, and texts of that many units are one in fifty."""

PAIR_HASH = "numbered-pair-fmix64-v1"
_SPREAD = np.uint32(2654435769)  # the golden ratio in 32 bits: CRC-32's own low bits are less even
_NUMBER = np.uint64(0x9E3779B97F4A7C15)  # an odd constant: the golden ratio in 64 bits
_32, _UPPER = np.uint64(32), np.uint64(0xFFFFFFFF00000000)

EVERY_PAIR = 1 << 32
"""Limit of a sample that has every pair."""


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
            self._samples[limit] = _sample(self.s2, limit, len(self.s2))[0]
        return self._samples[limit]

    def sample_of(self, most: int) -> tuple[npt.NDArray[np.uint16], int]:
        """Sample it at the highest power of two that leaves no more than so many.

        Args:
            most: How many, 0 or more.

        Returns:
            The sample, and the limit.

        Example:
            >>> Cut(np.empty(0, np.uint16), np.array([1, 1 << 30, 1 << 31], np.uint32)).sample_of(1)
            (array([1], dtype=uint16), 1073741824)

        """
        found = _sample(self.s2, EVERY_PAIR, most)
        self._samples[found[1]] = found[0]
        return found


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
    _counts: Counts
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
        hashes, joined = read_units(text)
        digest = hashlib.blake2b(joined, digest_size=16).digest()
        return cls(len(hashes), digest, hashes, _count(hashes))

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
            found = self._counts
            units = found.units[(found.counts > t) & ~found.stop]
            s2 = found.pairs[found.pair_counts > t] if t else found.pairs  # each unit occurs once at least
            s1 = _sample(units * _SPREAD >> np.uint32(32 - UNIT_BITS), EVERY_PAIR, len(units))[0]
            self._cuts[t] = Cut(s1, s2)
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
        return bands(self.hashes)


def _count(hashes: npt.NDArray[np.uint32]) -> Counts:
    """Count a text's units and numbered pairs."""
    native = library()
    return _count_by_sorting(hashes) if native is None else dedup_text.counts(native, hashes, STOP_UNITS)


def _count_by_sorting(hashes: npt.NDArray[np.uint32]) -> Counts:
    """Do it in numpy: values are sorted, never indices, which takes a third of the time."""
    if not len(hashes):
        return Counts(hashes, np.empty(0, np.int64), np.empty(0, np.bool_), hashes, np.empty(0, np.int64))
    ordered = np.sort(hashes)
    starts = np.flatnonzero(_is_new(ordered))
    units, counts = ordered[starts], np.diff(starts, append=len(ordered))
    pairs = (hashes[:-1].astype(np.uint64) << _32) | hashes[1:]
    pairs.sort()
    followed = counts.copy()
    followed[units.searchsorted(hashes[-1])] -= 1  # nothing follows the last unit
    number = np.arange(len(pairs))
    number -= np.maximum.accumulate(number * _is_new(pairs))
    mixed = fmix64(pairs + number.astype(np.uint64) * _NUMBER) & _UPPER
    mixed |= counts.repeat(followed).astype(np.uint64)
    mixed.sort()
    return Counts(units, counts, is_stop(units), (mixed >> _32).astype(np.uint32), mixed.astype(np.uint32))


def _is_new(ordered: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Tell which values of a sorted array differ from the one before."""
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def _sample(values: npt.NDArray[np.uint32], limit: int, most: int) -> tuple[npt.NDArray[np.uint16], int]:
    """The lower halves of the values under a limit, see `dedup_text.sample`."""
    native = library()
    return _sample_by_sorting(values, limit, most) if native is None else dedup_text.sample(native, values, limit, most)


def _sample_by_sorting(values: npt.NDArray[np.uint32], limit: int, most: int) -> tuple[npt.NDArray[np.uint16], int]:
    """Sample in numpy."""
    while True:
        halves = (values if limit >= EVERY_PAIR else values[: values.searchsorted(np.uint32(limit))]).astype(np.uint16)
        halves.sort()
        halves = halves[_is_new(halves)]
        if len(halves) <= most or not limit:
            return halves, limit
        limit >>= 1
