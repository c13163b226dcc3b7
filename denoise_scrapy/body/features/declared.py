"""Features of what the page declares to be, and of where its text stands: pages of one kind share them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from denoise_scrapy.body.features.surroundings import Features
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


_DECLARED_NAMES = tuple(f"page_declares_{name}" for name in DECLARED)
_SPREAD = np.array(SPREAD, np.int64)[:, None]
_SPREAD_NAMES = tuple(f"page_in_{str(flag.name).lower()}" for flag in SPREAD)


def declared_features(page: Page) -> Iterator[Features]:
    """The same for all blocks of the page: what it declares, and shares of its text."""
    blocks = page.blocks
    declared = [not types.isdisjoint(page.declared_types) for types in DECLARED.values()]
    yield _DECLARED_NAMES, np.broadcast_to(np.array(declared, float)[:, None], (len(declared), len(blocks)))
    inside = (blocks.flags & _SPREAD) != 0  # (flags, blocks)
    shares = inside @ blocks.tokens / max(int(blocks.tokens.sum()), 1)
    yield _SPREAD_NAMES, np.broadcast_to(shares[:, None], inside.shape)
