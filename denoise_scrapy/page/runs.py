"""Which runs of text make a block: those between two marks that end one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import Elements, IntArray

#: Inline levels between a text and its block that are climbed one by one (.7 µs each); more, and all are looked up.
CLIMBED = 12


@dataclass(frozen=True, eq=False)
class Runs:
    """The blocks of a page, shape (m,) but for `block_of_text`.

    Attributes:
        block_of_text: Block of the text after each mark, -1 where nothing shows, shape (marks,).
        element: Nearest block-level element of each block's text, -1 where there is none.
        first: Number of the mark that each block's text follows.
        after: Number of the mark that ends it; the number of all marks at the page's end.
    """

    block_of_text: IntArray
    element: IntArray
    first: IntArray
    after: IntArray


def part_runs(e: Elements) -> Runs:
    """Part a page's text at the marks of block-level elements, and at every second `br` with nothing between."""
    is_block = np.asarray(e.column("block"), np.bool_)
    ends = is_block.take(e.mark_element)
    _end_at_second_breaks(e, ends)
    group = ends.cumsum()  # of the text after each mark
    bounds = _bounds(ends)
    shows = (e.visible_before[1:] > e.visible_before[:-1]) & (e.text_owner >= 0)
    shown = shows.nonzero()[0]
    group_shown = group.take(shown)
    is_first = np.empty(len(shown), np.bool_)
    is_first[:1] = True
    np.not_equal(group_shown[1:], group_shown[:-1], out=is_first[1:])
    of_block = group_shown[is_first]
    block_of_group = np.full(len(bounds), -1)
    block_of_group[of_block] = np.arange(len(of_block))
    element = _block_element(e, is_block, e.text_owner.take(shown[is_first]))
    return Runs(block_of_group.take(group), element, bounds.take(of_block), bounds.take(of_block + 1))


def _end_at_second_breaks(e: Elements, ends: npt.NDArray[np.bool_]) -> None:
    """A `br` that follows another one with nothing visible between ends a block at its start mark."""
    is_break = np.asarray(e.column("br"), np.bool_)
    if is_break.any():
        breaks = (is_break.take(e.mark_element) & e.is_start).nonzero()[0]
        seen = e.visible_before.take(breaks)
        ends[breaks[1:][seen[1:] == seen[:-1]]] = True


def _bounds(ends: npt.NDArray[np.bool_]) -> IntArray:
    """Number of the mark where each group of runs begins, and the number of all marks as last value."""
    inner = ends.nonzero()[0]
    bounds = np.zeros(len(inner) + 2, np.int64)  # the first group begins at the first mark
    bounds[1:-1] = inner
    bounds[-1] = len(ends)
    return bounds


def _block_element(e: Elements, is_block: npt.NDArray[np.bool_], owner: IntArray) -> IntArray:
    """The nearest block-level element of each of these, itself included; the path table knows how far up it is."""
    path = e.paths.take(owner)
    depth = np.asarray(e.table.columns["depth"])
    block_path = np.asarray(e.table.columns["block_path"], np.int32).take(path)
    levels = int((depth.take(path) - depth.take(block_path)).max(initial=0))
    if levels > CLIMBED or not block_path.all():  # path 0 is no element's
        return e.nearest(is_block).take(owner)
    up = np.where(is_block, e.index, e.parent)
    for _ in range(levels):
        owner = up.take(owner)
    return owner
