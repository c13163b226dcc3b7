"""The verdict on two similar texts, from evidence: copy, update, variant or something different.

The pages of a site are more often filled-in forms than copies of each other: jobs, flats, products, notices. Their
texts are as similar as copies, but differ in what readers came for. What the alignment of two texts shows
(`core/evidence.pyx`) is weighed by forests fitted to pairs of texts that people read (`training/pairs.py`). They know
nothing of sites: the same words get the same verdict wherever they are from.

Source: ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.evidence import NAMES, ROWS, evidence
from denoise_scrapy.core.feature_strings import UNIT_BITS, FeatureStrings
from denoise_scrapy.core.judge import Forest
from denoise_scrapy.dedup.rules import Fingerprint


class Shares(NamedTuple):
    """How likely each verdict is, 0 to 1; the sum is 1."""

    copy: float  # a reader of one gains nothing from the other
    update: float  # one is a later or fuller state of the other
    variant: float  # both are filled-in forms, or parts of a series
    different: float

    @property
    def other(self) -> str:
        """The likeliest verdict but copy."""
        return max(KINDS[1:], key=self._asdict().__getitem__)


COPY, UPDATE, VARIANT, DIFFERENT = KINDS = Shares._fields


@dataclass(frozen=True)
class Evidence:
    """What the alignment of a new text with a kept one shows.

    Attributes:
        values: float32 of shape (rows,), by `NAMES`.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom in May and in June. " * 2
        >>> kept = Fingerprint.of(text)
        >>> found = Evidence.of(FeatureStrings(text + "Share this."), kept)
        >>> found["new words"] > 0, found["lost words"], found.shares().copy > 0.5
        (True, 0.0, True)
    """

    values: npt.NDArray[np.float32]

    @classmethod
    def of(cls, new: FeatureStrings, kept: Fingerprint) -> Evidence:
        """Align a new text with a kept one."""
        units, below = units_of(kept)
        return cls(evidence(new, units, below, kept.units, kept.t, kept.runs, kept.limit, float(kept.n)))

    def __getitem__(self, name: str) -> float:
        return float(self.values[NAMES.index(name)])

    def shares(self) -> Shares:
        """Return how likely each verdict is."""
        return Shares(*forests().shares(self.values[:, None])[:, 0].tolist())

    def reason(self, kind: str) -> str:
        """Return what weighs most for a verdict, in words: without it, it would be the least likely."""
        without = np.repeat(self.values[:, None], len(ROWS), axis=1)
        np.fill_diagonal(without, forests().usual)
        return ROWS[int(forests().shares(without)[KINDS.index(kind)].argmin())][1]


class Forests(NamedTuple):
    """What is fitted: a forest for each verdict, and the evidence of a usual copy, float32 of shape (rows,)."""

    of_kind: tuple[Forest, ...]
    usual: npt.NDArray[np.float32]

    @classmethod
    def load(cls, path: Path) -> Forests:
        """Read a file written by `training.pairs`."""
        with np.load(path, allow_pickle=False) as data:
            if tuple(data["names"].tolist()) != NAMES:
                raise ValueError(f"{path} was fitted to other evidence")
            parts = ({name: data[f"{kind}/{name}"] for name in ("feature", "threshold", "value")} for kind in KINDS)
            return cls(tuple(Forest(**part) for part in parts), data["usual"])

    def shares(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Return the share of each verdict, shape (kinds, m), for evidence of shape (rows, m)."""
        found = np.array([forest.probability(values) for forest in self.of_kind])
        return np.asarray(found / found.sum(axis=0), np.float64)


@cache
def forests() -> Forests:
    """Return the forests that come with the package."""
    return Forests.load(Path(__file__).with_name("models") / "verdicts.npz")


def units_of(kept: Fingerprint) -> tuple[npt.NDArray[np.uint16], int]:
    """Return the stored units of a text except stop units, and the hash below which they are complete."""
    rare = np.frombuffer(kept.rare, "<u2")
    limit = 1 << UNIT_BITS >> int(rare[0]) if len(rare) else 1 << UNIT_BITS
    units = np.concatenate([kept.units, rare[1:]])
    return units[units < limit], limit
