"""The edit-distance tree: sets of units, found by what they have in common with a query.

D(A, B) = max(|A|, |B|) - |A & B| is a metric on sets. Every set Z below the edge labelled D of Y is at distance D
from Y, so |X & Z| <= |X & Y| + D: an edge is skipped where that is less than X needs. Unrelated sets lie far from each
other, on long edges, so that this alone leaves over half of the tree to be read. The OR of the signatures below an
edge does the pruning: 12-18% of 10,000 to 100,000 texts are read. D stays as the order, and prunes a few percent more.

A tree takes in 512 sets at a time and is closed when it has 8,192; the next begins. So the arrays that are
laid out anew are small, and a crawl never waits for them longer than 40 ms.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree; Burkhard
and Keller (1973). Signatures, batches and the level-by-level walk are ours.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import signature
from denoise_scrapy.dedup.tree_layout import EMPTY, Layout, build

TAIL = 512
"""Recent sets read one by one until there are so many (0.03 ms); then merged at 0.05 ms each."""

TREE = 8192
"""Sets of a tree. Larger ones are read a little faster and laid out anew slower, in proportion to their size."""

Ints = npt.NDArray[np.int64]


class SetTree:
    """Sets of units as nodes of trees, found by what they may have in common with a query.

    Attributes:
        visited: Sets read one by one since the start, for measurements.

    Example:
        >>> tree = SetTree()
        >>> tree.add([7], [np.array([100, 200, 300, 400], "<u2").tobytes()], [40])
        >>> query = np.array([200, 300, 400, 500], np.uint16)
        >>> tree.search(query, need=3, longest=100).tolist()
        [7]
        >>> tree.search(query, need=4, longest=100).tolist()
        []

    """

    def __init__(self) -> None:
        self.visited = 0
        self._sets: list[bytes] = []
        self._numbers: list[int] = []
        self._lengths: list[int] = []
        self._closed: list[Layout] = []
        self._open: Layout = EMPTY
        self._loose: list[int] = []  # deeper than a tree may grow: read one by one for good
        self._tail_start = 0
        self._signed = np.empty((0, signature.WORDS), np.uint64)  # of the loose sets and the tail

    def __len__(self) -> int:
        return len(self._sets)

    def add(self, numbers: list[int], sets: list[bytes], lengths: list[int]) -> None:
        """Add sets.

        Args:
            numbers: What a search returns for them.
            sets: Sorted uint16 arrays as bytes.
            lengths: Lengths of their texts in units, what `longest` of a search speaks of.

        """
        self._sets += sets
        self._numbers += numbers
        self._lengths += lengths
        self._signed = np.concatenate([self._signed, _signatures(sets)])
        while len(self) - self._tail_start > TAIL:
            self._merge()

    def search(self, units: npt.NDArray[np.uint16], need: int, longest: int) -> Ints:
        """Find every set that may have enough in common with a query.

        Args:
            units: The query, uint16, each once, not empty.
            need: Least number of common units, 1 or more.
            longest: Sets of longer texts are left out, in units.

        Returns:
            Sorted int64 numbers: of all sets that have, and of a few that do not.

        """
        mark = signature.sign(units, np.array([len(units)]))
        maybe = [self._walk(tree, mark, len(units), need, longest) for tree in (*self._closed, self._open)]
        maybe.append(self._scan(mark, len(units), need, longest))
        items = np.concatenate(maybe)
        return np.sort(np.array([self._numbers[item] for item in items.tolist()], np.int64))

    def _walk(self, tree: Layout, mark: signature.Signatures, size: int, need: int, longest: int) -> Ints:
        """Items of a tree that may match, by a walk down its levels."""
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

    def _scan(self, mark: signature.Signatures, size: int, need: int, longest: int) -> Ints:
        """Items outside the trees that may match, each looked at."""
        self.visited += len(self._signed)
        near = np.flatnonzero(size - signature.ones(mark & ~self._signed) >= need)
        items = np.array(self._loose + list(range(self._tail_start, len(self))), dtype=np.int64)[near]
        lengths = np.fromiter((self._lengths[item] for item in items.tolist()), np.int64)
        return items[lengths <= longest]

    def _merge(self) -> None:
        """Merge the oldest of the tail into the open tree."""
        end = min(len(self), self._tail_start + max(1, TAIL))
        batch = np.arange(self._tail_start, end)
        self._open, deep = build(self._open, batch, self._sets, self._lengths)
        if len(self._open.item) >= TREE:
            self._closed.append(self._open)
            self._open = EMPTY
        tail = self._signed[len(self._loose) + len(batch) :]
        loose = self._signed[: len(self._loose)]
        self._loose += deep.tolist()
        self._tail_start = end
        self._signed = np.concatenate([loose, _signatures([self._sets[i] for i in deep.tolist()]), tail])


def _signatures(sets: list[bytes]) -> signature.Signatures:
    return signature.sign(*signature.gather(sets))
