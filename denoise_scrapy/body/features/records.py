"""Features of records: lists of sibling subtrees of one shape, as comments, products and search results are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.sums import PRICES, PROSE, TOKENS, Sums
from denoise_scrapy.page.columns import Elements

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Siblings of one tag and class make a list of records from this many on, with so many elements each on average.
RECORDS, ELEMENTS, TOKENS_EACH = 3, 3, 2
#: Measures of a list (the four in the middle are shares of records that hold such a thing), and of a record within it.
MEASURES = ("count", "mean", "prose", "ld", "share", "picture", "heading", "meta", "price", "position", "relative")
#: Of the list of records with the most text, and of the innermost one, that hold each block; 0 where none does.
NAMES = tuple(f"record_{which}_{measure}" for which in ("outer", "inner") for measure in MEASURES)
_SHARE, _POSITION, _RELATIVE = (MEASURES.index(name) for name in ("share", "position", "relative"))
#: Rows of what is summed over records: PROSE, LINKS, TOKENS, CHARS, then these, and what they hold.
_TOKENS, _SIZE, _PICTURE = TOKENS - PROSE, 4, 5


def fill_records(out: npt.NDArray[np.float32], sums: Sums, pictures: IntArray) -> float:
    """Fill in the rows of `NAMES`.

    Args:
        out: Shape (rows, m).
        sums: Those of the page of n elements.
        pictures: Pictures in each element's subtree, shape (n,).

    Returns:
        The largest share of the page's text that a list of records has.
    """
    table, group, rank = _lists(sums, pictures)
    if table.shape[1] == 1:
        out[:] = 0
        return 0.0
    above, m = sums.page.blocks.above, out.shape[1]
    groups = group.take(above, mode="clip")
    # of each block the level of the record with the most text, and the first level that is one
    chosen = np.empty((2, m), np.int64)
    table[_SHARE].take(groups, mode="clip").argmax(axis=0, out=chosen[0])
    (groups > 0).argmax(axis=0, out=chosen[1])
    chosen *= m
    chosen += np.arange(m)
    of, chosen = groups.take(chosen), above.take(chosen)
    values, is_record = table.take(of, axis=1), of > 0
    np.divide(rank.take(chosen) * is_record, values[_POSITION], out=values[_POSITION])
    np.subtract(np.log1p(sums.under(TOKENS, chosen)) * is_record, values[_RELATIVE], out=values[_RELATIVE])
    out.reshape(2, len(MEASURES), m)[:] = values.swapaxes(0, 1)
    return float(table[_SHARE].max())


def _lists(sums: Sums, pictures: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    """The lists of records of a page.

    Returns:
        Their measures, the first column for what is in no list, shape (len(MEASURES), 1 + lists): in place of position
        the number of records, of "relative" what the record's own length is compared with. The list of each element,
        0 for none, and its number among the list's records, shape (n,) each.
    """
    elements = sums.page.elements
    member, count = _siblings(elements)
    group, rank = np.zeros((2, len(elements)), np.int64)
    if not len(count):
        return np.zeros((len(MEASURES), 1)), group, rank
    first = count.cumsum() - count
    held = sums.under(slice(PROSE, PRICES + 1), member)  # of ONES and COPIES nothing is asked: their rows serve others
    np.subtract(elements.end.take(member), member, out=held[_SIZE])
    held[_PICTURE] = pictures.take(member)
    np.greater(held[_PICTURE:], 0, out=held[_PICTURE:])
    total = np.add.reduceat(held, first, axis=1)
    text = total[_TOKENS]
    listed = (total[_SIZE] >= ELEMENTS * count) & (text >= TOKENS_EACH * count)
    group[member] = (listed.cumsum() * listed).repeat(count)
    rank[member] = np.arange(len(member)) - first.repeat(count)
    return _measures(total[:, listed], count[listed], sums.whole), group, rank


def _measures(total: FloatArray, count: IntArray, whole: int) -> FloatArray:
    """See `_lists`; from sums over the records of each list, shape (9, lists), and their number, shape (lists,)."""
    table = np.zeros((len(MEASURES), 1 + len(count)))
    of = table[:, 1:]
    of[0] = count
    np.divide(total[_TOKENS], count, out=of[1])
    np.log1p(of[:2], out=of[:2])
    np.divide(total[:2], np.maximum(total[2:4], 1), out=of[2:4])
    np.divide(total[_TOKENS], whole, out=of[_SHARE])
    np.divide(total[_PICTURE:], count, out=of[_SHARE + 1 : _POSITION])
    table[_POSITION, 0] = 1
    of[_POSITION], of[_RELATIVE] = count, of[1]
    return table


def _siblings(elements: Elements) -> tuple[IntArray, IntArray]:
    """Elements of which RECORDS or more siblings have one tag, class and id.

    Returns:
        The elements, one kind after the other, in document order within it; and how many there are of each kind.
    """
    n = len(elements)
    bits = n.bit_length()
    kind = elements.column("token") + (elements.parent + 1).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    # with the element's number in the low bits, one sort brings kinds together in document order: no argsort
    key = kind << np.uint64(bits) | np.arange(n, dtype=np.uint64)
    key.sort()
    begins = np.ones(n + 1, bool)
    np.greater_equal(key[1:] ^ key[:-1], np.uint64(1 << bits), out=begins[1:n])
    edges = begins.nonzero()[0]
    count = edges[1:] - edges[:-1]
    many = count >= RECORDS
    element = (key & np.uint64((1 << bits) - 1)).view(np.int64)
    return element[many.repeat(count)], count[many]
