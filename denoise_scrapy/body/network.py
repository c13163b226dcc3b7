"""Small neural networks as arrays: the probability that a block is content, from its features and its surroundings'.

A first layer looks at each block alone; a second at what the first said of the block, of its neighbours, of its page
and of all blocks of its path. So what a block is follows from where it stands. Here is what a network is, and how one
runs for training; pages are judged by all at once (`side_by_side.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.context import Context
from denoise_scrapy.body.side_by_side import SideBySide

#: Features are cut so many standard deviations from their mean: a page is never far outside what was seen.
CLIP = 3.5
#: Log odds are cut here: no estimate is surer.
MOST = 30.0

Values = npt.NDArray[np.float32]
#: Weights of one network by name: "block" (features, h), "context" (h · (1 + SETS), g), "last" (g,), "direct"
#: (features,), and the biases "block_bias" (h,), "context_bias" (g,), "bias" ().
Weights = dict[str, Values]
WEIGHTS = ("block", "block_bias", "context", "context_bias", "last", "direct", "bias")


@dataclass(frozen=True, eq=False)
class BlockNetwork:
    """Some networks of the same form, whose answers are averaged.

    Attributes:
        mean: Mean of each of n features over the blocks they were fitted on, shape (n,): what an unknown one counts as.
        deviation: Its standard deviation, shape (n,).
        networks: Their weights.
    """

    mean: Values
    deviation: Values
    networks: tuple[Weights, ...]

    def inputs(self, features: Values) -> Values:
        """Features as the networks take them.

        Args:
            features: Shape (n, m), NaN where unknown.

        Returns:
            Shape (m, n): standardised, cut, unknown ones 0.
        """
        x = features - self.mean[:, None]
        x /= self.deviation[:, None]
        np.copyto(x, np.float32(0), where=np.isnan(x))
        np.maximum(x, np.float32(-CLIP), out=x)
        return np.asarray(np.minimum(x, np.float32(CLIP), out=x).T)

    @cached_property
    def side_by_side(self) -> SideBySide:
        """The networks, ready to run as one."""
        return SideBySide(self.mean, self.deviation, self.networks, CLIP)

    def probability(self, features: Values, context: Context) -> npt.NDArray[np.float64]:
        """Probability of each of m blocks, shape (m,).

        Args:
            features: Shape (n, m), NaN where unknown.
            context: Of the m blocks of one page.
        """
        odds = self.side_by_side.odds(features, context)
        np.minimum(np.maximum(odds, -MOST, out=odds), MOST, out=odds)
        return np.asarray((1 / (1 + np.exp(-odds))).sum(axis=0, dtype=np.float64) / len(odds))

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """All numbers by name, for a file; weights in half precision, which moves no probability by .001."""
        named = {f"{i}/{name}": weights[name] for i, weights in enumerate(self.networks) for name in WEIGHTS}
        halves = {name: values.astype(np.float16) for name, values in named.items()}
        return {"mean": self.mean, "deviation": self.deviation, **halves}

    @classmethod
    def from_arrays(cls, data: Mapping[str, npt.NDArray[np.generic]]) -> BlockNetwork:
        """The networks whose `arrays` these are."""
        count = len({name.partition("/")[0] for name in data if "/" in name})
        networks = tuple({name: data[f"{i}/{name}"].astype(np.float32) for name in WEIGHTS} for i in range(count))
        return cls(data["mean"].astype(np.float32), data["deviation"].astype(np.float32), networks)


@dataclass(frozen=True, eq=False)
class Activations:
    """What a network computes on its way; training goes it backwards.

    Attributes:
        block: Of each block alone, shape (m, h).
        around: The same and its means over the block's sets, shape (m, h · (1 + SETS)).
        context: Of each block in its surroundings, shape (m, g).
        odds: Log odds, shape (m,).
    """

    block: Values
    around: Values
    context: Values
    odds: Values


def forward(weights: Weights, inputs: Values, context: Context, keep: Values | float = 1.0) -> Activations:
    """Run one network.

    Args:
        weights: Its weights.
        inputs: Shape (m, n).
        context: Of the m blocks.
        keep: Factors of the first layer's h outputs, shape (h,): training leaves some out.
    """
    block = np.maximum(inputs @ weights["block"] + weights["block_bias"], 0) * np.float32(keep)
    around = np.concatenate([block, *context.means(block)], axis=1)
    inner = np.maximum(around @ weights["context"] + weights["context_bias"], 0)
    odds = inner @ weights["last"] + inputs @ weights["direct"] + weights["bias"]
    return Activations(block, around, inner, odds)
