"""A store that lasts as long as its index."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.packed import pack, unpack
from denoise_scrapy.dedup.store import Copy, Listing, Name, Put, Record, Store


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
        self._copies: dict[tuple[str, str], tuple[int, Copy]] = {}  # by key and scope; those dropped last at the end
        self._groups: dict[int, dict[tuple[str, str], None]] = {}  # the copies of a text, by its id
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
            group = self._groups.pop(replaced, {})
            self._drop(replaced)
            self._records.append(pack(name, replace(fingerprint, bands=b"")))
            self._alive += 1
            self._remove_copy(name[:2])
            for one in group.keys() & self._copies:
                self._add_copy(len(self._records), one, self._copies[one][1])
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

    def note(self, number: int, copy: Name | None = None, most: int = 0) -> None:
        """See `Store.note`. Times are not kept: nothing outlives the process."""
        if copy is None or most <= 0:
            return
        with self._lock:
            for kept in self.get([number]):
                self._remove_copy(copy[:2])
                self._add_copy(number, copy[:2], Copy(copy.key, copy.scope, kept.name.key, time.time()))
            while len(self._copies) > most:
                self._remove_copy(next(iter(self._copies)))

    def copies(self, kept: Name | None = None) -> Iterator[Copy]:
        """See `Store.copies`."""
        with self._lock:
            found = [copy for _, copy in self._copies.values() if kept is None or kept[:2] == (copy.kept, copy.scope)]
        return iter(found)

    def copy_named(self, name: Name) -> Copy | None:
        """See `Store.copy_named`."""
        return self._copies.get(name[:2], (0, None))[1]

    def remove_copy(self, name: Name) -> bool:
        """See `Store.remove_copy`."""
        with self._lock:
            return self._remove_copy(name[:2])

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
            for one in self._groups.pop(number, ()):
                del self._copies[one]
        return there

    def _add_copy(self, number: int, name: tuple[str, str], copy: Copy) -> None:
        self._copies[name] = number, copy
        self._groups.setdefault(number, {})[name] = None

    def _remove_copy(self, name: tuple[str, str]) -> bool:
        number, _ = self._copies.pop(name, (0, None))
        group = self._groups.get(number, {})
        group.pop(name, None)
        if number and not group:
            self._groups.pop(number, None)
        return number > 0
