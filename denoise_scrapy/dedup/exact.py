"""Exact search: every kept text whose main feature string has enough in common with a new one's.

Sets of units are grouped by scope and frequency threshold (a forest, where they lie in trees), for a new text is cut
at the threshold of the texts it is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.rule import NewText, Rule
from denoise_scrapy.dedup.slices import Slices
from denoise_scrapy.dedup.store import Record, Store
from denoise_scrapy.dedup.tree import SetTree

_BATCH = 2048  # records taken in at a time: 2 MB


class UnitSets(Protocol):
    """Sets of units under numbers."""

    visited: int

    def add(self, numbers: list[int], sets: list[bytes], lengths: list[int]) -> None:
        """Add sets."""

    def search(self, units: npt.NDArray[np.uint16], need: int, longest: int) -> npt.NDArray[np.int64]:
        """Numbers of all sets with at least `need` of the units, of texts no longer than `longest`, and a few more."""

    def __len__(self) -> int: ...


KINDS: dict[str, Callable[[], UnitSets]] = {"exact": Slices, "tree": SetTree}
"""The structures there are, by what selects them."""


class Forest:
    """The main feature strings of a store.

    Args:
        store: The store; records come from it a batch at a time.
        rule: What says which sets can hold a duplicate.
        kind: Name in `KINDS`.

    """

    def __init__(self, store: Store, rule: Rule, kind: str) -> None:
        self._store = store
        self._rule = rule
        self._make = KINDS[kind]
        self._sets: dict[str, dict[int, UnitSets]] = {}
        self.last = 0
        """The highest id taken in."""

    def __len__(self) -> int:
        return sum(len(one) for levels in self._sets.values() for one in levels.values())

    @property
    def visited(self) -> int:
        """Sets read one by one since the start, for measurements."""
        return sum(one.visited for levels in self._sets.values() for one in levels.values())

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
        """Find what may hold a duplicate.

        Args:
            new: A text.
            scope: Where to look.
            threshold: Least share of the text's main units, in (0, 1].

        Returns:
            Ids in ascending order: all whose main feature string has enough in common, and a few more.

        """
        found = list[int]()
        for t, sets in self._sets.get(scope, {}).items():
            need = self._rule.least_common(new, t, threshold)
            if need:
                found += sets.search(new.main_units(t), need, self._rule.longest(new)).tolist()
        return sorted(found)

    def _add(self, records: Sequence[Record]) -> None:
        groups: dict[tuple[str, int], list[Record]] = {}
        for record in records:
            if not self._rule.too_short(record.fingerprint):
                groups.setdefault((record.name.scope, record.fingerprint.t), []).append(record)
        for (scope, t), group in groups.items():
            levels = self._sets.setdefault(scope, {})
            if t not in levels:
                levels[t] = self._make()
            prints = [record.fingerprint for record in group]
            levels[t].add([record.id for record in group], [one.s1 for one in prints], [one.n for one in prints])
