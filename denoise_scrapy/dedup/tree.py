"""The edit-distance tree: sets of units, found by what they have in common with a query.

D(A, B) = max(|A|, |B|) - |A & B| is a metric on sets. Every set Z below the edge labelled D of Y is at distance D
from Y, so |X & Z| <= |X & Y| + D: an edge is skipped where that is less than X needs. Unrelated sets lie far from each
other, on long edges, so that this alone leaves over half of the tree to be read. The OR of the signatures below an
edge does the pruning: 12-18% of 10,000 to 100,000 texts are read. D stays as the order, and prunes a few percent more.

A tree takes in 512 sets at a time and is closed when it has 8,192; the next begins. So the arrays that are
laid out anew are small, and a crawl never waits for them longer than 40 ms. Nodes lie in breadth-first order, the
children of a node side by side and in order of distance, so that a level of a walk is one array operation, and
(parent, distance) is sorted over the whole tree. A batch sinks through the tree in step: at each level the first set to
reach an empty place takes it, as if the sets had come one by one.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree; Burkhard
and Keller (1973). Signatures, batches and the level-by-level walk are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from denoise_scrapy.dedup.rules import NewText, Rule
from denoise_scrapy.dedup.sets import BITS_LOG2, Ints, Signatures, Units, gather, ones, sign
from denoise_scrapy.dedup.store import Record, Store

TAIL = 512  # recent sets read one by one until there are so many (0.03 ms); then merged at 0.05 ms each
# Sets of a tree. Larger ones are read a little faster and laid out anew slower, in proportion to their size.
TREE = 8192
# Deeper sets stay outside the tree. Real texts reach a depth of 9; only a long row of equal sets, or of sets without
# anything in common and of one size, would make a chain of the tree.
MAX_DEPTH = 64

_BATCH = 2048  # records taken in at a time: 2 MB
_PAIRS = 8192  # pairs of sets compared at a time: bounds the arrays to some 10 MB
_32 = np.uint64(32)
_NONE = np.empty(0, np.int64)
_NO_SIGN = np.empty((0, (1 << BITS_LOG2) // 64), np.uint64)


class Forest:
    """The main strings of a store.

    Args:
        store: The store; records come from it a batch at a time.
        rule: What says which texts can be duplicates.

    """

    def __init__(self, store: Store, rule: Rule) -> None:
        self._store = store
        self._rule = rule
        self._trees: dict[str, dict[int, SetTree]] = {}
        self._last = 0

    def __len__(self) -> int:
        return sum(len(one) for trees in self._trees.values() for one in trees.values())

    @property
    def last(self) -> int:
        """The highest id taken in."""
        return self._last

    @property
    def visited(self) -> int:
        """Sets read one by one since the start, for measurements."""
        return sum(one.visited for trees in self._trees.values() for one in trees.values())

    def catch_up(self, ids: Sequence[int]) -> None:
        """Take in records.

        Args:
            ids: Their ids, ascending, above `last`; those no longer in the store are skipped.

        """
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            self._add(self._store.get(part))
            self._last = part[-1]

    def candidates(self, new: NewText, scope: str, threshold: float) -> list[int]:
        """Find what may be duplicated by a new text.

        Args:
            new: The text.
            scope: Where to look.
            threshold: The rule's, in (0, 1].

        Returns:
            Ids in ascending order: all that are, and a few more.

        """
        found = list[int]()
        for t, tree in self._trees.get(scope, {}).items():
            units, need = self._rule.main_query(new, t, threshold)
            if need:
                found += tree.search(units, need, self._rule.longest(new)).tolist()
        return sorted(found)

    def _add(self, records: Sequence[Record]) -> None:
        grouped: dict[tuple[str, int], list[Record]] = {}
        for record in records:
            if not self._rule.too_short(record.fingerprint):
                grouped.setdefault((record.name.scope, record.fingerprint.t), []).append(record)
        for (scope, t), members in grouped.items():
            prints = [record.fingerprint for record in members]
            tree = self._trees.setdefault(scope, {}).setdefault(t, SetTree())
            tree.add([record.id for record in members], [one.s1 for one in prints], [one.n for one in prints])


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
        self._signed = _NO_SIGN  # of the loose sets and the tail

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
        self._signed = np.concatenate([self._signed, sign(*gather(sets))])
        while len(self) - self._tail_start > TAIL:
            self._merge()

    def search(self, units: Units, need: int, longest: int) -> Ints:
        """Find every set that may have enough in common with a query.

        Args:
            units: The query, uint16, each once, not empty.
            need: Least number of common units, 1 or more.
            longest: Sets of longer texts are left out, in units.

        Returns:
            Sorted int64 numbers: of all sets that have, and of a few that do not.

        """
        mark = sign(units, np.array([len(units)]))
        maybe = [self._walk(tree, mark, len(units), need, longest) for tree in (*self._closed, self._open)]
        maybe.append(self._scan(mark, len(units), need, longest))
        items = np.concatenate(maybe)
        return np.sort(np.array([self._numbers[item] for item in items.tolist()], np.int64))

    def _walk(self, tree: Layout, mark: Signatures, size: int, need: int, longest: int) -> Ints:
        """Items of a tree that may match, by a walk down its levels."""
        found = []
        front = np.arange(min(1, len(tree.item)))
        while len(front):
            self.visited += len(front)
            bound = size - ones(mark & ~tree.own[front])
            here = (bound >= need) & (tree.length[front] <= longest)
            found.append(tree.item[front[here]])
            first, count = tree.first[front], tree.first[front + 1] - tree.first[front]
            steps = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            front, bound = np.repeat(first, count) + steps, np.repeat(bound, count)
            near = (tree.distance[front] + bound >= need) & (tree.most[front] >= need)
            front = front[near & (tree.shortest[front] <= longest)]
            front = front[size - ones(mark & ~tree.below[front]) >= need]
        return np.concatenate(found) if found else np.empty(0, np.int64)

    def _scan(self, mark: Signatures, size: int, need: int, longest: int) -> Ints:
        """Items outside the trees that may match, each looked at."""
        self.visited += len(self._signed)
        near = np.flatnonzero(size - ones(mark & ~self._signed) >= need)
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
        self._signed = np.concatenate([loose, sign(*gather([self._sets[i] for i in deep.tolist()])), tail])


@dataclass(frozen=True, slots=True)
class Layout:
    """A tree of n nodes.

    Attributes:
        item: int64 (n,), number of each node's set.
        parent: int64 (n,), position of the parent; -1 for the root.
        distance: int64 (n,), edit distance to the parent; 0 for the root.
        depth: int64 (n,).
        first: int64 (n + 1,), position of each node's first child; the next entry ends them.
        own: uint64 (n, 16), signature of each node's set.
        below: uint64 (n, 16), OR of the signatures of the node and all below it.
        length: int64 (n,), text length of each node.
        shortest: int64 (n,), least text length of the node and all below it.
        most: int64 (n,), largest set of the node and all below it.

    """

    item: Ints
    parent: Ints
    distance: Ints
    depth: Ints
    first: Ints
    own: Signatures
    below: Signatures
    length: Ints
    shortest: Ints
    most: Ints


EMPTY = Layout(*(_NONE, _NONE, _NONE, _NONE, np.zeros(1, np.int64)), *(_NO_SIGN, _NO_SIGN, _NONE, _NONE, _NONE))


def build(old: Layout, batch: Ints, sets: Sequence[bytes], lengths: Sequence[int]) -> tuple[Layout, Ints]:
    """Merge a batch of sets into a tree.

    Args:
        old: The tree so far.
        batch: int64, item numbers of the new sets, ascending.
        sets: All sets by item number, sorted uint16 as bytes.
        lengths: All text lengths by item number.

    Returns:
        The tree with the batch, and the items that would lie deeper than it may grow.

    Example:
        >>> sets = [np.array(s, "<u2").tobytes() for s in ([1, 2], [1, 3], [1, 4], [5, 6])]
        >>> tree, deep = build(EMPTY, np.arange(4), sets, [9, 9, 9, 9])
        >>> tree.item.tolist(), tree.parent.tolist(), tree.distance.tolist()
        ([0, 1, 3, 2], [-1, 0, 0, 1], [0, 1, 2, 1])

    """
    item, parent, distance, depth, deep = _sink(old, batch, sets)
    order, place = _breadth_first(parent, distance, depth)
    item, depth, distance = item[order], depth[order], distance[order]
    parent = np.where(depth > 0, place[parent[order]], -1)
    first = np.searchsorted(parent, np.arange(len(item) + 1))
    own = _signatures(old, item, order, sets)
    length = np.fromiter((lengths[i] for i in item.tolist()), np.int64, len(item))
    size = np.fromiter((len(sets[i]) // 2 for i in item.tolist()), np.int64, len(item))
    below, shortest, most = _sums(own, length, size, depth, first)
    tree = Layout(item, parent, distance, depth, first, own, below, length, shortest, most)
    return tree, deep


def _sums(own: Signatures, length: Ints, size: Ints, depth: Ints, first: Ints) -> tuple[Signatures, Ints, Ints]:
    """OR, least length and greatest size of each subtree, from the deepest level up."""
    below, shortest, most = own.copy(), length.copy(), size.copy()
    levels = np.searchsorted(depth, np.arange(depth[-1] + 2))
    for level in range(len(levels) - 3, -1, -1):
        inner = np.arange(levels[level], levels[level + 1])
        inner = inner[first[inner] < first[inner + 1]]
        children = slice(levels[level + 1], levels[level + 2])
        starts = first[inner] - levels[level + 1]
        below[inner] |= np.bitwise_or.reduceat(below[children], starts, axis=0)
        least = np.minimum.reduceat(shortest[children], starts)
        shortest[inner] = np.minimum(shortest[inner], least)
        most[inner] = np.maximum(most[inner], np.maximum.reduceat(most[children], starts))
    return below, shortest, most


def _sink(old: Layout, batch: Ints, sets: Sequence[bytes]) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Give each set of a batch its parent and distance; new nodes are numbered after the old."""
    item, parent, distance, depth = old.item, old.parent, old.distance, old.depth
    edges = (old.parent << 32) | old.distance
    if not len(item):
        item, batch = batch[:1], batch[1:]
        parent, distance, depth = np.array([-1]), np.array([0]), np.array([0])
    at = np.zeros(len(batch), np.int64)
    for level in range(1, MAX_DEPTH):
        if not len(batch):
            break
        far = _distances(batch, item[at], sets)
        edge = (at << 32) | far
        place = np.searchsorted(edges, edge)
        known = place < len(edges)
        known[known] = edges[place[known]] == edge[known]
        wanted, taker, slot = np.unique(edge[~known], return_index=True, return_inverse=True)
        new = np.flatnonzero(~known)
        at[known] = place[known]
        at[new] = len(item) + slot
        taker = new[taker]
        item = np.concatenate([item, batch[taker]])
        parent = np.concatenate([parent, wanted >> 32])
        distance = np.concatenate([distance, wanted & 0xFFFFFFFF])
        depth = np.concatenate([depth, np.full(len(taker), level)])
        left = np.ones(len(batch), np.bool_)
        left[taker] = False
        batch, at = batch[left], at[left]
    return item, parent, distance, depth, batch


def _distances(some: Ints, others: Ints, sets: Sequence[bytes]) -> Ints:
    """D of the source, for pairs of sets."""
    parts = [_NONE]
    for start in range(0, len(some), _PAIRS):
        chunk, against = some[start : start + _PAIRS], others[start : start + _PAIRS]
        nodes, node = np.unique(against, return_inverse=True)
        theirs, their_size = gather([sets[i] for i in nodes.tolist()])
        units, size = gather([sets[i] for i in chunk.tolist()])
        ranks = np.repeat(np.arange(len(nodes), dtype=np.uint64), their_size)
        keys = (ranks << _32) | theirs
        asked = (np.repeat(node.astype(np.uint64), size) << _32) | units
        place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
        owner = np.repeat(np.arange(len(chunk)), size)
        shared = np.bincount(owner[keys[place] == asked], minlength=len(chunk))
        parts.append(np.maximum(size, their_size[node]) - shared)
    return np.concatenate(parts)


def _breadth_first(parent: Ints, distance: Ints, depth: Ints) -> tuple[Ints, Ints]:
    """Order of the nodes by level, then parent, then distance; and the place of each in it."""
    by_depth = np.argsort(depth, kind="stable")
    levels = np.searchsorted(depth[by_depth], np.arange(depth.max() + 2))
    place = np.zeros(len(parent), np.int64)
    order = by_depth.copy()
    for level in range(1, len(levels) - 1):
        nodes = by_depth[levels[level] : levels[level + 1]]
        nodes = nodes[np.lexsort((distance[nodes], place[parent[nodes]]))]
        order[levels[level] : levels[level + 1]] = nodes
        place[nodes] = np.arange(levels[level], levels[level + 1])
    return order, place


def _signatures(old: Layout, item: Ints, order: Ints, sets: Sequence[bytes]) -> Signatures:
    """Own signatures in the new order: the old ones moved, the new ones made."""
    own = np.empty((len(item), _NO_SIGN.shape[1]), np.uint64)
    known = order < len(old.item)
    own[known] = old.own[order[known]]
    fresh = np.flatnonzero(~known)
    for start in range(0, len(fresh), _PAIRS):
        part = fresh[start : start + _PAIRS]
        own[part] = sign(*gather([sets[i] for i in item[part].tolist()]))
    return own
