"""The kept texts in memory: by key, by words, by bands, and in trees.

A row is a text's place in the catalog. Rows are in order of store id, so the lowest row is the
earliest text. A text removed or replaced leaves a tombstone; the trees' bounds stay too generous
for it, which costs time and no match. At 10% tombstones all is built anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from denoise_scrapy.dedup.bands import BandTable
from denoise_scrapy.dedup.decision import MIN_UNITS, longest_kept, needed, too_short
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import LEVELS, Fingerprint
from denoise_scrapy.dedup.prefilter import VALUES, band_keys
from denoise_scrapy.dedup.store import Record
from denoise_scrapy.dedup.tree import SetTree

_DEAD_SHARE, _DEAD_LEAST = 10, 1000  # rebuilt where a tenth is dead, and more than this


class _Scope:
    """The texts that are compared with one another."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.keys: dict[str, int] = {}
        self.digests: dict[bytes, int] = {}
        self.repeats: dict[bytes, list[int]] = {}  # further rows of a digest: rare, so apart
        self.trees = [SetTree() for _ in range(LEVELS)]  # a forest by frequency threshold

    def add_digest(self, digest: bytes, row: int) -> None:
        if self.digests.setdefault(digest, row) != row:
            self.repeats.setdefault(digest, []).append(row)

    def drop_digest(self, digest: bytes, row: int) -> None:
        others = self.repeats.pop(digest, [])
        rows = [one for one in (self.digests.pop(digest), *others) if one != row]
        for one in rows:
            self.add_digest(digest, one)


class Catalog:
    """Kept texts, found by key, by equal words, by shared bands, or by the trees.

    Example:
        >>> catalog = Catalog()
        >>> catalog.extend([Record(1, "a", "", Fingerprint.of("the first text"))])
        >>> catalog.record(catalog.by_key("a", "")).id
        1

    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._records: list[Record | None] = []
        self._scopes: dict[str, _Scope] = {}
        self._bands = BandTable()
        self._dead = 0

    def __len__(self) -> int:
        return len(self._records) - self._dead

    def record(self, row: int | None) -> Record | None:
        """Give the record of a row; None for no row, and for a tombstone."""
        return None if row is None else self._records[row]

    def fingerprint(self, row: int) -> Fingerprint:
        """Give the fingerprint of a row that a search has just returned."""
        record = self._records[row]
        if record is None:
            raise LookupError(f"row {row} is a tombstone")
        return record.fingerprint

    def by_key(self, key: str, scope: str) -> int | None:
        """Give the row of a key, if kept."""
        home = self._scopes.get(scope)
        return home.keys.get(key) if home else None

    def by_words(self, digest: bytes, scope: str) -> int | None:
        """Give the earliest row of a unit sequence, if kept."""
        home = self._scopes.get(scope)
        return home.digests.get(digest) if home else None

    def extend(self, records: Sequence[Record]) -> None:
        """Add records in order of id; one of a kept key takes that one's place.

        Args:
            records: Records with ids above all those before.

        """
        self._add_bands(records, len(self._records))
        for record in records:
            self._add(record)
        if self._dead > max(_DEAD_LEAST, len(self._records) // _DEAD_SHARE):
            self._rebuild()

    def discard(self, key: str, scope: str) -> None:
        """Leave a tombstone in a text's place, if it is kept."""
        row = self.by_key(key, scope)
        record = self.record(row)
        if row is None or record is None:
            return
        home = self._scopes[scope]
        del home.keys[key]
        home.drop_digest(record.fingerprint.digest, row)
        self._records[row] = None
        self._dead += 1

    def by_bands(self, new: Features, scope: str) -> list[int]:
        """Find the texts of a scope that share a MinHash band with a new one.

        Args:
            new: The new text, not shorter than a shingle.
            scope: Where to look.

        Returns:
            Rows in order; now and then one too many, of another scope or much longer.

        """
        home = self._scopes.get(scope)
        if home is None:
            return []
        keys = band_keys(new.minhash[None], np.array([home.number], np.uint64))[0]
        return [row for row in self._bands.find(keys).tolist() if self._is_in(row, scope)]

    def by_trees(self, new: Features, scope: str, threshold: float) -> list[int]:
        """Find the texts of a scope that have enough main units in common with a new one.

        Args:
            new: The new text.
            scope: Where to look.
            threshold: Least share c1 of the new text's main units, in (0, 1].

        Returns:
            Rows in order: every one that passes, up to the length the decision admits.

        """
        home, rows = self._scopes.get(scope), list[int]()
        for t in range(LEVELS if home else 0):
            units = new.cut(t).s1
            if home and len(units) >= MIN_UNITS and len(home.trees[t]):
                need = needed(len(units), threshold)
                found = home.trees[t].search(units, need, longest_kept(new.n))
                rows += [row for row in found.tolist() if self._is_in(row, scope)]
        return sorted(rows)

    def _is_in(self, row: int, scope: str) -> bool:
        record = self._records[row]
        return record is not None and record.scope == scope

    def _add(self, record: Record) -> None:
        self.discard(record.key, record.scope)
        row, fingerprint = len(self._records), record.fingerprint
        self._records.append(record)
        home = self._home(record.scope)
        home.keys[record.key] = row
        home.add_digest(fingerprint.digest, row)
        if not too_short(fingerprint):
            home.trees[fingerprint.t].add(row, fingerprint.s1, fingerprint.n)

    def _add_bands(self, records: Sequence[Record], first_row: int) -> None:
        """Put the texts long enough to be judged into the band table, all at once."""
        able = [i for i, one in enumerate(records) if not too_short(one.fingerprint)]
        if not able:
            return
        joined = b"".join(records[i].fingerprint.minhash for i in able)
        signatures = np.frombuffer(joined, "<u4").reshape(len(able), VALUES)
        scopes = (self._home(records[i].scope).number for i in able)
        keys = band_keys(signatures, np.fromiter(scopes, np.uint64, len(able)))
        self._bands.add(keys, np.array(able, np.int64) + first_row)

    def _home(self, scope: str) -> _Scope:
        if scope not in self._scopes:
            self._scopes[scope] = _Scope(len(self._scopes))
        return self._scopes[scope]

    def _rebuild(self) -> None:
        alive = [record for record in self._records if record is not None]
        self._clear()
        self.extend(alive)
