"""A dict that forgets its oldest entries to stay within a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class BoundedDict(Generic[Key, Value]):
    """Entries with a size each; the sum of sizes never exceeds `max_bytes`.

    Args:
        max_bytes: Limit of the sum; an entry above it alone is not kept at all.

    Attributes:
        nbytes: The sum.
        evicted: Entries that had to leave, or were never kept.
    """

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self.nbytes = self.evicted = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def values(self) -> Iterator[Value]:
        """Yield the values, the oldest first."""
        return (value for value, _ in self._entries.values())

    def put(self, key: Key, value: Value, nbytes: int) -> None:
        """Keep `value`, of `nbytes` bytes, under `key` as the youngest entry."""
        self.pop(key)
        if nbytes > self.max_bytes:
            self.evicted += 1
            return
        self._entries[key] = (value, nbytes)
        self.nbytes += nbytes
        self._make_room()

    def grow(self, key: Key, nbytes: int) -> None:
        """Note that the value under `key`, if there is one, has grown by `nbytes`; its age stays."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries[key] = (entry[0], entry[1] + nbytes)
            self.nbytes += nbytes
            self._make_room()

    def _make_room(self) -> None:
        while self.nbytes > self.max_bytes:
            _, (_, freed) = self._entries.popitem(last=False)
            self.nbytes -= freed
            self.evicted += 1

    def get(self, key: Key) -> Value | None:
        """Return the value under `key`, or None."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def pop(self, key: Key) -> Value | None:
        """Remove and return the value under `key`, or None."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self.nbytes -= entry[1]
        return entry[0]

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self.nbytes = 0
