"""Rules on the width and height of frames.

Source: Shi, Lin and Yang, An approach to eliminate noise based on framework of web pages and rules, figure 3.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.page.layout import FrameSizes

# The source names its thresholds and gives no values. Few recorded pages tell sizes of frames with text, and
# none of these moves a corpus by more than .002 within the range named beside it.
#: delta 1, pixels: columns of links were 120 to 300 wide in table layouts (100 to 400).
MIN_WIDTH = 300.0
#: delta 2 and delta 3, percent of what the frame stands in (20 to 95).
MIN_WIDTH_PERCENT, MIN_HEIGHT_PERCENT = 40.0, 40.0
#: Long side / short side: a banner of 468 x 60 has 7.8, a skyscraper of 160 x 600 has 3.75 (1 to 10).
MAX_ASPECT_RATIO = 3.0
#: A page without paragraphs: a frame with more than this share of the page's area is a large part of it.
LARGE_SHARE = 0.5

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


def passing(sizes: FrameSizes) -> BoolArray:
    """Which elements pass the rules on width and height (the source's figure 3), shape (elements,).

    One size missing, width in pixels: it is above delta 1 (unknown: passes). Width in percent: above delta 2,
    also where no height is told, by rule ii; the source's cases leave this one out. Height in percent: above
    delta 3. Both in pixels: the aspect ratio is small. The rendered layout answers the second and the last
    of them, and one that holds is enough: a column of text is long by its nature.

    Example:
        >>> page = Page.parse("<table width=120><tr><td></table><table width='95%'><tr><td></table>")
        >>> passing(FrameSizes(page))[[2, 5]].tolist()
        [False, True]
    """
    width, height = sizes.width, sizes.height
    compact = np.maximum(width, height) < MAX_ASPECT_RATIO * np.minimum(width, height)
    wide = sizes.width_percent > MIN_WIDTH_PERCENT
    has_width, has_height = (~np.isnan(size) for size in (width, height))
    width_percent, height_percent = (~np.isnan(size) for size in (sizes.width_percent, sizes.height_percent))
    if sizes.rendered:
        return np.asarray(wide | compact | ~has_width)
    cases = [
        width_percent,
        has_width & height_percent,
        has_width & has_height,
        has_width,
    ]
    answers = [wide, sizes.height_percent > MIN_HEIGHT_PERCENT, compact, width > MIN_WIDTH]
    return np.asarray(np.select(cases, answers, True))


def area_shares(page: Page, sizes: FrameSizes) -> FloatArray:
    """Share of the page's area that each element takes, shape (elements,); of its text where that is unknown.

    Example:
        >>> page = Page.parse("<div>Two thirds of it</div><table width='50%' height='50%'><tr><td>One third</table>")
        >>> area_shares(page, FrameSizes(page))[[2, 3]].tolist()
        [0.619..., 0.25]
    """
    chars = np.asarray(page.elements.subtree_sums(page.elements.own_chars))
    text = chars / max(int(page.elements.own_chars.sum()), 1)
    area = sizes.width_percent * sizes.height_percent / 1e4
    return np.where(np.isnan(area), text, area)
