"""What stands around each block, as means: of the blocks next to it, of its page, of the blocks of its path.

Each mean is a sum over a set of blocks divided by the sum of their weights, and the sets are mutual: a block is in
the set of every block of its own set. So the operator of the sums is its own transpose, which training makes use of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page

#: Half widths of the windows, in blocks: the neighbours, the paragraph's surroundings, the section, the column.
WINDOWS = (1, 3, 8, 24)
#: Sets a block has: its windows, its page, the blocks of its path.
SETS = len(WINDOWS) + 2

Values = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Context:
    """The sets of the m blocks of one or several pages.

    Attributes:
        weight: Weight of each block in the means, shape (m, 1).
        low: First block of each set but the last, shape (SETS - 1, m).
        high: First block after it.
        order: The blocks sorted by page and path, shape (m,).
        first: Where a path begins in that order, shape (paths,).
        path: Path of each block, shape (m,).
    """

    weight: Values
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    order: npt.NDArray[np.int64]
    first: npt.NDArray[np.int64]
    path: npt.NDArray[np.int64]

    @classmethod
    def of(cls, page: Page) -> Context:
        """The sets of a page's blocks; long blocks weigh more, in proportion to the logarithm of their length."""
        return cls.join([(page.blocks.tokens, page.blocks.path_keys)])

    @classmethod
    def join(cls, pages: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]]) -> Context:
        """The sets of several pages' blocks, one after the other.

        Args:
            pages: Tokens and path keys of each page's blocks (`Blocks.tokens`, `Blocks.path_keys`).
        """
        lengths = [len(tokens) for tokens, _ in pages]
        ends = np.cumsum(lengths)
        start, end = np.repeat(ends - lengths, lengths), np.repeat(ends, lengths)
        index = np.arange(int(ends[-1]) if len(ends) else 0)
        low = [np.maximum(index - width, start) for width in WINDOWS]
        high = [np.minimum(index + width + 1, end) for width in WINDOWS]
        paths, known = [], 0
        for _, keys in pages:
            own, inverse = np.unique(keys, return_inverse=True)
            paths.append(inverse + known)
            known += len(own)
        path = np.concatenate(paths) if paths else np.zeros(0, np.int64)
        order = np.argsort(path, kind="stable")
        first = np.flatnonzero(np.diff(path[order], prepend=-1))
        # a block without a token counts a little, so that no sum of weights is 0
        weight = [np.log1p(tokens) + 0.1 for tokens, _ in pages]
        weights = np.concatenate(weight).astype(np.float32)[:, None] if weight else np.zeros((0, 1), np.float32)
        return cls(weights, np.array([*low, start]), np.array([*high, end]), order, first, path)

    def means(self, values: Values) -> list[Values]:
        """Weighted means over each set of each block: SETS arrays of the shape of `values`, (m, h)."""
        weighted = values * self.weight
        running = _running(weighted)  # once for all windows
        windows = (running.take(self.high, axis=0) - running.take(self.low, axis=0)).astype(np.float32)
        return [
            sums / weights for sums, weights in zip((*windows, self._of_path(weighted)), self._weights, strict=True)
        ]

    def gradient(self, of_means: Sequence[Values]) -> Values:
        """The gradient of the values, shape (m, h), from those of their means."""
        back = [self.sums(number, g / self._weights[number]) for number, g in enumerate(of_means)]
        return np.asarray(np.sum(back, axis=0, dtype=np.float32) * self.weight)

    def sums(self, number: int, values: Values) -> Values:
        """Sums over one set of each block, shape of `values`, (m, h)."""
        if number == SETS - 1:
            return self._of_path(values)
        running = _running(values)
        return np.asarray(running[self.high[number]] - running[self.low[number]], np.float32)

    @cached_property
    def _weights(self) -> list[Values]:
        """Sums of the weights over each set of each block, (m, 1) each: the same for all networks."""
        return [self.sums(number, self.weight) for number in range(SETS)]

    def _of_path(self, values: Values) -> Values:
        return np.asarray(np.add.reduceat(values[self.order], self.first, axis=0)[self.path])


def _running(values: Values) -> npt.NDArray[np.float64]:
    """Sums of the rows before each one, and of all, shape (m + 1, h)."""
    running = np.zeros((len(values) + 1, values.shape[1]))
    np.cumsum(values, axis=0, out=running[1:])
    return running
