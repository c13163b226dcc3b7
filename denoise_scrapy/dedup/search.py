"""The search of the kept text that a new one repeats: equal words, prefilter, tree, decision."""

from __future__ import annotations

from itertools import islice

from denoise_scrapy.dedup.catalog import Catalog
from denoise_scrapy.dedup.decision import Comparison, compare
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.prefilter import SHINGLE
from denoise_scrapy.dedup.screen import duplicates
from denoise_scrapy.dedup.store import Record, Store

_BATCH = 4096  # records taken in at a time: 5 MB


class Search:
    """A catalog kept in step with a store, and the way through it.

    Methods are called with the store's transaction held.

    Args:
        store: The store.
        threshold: Least c1 and c2 of a duplicate, in (0, 1].
        candidate_limit: More candidates of the prefilter than this: the tree is asked. Negative to
            ask it always.

    Example:
        >>> from denoise_scrapy.dedup import Fingerprint, MemoryStore
        >>> text = "Moles dig, moths fly by night, mice gnaw, magpies steal what glitters. " * 2
        >>> store = MemoryStore()
        >>> kept = store.put("a", "", Fingerprint.of(text))
        >>> search = Search(store, threshold=0.7, candidate_limit=64)
        >>> search.catch_up()
        >>> record, proof = search.similar(Features.read(text + "Read more."), "")
        >>> record.key, round(proof.c2, 2)
        ('a', 0.92)

    """

    def __init__(self, store: Store, threshold: float, candidate_limit: int) -> None:
        self.catalog = Catalog()
        self.verified = 0
        """Candidates handed to the decision."""
        self.tree_answers = 0
        """Times the tree was asked."""
        self._store = store
        self._threshold = threshold
        self._limit = candidate_limit
        self._last = 0  # the highest store id in the catalog

    def catch_up(self) -> None:
        """Take in what other indexes have put into the store."""
        fresh = self._store.newer(self._last)
        while batch := list(islice(fresh, _BATCH)):
            self.add(batch)

    def add(self, records: list[Record]) -> None:
        """Take in records, in order of id, above all ids so far."""
        self.catalog.extend(records)
        self._last = records[-1].id

    def same_item(self, key: str, scope: str) -> Record | None:
        """Find the record of a key."""
        return self._still_there(self.catalog.by_key(key, scope))

    def same_words(self, new: Features, scope: str) -> tuple[Record, Comparison] | None:
        """Find the earliest kept text of the same units in the same order; none for an empty one."""
        while new.n and (row := self.catalog.by_words(new.digest, scope)) is not None:
            kept = self._still_there(row)
            if kept is not None:
                return kept, Comparison(True, 1.0, 1.0)
        return None

    def similar(self, new: Features, scope: str) -> tuple[Record, Comparison] | None:
        """Find the earliest kept text that a new one duplicates, and the proof."""
        rows = self._candidates(new, scope)
        self.verified += len(rows)
        prints = [self.catalog.fingerprint(row) for row in rows]
        for place in duplicates(new, prints, self._threshold):
            record = self._still_there(rows[place])
            if record is not None:
                return record, compare(new, record.fingerprint, self._threshold)
        return None

    def _candidates(self, new: Features, scope: str) -> list[int]:
        """Rows that may hold a duplicate, the earliest first."""
        if self._limit >= 0 and new.n >= SHINGLE:
            rows = self.catalog.by_bands(new, scope)
            if len(rows) <= self._limit:
                return rows
        self.tree_answers += 1
        return self.catalog.by_trees(new, scope, self._threshold)

    def _still_there(self, row: int | None) -> Record | None:
        """Give a row's record, unless another index has taken it out of the store."""
        record = self.catalog.record(row)
        if record is None or self._store.contains(record.id):
            return record
        self.catalog.discard(record.key, record.scope)
        return None
