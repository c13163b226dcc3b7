"""Several networks run as one: their weights stand side by side, so that a page takes one pass and not one each.

The same answers as `network.forward` for each network, to about 1e-6: sums are taken in another order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.context import REACH, SETS, WINDOWS, Context, window_sums

Values = npt.NDArray[np.float32]

#: Blocks that the second layer takes in one step: what it writes stays in the cache.
CHUNK = 512


class SideBySide:
    """Networks of one form, ready to run.

    Args:
        mean: See `BlockNetwork`, shape (n,).
        deviation: The same.
        networks: Weights of each of k networks (`network.Weights`), h outputs of the first layer, g of the second.
        clip: Standard deviations from the mean at which features are cut.

    Attributes:
        mean: Mean of each feature, shape (n, 1).
        low: Where each is cut below, shape (n, 1).
        high: And above.
        first: First layers, then what goes past them, divided by the deviations, with a last row for the biases and
            the means; shape (n + 1, k · h + k).
        near: Second layers' weights of the block itself and of its windows, shape (1 + windows, k, h, g).
        page: Those of the page's mean, shape (k, h, g).
        path: Those of the path's mean, shape (k, h, g).
        inner: Second layers' biases, shape (k, 1, g).
        last: Last layers, shape (k, g, 1).
    """

    def __init__(self, mean: Values, deviation: Values, networks: Sequence[Mapping[str, Values]], clip: float) -> None:
        def each(name: str) -> list[Values]:
            return [weights[name] for weights in networks]

        self.mean, reach = mean[:, None], np.float32(clip) * deviation[:, None]
        self.low, self.high = self.mean - reach, self.mean + reach
        rows = np.concatenate([*each("block"), *(direct[:, None] for direct in each("direct"))], axis=1)
        rows = rows / deviation[:, None].astype(np.float64)
        bias = np.concatenate([*each("block_bias"), *(bias.reshape(1) for bias in each("bias"))]) - mean @ rows
        self.first = np.concatenate([rows, bias[None]]).astype(np.float32)
        h = networks[0]["block"].shape[1]
        second = np.array(each("context")).reshape(len(networks), 1 + SETS, h, -1).transpose(1, 0, 2, 3)
        self.near = np.ascontiguousarray(second[: 1 + len(WINDOWS)])
        self.page, self.path = np.ascontiguousarray(second[-2]), np.ascontiguousarray(second[-1])
        self.inner = np.array(each("context_bias"))[:, None]
        self.last = np.array(each("last"))[:, :, None]

    @property
    def form(self) -> tuple[int, int, int, int]:
        """Networks, outputs of their first and second layers, and what the second looks at."""
        return (*self.path.shape, len(self.near) + 2)

    @property
    def layout(self) -> dict[str, Values]:
        """The arrays by name, as `native/model.py` takes them."""
        nothing = np.minimum(np.maximum(0, self.low), self.high)
        bias = self.first[-1] + nothing[:, 0] @ self.first[:-1].astype(np.float64)  # where all features are 0
        named = {name: getattr(self, name) for name in "low high mean near page path inner last".split()}
        return {**named, "first": self.first[:-1], "bias": bias}

    def odds(self, features: Values, context: Context) -> Values:
        """Log odds of each block by each network, shape (k, m).

        Args:
            features: Shape (n, m), NaN where unknown.
            context: Of the m blocks of one page.
        """
        first = self.cut(features).T @ self.first
        k, h = len(self.last), self.page.shape[1]
        odds, block = np.ascontiguousarray(first[:, k * h :].T), _positive(first[:, : k * h])
        rows = np.zeros((len(block) + 2 * REACH, k * h + 1), np.float32)  # the last column sums up the weights
        np.multiply(block, context.weight, out=rows[REACH:-REACH, :-1])
        rows[REACH:-REACH, -1:] = context.weight
        page, path = self._far(rows[REACH:-REACH], context)
        for start in range(0, len(block), CHUNK):
            part = slice(start, start + CHUNK)
            inner = self._near(block[part], rows[start : start + CHUNK + 2 * REACH])
            inner += page
            inner += path.take(context.path[part], axis=1)
            odds[:, part] += (_positive(inner) @ self.last)[..., 0]
        return odds

    def cut(self, features: Values) -> Values:
        """Features as the first layers take them, shape (n + 1, m): cut, unknown ones at their means, and a row of 1.

        They are standardised by the weights.
        """
        x = np.empty((len(features) + 1, features.shape[1]), np.float32)
        np.maximum(features, self.low, out=x[:-1])
        np.minimum(x[:-1], self.high, out=x[:-1])
        x[-1] = 1
        unknown = np.isnan(x[:-1])
        if unknown.any():
            np.copyto(x[:-1], self.mean, where=unknown)
        return x

    def _near(self, block: Values, rows: Values) -> Values:
        """What the block itself and its windows add to the second layer, shape (k, m, g)."""
        around = np.empty((len(self.near), *block.shape), np.float32)
        around[0] = block
        for means, sums in zip(around[1:], window_sums(rows), strict=True):
            np.divide(sums[:, :-1], sums[:, -1:], out=means)
        return np.asarray((self._by_network(around) @ self.near).sum(axis=0))

    def _far(self, rows: Values, context: Context) -> tuple[Values, Values]:
        """What the page's mean and those of its paths add to the second layer, shapes (k, 1, g) and (k, paths, g).

        A path's blocks are summed up behind the layer, where they have half as many columns.
        """
        whole = rows.sum(axis=0, keepdims=True)
        page = self._by_network(whole[:, :-1] / whole[:, -1:]) @ self.page
        k, _, g = self.path.shape
        added = np.empty((len(rows), k, g), np.float32)
        np.matmul(self._by_network(rows[:, :-1]), self.path, out=added.swapaxes(0, 1))
        path = context.path_sums(added.reshape(len(rows), -1)) / context.path_weights
        return page + self.inner, np.ascontiguousarray(self._by_network(path))

    def _by_network(self, columns: Values) -> Values:
        """Columns of shape (..., m, k · h) as (..., k, m, h)."""
        return np.asarray(columns.reshape(*columns.shape[:-1], len(self.last), -1).swapaxes(-3, -2))


def _positive(values: Values) -> Values:
    """The values, 0 where they are negative. Against an array: a scalar on one side takes numpy three times as long."""
    return np.asarray(np.maximum(values, np.zeros(values.shape, np.float32)))
