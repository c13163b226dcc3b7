"""Boosted trees as arrays: all blocks go down all trees at once, without a library.

Source: Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin, *CatBoost: unbiased boosting with categorical features* (2018),
section 3: "oblivious" trees ask the same at all nodes of a depth, so that the answers are the number of the leaf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]

#: Blocks that are judged in one step: what the step writes stays in the cache, and a page of any size takes a few MB.
CHUNK = 512


@dataclass(frozen=True, eq=False)
class Forest:
    """t trees of depth d, at most 8.

    Attributes:
        feature: The feature that each depth of each tree asks for, shape (t, d).
        threshold: The question is whether it is above this; an unknown value is not, shape (t, d).
        value: Log odds that each leaf adds, shape (t, 2 ** d): the answer at depth i is bit d - 1 - i of its number.
    """

    feature: npt.NDArray[np.int16]
    threshold: Values
    value: Values

    def probability(self, features: Values) -> npt.NDArray[np.float64]:
        """Probability of each block.

        Args:
            features: Shape (features, m), NaN where unknown.

        Returns:
            Shape (m,).
        """
        parts = [self._odds(features[:, start : start + CHUNK]) for start in range(0, features.shape[1] or 1, CHUNK)]
        return np.asarray(1 / (1 + np.exp(-np.concatenate(parts))))

    def _odds(self, features: Values) -> npt.NDArray[np.float64]:
        feature, threshold, questions = self._questions
        answers = (features.take(feature, axis=0) > threshold).view(np.uint8)
        # of small numbers: with numpy's own integers it takes twice as long
        leaves = np.zeros((len(self.value), features.shape[1]), np.uint8)
        for asked in questions:
            leaves += leaves
            leaves += answers.take(asked, axis=0)
        first = np.arange(0, self.value.size, self.value.shape[1]).astype(np.min_scalar_type(self.value.size))
        return np.asarray(self.value.take(leaves + first[:, None]).sum(axis=0), np.float64)

    @cached_property
    def _questions(self) -> tuple[npt.NDArray[np.intp], Values, npt.NDArray[np.intp]]:
        """Features and thresholds of the q different questions, (q,) and (q, 1); their numbers by depth, (d, t)."""
        asked = np.array([self.feature.ravel(), self.threshold.ravel()], np.float32)
        once, number = np.unique(asked, axis=1, return_inverse=True)
        return once[0].astype(np.intp), once[1, :, None], number.reshape(self.feature.shape).T.copy()

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """All numbers by name, for a file: values in half the bits."""
        return {"feature": self.feature, "threshold": self.threshold, "value": self.value.astype(np.float16)}

    @classmethod
    def from_arrays(cls, data: Mapping[str, npt.NDArray[np.generic]]) -> Forest:
        """The forest whose `arrays` these are."""
        feature, threshold = data["feature"].astype(np.int16), data["threshold"].astype(np.float32)
        return cls(feature, threshold, data["value"].astype(np.float32))
