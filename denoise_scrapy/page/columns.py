"""Types of a page's columns, and the columns for the layout of its elements."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
FloatColumn = npt.NDArray[np.float32]

#: Share from which on something is most of a whole, or likely: a method whose source gives no value has this one.
HALF = 0.5

_NAN = np.float32(math.nan)
#: Columns of boxes, each with the value for an unknown element.
_UNKNOWN = {"x": _NAN, "y": _NAN, "width": _NAN, "height": _NAN, "font_size": _NAN, "visible": True, "pinned": False}


@dataclass(frozen=True)
class Boxes:
    """Boxes of a page's n elements in document order, in CSS pixels from the page's own origin.

    Unknown values are NaN, and unknown elements count as visible: nothing is dropped for want of a box.

    Attributes:
        x: Left edge, shape (n,); NaN if unknown, as in all columns.
        y: Top edge, shape (n,).
        width: Shape (n,).
        height: Shape (n,).
        page_width: Width of the whole page.
        page_height: Height of the whole page.
        visible: Whether it is visible, shape (n,); by default all are.
        font_size: Shape (n,); by default NaN.
        pinned: Whether it, or an ancestor, keeps its place on the screen (fixed, sticky), shape (n,).
    """

    x: FloatColumn
    y: FloatColumn
    width: FloatColumn
    height: FloatColumn
    page_width: float
    page_height: float
    visible: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))
    font_size: FloatColumn = field(default_factory=lambda: np.empty(0, np.float32))
    pinned: BoolArray = field(default_factory=lambda: np.empty(0, np.bool_))

    def __post_init__(self) -> None:
        for name, unknown in _UNKNOWN.items():
            if not len(getattr(self, name)):
                object.__setattr__(self, name, np.full(len(self), unknown))  # how frozen dataclasses set attributes
        lengths = {len(getattr(self, name)) for name in _UNKNOWN}
        if len(lengths) != 1:
            raise ValueError(f"all columns must have one length, got {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.x)

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return sum(getattr(self, name).nbytes for name in _UNKNOWN)

    def taken(self, numbers: npt.NDArray[np.intp]) -> Boxes:
        """Return the boxes with these numbers in this order; -1 is an unknown element."""
        found: dict[str, Any] = {
            name: np.append(getattr(self, name), unknown)[numbers] for name, unknown in _UNKNOWN.items()
        }
        return replace(self, **found)


#: Levels above an element without a box at which one is looked for, and above code at which its language is named: that
#: many in a table with line numbers.
LEVELS = 8
#: Blocks whose centres are closer than this, in CSS pixels, are in one column: rounding moves them less.
_NEAR = 1.0


def layout_of(boxes: Boxes, own: IntArray, parent: IntArray, prose: IntArray, tokens: IntArray) -> FloatArray:
    """Return the layout of m blocks, NaN where unknown, shape (3, m).

    It is the share of the block's width that lies beside the main column, 0 to 1; log2 of its font size / that of the
    main column; and 1 if it keeps its place on the screen, else 0. Given are each block's `own` element, its `tokens`,
    and in `prose` its tokens if it is a paragraph, else 0; and each element's `parent`, for a root itself.
    """
    element = own  # or the nearest ancestor that has a box
    for _ in range(LEVELS):
        element = np.where(boxes.width[element] > 0, element, parent[element])
    left, width, font = (column[element].astype(np.float64) for column in (boxes.x, boxes.width, boxes.font_size))
    center = left + width / 2
    shown = prose * (boxes.visible[own] & ~np.isnan(width))
    weight = shown if shown.any() else tokens * ~np.isnan(width)
    middle = weighted_median(center, weight)
    column = weighted_median(width, np.where(np.abs(center - middle) < _NEAR, weight, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        overlap = np.minimum(left + width, middle + column / 2) - np.maximum(left, middle - column / 2)
        outside = 1 - np.clip(overlap / width, 0, 1)
        size = np.log2(font / weighted_median(font, weight))
    return np.stack([outside, np.where(np.isfinite(size), size, np.nan), boxes.pinned[own]])


def weighted_median(values: FloatArray, weight: IntArray) -> float:
    """Return the weighted median of the known values; NaN if there are none."""
    known = ~np.isnan(values) & (weight > 0)
    if not known.any():
        return math.nan
    order = np.argsort(values[known], kind="stable")
    sums = np.cumsum(weight[known][order])
    return float(values[known][order][np.searchsorted(sums, sums[-1] / 2)])
