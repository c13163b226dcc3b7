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
