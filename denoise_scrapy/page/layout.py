"""Where a rendered page's blocks lie, and the sizes of its frames."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.blocks import Blocks
from denoise_scrapy.page.columns import Boxes
from denoise_scrapy.page.page import Page

FloatArray = npt.NDArray[np.float64]

#: Elements without a box of their own stand where the next ones around them do, up to so many levels.
_LEVELS = 8
#: Blocks whose centres are nearer than this, in CSS pixels, stand in one column: rounding moves them by less.
_NEAR = 1.0


class BlockLayout(NamedTuple):
    """Columns of a page's m blocks, each of shape (m,); NaN where nothing is known.

    Attributes:
        outside: Share of the block's width that lies beside the main column, 0 to 1.
        font: log2 of font size / the main column's.
        pinned: Whether it keeps its place on the screen: 0 or 1.
    """

    outside: FloatArray
    font: FloatArray
    pinned: FloatArray

    @classmethod
    def of(cls, blocks: Blocks, boxes: Boxes) -> BlockLayout:
        """Find the layout of a page's blocks, by the boxes of its elements."""
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


def _median(values: FloatArray, weight: npt.NDArray[np.int64]) -> float:
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


_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d*)?|\.\d+)\s*(%|px)?\s*(?:!important)?\s*", re.IGNORECASE | re.ASCII)
#: Width in CSS pixels of a page that has none: screens were 1,024 wide in the years of table layouts, less a
#: scroll bar. It only decides where a page mixes pixels with percentages of the page.
USUAL_PAGE_WIDTH = 1000.0


class FrameSizes:
    """Width and height of each of a page's n elements, NaN where unknown.

    A rendered page (`Page.boxes`) has both pixels and percent of the page; markup has one of them, in percent of what
    the element stands in.

    Attributes:
        width: In CSS pixels, shape (n,).
        width_percent: Shape (n,).
        height: In CSS pixels, shape (n,).
        height_percent: Shape (n,).
        rendered: Whether they are those of the rendered layout.
        page_width: In CSS pixels: as rendered, else the largest in pixels, else `USUAL_PAGE_WIDTH`.

    Example:
        >>> sizes = FrameSizes(Page.parse("<div style='width: 80%'><table><tr><td width=160 height=90>x</table></div>"))
        >>> sizes.width_percent.tolist()[2], sizes.width.tolist()[-1], sizes.height.tolist()[-1]
        (80.0, 160.0, 90.0)
    """

    def __init__(self, page: Page) -> None:
        self._elements = page.elements
        boxes = page.boxes
        self.rendered = boxes is not None
        n = len(page.elements)
        if boxes is not None:
            self.width, self.height = boxes.width.astype(np.float64), boxes.height.astype(np.float64)
            self.width_percent = 100 * self.width / max(boxes.page_width, 1)
            self.height_percent = 100 * self.height / max(boxes.page_height, 1)
            self.page_width = float(boxes.page_width)
            return
        sizes = np.full((4, n), np.nan)
        if page.sizes:
            index = [element for element, _, _ in page.sizes]
            sizes[:, index] = np.transpose([parse_size(width) + parse_size(height) for _, width, height in page.sizes])
        self.width, self.width_percent, self.height, self.height_percent = sizes
        self.page_width = np.nanmax(self.width, initial=0.0) or USUAL_PAGE_WIDTH

    def inherited_widths(self) -> FloatArray:
        """Width of each element in CSS pixels, or of the nearest element around it that has one, shape (n,).

        Example:
            >>> page = Page.parse("<table width=900><tr><td width='20%'><p>x<td><p>y</table>")
            >>> FrameSizes(page).inherited_widths()[2:].tolist()
            [900.0, 900.0, 180.0, 180.0, 900.0, 900.0]
        """
        e = self._elements
        in_pixels, in_percent = ~np.isnan(self.width), ~np.isnan(self.width_percent)
        nearest = e.nearest(in_pixels | in_percent)
        known = np.flatnonzero(in_pixels | in_percent)
        # a width is a product: percentages up to the first pixels, or up to the page. Factors of the known
        # elements, of the page, and of what stands above all: 1
        page, above = len(known), len(known) + 1
        own = np.where(in_pixels, self.width, self.width_percent / 100)[known]
        factor = np.concatenate([own, [self.page_width, 1.0]])
        parent = e.parent[known]
        around = np.where(parent >= 0, nearest[parent], -1)
        around = np.where(around < 0, page, np.searchsorted(known, around))
        around = np.concatenate([np.where(in_pixels[known], above, around), [above, above]])
        while (around != above).any():  # doubles the distance: log2(depth) rounds
            factor, around = factor * factor[around], around[around]
        found = np.append(factor[:-2], np.nan)  # the last one answers for "none"
        return np.asarray(found[np.where(nearest < 0, page, np.searchsorted(known, nearest))])


@lru_cache(maxsize=4096)
def parse_size(size: str) -> tuple[float, float]:
    """A width or height as (CSS pixels, percent), NaN where it is not; other units are neither.

    Example:
        >>> parse_size("760"), parse_size("95.5 %"), parse_size("12em")
        ((760.0, nan), (nan, 95.5), (nan, nan))
    """
    match = _SIZE.fullmatch(size)
    number = float(match[1]) if match else 0.0
    if not match or not number:  # browsers ignore a width of 0
        return np.nan, np.nan
    return (np.nan, number) if match[2] == "%" else (number, np.nan)
