"""The look-up table: which kept texts share a key with a new one, be it a MinHash band, all words, or the name.

A bucket holds 16 entries of 32 bits, 16 of a key and 16 of a row's number, in one cache line; an entry that finds
its bucket full goes to the next. Rows are numbered within a segment of 32,768; a full segment is never touched again,
so nothing is ever moved and no text waits while a table grows. All keys of a text are looked up in all segments in
one operation. An entry takes 5.3 bytes, a dict of lists a hundred.
"""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

SEGMENT = 1 << 15  # rows; a million texts are 31 segments
_BUCKET = 16
_LOAD = 0.75  # of this, one entry in 3,000 finds both buckets full, and goes to the crowded
_GROUP = 16  # segments allocated at a time: address space, memory only as it is written
_16, _32 = np.uint64(16), np.uint64(32)

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]


class LookupTable:
    """Rows by their keys.

    Args:
        width: Most keys of a row.

    Example:
        >>> table = LookupTable(width=2)
        >>> a, b, c = 3 << 61 | 1, 5 << 60 | 2, 7 << 59 | 3
        >>> table.extend(np.array([[a, b], [a, 0]], np.uint64))
        >>> which, rows = table.find(np.array([a, c], np.uint64))
        >>> which.tolist(), rows.tolist()
        ([0, 0], [0, 1])

    """

    def __init__(self, width: int) -> None:
        self._buckets = max(2, int(SEGMENT * width / _LOAD / _BUCKET))
        self._groups: list[npt.NDArray[np.uint32]] = []
        self._rows = 0
        self._crowded: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return self._rows

    @property
    def nbytes(self) -> int:
        """Bytes in use, the crowded apart."""
        segments = -(-self._rows // SEGMENT)
        return segments * self._buckets * _BUCKET * 4

    @property
    def crowded(self) -> int:
        """Number of keys so common that their buckets are full."""
        return len(self._crowded)

    def extend(self, keys: Keys) -> None:
        """Add rows; each gets the next number.

        Args:
            keys: uint64 (k, width), evenly spread; 0 for no key.

        """
        while len(keys):
            segment, used = divmod(self._rows, SEGMENT)
            part, keys = keys[: SEGMENT - used], keys[SEGMENT - used :]
            if segment == len(self._groups) * _GROUP:
                self._groups.append(np.zeros((_GROUP, self._buckets, _BUCKET), np.uint32))
            self._add(segment, used, part)
            self._rows += len(part)

    def find(self, keys: Keys) -> tuple[Ints, Ints]:
        """Find the rows that have any of some keys.

        Args:
            keys: uint64 (k,); 0 for no key.

        Returns:
            For each find the key's place in `keys`, and the row, in no order; a row once for each key it has. One
            find in some hundred thousand is a chance match.

        """
        home = self._home(keys)
        near = np.stack([home, (home + 1) % self._buckets], axis=1)
        mark = (keys & np.uint64(0xFFFF)).astype(np.uint32)[:, None, None] << np.uint32(16)
        whiches, rows = [], []
        for number, group in enumerate(self._groups):
            live = min(_GROUP, -(-self._rows // SEGMENT) - number * _GROUP)
            found = group[:live, near]  # (segments, keys, 2, 16)
            part = found & np.uint32(0xFFFF)
            hits = ((found ^ mark) <= np.uint32(0xFFFF)) & (part > 0) & (keys != 0)[:, None, None]
            segment, which, _, _ = np.nonzero(hits)
            whiches.append(which)
            rows.append(part[hits].astype(np.int64) - 1 + (segment + number * _GROUP) * SEGMENT)
        if self._crowded:
            for place, key in enumerate(keys.tolist()):
                more = self._crowded.get(key)
                if more:
                    whiches.append(np.full(len(more), place))
                    rows.append(np.array(more, np.int64))
        none = np.empty(0, np.int64)
        return np.concatenate([none, *whiches]), np.concatenate([none, *rows])

    def _home(self, keys: Keys) -> Ints:
        return np.asarray(((keys >> _32) * np.uint64(self._buckets)) >> _32, np.int64)

    def _add(self, segment: int, used: int, keys: Keys) -> None:
        """Add rows to a segment that has room for them."""
        local = np.repeat(np.arange(used + 1, used + 1 + len(keys), dtype=np.uint32), keys.shape[1])
        flat = keys.ravel()
        local, flat = local[flat != 0], flat[flat != 0]
        entries = ((flat & np.uint64(0xFFFF)) << _16).astype(np.uint32) | local
        table = self._groups[segment // _GROUP][segment % _GROUP]
        home = self._home(flat)
        for step in range(2):
            left = _place(table, (home + step) % self._buckets, entries)
            home, entries, flat, local = home[left], entries[left], flat[left], local[left]
        for key, row in zip(flat.tolist(), local.tolist(), strict=True):
            self._crowded.setdefault(key, array("I")).append(segment * SEGMENT + row - 1)


def _place(table: npt.NDArray[np.uint32], buckets: Ints, entries: npt.NDArray[np.uint32]) -> Ints:
    """Put entries into the free slots of their buckets; give the indices of those that found none."""
    joined = np.sort(buckets.astype(np.uint64) << _32 | np.arange(len(buckets), dtype=np.uint64))  # faster than argsort
    ordered, order = (joined >> _32).astype(np.int64), (joined & np.uint64(0xFFFFFFFF)).astype(np.int64)
    new = np.ones(len(order), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    group = np.cumsum(new) - 1
    used = np.count_nonzero(table[ordered[starts]], axis=1)
    slot = used[group] + np.arange(len(order)) - starts[group]
    fits = slot < _BUCKET
    table[ordered[fits], slot[fits]] = entries[order[fits]]
    return np.asarray(order[~fits], np.int64)
