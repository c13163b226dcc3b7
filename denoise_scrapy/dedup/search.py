"""The search of the kept texts that a new one repeats: equal words, prefilter or tree, decision."""

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

SEARCHES = ("prefilter", "tree")
"""The ways to find candidates: by MinHash bands, or exactly, by the edit-distance tree."""

_CHUNK = 256  # candidates judged at a time; the earliest is wanted, so that the rest need not be
_NO_TEXT = Fingerprint.of("")  # stands for that of a text that is looked up by its key


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
        most_new: Greatest share of a duplicate that is new, 0 to 1.
        way: One of `SEARCHES`.
        candidate_limit: Most candidates of the prefilter that are looked at: those with the most bands in common.
        short: Whether the words of texts too short for similarity are looked up too.

    """

    def __init__(
        self,
        store: Store,
        rule: Rule,
        threshold: float,
        most_new: float,
        way: str,
        candidate_limit: int,
        *,
        short: bool,
    ) -> None:
        self._bands = way == "prefilter"
        self._short = short or not rule.has_bands
        self._store = store
        self._rule = rule
        self._threshold = threshold
        self._most_new = most_new
        self._limit = candidate_limit
        self._renewal: Renewal | None = None
        self.catalog, self.forest = self._empty()
        self.verified = 0
        """Candidates handed to the decision."""

    def load(self) -> None:
        """Take in what the store has."""
        for batch in self._store.newer(self.catalog.last):
            self.take(batch)
        self._catch_up()

    def take(self, listings: Sequence[Listing]) -> None:
        """Take in texts kept by this index or another, in order of id."""
        self.catalog.extend(listings)

    def found(self, new: Listing) -> Found:
        """Look a text up by its key, its words and its bands."""
        return self.catalog.find(new, self._limit)

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
        if self._bands:
            ids = self.catalog.possible(found, lambda limit: self._rule.run_query(text, limit, self._threshold))
            self.verified += len(found.alike) - len(ids)
        else:
            self._catch_up()
            ids = self.forest.candidates(text, name.scope, self._threshold)
        for start in range(0, len(ids), _CHUNK):
            records = [one for one in self._alive(ids[start : start + _CHUNK]) if not _one_group(one.name, name)]
            self.verified += len(records)
            judged = self._rule.judge(text, [one.fingerprint for one in records], self._threshold, self._most_new)
            yield from (Match(*pair) for pair in zip(records, judged, strict=True) if pair[1].duplicate)

    def extended(self, text: NewText, found: Found) -> Match | None:
        """Find the kept text that makes the largest part of a new one, among those with a band in common."""
        records = self._alive(found.alike)
        judged = self._rule.extended(text, [record.fingerprint for record in records], self._threshold)
        parts = [Match(*pair) for pair in zip(records, judged, strict=True) if pair[1].duplicate]
        return max(parts, key=lambda match: (match.record.fingerprint.n, -match.record.id), default=None)

    def _alive(self, ids: Sequence[int]) -> list[Record]:
        """Records that are still in the store; what another index has taken out is forgotten here too."""
        if not ids:
            return []
        records = self._store.get(ids)
        for gone in {*ids}.difference(record.id for record in records):
            self.forget(gone)
        return records

    def _empty(self) -> tuple[Catalog, Forest]:
        forest = Forest(self._store, self._rule)
        return Catalog(bands=self._bands, short=self._short), forest

    def _catch_up(self) -> None:
        """Take what the catalog has into the exact search."""
        if not self._bands:
            self.forest.catch_up(self.catalog.ids_after(self.forest.last))


def _one_group(one: Name, other: Name) -> bool:
    return bool(one.group) and one.group == other.group
