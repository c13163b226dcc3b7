"""A store that lasts as long as its index."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.packed import pack, unpack
from denoise_scrapy.dedup.store import Listing, Name, Put, Record, Store


class MemoryStore(Store):
    """Records as bytes, one value each. Serves one index, which remembers their bands; they are not kept twice.

    Example:
        >>> store = MemoryStore()
        >>> store.put(Name("a"), Fingerprint.of("some text"), seen=0).id
        1
        >>> [record.name.key for record in store.get([1, 2])]
        ['a']

    """

    lists_all = False

    def __init__(self) -> None:
        self._records: list[bytes | None] = []
        self._claims: dict[int, str] = {}
        self._alive = 0
        self._opened = False
        self._lock = threading.Lock()

    def open(self, constants: Mapping[str, str]) -> None:
        """See `Store.open`.

        Raises:
            ValueError: It was opened before.

        """
        with self._lock:
            if self._opened:
                raise ValueError("a MemoryStore serves one index only; several share a SQLiteStore or a RedisStore")
            self._opened = True

    def newer(self, after: int) -> Iterator[Sequence[Listing]]:
        """See `Store.newer`. Nobody else keeps texts here."""
        return iter(())

    def get(self, numbers: Sequence[int]) -> list[Record]:
        """See `Store.get`. The bands are left out."""
        found = []
        for number in sorted(numbers):
            data = self._records[number - 1] if 0 < number <= len(self._records) else None
            if data is not None:
                found.append(Record(number, *unpack(data), self._claims.get(number, "")))
        return found

    def put(self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "") -> Put:
        """See `Store.put`."""
        with self._lock:
            self._drop(replaced)
            self._records.append(pack(name, replace(fingerprint, bands=b"")))
            self._alive += 1
            if owner:
                self._claims[len(self._records)] = owner
            return Put(len(self._records), ())

    def remove(self, number: int) -> bool:
        """See `Store.remove`."""
        with self._lock:
            return self._drop(number)

    def settle(self, number: int, owner: str) -> bool:
        """See `Store.settle`."""
        with self._lock:
            return self._claims.get(number) == owner and self._claims.pop(number) == owner

    def withdraw(self, number: int, owner: str) -> bool:
        """See `Store.withdraw`."""
        with self._lock:
            return self._claims.get(number) == owner and self._drop(number)

    def release(self, owner: str) -> list[int]:
        """See `Store.release`."""
        with self._lock:
            return [number for number in [*self._claims] if self._claims[number] == owner and self._drop(number)]

    def beat(self, owner: str) -> None:
        """See `Store.beat`. Nobody else is there to hear it."""

    def lives(self, owner: str) -> bool:
        """See `Store.lives`. The one index does."""
        return True

    def problems(self) -> list[str]:
        """See `Store.problems`."""
        return []

    def records(self) -> Iterator[Record]:
        """See `Store.records`."""
        for number in range(1, len(self._records) + 1):
            yield from (one._replace(owner="") for one in self.get([number]))

    def __len__(self) -> int:
        return self._alive

    def close(self) -> None:
        """See `Store.close`."""

    def _drop(self, number: int) -> bool:
        there = 0 < number <= len(self._records) and self._records[number - 1] is not None
        if there:
            self._records[number - 1] = None
            self._claims.pop(number, None)
            self._alive -= 1
        return there
