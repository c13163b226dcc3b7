"""A rule: what of a text is compared, and what makes two texts duplicates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.decision import (
    MIN_RUNS,
    MOST_NEW,
    THRESHOLD,
    Comparison,
    Question,
    judge,
    longest_kept,
    needed,
)
from denoise_scrapy.dedup.differences import is_form
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import CONSTANTS, MIN_UNITS, Fingerprint


class NewText(Protocol):
    """A text as a rule has read it."""

    @property
    def n(self) -> int:
        """Length, in the rule's units."""

    def main_units(self, t: int) -> npt.NDArray[np.uint16]:
        """Main feature string at a frequency threshold."""

    def sample(self, limit: int) -> npt.NDArray[np.uint16]:
        """Auxiliary feature string, sampled."""


class Query(NamedTuple):
    """What a duplicate must have.

    Attributes:
        units: uint16, each once.
        need: How many of them at least; 0 where there can be no duplicate.

    """

    units: npt.NDArray[np.uint16]
    need: int


class Rule(ABC):
    """What of a text is compared, and what makes two texts duplicates.

    Attributes:
        name: What it is selected by.
        threshold: Threshold where none is given.
        has_bands: Whether its texts have MinHash bands, so that the prefilter may come first.

    """

    name: ClassVar[str]
    threshold: ClassVar[float]
    has_bands: ClassVar[bool]

    @property
    @abstractmethod
    def constants(self) -> Mapping[str, str]:
        """What two fingerprints must share to be comparable; for a store to write down."""

    @abstractmethod
    def read(self, text: str) -> NewText:
        """Read a text."""

    @abstractmethod
    def fingerprint(self, new: NewText) -> Fingerprint:
        """Make what is kept of a text."""

    @abstractmethod
    def judge(
        self, new: NewText, kept: Sequence[Fingerprint], threshold: float, most_new: float = MOST_NEW
    ) -> list[Comparison]:
        """Compare a text with kept ones."""

    def too_short(self, kept: Fingerprint) -> bool:
        """Whether a text is too short to be judged by similarity."""
        return kept.too_short

    def main_query(self, new: NewText, t: int, threshold: float) -> Query:
        """What a duplicate kept at threshold `t` has in common with a text's main string."""
        units = new.main_units(t)
        return Query(units, needed(len(units), threshold) if len(units) >= MIN_UNITS else 0)

    def run_query(self, new: NewText, limit: int, threshold: float) -> Query:
        """What a duplicate sampled at `limit` has in common with a text's auxiliary string."""
        runs = new.sample(limit)
        return Query(runs, needed(len(runs), threshold) if len(runs) >= MIN_RUNS else 0)

    def longest(self, new: NewText) -> int:
        """Length of the longest kept text that a text may be a duplicate of."""
        return longest_kept(new.n)

    def is_form(self, new: NewText, kept: Fingerprint) -> bool:
        """Whether in a duplicate other numbers stand."""
        return False

    def extended(self, new: NewText, kept: Sequence[Fingerprint], threshold: float) -> list[Comparison]:
        """Compare kept texts with a new one they may be a part of."""
        return [Comparison(False, 0.0, 0.0)] * len(kept)


class _OfWords(Rule):
    """What the two rules of ours have in common."""

    threshold = THRESHOLD
    has_bands = True
    _question: ClassVar[Question]

    @property
    def constants(self) -> Mapping[str, str]:
        """See `Rule.constants`; the same for both rules, which read the same index."""
        return CONSTANTS

    def read(self, text: str) -> Features:
        """See `Rule.read`."""
        return Features.read(text)

    def fingerprint(self, new: NewText) -> Fingerprint:
        """See `Rule.fingerprint`."""
        assert isinstance(new, Features)
        return Fingerprint.of(new)

    def judge(
        self, new: NewText, kept: Sequence[Fingerprint], threshold: float, most_new: float = MOST_NEW
    ) -> list[Comparison]:
        """See `Rule.judge`."""
        assert isinstance(new, Features)
        return judge(new, kept, threshold, most_new, self._question)

    def is_form(self, new: NewText, kept: Fingerprint) -> bool:
        """See `Rule.is_form`."""
        assert isinstance(new, Features)
        return is_form(new, kept)

    def extended(self, new: NewText, kept: Sequence[Fingerprint], threshold: float) -> list[Comparison]:
        """See `Rule.extended`."""
        assert isinstance(new, Features)
        return judge(new, kept, threshold, question=Question.WHOLE)


class PartRule(_OfWords):
    """A new text is a duplicate where nearly all of it is in a kept one.

    Example:
        >>> PartRule().read("one two three").n
        3

    """

    name = "part"
    _question = Question.PART


class NearCopyRule(_OfWords):
    """A new text is a duplicate where it and a kept one are nearly the same: a part is none."""

    name = "near-copy"
    _question = Question.COPY
