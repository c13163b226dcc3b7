"""Boosted trees as arrays: probabilities of all blocks at once, by matrix products, without a library.

All splits of all trees are compared in one step; a leaf is reached where the comparisons on its way all come out as
the way goes. At the sizes of a page this is as fast as compiled libraries (150 blocks, 120 trees of 16 leaves).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

#: Blocks that are judged in one step: bounds the memory of a page of many blocks (15 MB).
CHUNK = 2048


@dataclass(frozen=True, eq=False)
class Forest:
    """t trees of up to l leaves over named features.

    Attributes:
        names: Names of the features, in the order of the matrix that is asked about.
        feature: Feature of each split, shape (t, l - 1).
        threshold: The split asks whether the feature is at most this, shape (t, l - 1).
        missing: What an unknown value answers, shape (t, l - 1).
        way: 1 where a leaf's way needs a split's yes, -1 its no, 0 neither, shape (t, l, l - 1).
        value: Log odds that a leaf adds, shape (t, l).
        provenance: What the trees were fitted on, and how well.
    """

    names: tuple[str, ...]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    missing: npt.NDArray[np.bool_]
    way: npt.NDArray[np.int8]
    value: npt.NDArray[np.float32]
    provenance: dict[str, Any]

    def probability(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Probability of each block.

        Args:
            features: Shape (features, m), NaN where unknown.

        Returns:
            Shape (m,).
        """
        odds = [self._odds(features[:, i : i + CHUNK]) for i in range(0, features.shape[1], CHUNK)]
        total = np.concatenate(odds) if odds else np.zeros(0)
        return np.asarray(1 / (1 + np.exp(-total)))

    def _odds(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        x = features[self.feature]  # (t, splits, m)
        yes = np.where(np.isnan(x), self.missing[..., None], x <= self.threshold[..., None])
        sign = np.where(yes, np.float32(1), np.float32(-1))
        way, length, value = self._operands
        agree = way @ sign  # (t, leaves, m): as many as the way is long, or fewer
        return np.asarray(np.einsum("tlm,tl->m", agree > length - 0.5, value))

    @cached_property
    def _operands(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float64]]:
        """Ways, their lengths and values as the products want them: the same for every page."""
        way = self.way.astype(np.float32)
        return way, np.abs(way).sum(axis=2, keepdims=True), self.value.astype(np.float64)

    def save(self, path: Path) -> None:
        """Write the forest to a file without pickles."""
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                names=np.array(self.names),
                feature=self.feature.astype(np.int16),
                threshold=self.threshold,
                missing=self.missing,
                way=self.way,
                value=self.value,
                provenance=np.array(json.dumps(self.provenance, sort_keys=True)),
            )

    @classmethod
    def load(cls, path: Path) -> Forest:
        """Read a file that `save` wrote."""
        with np.load(path, allow_pickle=False) as data:
            return cls(
                names=tuple(data["names"].tolist()),
                feature=data["feature"].astype(np.int32),
                threshold=data["threshold"],
                missing=data["missing"],
                way=data["way"],
                value=data["value"],
                provenance=json.loads(str(data["provenance"])),
            )


@cache
def block_forest() -> Forest:
    """The forest that comes with the package."""
    with as_file(files("denoise_scrapy.body") / "models" / "blocks.npz") as path:
        return Forest.load(path)
