"""Small neural networks as arrays: the probability that a block is content, from its features and its surroundings'.

A first layer looks at each block alone; a second at what the first said of the block, of its neighbours, of its page
and of all blocks of its path (`Context`). So what a block is follows from where it stands. `forward` runs one network,
for training; pages are judged by all of them side by side (`SideBySide`), in one pass. `source/model.c` has the twin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page

#: Half widths of the windows, in blocks: the neighbours, the paragraph's surroundings, the section, the column.
WINDOWS = (1, 3, 8, 24)
#: Blocks that the widest window reaches to either side.
REACH = WINDOWS[-1]
#: Sets a block has: its windows, its page, the blocks of its path.
SETS = len(WINDOWS) + 2

Values = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Context:
    """The sets of the m blocks of one or several pages.

    Attributes:
        tokens: Tokens of each block, shape (m,).
        path: Path of each block, a number of its page's alone, shape (m,).
        lengths: Blocks of each page, shape (pages,).
    """

    tokens: IntArray
    path: IntArray
    lengths: IntArray

    @classmethod
    def of(cls, page: Page) -> Context:
        """The sets of a page's blocks."""
        return cls(page.blocks.tokens, page.blocks.slots, np.array([len(page.blocks)]))

    @classmethod
    def join(cls, pages: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]]) -> Context:
        """The sets of several pages' blocks, one after the other.

        Args:
            pages: Tokens and path keys of each page's blocks (`Blocks.tokens`, `Blocks.path_keys`).
        """
        paths, known = [np.zeros(0, np.int64)], 0
        for _, keys in pages:
            own, inverse = np.unique(keys, return_inverse=True)
            paths.append(inverse + known)
            known += len(own)
        tokens = np.concatenate([np.zeros(0, np.int64), *(tokens for tokens, _ in pages)])
        return cls(tokens, np.concatenate(paths), np.array([len(tokens) for tokens, _ in pages], np.int64))

    @cached_property
    def weight(self) -> Values:
        """Weight of each block in the means, shape (m, 1): long ones weigh more, by the logarithm of their length.

        A block without a token counts a little, so that no sum of weights is 0.
        """
        return np.asarray((np.log1p(self.tokens) + 0.1).astype(np.float32)[:, None])

    @cached_property
    def low(self) -> IntArray:
        """First block of each set but the last, shape (SETS - 1, m)."""
        start = np.repeat(self.lengths.cumsum() - self.lengths, self.lengths)
        index = np.arange(len(start))
        return np.array([*(np.maximum(index - width, start) for width in WINDOWS), start])

    @cached_property
    def high(self) -> IntArray:
        """First block after it."""
        end = np.repeat(self.lengths.cumsum(), self.lengths)
        index = np.arange(len(end))
        return np.array([*(np.minimum(index + width + 1, end) for width in WINDOWS), end])

    @cached_property
    def path_weights(self) -> Values:
        """Sum of the weights of each path's blocks, shape (paths, 1)."""
        return np.bincount(self.path, self.weight[:, 0]).astype(np.float32)[:, None]

    def means(self, values: Values) -> list[Values]:
        """Weighted means over each set of each block: SETS arrays of the shape of `values`, (m, h)."""
        weighted = values * self.weight
        return [self.sums(number, weighted) / weights for number, weights in enumerate(self._weights)]

    def gradient(self, of_means: Sequence[Values]) -> Values:
        """The gradient of the values, shape (m, h), from those of their means."""
        back = [self.sums(number, g / self._weights[number]) for number, g in enumerate(of_means)]
        return np.asarray(np.sum(back, axis=0, dtype=np.float32) * self.weight)

    def sums(self, number: int, values: Values) -> Values:
        """Sums over one set of each block, shape of `values`, (m, h)."""
        if number == SETS - 1:
            return np.asarray(self.path_sums(values).take(self.path, axis=0))
        running = np.zeros((len(values) + 1, values.shape[1]))
        np.cumsum(values, axis=0, out=running[1:])
        return np.asarray(running[self.high[number]] - running[self.low[number]], np.float32)

    def path_sums(self, values: Values) -> Values:
        """Sums over the blocks of each path, shape (paths, h)."""
        h = values.shape[1]
        place = self.path[:, None] * h + np.arange(h)
        return np.bincount(place.ravel(), values.ravel()).astype(np.float32).reshape(-1, h)

    @cached_property
    def _weights(self) -> list[Values]:
        """Sums of the weights over each set of each block, (m, 1) each: the same for all networks."""
        return [self.sums(number, self.weight) for number in range(SETS)]


def window_sums(rows: Values) -> list[Values]:
    """Sums over all windows of one page's blocks, each window made of narrower ones: ten additions for all four.

    As differences of running sums they would cost four times as much, and need double precision.

    Args:
        rows: Values of m blocks between REACH rows of zeros on either side, shape (m + 2 · REACH, h).

    Returns:
        One array for each of WINDOWS, shape (m, h) each.

    Example:
        >>> rows = np.zeros((3 + 2 * REACH, 1), np.float32)
        >>> rows[REACH:-REACH, 0] = 1, 10, 100
        >>> [sums.ravel().tolist() for sums in window_sums(rows)[:2]]
        [[11.0, 111.0, 110.0], [111.0, 111.0, 111.0]]
    """
    one = rows[:-2] + rows[1:-1]
    one += rows[2:]
    three = one[:-4] + one[4:]  # the three before, the three after …
    three += rows[3:-3]  # … and the one between
    eight = three[:-10] + three[10:]
    eight += one[7:-7]
    most = eight[:-32] + eight[32:]
    most += three[17:-25]
    most += three[25:-17]
    most += rows[REACH:-REACH]
    return [one[REACH - 1 : 1 - REACH], three[REACH - 3 : 3 - REACH], eight[REACH - 8 : 8 - REACH], most]


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


#: Features are cut so many standard deviations from their mean: a page is never far outside what was seen.
CLIP = 3.5
#: Log odds are cut here: no estimate is surer.
MOST = 30.0

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
