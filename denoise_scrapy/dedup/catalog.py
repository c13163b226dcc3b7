"""What an index remembers of the kept texts, to find them: 55 bytes a text, and its keys in the look-up table.

A row is a text's place here, in order of its id in the store; the lowest is the earliest text. A text removed or
replaced leaves a tombstone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.growing import Growing
from denoise_scrapy.dedup.lookup import Keys, LookupTable
from denoise_scrapy.dedup.mixing import fmix64
from denoise_scrapy.dedup.prefilter import BANDS
from denoise_scrapy.dedup.rule import Query
from denoise_scrapy.dedup.sketches import Sketches
from denoise_scrapy.dedup.store import Listing

_NAME, _WORDS, _FIRST_BAND = 0, 1, 2  # places of a text's keys
_ROW = np.dtype([("name", "u4"), ("words", "u4"), ("scope", "u4"), ("alive", "?")])
_BAND_NUMBER = np.arange(BANDS, dtype=np.uint64) << np.uint64(32)
_NO_BANDS = bytes(4 * BANDS)
_LEAST = np.uint64(1)  # 0 is no key
_MOST_FINDS = 4096  # of bands: a sentence in each page of a site has as many as there are pages, and tells nothing


class Found(NamedTuple):
    """Ids of kept texts of a scope that a look-up found, each in ascending order.

    Attributes:
        keys: uint64 (1, k), the text's keys in the look-up table.
        same_name: Of the same key, as far as 48 bits of a hash tell.
        same_words: Of the same units in the same order, as far as they tell.
        alike: With a MinHash band in common; now and then one too many.
        alike_rows: Where the catalog has them.

    """

    keys: Keys
    same_name: list[int]
    same_words: list[int]
    alike: list[int]
    alike_rows: Sequence[int] = ()


class Catalog:
    """Kept texts by key, by equal words, by shared bands.

    Args:
        bands: Whether to remember the texts' bands.
        short: Whether to remember the words of texts too short for similarity, which repeat without end.

    Example:
        >>> catalog = Catalog()
        >>> catalog.extend([Listing(1, "a", "", 9, b"d" * 16, b"")])
        >>> catalog.find(Listing(0, "a", "", 9, b"e" * 16, b"")).same_name
        [1]

    """

    def __init__(self, *, bands: bool = True, short: bool = True) -> None:
        self._bands = bands
        self._short = short
        self._table = LookupTable(_FIRST_BAND + (BANDS if bands else 0))
        self._ids = Growing(np.int64)  # apart: a search in a column of records would copy it
        self._rows = Growing(_ROW)
        self._sketches = Sketches()
        self._scopes: dict[str, int] = {}
        self._dead = 0

    def __len__(self) -> int:
        return len(self._rows) - self._dead

    @property
    def last(self) -> int:
        """The highest id so far, 0 for none."""
        return int(self._ids.values[-1]) if len(self._ids) else 0

    @property
    def dead(self) -> int:
        """Number of tombstones."""
        return self._dead

    @property
    def nbytes(self) -> int:
        """Bytes held, about."""
        scopes = 200 * len(self._scopes)
        return scopes + self._ids.nbytes + self._rows.nbytes + self._sketches.nbytes + self._table.nbytes

    def extend(self, listings: Sequence[Listing], keys: Keys | None = None) -> None:
        """Add texts.

        Args:
            listings: Texts in order of id, above all ids so far.
            keys: Their keys, where a search has found them already.

        """
        if not listings:
            return
        keys = self._keys(listings) if keys is None else keys
        ids, _, scopes, _, _, _, samples, limits = zip(*listings, strict=True)
        for scope in dict.fromkeys(scopes):
            self._scopes.setdefault(scope, len(self._scopes))
        rows = np.zeros(len(listings), _ROW)
        rows["scope"] = list(map(self._scopes.__getitem__, scopes))
        rows["name"], rows["words"] = _check(keys[:, _NAME]), _check(keys[:, _WORDS])
        rows["alive"] = True
        self._ids.extend(ids)
        self._rows.extend(rows)
        if self._bands:
            self._sketches.extend(samples, limits)
        self._table.extend(keys)

    def discard(self, number: int) -> bool:
        """Leave a tombstone in the place of a text; tell whether it was there."""
        ids, alive = self._ids.values, self._rows.values["alive"]
        row = int(np.searchsorted(ids, number))
        there = row < len(ids) and bool(ids[row] == number) and bool(alive[row])
        if there:
            alive[row] = False
            self._dead += 1
        return there

    def ids_after(self, number: int) -> list[int]:
        """Give the ids above a number of texts that are there, ascending."""
        start = int(np.searchsorted(self._ids.values, number, side="right"))
        ids: list[int] = self._ids.values[start:][self._rows.values["alive"][start:]].tolist()
        return ids

    def find(self, new: Listing, most: int = 1 << 62) -> Found:
        """Look a text up.

        Args:
            new: The text; its id does not matter.
            most: How many alike to give; where there are more, those with the most bands in common.

        Returns:
            What was found in its scope.

        """
        scope = self._scopes.get(new.scope)
        keys = self._keys([new])
        if scope is None:
            return Found(keys, [], [], [])
        which, places = self._table.find(keys[0], _MOST_FINDS, _FIRST_BAND)
        if not len(which):
            return Found(keys, [], [], [])
        if len(which) > _MOST_FINDS:
            able = _rarest(which)[which]
            which, places = which[able], places[able]
        rows, numbers = self._rows.values[places], self._ids.values[places]
        here = rows["alive"] & (rows["scope"] == scope)
        same_name, same_words = [], []
        if which.min() < _FIRST_BAND:
            name, words = _check(keys[0, :_FIRST_BAND])
            same_name = _ascending(numbers[here & (which == _NAME) & (rows["name"] == name)])
            same_words = _ascending(numbers[here & (which == _WORDS) & (rows["words"] == words)])
            here &= which >= _FIRST_BAND
        alike, shared = np.unique(places[here], return_counts=True)
        if len(alike) > most:
            alike = np.sort(alike[np.argsort(-shared, kind="stable")[:most]])
        return Found(keys, same_name, same_words, self._ids.values[alike].tolist(), alike.tolist())

    def possible(self, found: Found, query: Callable[[int], Query]) -> list[int]:
        """Give the ids of those alike that can have as much in common with a text as a duplicate must.

        Args:
            found: What was found for the text.
            query: What a duplicate sampled at a limit has in common with its auxiliary string.

        """
        can = self._sketches.possible(found.alike_rows, query)
        return [number for number, one in zip(found.alike, can.tolist(), strict=True) if one]

    def _keys(self, listings: Sequence[Listing]) -> Keys:
        """Keys of some texts: uint64 (k, 2 or 34), 0 for none."""
        _, names, scopes, _, digests, all_bands, *_ = zip(*listings, strict=True)
        salts = np.fromiter(map(hash, scopes), np.int64, len(listings)).view(np.uint64)
        hashes = np.fromiter(map(hash, zip(names, scopes, strict=True)), np.int64, len(listings))
        keys = np.empty((len(listings), _FIRST_BAND + (BANDS if self._bands else 0)), np.uint64)
        keys[:, _NAME] = hashes.view(np.uint64)
        keys[:, _WORDS] = np.frombuffer(b"".join(digests), "<u8")[::2] ^ salts
        if self._bands:
            bands = np.frombuffer(b"".join([one or _NO_BANDS for one in all_bands]), "<u4").reshape(-1, BANDS)
            keys[:, _FIRST_BAND:] = (bands | _BAND_NUMBER) ^ salts[:, None]
        keys = fmix64(keys)
        np.maximum(keys, _LEAST, out=keys)
        unable = [place for place, one in enumerate(all_bands) if not one]
        if unable:
            keys[unable, (_FIRST_BAND if self._short else _WORDS) :] = 0
        return keys


def _rarest(which: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Tell which keys are used: the name, the words, and the rarest bands, one at least, of `_MOST_FINDS` together."""
    finds = np.bincount(which)
    finds[:_FIRST_BAND] = 0
    order = np.argsort(finds, kind="stable")
    used = np.zeros(len(finds), np.bool_)
    used[order] = np.cumsum(finds[order]) <= _MOST_FINDS
    used[order[np.count_nonzero(finds == 0) :][:1]] = True
    return used


def _ascending(numbers: npt.NDArray[np.int64]) -> list[int]:
    """Each once."""
    return sorted(set(numbers.tolist()))


def _check(keys: Keys) -> npt.NDArray[np.uint32]:
    """32 bits of a key that the look-up table does not compare."""
    return np.asarray((keys >> np.uint64(16)) & np.uint64(0xFFFFFFFF), np.uint32)
