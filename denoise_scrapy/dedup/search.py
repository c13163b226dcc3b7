"""The search of the kept texts that a new one repeats: equal words, prefilter or exact search, decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from denoise_scrapy.dedup.catalog import Catalog, Found
from denoise_scrapy.dedup.decision import Comparison
from denoise_scrapy.dedup.exact import Forest
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.renewal import Renewal, is_due
from denoise_scrapy.dedup.rule import NewText, Rule
from denoise_scrapy.dedup.store import Listing, Name, Record, Store

SEARCHES = ("prefilter", "exact", "tree")
"""The ways to find candidates: by MinHash bands, or exactly, by bit-sliced signatures or by the edit-distance tree."""

_CHUNK = 256  # candidates judged at a time; the earliest is wanted, so that the rest need not be
_ALL = 1 << 62
_NO_TEXT = Fingerprint.of("")  # stands for that of a text that is looked up by its key
_CATCH_UP = 512  # texts taken in by one answer, while an exact search is made ready in a running crawl: 10 ms


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
        self._bands = way == "prefilter"
        self._short = short or not rule.has_bands
        self._way = way
        self._store = store
        self._rule = rule
        self._threshold = threshold
        self._limit = candidate_limit
        self._renewal: Renewal | None = None
        self.catalog, self.forest = self._empty()
        self.verified = 0
        """Candidates handed to the decision."""
        self.exact_answers = 0
        """Times the exact search was asked."""

    def load(self) -> None:
        """Take in what the store has."""
        for batch in self._store.newer(self.catalog.last):
            self.take(batch)
        if not self._bands:
            self._ready(_ALL)

    def take(self, listings: Sequence[Listing]) -> None:
        """Take in texts kept by this index or another, in order of id."""
        self.catalog.extend(listings)

    def forget(self, number: int) -> None:
        """Forget a text that is no longer in the store."""
        self.catalog.discard(number)
        if self._renewal is not None:
            self._renewal.catalog.discard(number)

    def renew(self) -> None:
        """Go on building anew what is remembered, if much of it is dead."""
        if self._renewal is None:
            if not self._store.lists_all or not is_due(self.catalog):
                return
            catalog, forest = self._empty()
            self._renewal = Renewal(self._store, catalog, None if self._bands else forest)
        if self._renewal.step(self.catalog.last):
            self.catalog = self._renewal.catalog
            self.forest = self._empty()[1] if self._renewal.forest is None else self._renewal.forest
            self._renewal = None

    def same_item(self, name: Name, found: Found) -> Record | None:
        """Find the record of a text's key."""
        return next((one for one in self._alive(found.same_name) if one.name.key == name.key), None)

    def record_named(self, name: Name) -> Record | None:
        """Find the record of a key, whatever its text, among all that the store has now."""
        self.load()
        return self.same_item(name, self.catalog.find(Record(0, name, _NO_TEXT).listing))

    def same_words(self, name: Name, new: Listing, found: Found) -> Record | None:
        """Find the earliest kept text of the same units in the same order; none for an empty one."""
        for start in range(0, len(found.same_words) if new.n else 0, _CHUNK):
            for one in self._alive(found.same_words[start : start + _CHUNK]):
                if one.fingerprint.digest == new.digest and not _one_group(one.name, name):
                    return one
        return None

    def matches(self, name: Name, text: NewText, found: Found) -> Iterator[Match]:
        """Find the kept texts that a new one duplicates, the earliest first."""
        ids = self._candidates(text, name.scope, found)
        if ids is found.alike:
            ids = self.catalog.possible(found, lambda t, limit: self._rule.pair_query(text, t, limit, self._threshold))
            self.verified += len(found.alike) - len(ids)
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
        if self._bands and (len(found.alike) <= self._limit or not self._ready(_CATCH_UP)):
            return found.alike
        if not self._bands:
            self._ready(_ALL)
        self.exact_answers += 1
        return self.forest.candidates(text, scope, self._threshold)

    def _alive(self, ids: Sequence[int]) -> list[Record]:
        """Records that are still in the store; what another index has taken out is forgotten here too."""
        if not ids:
            return []
        records = self._store.get(ids)
        for gone in {*ids}.difference(record.id for record in records):
            self.forget(gone)
        return records

    def _empty(self) -> tuple[Catalog, Forest]:
        forest = Forest(self._store, self._rule, tree=self._way == "tree")
        return Catalog(bands=self._bands, short=self._short), forest

    def _ready(self, most: int) -> bool:
        """Take up to so many texts into the exact search; tell whether it has them all now."""
        self.forest.catch_up(self.catalog.ids_after(self.forest.last, most))
        return not self.catalog.ids_after(self.forest.last, most)


def _one_group(one: Name, other: Name) -> bool:
    return bool(one.group) and one.group == other.group
