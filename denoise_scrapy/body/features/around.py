"""Features of what stands around a block: in the tree, beside it, under its path and heading, on other pages."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.sums import COPIES, HEADINGS, PRICES, PROSE, TOKENS, Sums
from denoise_scrapy.body.features.words import FAR
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import Elements
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site.shared import SharedBlocks

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
Rows = npt.NDArray[np.float32]

#: Levels up whose subtrees are described, and half widths of the windows (in blocks).
LEVELS = (0, 1, 2, 3)
WINDOWS = (2, 5, 12)
#: Neighbours, in blocks, that are described one by one.
STEPS = (-2, -1, 1, 2)

#: Of the subtrees 0 to 3 levels above each block.
SUBTREE_NAMES = tuple(f"{measure}_up{level}" for measure in "prose ld tokens blocks share".split() for level in LEVELS)
#: Of the blocks before and after.
WINDOW_NAMES = tuple(f"{measure}_window{width}" for measure in "ld prose tokens".split() for width in WINDOWS)
#: Of the nearest of them one by one.
NEAR_NAMES = tuple(f"{measure}{step:+d}" for step in STEPS for measure in "tokens ld prose".split())
#: Of all blocks of a block's path on the page: records of a list, paragraphs of a story.
PATH_NAMES = ("path_prose", "path_ld", "path_tokens", "path_count", "path_share", "path_relative")
#: Of where the page's prose is, from here; and its title.
PLACE_NAMES = ("in_container", "from_first", "from_last", "from_title", "prose_before", "position", "index")


def fill_subtrees(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `SUBTREE_NAMES`."""
    measures = out.reshape(5, len(LEVELS), -1)
    measures[:2] = sums.shares_above
    # of PROSE, LINKS, TOKENS, CHARS, ONES: tokens and blocks
    np.log1p(sums.above[2:5:2], out=measures[2:4])
    np.divide(sums.above[2], sums.whole, out=measures[4])


def fill_windows(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `WINDOW_NAMES`."""
    windows = np.empty((5, len(WINDOWS), out.shape[1]))  # PROSE, LINKS, TOKENS, CHARS, ONES
    for number, width in enumerate(WINDOWS):
        windows[:, number] = sums.windows(width)
    _, links, tokens, chars, count = windows
    np.divide(links, np.maximum(chars, 1, out=chars), out=out[:3])
    np.divide(tokens, count, out=windows[1])
    np.log1p(windows[:2], out=out[3:].reshape(2, len(WINDOWS), -1))


def fill_near(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `NEAR_NAMES`."""
    m = out.shape[1]
    padded = np.zeros((3, m + 4), np.float32)
    inside = padded[:, 2 : m + 2]
    inside[0], inside[1] = sums.log_tokens, sums.page.blocks.link_density
    np.greater(sums.rows[PROSE], 0, out=inside[2])
    for number, step in enumerate(STEPS):
        out[3 * number : 3 * number + 3] = padded[:, 2 + step : 2 + step + m]


def fill_paths(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `PATH_NAMES`."""
    of_paths = sums.by_path  # PROSE, LINKS, TOKENS, CHARS, ONES
    table = np.empty((5, of_paths.shape[1]))
    np.divide(of_paths[:2], np.maximum(of_paths[2:4], 1), out=table[:2])
    np.divide(of_paths[2], of_paths[4], out=table[2])
    table[3] = of_paths[4]
    np.log1p(table[2:4], out=table[2:4])
    np.divide(of_paths[2], sums.whole, out=table[4])
    values = table.take(sums.page.blocks.slots, axis=1)
    out[:5] = values
    np.subtract(sums.log_tokens, values[2], out=out[5])


def fill_place(out: Rows, sums: Sums, inside: npt.NDArray[np.bool_], titles: npt.NDArray[np.bool_]) -> None:
    """Fill in the rows of `PLACE_NAMES`.

    Args:
        out: Shape (rows, m).
        sums: Those of the page.
        inside: Blocks in the container of the page's prose, shape (m,).
        titles: Headings that the page's title holds, shape (m,).
    """
    m = out.shape[1]
    index = np.arange(m, dtype=float)
    paragraphs, named = (inside & (sums.rows[PROSE] > 0)).nonzero()[0], titles.nonzero()[0]
    first, last = (paragraphs[0], paragraphs[-1]) if len(paragraphs) else (0, m - 1)
    distance = index - np.array([first, last, named[0] if len(named) else np.nan])[:, None]
    out[0] = inside
    np.minimum(np.maximum(distance, -FAR, out=distance), FAR, out=out[1:4])
    np.divide(sums.before(PROSE)[:-1], max(float(sums.totals[PROSE]), 1.0), out=out[4])
    np.divide(sums.before(TOKENS)[1:], sums.whole, out=out[5])
    np.divide(index, m, out=out[6])


#: Tags of the headings' levels.
HEADING_LEVELS = tuple(f"h{level}" for level in range(1, 7))
_LEVEL_CODES = np.array([name_code(tag) for tag in HEADING_LEVELS], np.uint32)[:, None]
_LEVELS = np.arange(1, 7)

SECTION_NAMES = ("section_prose", "section_ld", "section_tokens", "section_level")


def fill_sections(out: npt.NDArray[np.float32], sums: Sums) -> None:
    """Fill in the rows of `SECTION_NAMES`. A section is a heading and what follows up to the next one."""
    page, m = sums.page, out.shape[1]
    headings = sums.rows[HEADINGS].nonzero()[0]
    edges = np.empty(len(headings) + 2, np.int64)
    edges[0], edges[1:-1], edges[-1] = -1, headings, m
    of = sums.between(edges[:-1] + 1, edges[1:])  # PROSE, LINKS, TOKENS, CHARS: the headings themselves do not count
    table = np.zeros((len(SECTION_NAMES), len(headings) + 1))
    np.divide(of[:2], np.maximum(of[2:], 1), out=table[:2])
    np.log1p(of[2], out=table[2])
    tags = page.elements.column("tag").take(page.blocks.element.take(headings))
    np.matmul(_LEVELS, tags == _LEVEL_CODES, out=table[3, 1:])
    out[:] = table.take(sums.before(HEADINGS)[1:].astype(np.int64), axis=1)


GOODS_NAMES = ("pictures_up1", "pictures_up3", "is_price", "price_around")


def count_pictures(page: Page) -> npt.NDArray[np.int64]:
    """Pictures in the subtree of each element, shape (elements,)."""
    return np.asarray(page.elements.subtree_sums(page.elements.has_tag({"img"}).astype(np.int64)), np.int64)


def fill_goods(out: npt.NDArray[np.float32], sums: Sums, pictures: npt.NDArray[np.int64]) -> None:
    """Fill in the rows of `GOODS_NAMES`: pictures 1 and 3 levels above each block, prices in it and around it.

    Args:
        out: Shape (rows, m).
        sums: Those of the page of n elements and m blocks.
        pictures: See `count_pictures`, shape (n,).
    """
    np.log1p(pictures.take(sums.page.blocks.above[1:4:2]), out=out[:2])
    out[2] = sums.rows[PRICES]
    out[3] = sums.windows(5, slice(PRICES, PRICES + 1))[0]


#: Repetition of a block's text, of its path's and its surroundings' text, and what fills its slot elsewhere.
SITE_NAMES = (
    "repeated_path",
    "repeated_up1",
    "repeated_up3",
    "repeated",
    "repeated_in_place",
    "repeated_slot",
    "path_present",
    "slot_tokens",
    "slot_relative",
)


def fill_site(out: npt.NDArray[np.float32], sums: Sums, shared: SharedBlocks, pages: int) -> None:
    """Fill in the rows of `SITE_NAMES`.

    Args:
        out: Shape (rows, m).
        sums: Those of the page; COPIES are tokens times the comparison pages that carry them.
        shared: What the page shares with its comparison pages.
        pages: How many these are; none tells nothing.
    """
    if not pages:
        out[:] = np.nan
        return
    copies, tokens = COPIES - PROSE, TOKENS - PROSE
    of_paths = sums.by_path
    carried = of_paths[copies] / (pages * np.maximum(of_paths[tokens], 1))
    out[0] = carried.take(sums.page.blocks.slots)
    around = sums.above[:, 1:4:2]
    np.divide(around[copies], pages * np.maximum(around[tokens], 1), out=out[1:3])
    out[3], out[4], out[5] = shared.text_share, shared.placed_share, shared.slot_share
    out[6] = shared.path_share
    elsewhere = np.log1p(shared.slot_tokens)
    out[7] = elsewhere
    np.subtract(sums.log_tokens, elsewhere, out=out[8])


#: Siblings of one tag and class make a list of records from this many on, with so many elements each on average.
RECORDS, ELEMENTS, TOKENS_EACH = 3, 3, 2
#: Measures of a list (the four in the middle are shares of records that hold such a thing), and of a record within it.
MEASURES = ("count", "mean", "prose", "ld", "share", "picture", "heading", "meta", "price", "position", "relative")
#: Of the list of records with the most text, and of the innermost one, that hold each block; 0 where none does.
RECORD_NAMES = tuple(f"record_{which}_{measure}" for which in ("outer", "inner") for measure in MEASURES)
_SHARE, _POSITION, _RELATIVE = (MEASURES.index(name) for name in ("share", "position", "relative"))
#: Rows of what is summed over records: PROSE, LINKS, TOKENS, CHARS, then these, and what they hold.
_TOKENS, _SIZE, _PICTURE = TOKENS - PROSE, 4, 5


def fill_records(out: npt.NDArray[np.float32], sums: Sums, pictures: IntArray) -> float:
    """Fill in the rows of `RECORD_NAMES`.

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
