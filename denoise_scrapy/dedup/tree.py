"""The edit-distance tree, exact and without recursion.

The order is the source's: D(A, B) = max(|A|, |B|) - |A & B|, a metric on sets, and every set below
the edge labelled D of Y is at distance exactly D from Y. From it follows |X & Z| <= |X & Y| + D for
every Z below that edge, the source's bound; but unrelated sets sit at large D, and that bound alone
leaves over half of the tree to be read. The OR of the signatures below an edge does the pruning:
1-3% of 84,000 texts are read. D stays as the order, and prunes a few percent more.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree; Burkhard
and Keller (1973). Signatures, batches and the level-by-level walk are ours.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import signature
from denoise_scrapy.dedup.tree_layout import EMPTY, Layout, build

TAIL = 1024
"""Recent sets read one by one until there are so many (0.06 ms); then merged at 0.1 ms each."""

_TAIL_SHARE = 64  # a tail of 1/64 of the tree, where that is more: merging stays linear in all


class SetTree:
    """Sets of units under numbers, found by what they have in common with a query.

    Example:
        >>> tree = SetTree()
        >>> tree.add(7, np.array([1, 2, 3, 4], "<u4").tobytes(), length=40)
        >>> query = np.array([2, 3, 4, 5], np.uint32)
        >>> tree.search(query, need=3, longest=100).tolist()
        [7]
        >>> tree.search(query, need=4, longest=100).tolist()
        []

    """

    def __init__(self) -> None:
        self._sets: list[bytes] = []
        self._numbers: list[int] = []
        self._lengths: list[int] = []
        self._layout: Layout = EMPTY
        self._loose: list[int] = []  # deeper than the tree may grow: read one by one for good
        self._tail_start = 0
        self._signed = np.empty((0, signature.WORDS), np.uint64)  # of the loose sets and the tail
        self.visited = 0
        """Sets and subtrees read since the start, for measurements."""

    def __len__(self) -> int:
        return len(self._sets)

    def add(self, number: int, units: bytes, length: int) -> None:
        """Add a set.

        Args:
            number: What a search returns for it.
            units: Sorted uint32 array as bytes.
            length: Length of its text in units, what `longest` of a search speaks of.

        """
        self._sets.append(units)
        self._numbers.append(number)
        self._lengths.append(length)

    def search(self, units: npt.NDArray[np.uint32], need: int, longest: int) -> npt.NDArray[np.int64]:
        """Find every set that has enough in common with a query.

        Args:
            units: The query, sorted uint32, not empty.
            need: Least number of common units, 1 or more.
            longest: Sets of longer texts are left out, in units.

        Returns:
            Sorted int64 numbers of all such sets: what a linear scan would return.

        """
        self._settle()
        mark = signature.sign(units, np.array([len(units)]))
        maybe = [self._walk(mark, len(units), need, longest)]
        maybe.append(self._scan(mark, len(units), need, longest))
        items = np.concatenate(maybe)
        if not len(items):
            return items
        shared = signature.common(units, [self._sets[item] for item in items.tolist()])
        numbers = [self._numbers[item] for item in items[shared >= need].tolist()]
        return np.sort(np.array(numbers, np.int64))

    def _walk(self, mark: signature.Signatures, size: int, need: int, longest: int) -> npt.NDArray[np.int64]:
        """Items of the tree that may match, by a walk down its levels."""
        tree = self._layout
        found = []
        front = np.arange(min(1, len(tree.item)))
        while len(front):
            self.visited += len(front)
            bound = size - signature.ones(mark & ~tree.own[front])
            here = (bound >= need) & (tree.length[front] <= longest)
            found.append(tree.item[front[here]])
            first, count = tree.first[front], tree.first[front + 1] - tree.first[front]
            steps = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            front, bound = np.repeat(first, count) + steps, np.repeat(bound, count)
            near = (tree.distance[front] + bound >= need) & (tree.most[front] >= need)
            front = front[near & (tree.shortest[front] <= longest)]
            front = front[size - signature.ones(mark & ~tree.below[front]) >= need]
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _scan(self, mark: signature.Signatures, size: int, need: int, longest: int) -> npt.NDArray[np.int64]:
        """Items outside the tree that may match, each looked at."""
        self.visited += len(self._signed)
        near = np.flatnonzero(size - signature.ones(mark & ~self._signed) >= need)
        items = np.array(self._loose + list(range(self._tail_start, len(self._sets))), dtype=np.int64)[near]
        lengths = np.fromiter((self._lengths[item] for item in items.tolist()), np.int64)
        return items[lengths <= longest]

    def _settle(self) -> None:
        """Merge a tail grown long into the tree; sign what is read one by one."""
        tail = len(self._sets) - self._tail_start
        if tail > max(TAIL, len(self._layout.item) // _TAIL_SHARE):
            batch = np.arange(self._tail_start, len(self._sets))
            self._layout, deep = build(self._layout, batch, self._sets, self._lengths)
            self._loose += deep.tolist()
            self._tail_start = len(self._sets)
            self._signed = self._sign(self._loose)
        unsigned = len(self._loose) + len(self._sets) - self._tail_start - len(self._signed)
        if unsigned:
            fresh = self._sign(range(len(self._sets) - unsigned, len(self._sets)))
            self._signed = np.concatenate([self._signed, fresh])

    def _sign(self, items: list[int] | range) -> signature.Signatures:
        return signature.sign(*signature.gather([self._sets[item] for item in items]))
