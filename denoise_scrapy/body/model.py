"""The model of blocks that comes with the package: boosted trees over `features.NAMES`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.forest import Forest


@dataclass(frozen=True, eq=False)
class BlockModel:
    """Probability that a block is content, from its features.

    Attributes:
        names: Names of the n features it takes.
        mean: What they are on average, shape (n,): stands for a family that reasons leave out.
        forest: Its trees.
        provenance: What it was fitted on, and how well.
    """

    names: tuple[str, ...]
    mean: npt.NDArray[np.float32]
    forest: Forest
    provenance: dict[str, Any]

    def probability(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Probability of each of m blocks, shape (m,).

        Args:
            features: Shape (n, m), NaN where unknown, rows as in `names`.
        """
        return self.forest.probability(features)

    def save(self, path: Path) -> None:
        """Write the model to a file, without pickles."""
        arrays: dict[str, Any] = {f"forest/{name}": array for name, array in self.forest.arrays().items()}
        arrays |= {"names": np.array(self.names), "mean": self.mean}
        arrays["provenance"] = np.array(json.dumps(self.provenance, sort_keys=True))
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> BlockModel:
        """Read a file that `save` wrote."""
        with np.load(path, allow_pickle=False) as data:
            trees = {key.partition("/")[2]: data[key] for key in data.files if key.startswith("forest/")}
            return cls(
                names=tuple(data["names"].tolist()),
                mean=data["mean"],
                forest=Forest.from_arrays(trees),
                provenance=json.loads(str(data["provenance"])),
            )


@cache
def block_model() -> BlockModel:
    """The model that comes with the package."""
    with as_file(files("denoise_scrapy.body") / "models" / "blocks.npz") as path:
        return BlockModel.load(path)
