"""What the model sees of a page's blocks beside its comparison pages: the core computes it (`core/features.pyx`)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import FAMILIES, NAMES, NO_WORDS, Compared, Family, Rows, View
from denoise_scrapy.core.vocabulary import Vocabulary
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

__all__ = ["FAMILIES", "FORUM_TYPES", "NAMES", "NO_WORDS", "Family", "Rows", "View", "block_features", "view_of"]

#: Comparison pages that most features are of, the likest ones: more say no more. `stock` is of all of them: of a text
#: that any has too, the share of its place's text that two pages have.
MODEL_PAGES = 5
#: A page that declares one of these is a thread: what people answer is its content.
FORUM_TYPES = frozenset(["qapage", "question", "discussionforumposting"])
ARTICLE_TYPES = frozenset(["article", "newsarticle", "blogposting", "reportagenewsarticle", "report", "og:article"])


def view_of(page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> View:
    """Return a page of m blocks as its features see it.

    Args:
        page: The page.
        site: Its comparison pages, without the page itself and its copies; maybe none.
        vocabulary: What is known of words.
    """
    declared = page.declared_types
    return View(
        page.tree,
        vocabulary,
        _compared(page, site) if site.pages else None,
        declares_article=not declared.isdisjoint(ARTICLE_TYPES),
        declares_forum=not declared.isdisjoint(FORUM_TYPES),
    )


def _compared(page: Page, site: SiteStatistics) -> Compared:
    first, whole = site.first(MODEL_PAGES), site.shared_with(page)
    shared, stock = first.shared_with(page), np.where(whole.text_share > 0, whole.slot_share, 0)
    return Compared(
        len(first.pages), shared.text_share, shared.placed_share, shared.slot_share, shared.own_tokens, stock
    )


def block_features(page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> npt.NDArray[np.float32]:
    """Return all features of a page's m blocks, shape (features, m), rows as in `NAMES`; arguments as `view_of`'s.

    Example:
        >>> features = block_features(Page.parse("<h2>One two three.</h2>"), SiteStatistics())
        >>> features.shape == (len(NAMES), 1), float(features[NAMES.index("heading"), 0])
        (True, 2.0)
    """
    return view_of(page, site, vocabulary).features
