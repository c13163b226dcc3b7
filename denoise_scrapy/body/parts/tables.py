"""Tables of data. Tables that lay out the page, as they did for long, are none: their cells hold its prose."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.parts.surroundings import BoolArray, Surroundings
from denoise_scrapy.page import Page

IntArray = npt.NDArray[np.int64]

#: A table of data has so many rows and columns.
ROWS, COLUMNS = 2, 2
#: So large a share of its rows have as many cells as the most common row; a heading may span them all.
REGULAR = 0.5
#: A cell with more than this is prose, and not more than this share of the text is in such cells: prices, names,
#: results. A table with heading cells may explain things at length, …
CELL_TOKENS, PROSE_SHARE = 30, 0.5
#: … but one cell with more than this share of the page's text is its body.
PAGE_SHARE = 0.5


def find(page: Page) -> BoolArray:
    """Blocks in tables of data.

    Example:
        >>> source = "<table><tr><td>Menu<td><p>{}</table><table><tr><th>City<th>Rain<tr><td>Bergen<td>9 mm</table>"
        >>> find(Page.parse(source.format("It rained for a long time. " * 9))).tolist()
        [False, False, True, True, True, True]
    """
    tables = page.elements.nearest(page.elements.has_tag({"table"}))[page.blocks.element]
    return (tables >= 0) & _data_tables(page)[tables]


def own(around: Surroundings, found: BoolArray) -> BoolArray:
    """Tables in the body's element that are neither template nor lists of links."""
    return found & around.inside & ~around.framed & ~around.template & ~around.linked


def _data_tables(page: Page) -> BoolArray:
    """Which elements are tables of data, shape (elements,)."""
    e, n = page.elements, len(page.elements)
    is_table, is_heading = e.has_tag({"table"}), e.has_tag({"th", "caption", "thead"})
    table, row = e.nearest(is_table), e.nearest(e.has_tag({"tr"}))
    tokens = page.blocks.subtree_sums(page.blocks.tokens)
    innermost = is_table & (tokens > 0)
    above = e.parent[np.flatnonzero(innermost)]
    outer = table[above[above >= 0]]
    innermost[outer[outer >= 0]] = False
    cells = np.flatnonzero(e.has_tag({"td", "th"}) & (row >= 0) & (table >= 0))
    cells = cells[table[row[cells]] == table[cells]]
    prose = np.bincount(table[cells], tokens[cells] * (tokens[cells] > CELL_TOKENS), n)
    headed = np.bincount(table[is_heading & (table >= 0)], minlength=n) > 0
    body = np.zeros(n, bool)
    body[table[cells[tokens[cells] > PAGE_SHARE * page.blocks.tokens.sum()]]] = True
    brief = prose <= PROSE_SHARE * tokens
    return np.asarray(innermost & _regular(cells, row, table) & (brief | (headed & ~body)))


def _regular(cells: IntArray, row: IntArray, table: IntArray) -> BoolArray:
    """Which elements are tables with rows and columns enough, shape (elements,).

    Args:
        cells: Indices of the page's cells.
        row: Row around each element, -1 for none, shape (elements,).
        table: Table around each element, -1 for none, shape (elements,).
    """
    n = len(row)
    regular = np.zeros(n, bool)
    rows, width = np.unique(row[cells], return_counts=True)
    kinds, count = np.unique(np.stack([table[rows], width]), axis=1, return_counts=True)
    all_rows = np.bincount(table[rows], minlength=n)
    enough = (kinds[1] >= COLUMNS) & (count >= REGULAR * all_rows[kinds[0]]) & (all_rows[kinds[0]] >= ROWS)
    regular[kinds[0][enough]] = True
    return regular
