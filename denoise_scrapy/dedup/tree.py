"""The edit-distance tree: finds sets of units by their overlap with a query.

D(A, B) = max(|A|, |B|) - |A & B| is a metric on sets. Every set Z below the edge labelled D of Y is at distance D
from Y, so |X & Z| <= |X & Y| + D: an edge is skipped if that is less than X needs.

Sets are first compared by signatures, with one bit per element: an element of X whose bit is clear in Z's signature is
not in Z, so |X & Z| <= |X| - popcount(signature(X) & ~signature(Z)). This bound is never too low, so no match is lost.
A level of the tree is a table of nodes in order of insertion: a search takes a few array operations per level.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree; Burkhard and Keller (1973).
Signatures and the search by levels are ours.
"""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.catalog import Catalog
from denoise_scrapy.core.feature_strings import UNIT_BITS, count_common
from denoise_scrapy.dedup.rules import NewText, Rule
from denoise_scrapy.dedup.store import Store

# Maximum levels of a tree. Real texts reach a dozen; many equal sets, or sets with nothing in common, would form a
# chain, and all go to the last level instead.
MAX_DEPTH = 64

_BATCH = 2048  # records added at a time: 2 MB
_DEAD_LEAST = 1000  # removed texts from which rebuilding the trees is worthwhile
_PARENT, _DISTANCE, _NUMBER, _LENGTH = range(4)  # columns of a level's nodes
_UNREACHED = -(1 << 40)  # overlap with a node that the search has not reached
BITS_LOG2 = 10  # signatures of 1,024 bits: as fast as 2,048 with 84,000 texts, in half the memory

_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

Units = npt.NDArray[np.uint16]


def sign(units: Units) -> npt.NDArray[np.uint64]:
    """Return the signature of a set, uint64 (16,)."""
    bits = np.zeros(1 << BITS_LOG2, np.bool_)
    bits[units >> (UNIT_BITS - BITS_LOG2)] = True
    return np.packbits(bits, bitorder="little").view(np.uint64)


def ones(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Count the set bits of each row, as int64: differences of unsigned counts would wrap around."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        counts = np.bitwise_count(words)
    else:
        counts = _BYTE_ONES[np.ascontiguousarray(words).view(np.uint8)]
    return np.asarray(counts.sum(axis=1, dtype=np.int64))


class DistanceForest:
    """Trees of the main strings of a store's texts, searched for possible duplicates."""

    def __init__(self, store: Store, rule: Rule, catalog: Catalog) -> None:
        self._store, self._rule, self._catalog = store, rule, catalog
        self._last = self._count = 0  # highest id added, and number of sets
        self._trees: dict[str, dict[int, SetTree]] = {}  # by scope and frequency threshold

    @property
    def visited(self) -> int:
        """Sets read since the start, for measurements."""
        return sum(one.visited for trees in self._trees.values() for one in trees.values())

    def candidates(self, new: NewText, scope: str) -> list[int]:
        """Return ascending ids of all texts that a new one may duplicate, and of a few more."""
        self._catch_up()
        found = list[int]()
        for t, tree in self._trees.get(scope, {}).items():
            units, need, longest = self._rule.main_query(new, t)
            if need:
                found += tree.search(units, need, longest).tolist()
        return sorted(found)

    def _catch_up(self) -> None:
        """Add the catalog's new texts; rebuild the trees if most of their texts were removed."""
        if self._count > 2 * len(self._catalog) + _DEAD_LEAST:
            self._trees, self._last, self._count = {}, 0, 0
        ids = self._catalog.ids_after(self._last)
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            for record in self._store.get(part):
                kept = record.fingerprint
                if not self._rule.too_short(kept):
                    tree = self._trees.setdefault(record.name.scope, {}).setdefault(kept.t, SetTree())
                    tree.add(record.id, kept.units, kept.n)
                    self._count += 1
            self._last = part[-1]


class Level:
    """The nodes at one depth of a tree, in order of insertion."""

    def __init__(self) -> None:
        self.nodes = array("q")  # row of the parent in the level above, distance to it, number of the set, its length
        self.sets: list[bytes] = []  # uint16 each
        self.signatures = bytearray()  # 128 bytes each
        self.edges: dict[tuple[int, int], int] = {}  # row of the first node by parent and distance

    @property
    def table(self) -> npt.NDArray[np.int64]:
        """The nodes, int64 (n, 4)."""
        return np.frombuffer(self.nodes, np.int64).reshape(-1, 4)


class SetTree:
    """Sets of units, found by their overlap with a query.

    Attributes:
        visited: Sets read since the start, for measurements.
    """

    def __init__(self) -> None:
        self.visited = 0
        self.levels: list[Level] = []

    def __len__(self) -> int:
        return sum(len(level.sets) for level in self.levels)

    def add(self, number: int, units: Units, length: int) -> None:
        """Add a set of distinct units under a number; `length` is that of its text, in units."""
        parent = distance = 0
        for depth in range(MAX_DEPTH):
            if depth == len(self.levels):
                self.levels.append(Level())
            level = self.levels[depth]
            row = level.edges.get((parent, distance))
            if row is None or depth == MAX_DEPTH - 1:
                break
            theirs = level.sets[row]
            parent, distance = row, max(len(units), len(theirs) // 2) - count_common(units, theirs)
        level.edges.setdefault((parent, distance), len(level.sets))
        level.nodes.extend((parent, distance, number, length))
        level.sets.append(units.tobytes())
        level.signatures += sign(units).tobytes()

    def search(self, units: Units, need: int, longest: int) -> npt.NDArray[np.int64]:
        """Return sorted numbers of all sets that share `need` units with a query, and of a few that do not.

        The query has at least one unit and no repeats; sets of texts longer than `longest` units are left out.
        """
        mark, found, above = sign(units), [np.empty(0, np.int64)], np.array([len(units)])
        for level in self.levels:
            nodes = level.table
            near = np.flatnonzero(above[nodes[:, _PARENT]] + nodes[:, _DISTANCE] >= need)
            self.visited += len(near)
            common = np.full(len(nodes), _UNREACHED)
            signatures = np.frombuffer(level.signatures, np.uint64).reshape(len(nodes), -1)
            common[near] = len(units) - ones(mark & ~signatures[near])
            found.append(nodes[(common >= need) & (nodes[:, _LENGTH] <= longest), _NUMBER])
            above = common
        return np.sort(np.concatenate(found))
