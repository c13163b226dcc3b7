"""Sizes of a page's frames: what attributes, inline styles or the rendered layout tell of each element."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.page import Page

FloatArray = npt.NDArray[np.float64]

_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d*)?|\.\d+)\s*(%|px)?\s*(?:!important)?\s*", re.IGNORECASE | re.ASCII)
#: Width in CSS pixels of a page that tells none: screens were 1,024 wide in the years of table layouts, less a
#: scroll bar. It only decides where a page mixes pixels with percentages of the page.
USUAL_PAGE_WIDTH = 1000.0


class FrameSizes:
    """Width and height of each of a page's n elements, NaN where nothing is told.

    A rendered page (`Page.boxes`) tells both pixels and percent of the page; markup tells one of them, in
    percent of what the element stands in.

    Attributes:
        width: In CSS pixels, shape (n,).
        width_percent: Shape (n,).
        height: In CSS pixels, shape (n,).
        height_percent: Shape (n,).
        rendered: Whether the rendered layout tells them.
        page_width: In CSS pixels: as rendered, else the largest that is told, else `USUAL_PAGE_WIDTH`.

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
        told = np.full((4, n), np.nan)
        if page.sizes:
            index = [element for element, _, _ in page.sizes]
            told[:, index] = np.transpose([parse_size(width) + parse_size(height) for _, width, height in page.sizes])
        self.width, self.width_percent, self.height, self.height_percent = told
        self.page_width = np.nanmax(self.width, initial=0.0) or USUAL_PAGE_WIDTH

    def inherited_widths(self) -> FloatArray:
        """Width of each element in CSS pixels, or of the nearest element around it that tells one, shape (n,).

        Example:
            >>> page = Page.parse("<table width=900><tr><td width='20%'><p>x<td><p>y</table>")
            >>> FrameSizes(page).inherited_widths()[2:].tolist()
            [900.0, 900.0, 180.0, 180.0, 900.0, 900.0]
        """
        e = self._elements
        in_pixels, in_percent = ~np.isnan(self.width), ~np.isnan(self.width_percent)
        nearest = e.nearest(in_pixels | in_percent)
        told = np.flatnonzero(in_pixels | in_percent)
        # a width is a product: percentages up to the first pixels, or up to the page. Factors of the told
        # elements, of the page, and of what stands above all: 1
        page, above = len(told), len(told) + 1
        own = np.where(in_pixels, self.width, self.width_percent / 100)[told]
        factor = np.concatenate([own, [self.page_width, 1.0]])
        parent = e.parent[told]
        around = np.where(parent >= 0, nearest[parent], -1)
        around = np.where(around < 0, page, np.searchsorted(told, around))
        around = np.concatenate([np.where(in_pixels[told], above, around), [above, above]])
        while (around != above).any():  # doubles the distance: log2(depth) rounds
            factor, around = factor * factor[around], around[around]
        found = np.append(factor[:-2], np.nan)  # the last one answers for "none"
        return np.asarray(found[np.where(nearest < 0, page, np.searchsorted(told, nearest))])


@lru_cache(maxsize=4096)
def parse_size(size: str) -> tuple[float, float]:
    """A width or height as (CSS pixels, percent), NaN for what it does not tell. Other units tell nothing.

    Example:
        >>> parse_size("760"), parse_size("95.5 %"), parse_size("12em")
        ((760.0, nan), (nan, 95.5), (nan, nan))
    """
    match = _SIZE.fullmatch(size)
    number = float(match[1]) if match else 0.0
    if not match or not number:  # browsers ignore a width of 0
        return np.nan, np.nan
    return (np.nan, number) if match[2] == "%" else (number, np.nan)
