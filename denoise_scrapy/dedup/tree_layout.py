"""The tree's arrays and how a batch of sets is merged into them.

Nodes lie in breadth-first order, the children of a node side by side and in order of distance, so
that a level of a walk is one array operation, and (parent, distance) is sorted over the whole tree.
A batch sinks through the tree in step: at each level the first set to reach an empty place takes
it, as if the sets had come one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import signature

MAX_DEPTH = 64
"""Deeper sets stay outside the tree. Real texts reach a depth of 9; only a long row of equal sets,
or of sets without anything in common and of one size, would make a chain of the tree."""

_PAIRS = 8192  # pairs of sets compared at a time: bounds the arrays to some 10 MB
_32 = np.uint64(32)

Ints = npt.NDArray[np.int64]


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
    own: signature.Signatures
    below: signature.Signatures
    length: Ints
    shortest: Ints
    most: Ints


_NONE = np.empty(0, np.int64)
_NO_SIGN = np.empty((0, signature.WORDS), np.uint64)
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


def _sums(
    own: signature.Signatures, length: Ints, size: Ints, depth: Ints, first: Ints
) -> tuple[signature.Signatures, Ints, Ints]:
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
        theirs, their_size = signature.gather([sets[i] for i in nodes.tolist()])
        units, size = signature.gather([sets[i] for i in chunk.tolist()])
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


def _signatures(old: Layout, item: Ints, order: Ints, sets: Sequence[bytes]) -> signature.Signatures:
    """Own signatures in the new order: the old ones moved, the new ones made."""
    own = np.empty((len(item), signature.WORDS), np.uint64)
    known = order < len(old.item)
    own[known] = old.own[order[known]]
    fresh = np.flatnonzero(~known)
    for start in range(0, len(fresh), _PAIRS):
        part = fresh[start : start + _PAIRS]
        own[part] = signature.sign(*signature.gather([sets[i] for i in item[part].tolist()]))
    return own
