"""The kind of a page: boosted trees for each kind, fitted on pages that readers named (`docs/main-text.md`)."""

from __future__ import annotations

from denoise_scrapy.body.strategies.base import Values
from denoise_scrapy.body.strategies.combined import BlockModel, block_model, first_judgement
from denoise_scrapy.core.parts import page_signals
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

NONE = "none"  # it has no text: a wall, an error
#: All kinds. A collection holds several texts of one kind, such as poems; a service is what a firm or an office says of
#: itself.
KINDS = ("article", "thread", "question", "manual", "shop", "list", "collection", "service", NONE)


def kind_of(page: Page, site: SiteStatistics, first: tuple[Values, Values] | None = None) -> str:
    """Return the most probable kind of a page, compared with its site; `first` is its first judgement, if known.

    Example:
        >>> page = Page.parse("<title>Log in</title><h1>Log in</h1><p>You have to log in. <a href=/>Log in</a>")
        >>> kind_of(page, SiteStatistics(()))
        'none'
    """
    if not len(page.blocks):
        return NONE
    return likeliest(block_model(), page_signals(*(first or first_judgement(page, site)), page.blocks.tokens))


def likeliest(model: BlockModel, signals: Values) -> str:
    """Return the most probable kind of a page with these signals (`page_signals`)."""
    return max(KINDS, key=lambda kind: float(model.forests[f"kind {kind}"].probability(signals)[0]))
