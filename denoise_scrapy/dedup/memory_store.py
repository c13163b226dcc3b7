"""A store that lasts as long as the process."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import takewhile

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.store import Record, Store, StoreMismatch


class MemoryStore(Store):
    """Records in a dict. Shares the fingerprints with the index, so it takes little of its own.

    Example:
        >>> store = MemoryStore()
        >>> store.put("a", "", Fingerprint.of("some text")).id
        1
        >>> [record.key for record in store.newer(0)]
        ['a']

    """

    def __init__(self) -> None:
        self._records: dict[int, Record] = {}
        self._ids: dict[tuple[str, str], int] = {}
        self._last = 0
        self._constants: dict[str, str] = {}
        self._lock = threading.RLock()

    def open(self, constants: Mapping[str, str]) -> None:
        """See `Store.open`."""
        with self._lock:
            for name, value in constants.items():
                stored = self._constants.setdefault(name, value)
                if stored != value:
                    raise StoreMismatch(name, stored, value, "memory", "Use a new MemoryStore.")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Store.transaction`. Nothing in memory can fail half-way, so nothing is undone."""
        with self._lock:
            yield

    def newer(self, after: int) -> Iterator[Record]:
        """See `Store.newer`."""
        fresh = takewhile(lambda record: record.id > after, reversed(self._records.values()))
        yield from reversed(list(fresh))

    def contains(self, number: int) -> bool:
        """See `Store.contains`."""
        return number in self._records

    def put(self, key: str, scope: str, fingerprint: Fingerprint) -> Record:
        """See `Store.put`."""
        self.remove(key, scope)
        self._last += 1
        record = Record(self._last, key, scope, fingerprint)
        self._records[record.id] = record
        self._ids[key, scope] = record.id
        return record

    def remove(self, key: str, scope: str) -> bool:
        """See `Store.remove`."""
        number = self._ids.pop((key, scope), None)
        return number is not None and self._records.pop(number, None) is not None

    def __len__(self) -> int:
        return len(self._records)

    def close(self) -> None:
        """See `Store.close`. The records stay, for an index opened later on the same store."""
