"""Exact search: every kept text that can be a duplicate of a new one, by what their main strings have in common.

There is an edit-distance tree for each scope and frequency threshold, for a new text is cut at the threshold of the
texts it is compared with. In long texts few units are left, and common ones: 3% of all kept texts have 70% of a new
one's, and each of these must then be judged.
"""

from __future__ import annotations

from collections.abc import Sequence

from denoise_scrapy.dedup.rule import NewText, Rule
from denoise_scrapy.dedup.store import Record, Store
from denoise_scrapy.dedup.tree import SetTree

_BATCH = 2048  # records taken in at a time: 2 MB


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
