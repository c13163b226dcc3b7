"""The model of blocks that comes with the package: a small network judges each block, then trees judge again.

What the network finds of a block's neighbours is given to the trees beside its features (`core/model.pyx`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.model import Forest, Neighbours, Network, judge
from denoise_scrapy.core.vocabulary import WORDS, Vocabulary


@dataclass(frozen=True, eq=False)
class BlockModel:
    """Probability that a block is content, from its features and its neighbours.

    Attributes:
        names: Names of the n features it takes.
        vocabulary: What it knows of words, which some features are of.
        network: The first judgement.
        forest: The second one, over those n features and `core.model.NEIGHBOUR_NAMES`.
        provenance: What it was fitted on, and how well.
        parts: For each part of a page that is learned the trees that find its blocks (`body/parts.py`).
        content: The trees that find pages without content (`body/content.py`).
    """

    names: tuple[str, ...]
    vocabulary: Vocabulary
    network: Network
    forest: Forest
    provenance: dict[str, Any]
    parts: Mapping[str, Forest] = field(default_factory=dict)
    content: Forest | None = None

    def probability(self, features: npt.NDArray[np.float32], neighbours: Neighbours) -> npt.NDArray[np.float64]:
        """Probability of each of m blocks, shape (m,).

        Args:
            features: Shape (n, m), NaN where unknown, rows as in `names`.
            neighbours: What stands around them.
        """
        return judge(self.network, self.forest, neighbours, features)

    def save(self, path: Path) -> None:
        """Write the model to a file, without pickles."""
        arrays: dict[str, Any] = {f"forest/{name}": array for name, array in self.forest.arrays().items()}
        arrays |= {f"network/{name}": array for name, array in self.network.arrays().items()}
        for part, trees in self.parts.items():
            arrays |= {f"part {part}/{name}": array for name, array in trees.arrays().items()}
        if self.content is not None:
            arrays |= {f"content/{name}": array for name, array in self.content.arrays().items()}
        class_words, text_words = self.vocabulary.class_words, self.vocabulary.text_words
        words = sorted(class_words.items())
        arrays["words/code"] = np.array([code for code, _ in words], np.uint32)
        arrays["words/odds"] = np.array([odds for _, odds in words], np.float16)
        arrays["texts/number"] = text_words.nonzero()[0].astype(np.uint32)
        arrays["texts/odds"] = text_words[text_words != 0].astype(np.float16)
        arrays["names"] = np.array(self.names)
        arrays["provenance"] = np.array(json.dumps(self.provenance, sort_keys=True))
        with path.open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> BlockModel:
        """Read a file that `save` wrote."""
        with np.load(path, allow_pickle=False) as data:
            words = zip(data["words/code"].tolist(), data["words/odds"].tolist(), strict=True)
            text_words = np.zeros(WORDS, np.float32)
            text_words[data["texts/number"]] = data["texts/odds"]

            def part(name: str) -> dict[str, npt.NDArray[np.generic]]:
                return {key.partition("/")[2]: data[key] for key in data.files if key.startswith(f"{name}/")}

            return cls(
                names=tuple(data["names"].tolist()),
                vocabulary=Vocabulary(dict(words), text_words),
                network=Network.from_arrays(part("network")),
                forest=Forest.from_arrays(part("forest")),
                provenance=json.loads(str(data["provenance"])),
                parts={name: Forest.from_arrays(part(f"part {name}")) for name in _parts(data.files)},
                content=Forest.from_arrays(found) if (found := part("content")) else None,
            )


def _parts(arrays: Iterable[str]) -> list[str]:
    """The parts that a file has trees for."""
    return sorted({name.partition("/")[0].removeprefix("part ") for name in arrays if name.startswith("part ")})


@cache
def block_model() -> BlockModel:
    """The model that comes with the package."""
    with as_file(files("denoise_scrapy.body") / "models" / "blocks.npz") as path:
        return BlockModel.load(path)
