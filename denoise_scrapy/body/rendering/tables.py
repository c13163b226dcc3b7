"""Which tables are data, and which of their rows and cells must stay for the columns to stay in line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.rendering.tags import TABLE_TAGS
from denoise_scrapy.page import Flag, Page

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

#: A cell with more kept blocks than this, those of lists in it aside, holds a page's column, not a datum.
MAX_CELL_BLOCKS = 3


@dataclass(frozen=True)
class Tables:
    """What the tables of a page of n elements are.

    Attributes:
        layout: Tags of tables that only lay the page out: not written, shape (n,).
        empty: Dropped rows and cells that are written without content, for the place they hold, shape (n,).
    """

    layout: BoolArray
    empty: BoolArray


def read_tables(page: Page, kept: BoolArray, live: BoolArray) -> Tables:
    """Tell data from layout, and find the dropped cells that hold a place.

    A table is data where some row has two cells with something kept in them, no cell is crowded or holds
    preformatted text, and no table of data stands in it.

    Args:
        page: A page of n elements and m blocks.
        kept: Which blocks are kept, shape (m,).
        live: Which elements hold anything that is kept, shape (n,).
    """
    e = page.elements
    table = e.nearest(e.has_tag({"table"}))
    row = e.nearest(e.has_tag({"tr"}))
    cells = np.flatnonzero(e.has_tag({"td", "th"}) & (row >= 0) & (table >= 0))
    cells = cells[table[row[cells]] == table[cells]]
    data = _data_tables(page, kept, cells[live[cells]], row, table)
    own = e.has_tag(TABLE_TAGS)
    of_data = (table >= 0) & data[table]
    empty = _spanned_rows(page, np.flatnonzero(e.has_tag({"tr"}) & of_data), cells, row, table, live)
    hidden = (np.asarray(e.column("own_flags"), np.int64) & Flag.HIDDEN) != 0
    holding = cells[(live[row[cells]] | empty[row[cells]]) & of_data[cells] & ~live[cells] & ~hidden[cells]]
    empty[holding] = True
    return Tables(own & (table >= 0) & ~of_data, empty)


def _data_tables(page: Page, kept: BoolArray, live_cells: IntArray, row: IntArray, table: IntArray) -> BoolArray:
    """Which elements are tables of data."""
    e = page.elements
    n = len(e)
    data = np.zeros(n, bool)
    rows = np.flatnonzero(np.bincount(row[live_cells], minlength=n) > 1)
    data[table[rows]] = True
    data[table[_crowded(page, kept, live_cells)]] = False
    inside = np.asarray(e.subtree_sums(data.astype(np.int64)), np.int64) - data
    return np.asarray(data & (inside == 0))


def _crowded(page: Page, kept: BoolArray, cells: IntArray) -> IntArray:
    """Cells with too many kept blocks, or with preformatted text, whose lines no table of ours can hold."""
    e = page.elements
    is_cell = np.zeros(len(e), bool)
    is_cell[cells] = True
    of_block = page.blocks.element[kept]
    cell, item, pre = (e.nearest(a)[of_block] for a in (is_cell, e.has_tag({"li", "dt", "dd"}), e.has_tag({"pre"})))
    direct = np.bincount(cell[(cell >= 0) & (item < cell)], minlength=len(e)) > MAX_CELL_BLOCKS
    direct[cell[(cell >= 0) & (pre > cell)]] = True
    return np.flatnonzero(direct)


def _spanned_rows(
    page: Page, rows: IntArray, cells: IntArray, row: IntArray, table: IntArray, live: BoolArray
) -> BoolArray:
    """Dropped rows that a cell reaches into or out of, where it reaches a row that stays."""
    empty = np.zeros(len(live), bool)
    in_table = set(cells.tolist())
    spans: dict[int, int] = {}
    for element, name, value in page.attributes:
        if name == "rowspan" and element in in_table:
            spans[int(row[element])] = max(spans.get(int(row[element]), 1), span(value))
    for group in _linked(rows[np.argsort(table[rows], kind="stable")], table, spans) if spans else ():
        if live[group].any():
            empty[[i for i in group if not live[i]]] = True
    return empty


def _linked(rows: IntArray, table: IntArray, spans: dict[int, int]) -> Iterator[list[int]]:
    """Runs of rows of one table that cells with a row span hold together."""
    group: list[int] = []
    reach, last_table = 0, -1
    for i in rows.tolist():
        if group and (table[i] != last_table or reach == 0):
            yield group
            group, reach = [], 0
        group.append(i)
        last_table = table[i]
        reach = max(reach, spans.get(i, 1)) - 1
    if group:
        yield group


def span(value: str) -> int:
    """Rows or columns that a cell takes, by its attribute as written.

    Example:
        >>> span("2"), span("-1"), span("9" * 9)
        (2, 1, 100)
    """
    # no table that anybody reads has more; a rendering may write a cell for each
    return max(1, min(100, int(value))) if value.isascii() and value.isdigit() else 1
