"""The literal rule of the source: characters, one frequency threshold, and a decision by length.

Measured beside ours in docs/dedup.md: it calls a third of the pages of one site equal, for all pages of a language
share its frequent characters. Two bounds are ours: text beyond 100,000 characters is not read, and texts that are
too short, or without a frequent character, are not judged (taken literally, two of the latter are equal).

Source: patent text 'Method and system for web page de-duplication', feature strings and decision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.dedup import tokens
from denoise_scrapy.dedup.fingerprint import EVERY, MIN_TOKENS, Fingerprint
from denoise_scrapy.dedup.rules import MOST_NEW, Comparison, NewText, Query, Rule

FREQUENCY = 3  # the source's threshold: a main unit occurs more often
LONG = 500  # the source's: two longer texts are compared by their auxiliary strings
SMALL_SHARE = 0.3  # the source's: so are two of which one is shorter than this share of the other
THRESHOLD = 0.8  # the source's
MAX_CHARACTERS = 100_000  # ours: bounds what a page may make us keep to some 400 KB

_STOP = np.array(sorted({ord(one) for one in tokens.WORDS if len(one) == 1 and ord(one) < 1 << 16}), np.uint16)
_16 = np.uint32(16)


@dataclass(frozen=True, eq=False)
class Characters:
    """A text as the source reads it.

    Attributes:
        codes: uint16, its letters, digits and ideographs in order, lower-cased; others are left out.

    """

    codes: npt.NDArray[np.uint16]

    @classmethod
    def read(cls, text: str) -> Characters:
        """Read a text.

        Example:
            >>> bytes(Characters.read("A-1 b!").codes.astype("u1"))
            b'a1b'

        """
        kept = "".join(c for c in text[:MAX_CHARACTERS].lower() if c.isalnum() and c < "\U00010000")
        return cls(np.frombuffer(kept.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint16, copy=False))

    @property
    def n(self) -> int:
        """Length in characters."""
        return len(self.codes)

    @cached_property
    def _frequent(self) -> npt.NDArray[np.uint16]:
        codes, counts = np.unique(self.codes, return_counts=True)
        return codes[counts > FREQUENCY]

    def main_units(self, t: int = FREQUENCY) -> npt.NDArray[np.uint16]:
        """S1: the frequent characters but stop characters, in code order."""
        return self._frequent[~np.isin(self._frequent, _STOP)] if t == FREQUENCY else self._frequent[:0]

    def sample(self, limit: int) -> npt.NDArray[np.uint16]:
        """Raise: S2 is kept whole."""
        raise NotImplementedError

    @cached_property
    def neighbours(self) -> npt.NDArray[np.uint32]:
        """S2: each frequent character with the one after it, as sorted uint32, repeats included."""
        here = np.isin(self.codes[:-1], self._frequent)
        pairs = (self.codes[:-1].astype(np.uint32) << _16) | self.codes[1:]
        return np.sort(pairs[here])


class PatentRule(Rule):
    """The literal rule.

    Example:
        >>> rule, text = PatentRule(), "the cat sat on the mat, the dog sat on the cat; " * 4
        >>> rule.judge(rule.read(text), [rule.fingerprint(rule.read(text))], 0.8)[0].duplicate
        True

    """

    name = "patent"
    threshold = THRESHOLD
    has_bands = False
    constants: ClassVar[Mapping[str, str]] = {
        "rule": "patent",
        "frequency": str(FREQUENCY),
        "stop list": tokens.STOP_LIST_DIGEST,
        "most characters": str(MAX_CHARACTERS),
    }

    @override
    def read(self, text: str) -> Characters:
        return Characters.read(text)

    @override
    def fingerprint(self, new: NewText) -> Fingerprint:
        assert isinstance(new, Characters)
        s1, s2 = new.main_units().astype("<u2").tobytes(), new.neighbours.astype("<u4").tobytes()
        digest = hashlib.blake2b(new.codes.astype("<u2").tobytes(), digest_size=16).digest()
        return Fingerprint(new.n, FREQUENCY, s1, s2, EVERY, digest, b"")

    @override
    def judge(
        self, new: NewText, kept: Sequence[Fingerprint], threshold: float, most_new: float = MOST_NEW
    ) -> list[Comparison]:
        assert isinstance(new, Characters)
        return [_compare(new, one, threshold) for one in kept]

    @override
    def too_short(self, kept: Fingerprint) -> bool:
        return kept.n < MIN_TOKENS or not kept.s1

    @override
    def main_query(self, new: NewText, t: int, threshold: float) -> Query:
        # The source asks for more than the threshold, or for equal main strings.
        units = new.main_units(t)
        more = min(len(units), above(len(units), threshold))
        return Query(units, more if new.n >= MIN_TOKENS else 0)

    @override
    def run_query(self, new: NewText, limit: int, threshold: float) -> Query:
        raise NotImplementedError  # the source searches by main strings only


def above(size: int, threshold: float) -> int:
    """Return the least number of common elements that is more than a share, as the source asks.

    Example:
        >>> above(10, 0.8), above(11, 0.8)
        (9, 9)

    """
    return int(threshold * size + 1e-9) + 1


def _compare(new: Characters, kept: Fingerprint, threshold: float) -> Comparison:
    """The decision, step by step."""
    mine, theirs = new.main_units(), kept.units
    if not len(mine) or min(new.n, kept.n) < MIN_TOKENS:
        return Comparison(False, 0.0, 0.0)
    common = np.intersect1d(mine, theirs, assume_unique=True)
    c1 = len(common) / len(mine)
    if np.array_equal(mine, theirs):
        return Comparison(True, c1, 1.0)
    c2 = _common_neighbours(new.neighbours, np.frombuffer(kept.s2, "<u4"), common)
    shorter, longer = sorted((new.n, kept.n))
    by_neighbours = shorter > LONG or shorter < SMALL_SHARE * longer
    return Comparison((c2 if by_neighbours else c1) > threshold, c1, c2)


def _common_neighbours(
    mine: npt.NDArray[np.uint32], theirs: npt.NDArray[np.uint32], common: npt.NDArray[np.uint16]
) -> float:
    """Equal neighbours of the common characters, as a share of X's neighbours of these."""
    mine = mine[np.isin(mine >> _16, common)]
    pairs, counts = np.unique(mine, return_counts=True)
    others, their_counts = np.unique(theirs, return_counts=True)
    both, here, there = np.intersect1d(pairs, others, assume_unique=True, return_indices=True)
    equal = np.minimum(counts[here], their_counts[there]).sum() if len(both) else 0
    return float(equal / len(mine)) if len(mine) else 0.0
