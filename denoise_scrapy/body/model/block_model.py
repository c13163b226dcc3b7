"""The model of blocks that comes with the package: trees and networks over the same features, half and half.

Trees cut where a network bends, and err elsewhere: together they are better on every corpus than either alone
(`docs/architecture.md` has the figures).
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

from denoise_scrapy.body.model.forest import Forest
from denoise_scrapy.body.model.network import MOST, BlockNetwork, Context
from denoise_scrapy.native import library
from denoise_scrapy.native.blocks import FORM, PreparedModel, probability

#: Weight of the trees' probability; the networks have the rest. .4 to .6 do alike.
TREES_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class BlockModel:
    """Probability that a block is content, from its features.

    Attributes:
        names: Names of the n features it takes.
        forest: Its trees.
        network: Its networks.
        provenance: What it was fitted on, and how well.
    """

    names: tuple[str, ...]
    forest: Forest
    network: BlockNetwork
    provenance: dict[str, Any]

    def probability(self, features: npt.NDArray[np.float32], context: Context) -> npt.NDArray[np.float64]:
        """Probability of each of m blocks, shape (m,).

        Args:
            features: Shape (n, m), NaN where unknown, rows as in `names`.
            context: Of the m blocks of one page.
        """
        native = library()
        if native is not None and self._prepared is not None:
            return probability(native, self._prepared, features, context.tokens, context.path)
        trees, networks = self.forest.probability(features), self.network.probability(features, context)
        return np.asarray(TREES_SHARE * trees + (1 - TREES_SHARE) * networks)

    @cached_property
    def _prepared(self) -> PreparedModel | None:
        """The model as C takes it, None where its networks are of another form."""
        networks = self.network.side_by_side
        if networks.form != FORM:
            return None
        counts = {"most": MOST, "trees_share": TREES_SHARE, "features": len(self.names)}
        layout = {**self.forest.descent.layout, **networks.layout, "value": self.forest.value}
        return PreparedModel.of({**counts, **layout})

    def save(self, path: Path) -> None:
        """Write the model to a file, without pickles."""
        parts = {"forest": self.forest.arrays(), "network": self.network.arrays()}
        arrays: dict[str, Any] = {f"{part}/{name}": parts[part][name] for part in parts for name in parts[part]}
        arrays["names"] = np.array(self.names)
        arrays["provenance"] = np.array(json.dumps(self.provenance, sort_keys=True))
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> BlockModel:
        """Read a file that `save` wrote."""
        with np.load(path, allow_pickle=False) as data:

            def part(name: str) -> dict[str, npt.NDArray[np.generic]]:
                return {key.partition("/")[2]: data[key] for key in data.files if key.startswith(name + "/")}

            return cls(
                names=tuple(data["names"].tolist()),
                forest=Forest.from_arrays(part("forest")),
                network=BlockNetwork.from_arrays(part("network")),
                provenance=json.loads(str(data["provenance"])),
            )


@cache
def block_model() -> BlockModel:
    """The model that comes with the package."""
    with as_file(files("denoise_scrapy.body") / "models" / "blocks.npz") as path:
        return BlockModel.load(path)
