"""Features of pictures and prices: what shops, lists and galleries are made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.announcements import PRICE_BIT
from denoise_scrapy.body.features.words import Words, read_words
from denoise_scrapy.body.sums import PRICES, Sums
from denoise_scrapy.page import Page

NAMES = ("pictures_up1", "pictures_up3", "is_price", "price_around")


def find_prices(page: Page, words: Words | None = None) -> npt.NDArray[np.float64]:
    """Short blocks that hold a price, 1 or 0, shape (blocks,).

    Args:
        page: The page.
        words: What its words tell, where that is known already.

    Example:
        >>> find_prices(Page.parse("<p>12,50 €<p>Size 12<p>$3")).tolist()
        [1.0, 0.0, 1.0]
    """
    return np.asarray((words or read_words(page)).bits & PRICE_BIT != 0, float)


def count_pictures(page: Page) -> npt.NDArray[np.int64]:
    """Pictures in the subtree of each element, shape (elements,)."""
    return np.asarray(page.elements.subtree_sums(page.elements.has_tag({"img"}).astype(np.int64)), np.int64)


def fill_goods(out: npt.NDArray[np.float32], sums: Sums, pictures: npt.NDArray[np.int64]) -> None:
    """Fill in the rows of `NAMES`: pictures 1 and 3 levels above each block, prices in it and around it.

    Args:
        out: Shape (rows, m).
        sums: Those of the page of n elements and m blocks.
        pictures: See `count_pictures`, shape (n,).
    """
    np.log1p(pictures.take(sums.page.blocks.above[1:4:2]), out=out[:2])
    out[2] = sums.rows[PRICES]
    out[3] = sums.windows(5, slice(PRICES, PRICES + 1))[0]
