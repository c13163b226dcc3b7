"""The search of the kept texts that a new one repeats: equal words, prefilter or exact search, decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from denoise_scrapy.dedup.catalog import Catalog, Found
from denoise_scrapy.dedup.decision import Comparison
from denoise_scrapy.dedup.exact import Forest
from denoise_scrapy.dedup.rule import NewText, Rule
from denoise_scrapy.dedup.store import Listing, Name, Record, Store

SEARCHES = ("prefilter", "exact", "tree")
"""The ways to find candidates: by MinHash bands, or exactly, by bit-sliced signatures or by the edit-distance tree."""

_CHUNK = 256  # candidates judged at a time; the earliest is wanted, so that the rest need not be
_ALL = 1 << 62
_CATCH_UP = 4096  # texts taken in by one answer, while an exact search is made ready in a running crawl: 30 ms


class Match(NamedTuple):
    """A kept text, and what it has in common with a new one."""

    record: Record
    comparison: Comparison


class Search:
    """A catalog kept in step with a store, and the way through it.

    Args:
        store: The store.
        rule: What makes two texts duplicates.
        threshold: Of the rule, in (0, 1].
        way: One of `SEARCHES`.
        candidate_limit: More candidates of the prefilter than this: the exact search is asked, once it is ready.
        short: Whether the words of texts too short for similarity are looked up too.

    """

    def __init__(
        self, store: Store, rule: Rule, threshold: float, way: str, candidate_limit: int, *, short: bool
    ) -> None:
        self.catalog = Catalog(bands=way == "prefilter", short=short or not rule.has_bands)
        self.verified = 0
        """Candidates handed to the decision."""
        self.exact_answers = 0
        """Times the exact search was asked."""
        self._store = store
        self._rule = rule
        self._threshold = threshold
        self._limit = candidate_limit
        self._prefilter = way == "prefilter"
        self.forest = Forest(store, rule, "exact" if self._prefilter else way)

    def load(self) -> None:
        """Take in what the store has."""
        for batch in self._store.newer(self.catalog.last):
            self.take(batch)
        if not self._prefilter:
            self._ready(_ALL)

    def take(self, listings: Sequence[Listing]) -> None:
        """Take in texts kept by this index or another, in order of id."""
        self.catalog.extend(listings)

    def equal(self, name: Name, new: Listing, found: Found) -> tuple[Record | None, Record | None]:
        """Find the record of a text's key, and the earliest of the same units in the same order."""
        same_name = [one for one in self._alive(found.same_name) if one.name.key == name.key]
        same_words = [
            one
            for one in self._alive(found.same_words)
            if one.fingerprint.digest == new.digest and not _one_group(one.name, name)
        ]
        return (same_name[-1] if same_name else None), (same_words[0] if same_words and new.n else None)

    def matches(self, name: Name, text: NewText, found: Found) -> Iterator[Match]:
        """Find the kept texts that a new one duplicates, the earliest first."""
        ids = self._candidates(text, name.scope, found)
        for start in range(0, len(ids), _CHUNK):
            records = [one for one in self._alive(ids[start : start + _CHUNK]) if not _one_group(one.name, name)]
            self.verified += len(records)
            judged = self._rule.judge(text, [one.fingerprint for one in records], self._threshold)
            yield from (Match(*pair) for pair in zip(records, judged, strict=True) if pair[1].duplicate)

    def extended(self, text: NewText, found: Found) -> Match | None:
        """Find the kept text that makes the largest part of a new one, among those with a band in common."""
        records = self._alive(found.alike[: self._limit])
        judged = self._rule.extended(text, [record.fingerprint for record in records], self._threshold)
        parts = [Match(*pair) for pair in zip(records, judged, strict=True) if pair[1].duplicate]
        return max(parts, key=lambda match: (match.record.fingerprint.n, -match.record.id), default=None)

    def _candidates(self, text: NewText, scope: str, found: Found) -> list[int]:
        """Ids of what may hold a duplicate, ascending."""
        if self._prefilter and (len(found.alike) <= self._limit or not self._ready(_CATCH_UP)):
            return found.alike
        if not self._prefilter:
            self._ready(_ALL)
        self.exact_answers += 1
        return self.forest.candidates(text, scope, self._threshold)

    def _alive(self, ids: Sequence[int]) -> list[Record]:
        """Records that are still in the store; what another index has taken out is forgotten here too."""
        if not ids:
            return []
        records = self._store.get(ids)
        for gone in {*ids}.difference(record.id for record in records):
            self.catalog.discard(gone)
        return records

    def _ready(self, most: int) -> bool:
        """Take up to so many texts into the exact search; tell whether it has them all now."""
        self.forest.catch_up(self.catalog.ids_after(self.forest.last, most))
        return not self.catalog.ids_after(self.forest.last, most)


def _one_group(one: Name, other: Name) -> bool:
    return bool(one.group) and one.group == other.group
