"""A new text, read once, ready to be compared with any kept text.

Source: patent text 'Method and system for web page de-duplication', main and auxiliary feature
string. What they are made of (different runs of units) is ours, see `Features`.
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
from denoise_scrapy.dedup.tokens import IDEOGRAPH, NUMBER, read_units
from denoise_scrapy.native import dedup_text, library
from denoise_scrapy.native.dedup_text import Runs

UNIT_BITS = 16
"""Units in the main feature string. 32 bits take twice the memory and decide the same: of 1,000 kept units one and a
half in a hundred foreign ones would be found by chance, and texts of that many units are one in fifty."""

RUN, RUN_OF_IDEOGRAPHS = 5, 3
"""Units of a run, by its first one. Measured on 7,800 texts of four streams, each against all earlier ones: the share
of runs in common of copies begins where that of other texts ends at .6 with these lengths; with pairs they overlap
(Chinese .70 and .70), and with longer runs copies changed in many places fall below."""

RUN_HASH = "runs-5-3-fmix64-v1"
_SPREAD = np.uint32(2654435769)  # the golden ratio in 32 bits: CRC-32's own low bits are less even
_FACTORS = [
    np.uint64(one)
    for one in (
        *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9),  # odd constants of xxHash
        *(0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5),
    )
]
_32, _UPPER = np.uint64(32), np.uint64(0xFFFFFFFF00000000)

EVERY = 1 << 32
"""Limit of a sample that has everything."""

Words = npt.NDArray[np.uint32]
Sample = npt.NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class Features:
    """Main and auxiliary feature string of a text, and its numbers.

    Of a text, the different runs of units count, each once: five from each word on, three from each ideograph. So
    nothing changes when a text repeats itself, and no list of the same few words outweighs the rest. The frequency of a
    unit is the number of runs that it begins; what is a part of a text has no unit more often than the text.

    Attributes:
        n: Length in units.
        digest: 16 bytes, hash of the unit sequence: equal for texts of the same words in order.
        hashes: uint32 (n,), the units in order.
        kinds: uint8 (n,), see `tokens.Units.kinds`.

    """

    n: int
    digest: bytes
    hashes: Words
    kinds: npt.NDArray[np.uint8]
    _cuts: dict[int, Sample] = field(default_factory=dict)
    _samples: dict[int, Sample] = field(default_factory=dict)

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
        hashes, kinds, joined = read_units(text)
        digest = hashlib.blake2b(joined, digest_size=16).digest()
        return cls(len(hashes), digest, hashes, kinds)

    def main_units(self, t: int) -> Sample:
        """Give the main feature string.

        Args:
            t: Units must occur more than `t` times.

        Returns:
            Sorted uint16 hashes of these units, stop units left out, each once.

        Example:
            >>> pear = Features.read("pear plum pear fig plum nut date pear plum")
            >>> len(pear.main_units(0)), len(pear.main_units(1))
            (5, 2)

        """
        if t not in self._cuts:
            units, counts, stop = self.runs[2:]
            units = units[(counts > t) & ~stop]
            self._cuts[t] = _sample(units * _SPREAD >> np.uint32(32 - UNIT_BITS), EVERY, len(units))[0]
        return self._cuts[t]

    def sample(self, limit: int = EVERY) -> Sample:
        """Sample the auxiliary feature string by the hashes of its runs.

        Args:
            limit: Hashes below this are taken, 0 to 2**32. Two texts sampled at one limit speak of the same runs.

        Returns:
            Sorted uint16, each once: the low halves of the hashes taken.

        Example:
            >>> len(Features.read("to be or not to be or not to be or").sample())
            4

        """
        if limit not in self._samples:
            self._samples[limit] = _sample(self.runs.distinct, limit, self.n)[0]
        return self._samples[limit]

    def sample_of(self, most: int) -> tuple[Sample, int]:
        """Sample it at the highest power of two that leaves no more than so many, 0 or more; give the limit too."""
        found = _sample(self.runs.distinct, EVERY, most)
        self._samples[found[1]] = found[0]
        return found

    @cached_property
    def bands(self) -> Words:
        """Hashes of the bands of its MinHash signature, uint32 (32,); empty where the text has no shingle."""
        return bands(self.hashes)

    @cached_property
    def numbers(self) -> Words:
        """Hashes of the different units with a digit, spread evenly, ascending."""
        numbers = self.hashes[self.kinds == NUMBER]
        spread = np.sort((fmix64(numbers.astype(np.uint64)) >> _32).astype(np.uint32)) if len(numbers) else numbers
        return spread[_is_new(spread)]

    @cached_property
    def runs(self) -> Runs:
        """Its different runs, and the frequencies of its units."""
        native = library()
        if native is None:
            return _runs_by_sorting(self.hashes, self.kinds)
        return dedup_text.runs(native, self.hashes, self.kinds, STOP_UNITS)


def _runs_by_sorting(hashes: Words, kinds: npt.NDArray[np.uint8]) -> Runs:
    """Find the runs in numpy, see `dedup_text.runs`."""
    at = np.zeros(len(hashes), np.uint64)
    for length, begins in ((RUN_OF_IDEOGRAPHS, kinds == IDEOGRAPH), (RUN, kinds != IDEOGRAPH)):
        starts = np.flatnonzero(begins[: max(0, len(hashes) - length + 1)])
        mixed = np.zeros(len(starts), np.uint64)
        for step, factor in enumerate(_FACTORS[:length]):
            mixed += hashes[starts + step] * factor
        at[starts] = fmix64(mixed) & _UPPER | hashes[starts]
    distinct = np.sort(at[at > 0])
    distinct = distinct[_is_new(distinct >> _32)]
    ordered = np.sort(np.concatenate([distinct.astype(np.uint32), hashes[at == 0]]))
    starts = np.flatnonzero(_is_new(ordered))
    units, counts = ordered[starts], np.diff(starts, append=len(ordered))
    return Runs(at, (distinct >> _32).astype(np.uint32), units, counts, is_stop(units))


def _is_new(ordered: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Tell which values of a sorted array differ from the one before."""
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def _sample(values: Words, limit: int, most: int) -> tuple[Sample, int]:
    """The lower halves of the values under a limit, see `dedup_text.sample`."""
    native = library()
    return _sample_by_sorting(values, limit, most) if native is None else dedup_text.sample(native, values, limit, most)


def _sample_by_sorting(values: Words, limit: int, most: int) -> tuple[Sample, int]:
    """Sample in numpy."""
    while True:
        halves = (values if limit >= EVERY else values[: values.searchsorted(np.uint32(limit))]).astype(np.uint16)
        halves.sort()
        halves = halves[_is_new(halves)]
        if len(halves) <= most or not limit:
            return halves, limit
        limit >>= 1
