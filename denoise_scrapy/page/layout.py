"""Where a rendered page's blocks lie, seen from its main column.

Position and width say little by themselves: with a bar at one side the text is not in the middle. Seen from the
column in which most of the prose stands they say more than anything else that one page tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.blocks import Blocks
from denoise_scrapy.page.geometry import Boxes

Floats = npt.NDArray[np.float64]

#: Elements without a box of their own stand where the next ones around them do, up to so many levels.
_LEVELS = 8
#: Blocks whose centres are nearer than this, in CSS pixels, stand in one column: rounding moves them by less.
_NEAR = 1.0


@dataclass(frozen=True)
class BlockLayout:
    """Columns of a page's m blocks, each of shape (m,); NaN where nothing is known.

    Attributes:
        outside: Share of the block's width that lies beside the main column, 0 to 1.
        font: log2 of font size / the main column's.
        pinned: Whether it keeps its place on the screen: 0 or 1.
    """

    outside: Floats
    font: Floats
    pinned: Floats

    @classmethod
    def of(cls, blocks: Blocks, boxes: Boxes) -> BlockLayout:
        """Find the layout of a page's blocks.

        Args:
            blocks: The blocks.
            boxes: Boxes of the page's elements.
        """
        element = _with_box(blocks, boxes)
        left, width = boxes.x[element].astype(np.float64), boxes.width[element].astype(np.float64)
        center, font = left + width / 2, boxes.font_size[element].astype(np.float64)
        prose = blocks.paragraph_tokens * (boxes.visible[blocks.element] & ~np.isnan(width))
        weight = prose if prose.any() else blocks.tokens * ~np.isnan(width)
        middle = _median(center, weight)
        column = _median(width, np.where(np.abs(center - middle) < _NEAR, weight, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            overlap = np.minimum(left + width, middle + column / 2) - np.maximum(left, middle - column / 2)
            outside = 1 - np.clip(overlap / width, 0, 1)
            size = np.log2(font / _median(font, weight))
        return cls(
            outside=outside,
            font=np.where(np.isfinite(size), size, np.nan),
            pinned=boxes.pinned[blocks.element].astype(np.float64),
        )


def _with_box(blocks: Blocks, boxes: Boxes) -> npt.NDArray[np.int64]:
    """Each block's element, or the nearest around it that has a box."""
    found: npt.NDArray[np.int64] = blocks.element.copy()
    up = blocks.elements.parent_or_self
    for _ in range(_LEVELS):
        empty = ~(boxes.width[found] > 0)
        if not empty.any():
            break
        found[empty] = up[found[empty]]
    return found


def _median(values: Floats, weight: npt.NDArray[np.int64]) -> float:
    """Weighted median of what is known; NaN of nothing.

    Example:
        >>> float(_median(np.array([5.0, 1.0, np.nan]), np.array([1, 2, 9])))
        1.0
    """
    known = ~np.isnan(values) & (weight > 0)
    if not known.any():
        return float("nan")
    order = np.argsort(values[known], kind="stable")
    sums = np.cumsum(weight[known][order])
    return float(values[known][order][np.searchsorted(sums, sums[-1] / 2)])
