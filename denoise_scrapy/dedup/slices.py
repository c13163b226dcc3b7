"""Exact search by bit-sliced signatures: every set looked at, sixty-four in one machine word.

The signatures of 8,192 sets lie as a matrix of 1,024 rows of bits, a row for each bit, a column for each set. To find
the sets that may have enough in common with a query, the rows of the query's rarest bits are added up column by
column, in carry-save adders over whole words: a column with more zeros than the query can spare is out. Each row
is a lower bound on what is missing, whichever are taken, so nothing is lost; a set is appended by setting its bits,
so nothing is ever rebuilt.

Source: ours; bit-sliced signature files after Faloutsos and Chan (1988), carry-save counting after Harley and Seal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.growing import Growing
from denoise_scrapy.dedup.signature import BITS, WORDS, bits_of, gather, ones, sign
from denoise_scrapy.dedup.unit_sets import UnitSets

FEW = 1024
"""Up to here signatures are read one by one: a matrix takes a megabyte, and most sites are small."""

_BLOCK = 8192  # sets of a matrix: a megabyte
_WORDS = _BLOCK // 64
_TOGETHER = 8  # matrices added up at a time: the rows in hand, some 60 x 8 KB, stay in the cache
_MORE = 1.75
"""Rows read for each unit the query can spare. Of 100,000 made-up texts 0.05 strangers are left at 2, 0.6 at 1.75, and
3.5 at 1.6; the time goes with the rows."""

_1 = np.uint64(1)
Rows = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]


class Slices(UnitSets):
    """Sets of units as columns of bits.

    Example:
        >>> sets = Slices()
        >>> sets.add([7], [np.array([100, 200, 300, 400], "<u2").tobytes()], [40])
        >>> query = np.array([200, 300, 400, 500], np.uint16)
        >>> sets.search(query, need=3, longest=100).tolist()
        [7]
        >>> sets.search(query, need=4, longest=100).tolist()
        []

    """

    def __init__(self) -> None:
        super().__init__()
        self._numbers = Growing(np.int64)
        self._lengths = Growing(np.int64)
        self._few: Rows = np.zeros((0, WORDS), np.uint64)
        self._blocks: list[Rows] = []
        self._counts = np.zeros(BITS, np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        held = sum(block.nbytes for block in self._blocks)
        return held + self._few.nbytes + self._numbers.nbytes + self._lengths.nbytes

    def add(self, numbers: list[int], sets: list[bytes], lengths: list[int]) -> None:
        """See `UnitSets.add`."""
        start = len(self)
        self._numbers.extend(numbers)
        self._lengths.extend(lengths)
        units, sizes = gather(sets)
        bits, owner = bits_of(units), np.repeat(np.arange(start, len(self)), sizes)
        self._counts += np.bincount(bits, minlength=BITS)
        if len(self) <= FEW:
            self._few = np.concatenate([self._few, sign(units, sizes)])
            return
        if len(self._few):
            old_owner, old_bits = np.nonzero(np.unpackbits(self._few.view(np.uint8), axis=1, bitorder="little"))
            self._set(old_bits, old_owner)
            self._few = self._few[:0]
        self._set(bits, owner)

    def search(self, units: npt.NDArray[np.uint16], need: int, longest: int) -> Ints:
        """See `UnitSets.search`."""
        if len(self._few) or not self._blocks:
            mark = sign(units, np.array([len(units)]))
            found = np.flatnonzero(len(units) - ones(mark & ~self._few) >= need)
        else:
            found = self._scan(bits_of(units), len(units) - need)
        self.visited += len(found)
        found = found[self._lengths.values[found] <= longest]
        return np.sort(self._numbers.values[found])

    def _set(self, bits: Ints, places: Ints) -> None:
        """Set bits of the sets at some places."""
        while len(self._blocks) * _BLOCK < len(self):
            self._blocks.append(np.zeros((BITS, _WORDS), np.uint64))
        block, column = np.divmod(places, _BLOCK)
        for number in np.unique(block).tolist():
            here = block == number
            word, bit = np.divmod(column[here], 64)
            np.bitwise_or.at(self._blocks[number], (bits[here], word), _1 << bit.astype(np.uint64))

    def _scan(self, bits: Ints, spare: int) -> Ints:
        """Places of the sets that lack no more than `spare` of a query's units, as far as the rows read tell."""
        bits = bits[np.argsort(self._counts[bits], kind="stable")]  # two units on one bit are missing twice
        bits = bits[: max(spare + 8, int(_MORE * spare))]
        found = [np.empty(0, np.int64)]
        for start in range(0, len(self._blocks), _TOGETHER):
            blocks = self._blocks[start : start + _TOGETHER]
            missing = np.empty((len(bits), len(blocks) * _WORDS), np.uint64)
            for place, block in enumerate(blocks):
                np.bitwise_not(block[bits], out=missing[:, place * _WORDS : (place + 1) * _WORDS])
            out = _more_than(missing, spare)
            kept = np.unpackbits((~out).view(np.uint8), bitorder="little")
            found.append(np.flatnonzero(kept) + start * _BLOCK)
        places = np.concatenate(found)
        return places[places < len(self)]


def _more_than(rows: Rows, limit: int) -> Rows:
    """Tell for each column of bits whether more than `limit` of the rows are set."""
    planes = _count(rows)
    over, level = np.zeros(rows.shape[1], np.uint64), np.full(rows.shape[1], ~np.uint64(0))
    if limit >= 1 << len(planes):
        return over
    for place in range(len(planes) - 1, -1, -1):
        if limit >> place & 1:
            level &= planes[place]
        else:
            over |= level & planes[place]
            level &= ~planes[place]
    return over


def _count(rows: Rows) -> list[Rows]:
    """Add up rows of bits column by column: the binary digits of the sums, the lowest first."""
    digits = []
    while True:
        carries = []
        while len(rows) > 1:
            third = max(1, len(rows) // 3)
            a, b, c = rows[:third], rows[third : 2 * third], rows[2 * third : 3 * third]
            half = a ^ b
            if len(rows) == 2:  # a half adder ends the digit
                carries.append(a & b)
                rows = half
            else:
                carries.append((a & b) | (c & half))
                rows = np.concatenate([half ^ c, rows[3 * third :]])
        digits.append(rows[0])
        if not carries:
            return digits
        rows = np.concatenate(carries)
