"""Features of pictures and prices: what shops, lists and galleries are made of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.announcements import PRICE_BIT, announcements
from denoise_scrapy.body.features.surroundings import Feature, window_sums
from denoise_scrapy.page import Page
from denoise_scrapy.page.characters import DIGIT

#: A price stands in a block of at most so many tokens: in prose it is a sum of money.
PRICE_TOKENS = 25


def find_prices(page: Page) -> npt.NDArray[np.float64]:
    """Short blocks that hold a price, 1 or 0, shape (blocks,).

    Example:
        >>> find_prices(Page.parse("<p>12,50 €<p>Size 12<p>$3")).tolist()
        [1.0, 0.0, 1.0]
    """
    blocks = page.blocks
    found = np.zeros(len(blocks))
    numbers = ((blocks.tokens <= PRICE_TOKENS) & (blocks.counts[:, DIGIT] > 0)).nonzero()[0]
    if len(numbers):
        said = announcements(list(map(page.marked_texts.__getitem__, numbers.tolist())))
        found[numbers] = [bits & PRICE_BIT != 0 for bits, _, _ in said]
    return found


def count_pictures(page: Page) -> npt.NDArray[np.int64]:
    """Pictures in the subtree of each element, shape (elements,)."""
    return np.asarray(page.elements.subtree_sums(page.elements.has_tag({"img"}).astype(np.int64)), np.int64)


def goods_features(page: Page, prices: npt.NDArray[np.float64], pictures: npt.NDArray[np.int64]) -> Iterator[Feature]:
    """Pictures 1 and 3 levels above each block, prices around it, and how many of both the page has.

    Args:
        page: The page of n elements and m blocks.
        prices: See `find_prices`, shape (m,).
        pictures: See `count_pictures`, shape (n,).
    """
    m, above = len(page.blocks), page.blocks.above
    yield "pictures_up1", np.log1p(pictures[above[1]])
    yield "pictures_up3", np.log1p(pictures[above[3]])
    yield "page_pictures", np.full(m, np.log1p(pictures.max(initial=0)))
    yield "is_price", prices
    yield "price_around", window_sums(prices, 5)
    yield "page_prices", np.full(m, np.log1p(prices.sum()))
