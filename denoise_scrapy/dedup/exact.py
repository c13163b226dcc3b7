"""Exact search: every kept text that can be a duplicate of a new one, by what the two feature strings have in common.

The tree, as in the source, searches the main strings; there is one for each frequency threshold, for a new text is cut
at the threshold of the texts it is compared with. In long texts at a threshold of 1 and more few units are left, and
common ones: 3% of all kept texts have 70% of a new one's, and each of these must then be judged. So the bit-sliced
signatures search the auxiliary strings, in which strangers have next to nothing in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.rule import NewText, Query, Rule
from denoise_scrapy.dedup.slices import Slices
from denoise_scrapy.dedup.store import Record, Store
from denoise_scrapy.dedup.tree import SetTree
from denoise_scrapy.dedup.unit_sets import UnitSets

_BATCH = 2048  # records taken in at a time: 2 MB


class _Group(NamedTuple):
    """Texts whose feature strings are compared with one and the same string of a new text."""

    scope: str
    t: int
    limit: int


class Forest:
    """The feature strings of a store.

    Args:
        store: The store; records come from it a batch at a time.
        rule: What says which texts can be duplicates.
        tree: Whether to lay them out as edit-distance trees, by their main strings.

    """

    def __init__(self, store: Store, rule: Rule, *, tree: bool) -> None:
        self._store = store
        self._rule = rule
        self._tree = tree
        self._by_main = tree or not rule.has_bands
        self._groups: dict[str, dict[_Group, UnitSets]] = {}
        self.last = 0
        """The highest id taken in."""

    def __len__(self) -> int:
        return sum(len(one) for groups in self._groups.values() for one in groups.values())

    @property
    def visited(self) -> int:
        """Sets read one by one since the start, for measurements."""
        return sum(one.visited for groups in self._groups.values() for one in groups.values())

    def catch_up(self, ids: Sequence[int]) -> None:
        """Take in records.

        Args:
            ids: Their ids, ascending, above `last`; those no longer in the store are skipped.

        """
        for start in range(0, len(ids), _BATCH):
            part = ids[start : start + _BATCH]
            self._add(self._store.get(part))
            self.last = part[-1]

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
        for group, sets in self._groups.get(scope, {}).items():
            units, need = self._query(new, group, threshold)
            if need:
                found += sets.search(units, need, self._rule.longest(new)).tolist()
        return sorted(found)

    def _query(self, new: NewText, group: _Group, threshold: float) -> Query:
        if self._by_main:
            return self._rule.main_query(new, group.t, threshold)
        return self._rule.pair_query(new, group.t, group.limit, threshold)

    def _add(self, records: Sequence[Record]) -> None:
        grouped: dict[_Group, list[Record]] = {}
        for record in records:
            kept = record.fingerprint
            if not self._rule.too_short(kept):
                group = _Group(record.name.scope, kept.t, 0 if self._by_main else kept.limit)
                grouped.setdefault(group, []).append(record)
        for group, members in grouped.items():
            groups = self._groups.setdefault(group.scope, {})
            if group not in groups:
                groups[group] = SetTree() if self._tree else Slices()
            prints = [record.fingerprint for record in members]
            sets = [self._string(one) for one in prints]
            groups[group].add([record.id for record in members], sets, [one.n for one in prints])

    def _string(self, kept: Fingerprint) -> bytes:
        return kept.s1 if self._by_main else kept.s2
