"""Tables of a page: their cells, which tables hold data, and what is written of them; and a page's prices."""

from __future__ import annotations

from itertools import islice

import numpy as np

from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import HALF, BoolArray, IntArray
from denoise_scrapy.page.currencies import is_price

#: Table elements that are written.
TABLE_TAGS = frozenset("table caption thead tbody tfoot tr td th".split())


def cells_of(page: Page) -> tuple[IntArray, IntArray, IntArray]:
    """Return the cells in a row of their table; and the row and table around each of n elements, -1 for none."""
    e = page.elements
    table, row = e.nearest(e.has_tag({"table"})), e.nearest(e.has_tag({"tr"}))
    cells = np.flatnonzero(e.has_tag({"td", "th"}) & (row >= 0) & (table >= 0))
    return cells[table[row[cells]] == table[cells]], row, table


#: Minimum rows and columns of a table of data.
SEVERAL = 2
#: A cell with more tokens than this is prose.
CELL_TOKENS = 30


def data_tables(page: Page) -> BoolArray:
    """Return the elements that are tables of data, shape (n,).

    Most of its rows have as many cells as the most common row, as a heading may span them all; most of its text is in
    no cells of prose, unless it has heading cells; no cell has most of the page's text, or it is its body.
    """
    e, n = page.elements, len(page.elements)
    cells, row, table = cells_of(page)
    is_heading = e.has_tag({"th", "caption", "thead"})
    tokens = page.blocks.subtree_sums(page.blocks.tokens)
    prose = e.subtree_sums(np.bincount(table[cells], tokens[cells] * (tokens[cells] > CELL_TOKENS), n))
    headed = np.bincount(table[is_heading & (table >= 0)], minlength=n) > 0
    body = np.zeros(n, bool)
    body[table[cells[tokens[cells] > HALF * page.blocks.tokens.sum()]]] = True
    brief = prose <= HALF * tokens
    found = _regular(cells, row, table) & (tokens > 0)
    # a brief one with headings holds data, also in tables within its cells; around others there is only layout
    whole = found & headed & brief
    inner = np.flatnonzero(e.has_tag({"table"}) & (tokens > 0))
    above = e.parent_or_self[inner]
    found[inner[e.nearest(whole)[above] >= 0]] = False
    outer = table[above]
    outer = outer[outer >= 0]
    found[outer[~whole[outer]]] = False
    return found & (brief | (headed & ~body))


def _regular(cells: IntArray, row: IntArray, table: IntArray) -> BoolArray:
    """Return the tables with enough rows and columns, shape (n,)."""
    n = len(row)
    regular = np.zeros(n, bool)
    width = np.bincount(row[cells], minlength=n)
    rows = np.flatnonzero(width)
    kinds, count = np.unique(table[rows] * n + width[rows], return_counts=True)
    tables, width = np.divmod(kinds, n)
    all_rows = np.bincount(table[rows], minlength=n)[tables]
    regular[tables[(width >= SEVERAL) & (count >= HALF * all_rows) & (all_rows >= SEVERAL)]] = True
    return regular


def tables_around(page: Page) -> IntArray | None:
    """Return the table of data around each of m blocks, -1 for none; None if the page has no table."""
    e = page.elements
    return e.nearest(data_tables(page))[page.blocks.element] if e.holds_tag({"table"}) else None


#: A cell with more kept blocks than this, except those in lists, holds a column of the page, not a datum.
MAX_CELL_BLOCKS = 3


def written_tables(page: Page, kept: BoolArray, live: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Return parts of tables that only lay out the page, and dropped rows and cells that are written for alignment.

    A table is written if a row has two cells with kept blocks, no cell is crowded or holds what our tables cannot, and
    no written table is inside. `kept` has m blocks, everything else n elements; `live` are those with kept blocks.
    """
    e, n = page.elements, len(page.elements)
    data = np.zeros(n, bool)
    if not e.holds_tag({"table"}):
        return data, data
    cells, row, table = cells_of(page)
    live_cells = cells[live[cells]]
    data[table[np.bincount(row[live_cells], minlength=n) > 1]] = True
    rows = np.flatnonzero(np.bincount(row[live_cells]))
    is_row = np.bincount(table[rows], minlength=n)[table[live_cells]] == 1
    data[table[_crowded(page, kept, live_cells, live_cells[is_row])]] = False
    around = e.nearest(data & data_tables(page))[e.parent_or_self]
    data[around >= 0] = False
    data &= e.subtree_sums(data) == data
    of_data = (table >= 0) & data[table]
    empty = _spanned_rows(page, np.flatnonzero(e.has_tag({"tr"}) & of_data), cells, row, table, live)
    hidden = (e.tokens["flags"] & int(Flag.HIDDEN))[e.token[cells]] != 0
    empty[cells] = ((live | empty)[row[cells]] & of_data[cells]) & ~live[cells] & ~hidden
    return e.has_tag(TABLE_TAGS) & (table >= 0) & ~of_data, empty


def _crowded(page: Page, kept: BoolArray, cells: IntArray, alone: IntArray) -> IntArray:
    """Return cells with too many kept blocks, or a heading with text, which our tables cannot hold.

    And with preformatted text or a displayed formula in what is no table of data.
    Of cells `alone` in their table's only row, those with an element around a block: they are columns of the page.
    """
    e = page.elements
    is_cell = np.zeros(len(e), bool)
    is_cell[cells] = True
    of_block = page.blocks.element[kept]
    in_cell = e.nearest(is_cell)
    cell, item = in_cell[of_block], e.nearest(e.has_tag({"li", "dt", "dd"}))[of_block]
    heading = e.nearest(e.has_tag(HEADING_TAGS))[of_block]
    inside = np.bincount(cell[(cell >= 0) & (item < cell)], minlength=len(e))
    direct = inside > MAX_CELL_BLOCKS
    headed = cell[(cell >= 0) & (heading > cell)]
    direct[headed] |= inside[headed] > 1
    around = np.bincount(cell[(cell >= 0) & (of_block > cell)], minlength=len(e)) > 0
    direct[alone[around[alone]]] = True
    is_code = e.has_tag({"pre"})
    is_code[[element for element, given in page.noted.attributes.items() if "display" in given]] = True
    code = in_cell[is_code & (in_cell >= 0)]
    if len(code):
        direct[code[~data_tables(page)[e.nearest(e.has_tag({"table"}))[code]]]] = True
    return np.flatnonzero(direct)


def _spanned_rows(
    page: Page, rows: IntArray, cells: IntArray, row: IntArray, table: IntArray, live: BoolArray
) -> BoolArray:
    """Return dropped rows that a row span ties to a kept row, shape (n,)."""
    empty, spans = np.zeros(len(live), bool), np.ones(len(live), np.int64)
    in_table = set(cells.tolist())
    for element, given in page.noted.attributes.items():
        if "rowspan" in given and element in in_table:
            spans[row[element]] = max(spans[row[element]], span(given["rowspan"]))
    if not len(rows) or spans.max() == 1:
        return empty
    rows = rows[np.argsort(table[rows], kind="stable")]
    place, ends = np.arange(len(rows)), np.searchsorted(table[rows], table[rows], "right")
    reach = np.maximum.accumulate(np.minimum(place + spans[rows], ends))
    run = np.append(0, np.cumsum(reach[:-1] <= place[1:]))  # of rows of one table that are tied together
    stays = np.bincount(run, live[rows]) > 0
    empty[rows] = stays[run] & ~live[rows]
    return empty


def span(value: str) -> int:
    """Return the number of rows or columns of a cell, from its attribute."""
    # no readable table has more; a rendering may write a cell for each
    return max(1, min(100, int(value))) if value.isascii() and value.isdigit() else 1


# Prices that count, from the page's first heading on: the current one, a former one, one by weight. Further prices are
# of other products beside it, which change.
MOST_PRICES = 3
# Maximum tokens of a price with its label; longer blocks are sentences.
MOST_TOKENS = 12

_FRAME = (
    *(Flag.LINK, Flag.HIDDEN, Flag.NAV, Flag.FOOTER, Flag.ASIDE),
    *(Flag.NAV_WORD, Flag.FOOTER_WORD, Flag.SIDE_WORD, Flag.AD_WORD, Flag.COMMENT_WORD),
)


def amounts_of(page: Page) -> str:
    """Return the texts of a page's tables of data, and its first prices, one per line, without template.

    Example:
        >>> page = Page.parse("<h1>Kettle</h1><div>Only 9.50 €</div><table><tr><th>Size<th>Left<tr><td>S<td>3</table>")
        >>> amounts_of(page).splitlines()
        ['Only 9.50 €', 'Size', 'Left', 'S', '3']
    """
    blocks, e = page.blocks, page.elements
    own = (blocks.flags & np.bitwise_or.reduce(np.array(_FRAME, np.int64))) == 0
    inside = e.inside(np.flatnonzero(data_tables(page)))[blocks.element]
    headings = np.flatnonzero(e.has_tag({"h1"}))
    begins = blocks.element >= headings[0] if len(headings) else np.ones(len(blocks), np.bool_)
    short = own & ~inside & begins & (blocks.tokens <= MOST_TOKENS) & (blocks.link_chars == 0)
    prices = (block for block in np.flatnonzero(short).tolist() if is_price(page.block_text(block)))
    wanted = own & inside
    wanted[list(islice(prices, MOST_PRICES))] = True
    return page.text_of(wanted)
