"""The look-up table: which kept texts share a key with a new one, be it a MinHash band, all words, or the name.

A bucket holds 16 entries of 32 bits, 16 of a key and 16 of a row's number, in one cache line; an entry that finds
its bucket full goes to the next. Rows are numbered within a segment of 32,768; a full segment is never touched again,
so nothing is ever moved and no text waits while a table grows. All keys of a text are looked up in all segments in
one operation. An entry takes 5.3 bytes, a dict of lists a hundred.
"""

from __future__ import annotations

from array import array
from functools import partial

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import dedup_index, library
from denoise_scrapy.native.calling import address_of

SEGMENT = 1 << 15  # rows; a million texts are 31 segments
_BUCKET = 16
_LOAD = 0.75  # of this, one entry in 3,000 finds both buckets full, and goes to the crowded
_GROUP = 16  # segments allocated at a time: address space, memory only as it is written
_16, _32, _LOWER = np.uint32(16), np.uint64(32), np.uint32(0xFFFF)

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
        self._addresses = np.empty(0, np.uintp)  # of the segments
        self._rows = 0
        self._crowded: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return self._rows

    @property
    def nbytes(self) -> int:
        """Bytes in use, about."""
        segments = -(-self._rows // SEGMENT)
        crowded = sum(200 + 4 * len(rows) for rows in self._crowded.values())
        return segments * self._buckets * _BUCKET * 4 + crowded

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
                places = [address_of(one) for group in self._groups for one in group]
                self._addresses = np.array(places, np.uintp)
            self._add(segment, used, part)
            self._rows += len(part)

    def find(self, keys: Keys, most: int = 1 << 62, always: int = 0) -> tuple[Ints, Ints]:
        """Find the rows that have any of some keys.

        Args:
            keys: uint64 (k,); 0 for no key.
            most: Of a key that more rows have, some of them are found.
            always: But of so many keys, the first ones, all are.

        Returns:
            For each find the key's place in `keys`, and the row, in no order; a row once for each key it has. One
            find in some hundred thousand is a chance match.

        """
        able = np.flatnonzero(keys)
        keys = keys[able]
        live = self._addresses[: -(-self._rows // SEGMENT)]
        native = library()
        if native is None:
            which, rows = self._find(keys, len(live))
        else:
            which, rows = dedup_index.find(native, live, SEGMENT, self._buckets, keys)
        if self._crowded:
            more = [(place, self._crowded[key]) for place, key in enumerate(keys.tolist()) if key in self._crowded]
            more = [(place, found) for place, found in more if len(found) <= most or able[place] < always]
            which = np.concatenate([which, *(np.full(len(found), place) for place, found in more)])
            rows = np.concatenate([rows, *(np.array(found, np.int64) for _, found in more)])
        return able[which], rows

    def _find(self, keys: Keys, live: int) -> tuple[Ints, Ints]:
        """Find keys in so many segments: in their own buckets, and in the next ones where these are full."""
        home, mark = self._home(keys), _mark(keys)[:, None]
        found = [np.empty((2, 0), np.int64)]
        for number, group in enumerate(self._groups):
            used = group[: max(0, live - number * _GROUP)]
            near = used[:, home]  # (segments, keys, 16)
            segment, which = np.nonzero(near[:, :, -1])
            beyond = used[segment, (home[which] + 1) % self._buckets]
            in_near, in_beyond = np.nonzero((near ^ mark) <= _LOWER), np.nonzero((beyond ^ mark[which]) <= _LOWER)
            entries = np.concatenate([near[in_near], beyond[in_beyond]]) & _LOWER
            place = np.concatenate([in_near[:2], [segment[in_beyond[0]], which[in_beyond[0]]]], axis=1)
            rows = entries + (place[0] + number * _GROUP) * SEGMENT - 1
            found.append(np.stack([place[1], rows])[:, entries > 0])
        which, rows = np.concatenate(found, axis=1)
        return which, rows

    def _home(self, keys: Keys) -> Ints:
        return np.asarray(((keys >> _32) * np.uint64(self._buckets)) >> _32, np.int64)

    def _add(self, segment: int, used: int, keys: Keys) -> None:
        """Add rows to a segment that has room for them."""
        table, native = self._groups[segment // _GROUP][segment % _GROUP], library()
        add = self._put if native is None else partial(dedup_index.put, native)
        width = keys.shape[1]
        for place in add(table, keys, used).tolist():
            row = segment * SEGMENT + used + place // width
            self._crowded.setdefault(int(keys[place // width, place % width]), array("I")).append(row)

    def _put(self, table: npt.NDArray[np.uint32], keys: Keys, used: int) -> Ints:
        """Put rows into a segment, numbered from `used`; give the places of the keys that found no room."""
        flat = keys.ravel()
        left = np.flatnonzero(flat)
        entries = _mark(flat) | (np.arange(len(flat)) // keys.shape[1] + used + 1).astype(np.uint32)
        home = self._home(flat)
        for step in range(2):
            left = left[_place(table, (home[left] + step) % self._buckets, entries[left])]
        return left


def _mark(keys: Keys) -> npt.NDArray[np.uint32]:
    """The part of a key that an entry holds, in its upper half."""
    return np.asarray(keys.astype(np.uint32) << _16, np.uint32)


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
