"""Features of what the page declares to be, and of where its text stands: pages of one kind share them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Flag, Page

#: A page that declares one of these is a thread: what people answer is its content.
FORUM_TYPES = frozenset(["qapage", "question", "discussionforumposting"])
#: What pages declare that they are (schema.org, Open Graph), by what it means for their text.
DECLARED = {
    "article": frozenset(["article", "newsarticle", "blogposting", "reportagenewsarticle", "report", "og:article"]),
    "forum": FORUM_TYPES,
    "product": frozenset(["product", "productgroup", "offer", "aggregateoffer", "og:product", "og:product.item"]),
    "list": frozenset(["itemlist", "collectionpage", "searchresultspage", "offercatalog"]),
    "manual": frozenset(["techarticle", "apireference", "howto", "faqpage"]),
    "website": frozenset(["og:website"]),
}
#: Where text may stand: the shares of the page's text in these tell kinds of pages apart.
SPREAD = (Flag.ARTICLE, Flag.COMMENT_WORD, Flag.LIST_ITEM, Flag.TABLE_CELL, Flag.HEADING, Flag.CONTENT_WORD)


DECLARED_NAMES = tuple(f"page_declares_{name}" for name in DECLARED)
SPREAD_NAMES = tuple(f"page_in_{str(flag.name).lower()}" for flag in SPREAD)
SPREAD_ROWS = [list(Flag).index(flag) for flag in SPREAD]


def declares(page: Page) -> list[bool]:
    """What the page declares to be, in the order of `DECLARED_NAMES`."""
    if not page.declared_types:
        return [False] * len(DECLARED)
    return [not types.isdisjoint(page.declared_types) for types in DECLARED.values()]


def spread(covered: npt.NDArray[np.float64], whole: int) -> list[float]:
    """Shares of the page's text, in the order of `SPREAD_NAMES`, from the tokens that each flag covers, (flags,)."""
    shares = covered.take(SPREAD_ROWS) / whole
    return list(shares.tolist())
