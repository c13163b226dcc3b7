"""The edit-distance trees of an index: one for each scope and frequency threshold.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from denoise_scrapy.core.distance_tree import DistanceTree
from denoise_scrapy.core.feature_strings import EVERY, FeatureStrings
from denoise_scrapy.dedup.rules import NewText, Rule
from denoise_scrapy.dedup.store import Record


class DistanceForest:
    """The kept texts that are found by their units and runs; each text once, with an ascending id.

    Attributes:
        count: Number of its texts, including dropped ones.
        sizes: The same of each scope.
    """

    def __init__(self, rule: Rule) -> None:
        self.count = 0
        self.sizes: Counter[str] = Counter()
        self._rule = rule
        self._trees: dict[str, dict[int, DistanceTree]] = {}

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return sum(300 + tree.nbytes for trees in self._trees.values() for tree in trees.values())

    def add(self, record: Record) -> None:
        """Add a text."""
        kept, scope = record.fingerprint, record.name.scope
        self.count += 1
        self.sizes[scope] += 1
        tree = self._trees.setdefault(scope, defaultdict(DistanceTree))[kept.t]
        runs = (kept.s2, (EVERY // kept.limit).bit_length() - 1) if self._rule.has_runs else ()
        tree.add(record.id, kept.s1, kept.n, *runs)

    def drop(self, number: int, scope: str) -> None:
        """Leave a text out of further results, if it is there."""
        for tree in self._trees.get(scope, {}).values():
            tree.drop(number)

    def candidates(self, new: NewText, scope: str, most: int) -> list[int]:
        """Return ids of a scope, among them all duplicates of a new text: of each tree up to `most`, the likest."""
        found: list[int] = []
        for t, tree in self._trees.get(scope, {}).items():
            units, need, longest = self._rule.main_query(new, t)
            if need:
                runs = self._rule.run_queries(new, tree.halvings)
                found += tree.search(units, need, longest, runs, most)
        return found

    def parts(self, new: FeatureStrings, scope: str, share: float, most: int) -> list[int]:
        """Return ids of a scope, among them the texts that a new one contains: of each tree up to `most`."""
        found: list[int] = []
        for t, tree in self._trees.get(scope, {}).items():
            runs = {halved: new.repeated_sample(EVERY >> halved) for halved in tree.halvings}
            found += tree.parts(new.main_units(t), new.n, share, runs, most)
        return found
