"""What an index remembers of the kept texts, to find them: by key, by equal words, by shared MinHash bands.

Texts lie in segments in order of id. A segment has the sorted 32-bit hashes of its texts' keys, six bytes an entry, so
that all keys of a new text are found by one binary search. The newest texts are in a tail, which is looked through as a
whole; a full tail is merged into the last segment, until that has 32,768 texts. So no text waits longer than some 20 ms
while others are laid out anew. A text removed or replaced leaves a tombstone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.fingerprint import BANDS, EVERY, Ints, bits_of, gather, grown, sign
from denoise_scrapy.dedup.rules import Query
from denoise_scrapy.dedup.store import Listing

TAIL = 512  # texts looked through one by one: 10 µs
SEGMENT = 1 << 15  # texts of a full segment; rows have 16 bits
MOST_FINDS = 4096  # by bands: a sentence in each page of a site has as many as there are pages, and says nothing

_NAME, _WORDS, _FIRST_BAND = 0, 1, 2  # places of a text's keys
_BAND_NUMBER = np.arange(BANDS, dtype=np.uint64) << np.uint64(32)
_NO_BANDS = bytes(4 * BANDS)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio: the upper half of a product depends on all of a key
_16, _32 = np.uint64(16), np.uint64(32)
_LEAST, _MOST = np.uint32(1), np.uint32((1 << 32) - 2)  # 0 is no key, and one above the highest is looked for too
# Of each text 512 bits say which runs its sample may have. Strangers lack 69 to 83 in 100 of a full sample's runs by
# these, where 40 are too many. A text of 440 units among a million shares a band with 37 strangers, and to fetch and
# judge them would cost more than all the rest.
_BITS_LOG2 = 9
_DEAD = -1
_UNKNOWN = 33  # the store did not say how the sample was halved, or says what this version does not make
_TEXT = np.dtype(
    [
        ("id", "i8"),
        ("scope", "i4"),  # its number; `_DEAD` for a tombstone
        ("halved", "u1"),  # how often its sample was halved
        ("bits", "u1", (1 << _BITS_LOG2) // 8),  # which runs its sample may have
    ]
)
_HALVED = {EVERY >> halved: halved for halved in range(_UNKNOWN)}

Keys = npt.NDArray[np.uint32]


class Found(NamedTuple):
    """Ids of kept texts of a scope that a look-up found, each in ascending order.

    Attributes:
        same_name: Of the same key, and one in some hundred look-ups another one.
        same_words: Of the same units in the same order, likewise.
        alike: With a MinHash band in common, as far as they can have enough runs in common.
    """

    same_name: Sequence[int] = ()
    same_words: Sequence[int] = ()
    alike: Sequence[int] = ()


class _Segment(NamedTuple):
    """The keys of the texts in rows `start` to `end`."""

    start: int
    end: int
    keys: Keys  # uint32 (e,), hashes of keys, sorted
    rows: npt.NDArray[np.uint16]  # (e,), whose they are, counted from `start`


class Catalog:
    """Kept texts by key, by equal words, by shared bands.

    Args:
        bands: Whether to remember the texts' bands.
        short: Whether to remember the words of texts too short for similarity, which repeat without end.

    Attributes:
        last: The highest id so far, 0 for none.

    Example:
        >>> catalog = Catalog()
        >>> catalog.extend([Listing(1, "a", "", 9, b"d" * 16, b"")])
        >>> catalog.find(Listing(0, "a", "", 9, b"e" * 16, b"")).same_name
        [1]
    """

    def __init__(self, *, bands: bool = True, short: bool = True) -> None:
        self.last = 0
        self._bands = bands
        self._short = short
        self._scopes: dict[str, int] = {}
        self._dead = 0
        self._texts = np.zeros(2 * TAIL, _TEXT)
        self._used = 0  # texts in it
        self._segments: list[_Segment] = []
        self._tail = np.zeros((TAIL, _FIRST_BAND + (BANDS if bands else 0)), np.uint32)  # keys of those in no segment

    def __len__(self) -> int:
        return self._used - self._dead

    @property
    def nbytes(self) -> int:
        """Bytes held, about."""
        entries = sum(one.keys.nbytes + one.rows.nbytes for one in self._segments)
        return 200 * len(self._scopes) + self._used * _TEXT.itemsize + self._tail.nbytes + entries

    def extend(self, listings: Sequence[Listing]) -> None:
        """Add texts, in order of id, above all ids so far."""
        while listings:
            start = self._tail_start
            room = TAIL - (self._used - start)
            part, listings = listings[:room], listings[room:]
            end = self._used + len(part)
            if end > len(self._texts):  # to copy 80 MB, a million texts, takes 20 ms
                self._texts = grown(self._texts)
            new = self._texts[self._used : end]
            ids, _, scopes, _, _, _, samples, limits = zip(*part, strict=True)
            new["id"] = ids
            new["scope"] = [self._scopes.setdefault(scope, len(self._scopes)) for scope in scopes]
            if self._bands:
                new["bits"] = sign(*gather(samples), _BITS_LOG2).view(np.uint8)
                new["halved"] = [_HALVED.get(limit, _UNKNOWN) for limit in limits]
            self._tail[self._used - start : end - start] = self._keys(part)
            self.last, self._used = ids[-1], end
            if end - start == TAIL:
                self._close_tail()

    def discard(self, number: int) -> bool:
        """Leave a tombstone in the place of a text, and return whether it was there."""
        row = bisect_left(self._texts["id"], number, 0, self._used)
        there = row < self._used and bool(self._texts["id"][row] == number and self._texts["scope"][row] != _DEAD)
        if there:
            self._texts["scope"][row] = _DEAD
            self._dead += 1
            for place, one in enumerate(self._segments):
                if one.start <= row < one.end:
                    alive = self._texts["scope"][one.start : one.end] != _DEAD
                    if 2 * np.count_nonzero(alive) == len(alive):  # its entries go once half of it is dead
                        of_alive = alive[one.rows]
                        self._segments[place] = one._replace(keys=one.keys[of_alive], rows=one.rows[of_alive])
        return there

    def ids_after(self, number: int) -> list[int]:
        """Return the ids above a number of texts that are there, ascending."""
        after = self._texts[bisect_right(self._texts["id"], number, 0, self._used) : self._used]
        ids: list[int] = after["id"][after["scope"] != _DEAD].tolist()
        return ids

    def find(self, new: Listing, most: int = 1 << 62, query: Callable[[int], Query] | None = None) -> Found:
        """Look a text up.

        Args:
            new: The text; its id does not matter.
            most: How many alike to look at; where there are more, those with the most bands in common.
            query: What a duplicate sampled at a limit has in common with the text's auxiliary string; None where none
                need have anything.

        Returns:
            What was found in its scope.
        """
        keys = self._keys([new])[0]
        which, rows = self._having(keys)
        here = self._texts["scope"][rows] == self._scopes.get(new.scope, _DEAD - 1)
        if not here.any():
            return Found()
        which, rows = which[here], rows[here]
        same_name, same_words = (sorted(set(self._texts["id"][rows[which == key]].tolist())) for key in (_NAME, _WORDS))
        alike, shared = np.unique(rows[which >= _FIRST_BAND], return_counts=True)
        if len(alike) > most:
            alike = np.sort(alike[np.argsort(-shared, kind="stable")[:most]])
        if query is not None and len(alike):
            alike = alike[self._possible(alike, query)]
        return Found(same_name, same_words, self._texts["id"][alike].tolist())

    def _having(self, keys: Keys) -> tuple[Ints, Ints]:
        """Rows that have any of some keys, each once for each of them, and the key's place for each."""
        wanted = np.array([keys, keys + np.uint32(1)])
        spans = np.array([one.keys.searchsorted(wanted) for one in self._segments], np.int64).reshape(-1, *wanted.shape)
        counts = spans[:, 1] - spans[:, 0]
        if counts.sum() > MOST_FINDS:
            counts *= _rarest(counts.sum(axis=0))
        each, ends = counts.ravel(), np.cumsum(counts.sum(axis=1)).tolist()
        which = np.repeat(np.arange(len(each)), each) % len(keys)
        there = np.arange(len(which)) + np.repeat(spans[:, 0].ravel() - (np.cumsum(each) - each), each)
        parts = zip(self._segments, [0, *ends], ends, strict=False)
        rows = [one.rows[there[first:end]] + np.int64(one.start) for one, first, end in parts]
        start = self._tail_start
        found = np.flatnonzero(self._tail[: self._used - start] == np.where(keys > 0, keys, _MOST))
        tail_rows, tail_which = np.divmod(found, len(keys))
        return np.concatenate([which, tail_which]), np.concatenate([*rows, tail_rows + start])

    def _possible(self, rows: Ints, query: Callable[[int], Query]) -> npt.NDArray[np.bool_]:
        """Which texts may have as much in common with a new one as is needed; also those of which it is not known."""
        # a run of the new text whose bit is clear is not in a kept one: an upper bound, which loses none
        halved = self._texts["halved"][rows]
        found = np.ones(len(rows), np.bool_)
        for kind in {*halved.tolist()} - {_UNKNOWN}:
            units, need = query(EVERY >> kind)
            some = np.flatnonzero(halved == kind)
            bits = bits_of(units, _BITS_LOG2)
            there = self._texts["bits"][rows[some]].take(bits >> 3, axis=1) & (1 << (bits & 7)).astype(np.uint8)
            found[some] = np.count_nonzero(there, axis=1) >= need
        return found

    def _keys(self, listings: Sequence[Listing]) -> Keys:
        """Keys of some texts: uint32 (k, 2 or 34), 0 for none."""
        _, names, scopes, _, digests, all_bands, *_ = zip(*listings, strict=True)
        salts = np.array([hash(scope) for scope in scopes], np.int64).view(np.uint64)
        keys = np.empty((len(listings), self._tail.shape[1]), np.uint64)
        keys[:, _NAME] = np.array([*map(hash, zip(names, scopes, strict=True))], np.int64).view(np.uint64)
        keys[:, _WORDS] = np.frombuffer(b"".join(digests), "<u8")[::2] ^ salts
        if self._bands:
            bands = np.frombuffer(b"".join([one or _NO_BANDS for one in all_bands]), "<u4").reshape(-1, BANDS)
            keys[:, _FIRST_BAND:] = (bands | _BAND_NUMBER) ^ salts[:, None]
        hashes: Keys = np.clip((keys * _SPREAD >> _32).astype(np.uint32), _LEAST, _MOST)
        unable = [place for place, one in enumerate(all_bands) if not one]
        if unable:
            hashes[unable, (_FIRST_BAND if self._short else _WORDS) :] = 0
        return hashes

    @property
    def _tail_start(self) -> int:
        return self._segments[-1].end if self._segments else 0

    def _close_tail(self) -> None:
        """Merge the tail into the last segment, or make a new one where that is full."""
        start = end = self._tail_start
        entries = []
        if self._segments and end - self._segments[-1].start < SEGMENT:
            last = self._segments.pop()
            start = last.start
            entries.append(last.keys.astype(np.uint64) << _16 | last.rows)
        rows = np.repeat(np.arange(end - start, self._used - start, dtype=np.uint16), self._tail.shape[1])
        alive = self._texts["scope"][end : self._used, None] != _DEAD
        there = (alive & (self._tail > 0)).ravel()
        entries.append(self._tail.ravel()[there].astype(np.uint64) << _16 | rows[there])
        ordered = np.sort(np.concatenate(entries), kind="stable")  # quick where most is sorted: 3 ms for a million
        keys, rows = (ordered >> _16).astype(np.uint32), ordered.astype(np.uint16)
        self._segments.append(_Segment(start, self._used, keys, rows))


def _rarest(counts: Ints) -> npt.NDArray[np.bool_]:
    """Which keys are used, by how often they are there: name, words, the rarest bands; of these `MOST_FINDS` in all."""
    counts[:_FIRST_BAND] = 0
    order = np.argsort(counts, kind="stable")
    used = np.zeros(len(counts), np.bool_)
    used[order] = np.cumsum(counts[order]) <= MOST_FINDS
    used[order[np.count_nonzero(counts == 0) :][:1]] = True  # one at least
    return used
