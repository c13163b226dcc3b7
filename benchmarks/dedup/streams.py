"""The index on streams of real texts, each checked against all earlier ones, as in a crawl.

Pairs cannot show what happens in streams: a new text meets thousands of siblings, and the most similar one decides. A
stream is a file `NAME.jsonl.gz`, one JSON object per line: `text`, and `obj`, the subject of the text. The truth is
measured on the texts, independently of any index.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.dedup.scores import FALSE, RECALL, Score, Share
from denoise_scrapy.core.feature_strings import tokens
from denoise_scrapy.dedup import DuplicateIndex

BY_SUBJECT = {"mccormick", "nodeblog", "zhdocs"}
"""Streams whose texts name their subject: an article, a release, a page at a given date."""
IN_CHARACTERS = {"zhdocs", "zhlaws"}
"""Streams in a script without spaces."""
HELD, OTHER_RULE = "part", "near-copy"
"""The rule with floors; the other takes as long again."""

LEAST_UNITS = 20  # fewest units of a text that counts
WORDS, CHARACTERS = 4, 6  # units of a run, in scripts with and without spaces
# Shares of each of two texts that are in the other. Of pairs of two streams that people read, 11 of 14 above .99 are
# copies, 2 of 13 from .95 to .98 and 1 of 29 from .8 to .95: the others are updates and other laws.
COPY, OTHER = 0.99, 0.6
_SAMPLED = 4_000_000  # runs sampled to find candidates
_COMMON = 300  # most texts that share a run; beyond that it finds no candidates
_NEAR = 0.2  # share of the sampled runs of the shorter text that a candidate has
_MIX, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)

Units = npt.NDArray[np.uint64]


class StreamText(NamedTuple):
    """A text and its subject: another text on the same subject is another version."""

    text: str
    subject: str


class StreamScore(NamedTuple):
    """Copies called duplicates, other texts that were, copies that were not, texts between that were, and all texts."""

    right: int
    wrong: int
    missed: int
    between: int
    texts: int

    def score(self, rule: str) -> Score:
        """Return recall, and the share of the texts that were wrongly called duplicates, for the floors."""
        copies = self.right + self.missed
        recall = {RECALL: Share(self.right, copies)} if copies else {}
        return Score(rule, {**recall, FALSE: Share(self.wrong, self.texts)})

    def cells(self) -> list[str]:
        """Return precision, recall and counts as cells of a table."""
        shares = [f"{self.right / max(1, self.right + other):.3f}" for other in (self.wrong, self.missed)]
        shares = shares if self.right + self.missed else ["", ""]
        return [*shares, *(str(count) for count in self[:4])]


def read(path: Path) -> list[StreamText]:
    """Return the texts of a stream."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [StreamText(row["text"], row.get("obj", "")) for row in rows]


class Relation(Enum):
    """Relation of a text to an earlier one."""

    COPY = "copy"
    BETWEEN = "not counted"
    OTHER = "another text"


class Truth:
    """The copies in a stream.

    A text is a copy if runs of 4 words, or 6 characters, shared with an earlier one cover .99 of both, and another text
    if they cover less than .6 of each; in between, it is not counted. With `by_subject` texts about something else are
    other texts, however similar; `characters` is for scripts without spaces.
    """

    def __init__(self, texts: Sequence[StreamText], *, characters: bool, by_subject: bool) -> None:
        self._texts, self._by_subject = texts, by_subject
        self._length = CHARACTERS if characters else WORDS
        numbers: dict[str, int] = {}
        self.units = [
            np.array([numbers.setdefault(unit, len(numbers)) for unit in tokens(one.text)], np.uint64) for one in texts
        ]
        self._runs = [self._runs_of(units) for units in self.units]
        self._sets = [np.unique(runs) for runs in self._runs]
        self.copies = {
            new
            for new, candidates in enumerate(self._candidates())
            if self.counts(new) and any(self.relation(new, old) is Relation.COPY for old in candidates)
        }

    def counts(self, number: int) -> bool:
        """Return whether a text is long enough to count."""
        return len(self.units[number]) >= LEAST_UNITS

    def score(self, rule: str) -> StreamScore:
        """Check each text with an index, and keep each."""
        found, called = Counter[Relation](), set[int]()
        with DuplicateIndex(rule=rule) as index:
            for number, one in enumerate(self._texts):
                verdict = index.check(str(number), one.text)
                index.add(str(number), one.text)
                if verdict.of is not None and self.counts(number):
                    called.add(number)
                    is_copy = number in self.copies
                    found[Relation.COPY if is_copy else self.relation(number, int(verdict.of))] += 1
        missed = len(self.copies - called)
        right, between, wrong = found[Relation.COPY], found[Relation.BETWEEN], found[Relation.OTHER]
        return StreamScore(right, wrong, missed, between, len(self._texts))

    def covered(self, new: int, old: int) -> float:
        """Return the share of a text's units that lie in runs shared with another."""
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
        """Return the relation of a text to an earlier one."""
        one_subject = self._texts[new].subject == self._texts[old].subject
        if np.array_equal(self.units[new], self.units[old]):
            return Relation.COPY if one_subject or not self._by_subject else Relation.BETWEEN
        if self._by_subject and not one_subject:
            return Relation.OTHER
        shares = self.covered(new, old), self.covered(old, new)
        if min(shares) >= COPY:
            return Relation.COPY
        return Relation.BETWEEN if self._by_subject or max(shares) >= OTHER else Relation.OTHER

    def _candidates(self) -> Iterator[list[int]]:
        """Yield for each text earlier texts it may be a copy of, by a sample of runs, the most similar first."""
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
            same += about[self._texts[new].subject] if self._by_subject else []
            yield [*same, *near[np.argsort(-found[near], kind="stable")].tolist()]
            equal.setdefault(units.tobytes(), new)
            about[self._texts[new].subject].append(new)

    def _runs_of(self, units: Units) -> Units:
        """Return hashes of the runs of a text, in order."""
        count = max(0, len(units) - self._length + 1)
        hashes = np.zeros(count, np.uint64)
        for step in range(self._length):
            hashes = (hashes ^ (units[step : step + count] + np.uint64(1))) * _MIX
            hashes ^= hashes >> _SHIFT
        return hashes
