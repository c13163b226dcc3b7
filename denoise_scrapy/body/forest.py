"""Boosted trees as arrays: probabilities of all blocks at once, by bits in words, without a library.

All splits of all trees are compared in one step; then all trees are gone down together, level by level, with a bit a
block, 64 blocks a word. Which blocks come to a node is known from its parent in two steps: those of the parent's whose
answer is yes go one way, the rest the other. So 1,800 splits of 120 trees cost two calls a level; to `and` all answers
on the way to each leaf costs three times as much.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]


class Descent:
    """The trees of a `Forest`, level by level.

    What the splits ask is answered by bits. Where an unknown value says yes, as nearly everywhere, a set bit means
    "no" (`x > threshold`), elsewhere "yes" (`x <= threshold`): NaN leaves either clear, so nobody looks for it.

    Attributes:
        feature: Feature of each distinct split (of 1,800 some 950 are), shape (splits,).
        threshold: What it is compared with, shape (splits, 1).
        above: How many of them, the first ones, set the bit above the threshold.
        split: The distinct split that each node asks, depth by depth, shape (nodes,).
        come: Of each depth, the rows of `_reached` that hold the blocks that come to its n nodes, shape (n,) each. The
            rows of its children follow those of the depth before: n for set bits, n for clear ones.
        leaf: Row of each leaf, shape (leaves, trees), leaves a power of 2; two rows behind all are every block, none.
    """

    def __init__(
        self,
        feature: npt.NDArray[np.int32],
        threshold: npt.NDArray[np.float32],
        missing: npt.NDArray[np.bool_],
        way: npt.NDArray[np.int8],
    ) -> None:
        """See `Forest`."""
        asked = np.stack([~missing.ravel(), feature.ravel(), threshold.ravel().view(np.int32)], axis=1)
        distinct, number = np.unique(asked, axis=0, return_inverse=True)
        self.above = int(np.count_nonzero(distinct[:, 0] == 0))
        self.feature = distinct[:, 1].astype(np.intp)
        self.threshold = distinct[:, 2].astype(np.int32).view(np.float32)[:, None]
        levels, self.leaf = _levels(way, number.reshape(feature.shape), self.above)
        self.come = [come for _, come in levels]
        self.split = np.concatenate([np.zeros(0, np.intp), *(split for split, _ in levels)])

    def leaves(self, features: npt.NDArray[np.float32]) -> IntArray:
        """Number of the leaf, among all trees' leaves, that each block reaches in each tree.

        Args:
            features: Shape (features, m), NaN where unknown.

        Returns:
            Shape (trees, m): leaf + leaves a tree · tree.
        """
        reached = self._reached(self._answers(features)).take(self.leaf, axis=0)
        leaves, trees, words = reached.shape
        planes = np.empty((leaves.bit_length() - 1, trees, words), np.uint64)
        for bit, plane in enumerate(planes):  # the number of the one leaf reached, bit by bit
            ones = reached.reshape(-1, 2, 1 << bit, trees, words)[:, 1]
            np.bitwise_or.reduce(ones, axis=(0, 1), out=plane)
        bits = np.unpackbits(planes.view(np.uint8), axis=2)
        found = np.zeros(bits.shape[1:], np.uint8)
        for plane in bits[::-1]:
            found += found
            found |= plane
        m = features.shape[1]
        return np.asarray(found[:, :m] + np.arange(0, leaves * trees, leaves)[:, None])

    def _answers(self, features: npt.NDArray[np.float32]) -> Words:
        """Whether each block sets the bit of each distinct split, shape (splits, words)."""
        n, m = len(self.feature), features.shape[1]
        values = features.take(self.feature, axis=0)
        answers = np.empty((n, 64 * -(-m // 64)), bool)
        np.greater(values[: self.above], self.threshold[: self.above], out=answers[: self.above, :m])
        np.less_equal(values[self.above :], self.threshold[self.above :], out=answers[self.above :, :m])
        return np.packbits(answers).view(np.uint64).reshape(n, -1)  # flat: rows are whole words

    def _reached(self, answers: Words) -> Words:
        """Which blocks come to each node; rows as in `levels`."""
        asked, end = answers.take(self.split, axis=0), 2 * len(self.split)
        reached = np.empty((end + 2, answers.shape[1]), np.uint64)
        reached[end], reached[end + 1] = ~np.uint64(0), 0
        row = 0
        for come in self.come:
            here, n = reached.take(come, axis=0), len(come)
            there = np.bitwise_and(here, asked[row // 2 : row // 2 + n], out=reached[row : row + n])
            np.bitwise_xor(here, there, out=reached[row + n : row + 2 * n])
            row += 2 * n
        return reached


def _levels(
    way: npt.NDArray[np.int8], number: npt.NDArray[np.int64], above: int
) -> tuple[list[tuple[IntArray, IntArray]], IntArray]:
    """Splits and rows of each depth, and the leaves' rows; see `Descent`.

    Args:
        way: See `Forest`, shape (t, l, l - 1).
        number: Number of each split among the distinct ones, shape (t, l - 1).
        above: How many of those set the bit for "no".
    """
    below = np.count_nonzero(way, axis=1)  # leaves under each split: the nearer the root, the more
    nodes = 2 * int(np.count_nonzero(below))
    path = np.argsort(np.where(way != 0, -below[:, None], 1), axis=2, kind="stable")  # splits from the root to a leaf
    length = np.count_nonzero(way, axis=2)
    tree = np.broadcast_to(np.arange(len(way))[:, None], length.shape)
    come = np.full(length.shape, nodes)  # the row that leads on to each leaf: every block is at the root
    levels, row = [], 0
    for depth in range(int(length.max(initial=0))):
        on = length > depth
        trees, split = tree[on], path[..., depth][on]
        place = np.zeros(below.shape, np.intp)  # of each split of this depth among them
        here, first = np.unique(trees * below.shape[1] + split, return_index=True)
        place.ravel()[here] = np.arange(len(here))
        levels.append((number.ravel()[here], come[on][first]))
        yes = np.take_along_axis(way[on], split[:, None], axis=1)[:, 0] > 0
        clear = yes == (levels[-1][0] < above)[place[trees, split]]
        come[on] = row + place[trees, split] + len(here) * clear
        row += 2 * len(here)
    come[(length == 0) & (np.arange(way.shape[1]) > 0)] = nodes + 1  # the tree has fewer leaves
    width = 1 << max(way.shape[1] - 1, 1).bit_length()
    leaf = np.full((width, len(way)), nodes + 1)
    leaf[: way.shape[1]] = come.T
    return levels, leaf


#: Blocks that are judged in one step: what the step writes stays in the cache (2,048: a fifth dearer).
CHUNK = 512


@dataclass(frozen=True, eq=False)
class Forest:
    """t trees of up to l leaves.

    Attributes:
        feature: Feature of each split, shape (t, l - 1).
        threshold: The split asks whether the feature is at most this, shape (t, l - 1).
        missing: What an unknown value answers, shape (t, l - 1).
        way: 1 where a leaf's way needs a split's yes, -1 its no, 0 neither, shape (t, l, l - 1).
        value: Log odds that a leaf adds, shape (t, l).
    """

    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    missing: npt.NDArray[np.bool_]
    way: npt.NDArray[np.int8]
    value: npt.NDArray[np.float32]

    def probability(self, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """Probability of each block.

        Args:
            features: Shape (features, m), NaN where unknown.

        Returns:
            Shape (m,).
        """
        odds = np.empty(features.shape[1])
        for start in range(0, len(odds), CHUNK):
            part = features[:, start : start + CHUNK]
            leaves = self.descent.leaves(part)
            self._values.take(leaves).sum(axis=0, out=odds[start : start + CHUNK])
        return np.asarray(1 / (1 + np.exp(-odds)))

    @cached_property
    def descent(self) -> Descent:
        """The ways down the trees, for many blocks at once."""
        return Descent(self.feature, self.threshold, self.missing, self.way)

    @cached_property
    def _values(self) -> npt.NDArray[np.float64]:
        """Log odds of all leaves, tree by tree, shape (t · l,)."""
        return self.value.astype(np.float64).ravel()

    def arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """All numbers by name, for a file."""
        return {
            "feature": self.feature.astype(np.int16),
            "threshold": self.threshold,
            "missing": self.missing,
            "way": self.way,
            "value": self.value,
        }

    @classmethod
    def from_arrays(cls, data: Mapping[str, npt.NDArray[np.generic]]) -> Forest:
        """The forest whose `arrays` these are."""
        return cls(
            feature=data["feature"].astype(np.int32),
            threshold=data["threshold"].astype(np.float32),
            missing=data["missing"].astype(np.bool_),
            way=data["way"].astype(np.int8),
            value=data["value"].astype(np.float32),
        )
