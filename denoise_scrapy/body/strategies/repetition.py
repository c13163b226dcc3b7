"""Repetition and link density: keep what only this page says, in prose, outside the page's frame.

The hand rule under the learned strategies. What stands on the comparison pages too is template; what is
mostly links leads elsewhere; what stands in navigation, header, footer or aside frames the content.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.selection import select_by_expected_f1
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.markup import CHROME, CHROME_WORDS
from denoise_scrapy.site import SiteStatistics

#: A text on at least this share of the comparison pages is template (measured: .2 to .5 do alike).
REPEATED_SHARE = 0.3
#: A block with this share of its characters in links is a list of links (measured on five corpora).
LINK_DENSITY = 0.5
#: A frame flag that covers more than this share of the page's text frames nothing: it is ignored.
FRAME_SHARE = 0.5

BoolArray = npt.NDArray[np.bool_]


class RepetitionStrategy:
    """Not repeated, link density below .5, not under a frame of the page."""

    name = "repetition"
    comparison_pages = 5

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        """See `Strategy.decide`."""
        blocks = page.blocks
        against = {
            "repeated on comparison pages": site.repeated_share(page) >= REPEATED_SHARE,
            "mostly links": blocks.link_density >= LINK_DENSITY,
            "hidden": _unless_most(page, (blocks.flags & Flag.HIDDEN) != 0),
            "in the page's frame": framed(page),
        }
        kept = ~np.logical_or.reduce(list(against.values()))
        reasons = np.full(len(blocks), "only on this page", object)
        for reason, hits in against.items():
            reasons[hits] = reason
        probability = np.where(kept, 0.9, 0.1)
        confidence = select_by_expected_f1(probability, blocks.tokens)[1]
        return Decision(kept, probability, confidence, reasons.tolist())


def framed(page: Page) -> BoolArray:
    """Blocks under navigation, header, footer or aside."""
    flags = page.blocks.flags
    under = np.zeros(len(flags), bool)
    for flag in CHROME | CHROME_WORDS:
        under |= _unless_most(page, (flags & flag) != 0)
    return under


def _unless_most(page: Page, hits: BoolArray) -> BoolArray:
    """The flag, or nothing where it covers most of the page's text."""
    tokens = page.blocks.tokens
    return hits if tokens[hits].sum() <= FRAME_SHARE * tokens.sum() else np.zeros_like(hits)
