"""Which texts of a stream are copies of earlier ones: measured on the texts, apart from any index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.units import tokens

LEAST_UNITS = 20  # of a text that counts
WORDS, CHARACTERS = 4, 6  # units of a run, where a script writes with spaces and where not
COPY, COPY_OF_OBJECT, OTHER = 0.8, 0.75, 0.6  # shares of a text that an earlier one has
PART = 0.3  # a shorter part of an earlier text does not count

_SAMPLED = 4_000_000  # runs among which candidates are looked for
_COMMON = 300  # texts that share a run, which then finds no candidates
_NEAR = 0.2  # share of the sampled runs of the shorter text that a candidate has
_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)

Runs = npt.NDArray[np.uint64]


class Relation(Enum):
    """What a text is to an earlier one."""

    COPY = "copy"
    BETWEEN = "not counted"
    OTHER = "another text"


@dataclass(frozen=True)
class StreamText:
    """A text, and what it is about: another text of that name is another version of the same."""

    text: str
    about: str


class Truth:
    """What is true of a stream.

    A text is a copy where runs of 4 words, or 6 characters, that an earlier one has cover .8 of it, and another text
    where they cover less than .6; between, it is not counted.

    Args:
        texts: The texts in order.
        characters: Whether they are in a script without spaces.
        by_object: Whether texts about something else are other texts, however alike.
    """

    def __init__(self, texts: Sequence[StreamText], *, characters: bool, by_object: bool) -> None:
        self._texts, self._by_object = texts, by_object
        self._length = CHARACTERS if characters else WORDS
        numbers: dict[str, int] = {}
        self.units = [
            np.array([numbers.setdefault(unit, len(numbers)) for unit in tokens(one.text)], np.uint64) for one in texts
        ]
        self._runs = [self._runs_of(units) for units in self.units]
        self._sets = [np.unique(runs) for runs in self._runs]

    def counts(self, number: int) -> bool:
        """Whether a text is long enough to count."""
        return len(self.units[number]) >= LEAST_UNITS

    def covered(self, new: int, old: int) -> float:
        """The share of a text's units that lie in runs which another has."""
        runs, theirs = self._runs[new], self._sets[old]
        if not len(runs) or not len(theirs):
            return 0.0
        there = theirs.take(theirs.searchsorted(runs), mode="clip") == runs
        edges = np.zeros(len(self.units[new]) + self._length + 1, np.int64)
        places = np.flatnonzero(there)
        edges[places] += 1
        edges[places + self._length] -= 1
        covered = np.cumsum(edges)[: len(self.units[new])] > 0
        return float(covered.mean())

    def relation(self, new: int, old: int) -> Relation:
        """What a text is to an earlier one."""
        one_object = self._texts[new].about == self._texts[old].about
        if np.array_equal(self.units[new], self.units[old]):
            return Relation.COPY if one_object or not self._by_object else Relation.BETWEEN
        if self._by_object and not one_object:
            return Relation.OTHER
        share = self.covered(new, old)
        if share >= (COPY_OF_OBJECT if self._by_object else COPY):
            return Relation.COPY if len(self.units[new]) >= PART * len(self.units[old]) else Relation.BETWEEN
        if self._by_object or share >= OTHER or self.covered(old, new) >= COPY:
            return Relation.BETWEEN
        return Relation.OTHER

    def copies(self) -> set[int]:
        """Texts long enough to count that are copies of an earlier one."""
        return {
            new
            for new, candidates in enumerate(self._candidates())
            if self.counts(new) and any(self.relation(new, old) is Relation.COPY for old in candidates)
        }

    def _candidates(self) -> Iterator[list[int]]:
        """For each text the earlier ones that it may be a copy of, by a sample of their runs; the likest first."""
        step = np.uint64(max(1, sum(map(len, self._sets)) // _SAMPLED))
        few = [one[(one >> np.uint64(20)) % step == 0] for one in self._sets]
        sizes = np.array([len(one) for one in few])
        runs, texts = np.concatenate(few), np.repeat(np.arange(len(few)), sizes)
        order = np.argsort(runs, kind="stable")
        texts = texts[order]
        starts = np.flatnonzero(np.r_[True, np.diff(runs[order]) > 0]) if len(runs) else np.empty(0, np.int64)
        holders: dict[int, list[npt.NDArray[np.int64]]] = defaultdict(list)
        for group in np.split(texts, starts[1:]):
            if 1 < len(group) <= _COMMON:
                for place in range(1, len(group)):
                    holders[int(group[place])].append(group[:place])
        equal: dict[bytes, int] = {}
        about: dict[str, list[int]] = defaultdict(list)
        for new, units in enumerate(self.units):
            found = np.bincount(np.concatenate(holders.pop(new))) if new in holders else np.zeros(0, np.int64)
            least = np.maximum(1 if step > 1 else 2, _NEAR * np.minimum(sizes[: len(found)], sizes[new]))
            near = np.flatnonzero(found >= least)
            same = [equal[units.tobytes()]] if units.tobytes() in equal else []
            same += about[self._texts[new].about] if self._by_object else []
            yield [*same, *near[np.argsort(-found[near], kind="stable")].tolist()]
            equal.setdefault(units.tobytes(), new)
            about[self._texts[new].about].append(new)

    def _runs_of(self, units: Runs) -> Runs:
        """Hashes of the runs of a text, in order."""
        count = max(0, len(units) - self._length + 1)
        hashes = np.zeros(count, np.uint64)
        for step in range(self._length):
            hashes = (hashes ^ (units[step : step + count] + np.uint64(1))) * _MIX
            hashes ^= hashes >> _SHIFT
        return hashes
