"""Boosted trees as arrays: probabilities of all blocks at once, by bits in words, without a library.

All splits of all trees are compared in one step; then all trees are gone down together, level by level, with a bit a
block (`descent.py`). At the sizes of a page this is as fast as compiled libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.descent import Descent

#: Blocks that are judged in one step: what the step writes stays in the cache (2,048: a fifth dearer).
CHUNK = 512


@dataclass(frozen=True, eq=False)
class Forest:
    """t trees of up to l leaves.

    Attributes:
        feature: Feature of each split, shape (t, l - 1).
        threshold: The split asks whether the feature is at most this, shape (t, l - 1).
        missing: What an unknown value answers, shape (t, l - 1).
        way: 1 where a leaf's way needs a split's yes, -1 its no, 0 neither, shape (t, l, l - 1).
        value: Log odds that a leaf adds, shape (t, l).
    """

    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    missing: npt.NDArray[np.bool_]
    way: npt.NDArray[np.int8]
    value: npt.NDArray[np.float32]

    def probability(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Probability of each block.

        Args:
            features: Shape (features, m), NaN where unknown.

        Returns:
            Shape (m,).
        """
        odds = np.empty(features.shape[1])
        for start in range(0, len(odds), CHUNK):
            part = features[:, start : start + CHUNK]
            leaves = self.descent.leaves(part)
            self._values.take(leaves).sum(axis=0, out=odds[start : start + CHUNK])
        return np.asarray(1 / (1 + np.exp(-odds)))

    @cached_property
    def descent(self) -> Descent:
        """The ways down the trees, for many blocks at once."""
        return Descent(self.feature, self.threshold, self.missing, self.way)

    @cached_property
    def _values(self) -> npt.NDArray[np.float64]:
        """Log odds of all leaves, tree by tree, shape (t · l,)."""
        return self.value.astype(np.float64).ravel()

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """All numbers by name, for a file."""
        return {
            "feature": self.feature.astype(np.int16),
            "threshold": self.threshold,
            "missing": self.missing,
            "way": self.way,
            "value": self.value,
        }

    @classmethod
    def from_arrays(cls, data: Mapping[str, npt.NDArray[np.generic]]) -> Forest:
        """The forest whose `arrays` these are."""
        return cls(
            feature=data["feature"].astype(np.int32),
            threshold=data["threshold"].astype(np.float32),
            missing=data["missing"].astype(np.bool_),
            way=data["way"].astype(np.int8),
            value=data["value"].astype(np.float32),
        )
