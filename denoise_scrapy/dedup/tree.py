"""The edit-distance tree: sets of units, found by what they have in common with a query.

D(A, B) = max(|A|, |B|) - |A & B| is a metric on sets. Every set Z below the edge labelled D of Y is at distance D
from Y, so |X & Z| <= |X & Y| + D: an edge is skipped where that is less than X needs. Unrelated sets lie far from each
other, on long edges, so that this alone leaves over half of the tree to be read. The OR of the signatures below an
edge does the pruning: a tenth to a fifth of 10,000 to 100,000 texts is read.

A level of the tree is a table of nodes in order of arrival, so that a search takes a few array operations a level.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree; Burkhard and Keller (1973).
Signatures and the walk by levels are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.feature_strings import UNIT_BITS
from denoise_scrapy.dedup.rules import NewText, Rule
from denoise_scrapy.dedup.store import Store

# Levels of a tree. Real texts reach a dozen; a long row of equal sets, or of sets without anything in common, would
# make a chain, and lies side by side on the last one.
MAX_DEPTH = 64

_BATCH = 2048  # records taken in at a time: 2 MB
_PARENT, _DISTANCE, _NUMBER, _LENGTH = range(4)  # columns of a level's nodes
_OWN, _BELOW = range(2)  # of its signatures
_UNREACHED = -(1 << 40)  # what a query has in common with a node that the walk has not come to


# Signatures of sets have one bit for each element. An element of X whose bit is clear in Z's signature is not in Z, so
# |X & Z| <= |X| - popcount(signature(X) & ~signature(Z)); the OR of some signatures bounds every set among them. The
# bound never lies low, so pruning by it is exact. Source: ours (superimposed coding).
BITS_LOG2 = 10  # 1,024 bits of a signature: as fast as 2,048 at 84,000 texts, in half the memory

_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

Row = TypeVar("Row", bound=np.generic)
Ints = npt.NDArray[np.int64]
Units = npt.NDArray[np.uint16]
Signatures = npt.NDArray[np.uint64]


def grown(rows: npt.NDArray[Row]) -> npt.NDArray[Row]:
    """Copy an array into one with room for twice as many rows, which take no memory before they are written."""
    room = np.zeros((2 * len(rows), *rows.shape[1:]), rows.dtype)
    room[: len(rows)] = rows
    return room


def sign(units: Units) -> Signatures:
    """Make the signature of a set, uint64 (16,).

    Example:
        >>> ones(sign(np.array([1 << 6, 2 << 6, 3 << 6], np.uint16))[None]).tolist()
        [3]
    """
    bits = np.zeros(1 << BITS_LOG2, np.bool_)
    bits[units >> (UNIT_BITS - BITS_LOG2)] = True
    return np.packbits(bits, bitorder="little").view(np.uint64)


def ones(words: Signatures) -> Ints:
    """Count the set bits of each row, as int64: counts are subtracted, and unsigned ones would wrap round."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        counts = np.bitwise_count(words)
    else:
        counts = _BYTE_ONES[np.ascontiguousarray(words).view(np.uint8)]
    return np.asarray(counts.sum(axis=1, dtype=np.int64))


class Forest:
    """The main strings of a store.

    Args:
        store: The store; records come from it a batch at a time.
        rule: What says which texts can be duplicates.

    Attributes:
        last: The highest id taken in.
    """

    def __init__(self, store: Store, rule: Rule) -> None:
        self.last = 0
        self._store = store
        self._rule = rule
        self._trees: dict[str, dict[int, SetTree]] = {}  # by scope and frequency threshold

    def __len__(self) -> int:
        return sum(len(one) for trees in self._trees.values() for one in trees.values())

    @property
    def visited(self) -> int:
        """Sets read since the start, for measurements."""
        return sum(one.visited for trees in self._trees.values() for one in trees.values())

    def catch_up(self, ids: Sequence[int]) -> None:
        """Take in the records of these ids, ascending, above `last`; those no longer in the store are skipped."""
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            for record in self._store.get(part):
                kept = record.fingerprint
                if not self._rule.too_short(kept):
                    tree = self._trees.setdefault(record.name.scope, {}).setdefault(kept.t, SetTree())
                    tree.add(record.id, kept.units, kept.n)
            self.last = part[-1]

    def candidates(self, new: NewText, scope: str, threshold: float) -> list[int]:
        """Return ascending ids of all that a new text may duplicate at a threshold, and of a few more."""
        found = list[int]()
        for t, tree in self._trees.get(scope, {}).items():
            units, need = self._rule.main_query(new, t, threshold)
            if need:
                found += tree.search(units, need, self._rule.longest(new)).tolist()
        return sorted(found)


class SetTree:
    """Sets of units, found by what they may have in common with a query.

    Attributes:
        visited: Sets read since the start, for measurements.

    Example:
        >>> tree = SetTree()
        >>> tree.add(7, np.array([100, 200, 300, 400], np.uint16), 40)
        >>> query = np.array([200, 300, 400, 500], np.uint16)
        >>> tree.search(query, need=3, longest=100).tolist()
        [7]
        >>> tree.search(query, need=4, longest=100).tolist()
        []
    """

    def __init__(self) -> None:
        self.visited = 0
        self.levels: list[Level] = []

    def __len__(self) -> int:
        return sum(len(level.sets) for level in self.levels)

    def add(self, number: int, units: Units, length: int) -> None:
        """Add a set of units, each once; a search returns its number. `length` is its text's, in units."""
        own = sign(units)
        is_in = np.zeros(1 << UNIT_BITS, np.bool_)
        is_in[units] = True
        parent = distance = 0
        for depth in range(MAX_DEPTH):
            if depth == len(self.levels):
                self.levels.append(Level())
            level = self.levels[depth]
            row = level.edges.get((parent, distance))
            if row is None or depth == MAX_DEPTH - 1:
                level.append((parent, distance, number, length), own, units)
                return
            level.signatures[row, _BELOW] |= own
            theirs = level.sets[row]
            parent, distance = row, max(len(units), len(theirs)) - int(np.count_nonzero(is_in[theirs]))

    def search(self, units: Units, need: int, longest: int) -> Ints:
        """Return sorted numbers of all sets that have `need` units in common with a query, and of a few that have not.

        The query's units stand in it once, and are not none; sets of texts longer than `longest` units are left out.
        """
        mark, found = sign(units), [np.empty(0, np.int64)]
        common = np.array([len(units)])  # at most, with each node of the level above
        for level in self.levels:
            count = len(level.sets)
            nodes, signatures = level.nodes[:count], level.signatures[:count]
            near = np.flatnonzero(common[nodes[:, _PARENT]] + nodes[:, _DISTANCE] >= need)
            near = near[len(units) - ones(mark & ~signatures[near, _BELOW]) >= need]
            self.visited += len(near)
            common = np.full(count, _UNREACHED)
            common[near] = len(units) - ones(mark & ~signatures[near, _OWN])
            found.append(nodes[(common >= need) & (nodes[:, _LENGTH] <= longest), _NUMBER])
        return np.sort(np.concatenate(found))


class Level:
    """The nodes of one depth of a tree, in order of arrival.

    Attributes:
        nodes: int64 (c, 4), row of the parent in the level above, distance to it, number of the set, length of its
            text; of c rows as many are used as there are sets.
        signatures: uint64 (c, 2, 16), of the set, and the OR of that and all below.
        sets: uint16 each.
        edges: Row of the first node by parent and distance.
    """

    def __init__(self) -> None:
        self.nodes = np.zeros((4, 4), np.int64)
        self.signatures = np.zeros((4, 2, (1 << BITS_LOG2) // 64), np.uint64)
        self.sets: list[Units] = []
        self.edges: dict[tuple[int, int], int] = {}

    def append(self, node: tuple[int, int, int, int], own: Signatures, units: Units) -> None:
        """Add a node."""
        row = len(self.sets)
        if row == len(self.nodes):  # to copy 28 MB, a hundred thousand sets, takes 10 ms
            self.nodes, self.signatures = grown(self.nodes), grown(self.signatures)
        self.nodes[row], self.signatures[row] = node, own
        self.sets.append(units)
        self.edges.setdefault(node[:2], row)
