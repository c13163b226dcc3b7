"""A small neural network over the features of a block: two layers, in numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float32]

#: Standard deviations from the mean at which a value is cut: a page may hold a paragraph of a million words.
FARTHEST = 4.0
#: Blocks that are multiplied in one product: OpenBLAS parts none below 2 ** 18 products of numbers among its threads.
#: They wait for the next one spinning: a crawl took twice the processor time.
ROWS = 48


@dataclass(frozen=True, eq=False)
class Network:
    """Two layers of rectified units beside a linear part.

    Attributes:
        mean: Mean of each of the n features, shape (n,); an unknown value counts as it.
        deviation: Their standard deviations, shape (n,).
        inner: Weights of the first layer of a units, shape (n, a).
        inner_bias: Shape (a,).
        outer: Weights of the second layer of b units, shape (a, b).
        outer_bias: Shape (b,).
        last: Weights of the second layer's units, shape (b,).
        direct: Weights of the features themselves, shape (n,).
        bias: Shape ().
    """

    mean: Values
    deviation: Values
    inner: Values
    inner_bias: Values
    outer: Values
    outer_bias: Values
    last: Values
    direct: Values
    bias: Values

    def inputs(self, features: Values) -> Values:
        """Features of shape (n, m) in standard deviations from their means, shape (m, n)."""
        scaled = (features - self.mean[:, None]) / self.deviation[:, None]
        scaled[np.isnan(scaled)] = 0
        return np.ascontiguousarray(scaled.clip(-FARTHEST, FARTHEST, out=scaled).T)

    def odds(self, inputs: Values) -> Values:
        """Log odds of m blocks, shape (m,), of inputs of shape (m, n)."""
        m, n = inputs.shape
        rows = np.zeros((-(-m // ROWS), ROWS, n), np.float32)
        rows.reshape(-1, n)[:m] = inputs
        inner = np.maximum(rows @ self.inner + self.inner_bias, 0)
        outer = np.maximum(inner @ self.outer + self.outer_bias, 0)
        return np.asarray(outer @ self.last + rows @ self.direct + self.bias, np.float32).ravel()[:m]

    def arrays(self) -> dict[str, Values]:
        """All numbers by name, for a file."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, data: Mapping[str, npt.NDArray[np.generic]]) -> Network:
        """The network whose `arrays` these are."""
        return cls(**{name: values.astype(np.float32) for name, values in data.items()})
