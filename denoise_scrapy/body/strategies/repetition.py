"""Repetition and link density: keep what only this page says, in prose, outside the page's frame.

The hand rule (`body/hand_rule.py`), which stands under the learned strategies, by itself.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.hand_rule import HandRule
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.native import library
from denoise_scrapy.native.texts import find_titles as native_titles
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.marked_text import collapsed, folding_table
from denoise_scrapy.site import SiteStatistics

BoolArray = npt.NDArray[np.bool_]


class RepetitionStrategy:
    """Not repeated, link density below .5, not in the page's frame."""

    name = "repetition"
    comparison_pages = 5
    needs_elements = False

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        """See `Strategy.decide`."""
        rule = HandRule(page, site, find_titles(page))
        kept = rule.kept
        reasons: npt.NDArray[np.object_] = np.full(len(kept), "the page has little but such text", object)
        reasons[rule.points > 0] = "only on this page"
        against = {
            "outside the page's prose, or among teasers": rule.points <= 0,
            "in the page's frame, by tags or class words": rule.frame <= 0,
            "mostly links": rule.linked,
            "hidden": rule.hidden,
            "repeated on comparison pages": rule.repeated,
        }
        for reason, hits in against.items():
            reasons[hits & ~kept] = reason
        return Decision.of_rule(page, kept, reasons.tolist())


def find_titles(page: Page) -> BoolArray:
    """Headings whose text is part of the page's title."""
    title, native, address = "".join(page.title.lower().split()), library(), page.native_address
    if native is not None and address is not None:
        found, left = native_titles(native, address, folding_table(), title)
        if not left:
            return found.view(np.bool_)
    headings = (page.blocks.own_flags & Flag.HEADING) != 0
    likely = (headings & (page.blocks.chars <= len(title))).nonzero()[0]
    titles = np.zeros(len(page.blocks), bool)
    for i, marked in zip(likely.tolist(), page.marked_texts_of(likely), strict=True):
        titles[i] = "".join(collapsed(marked).lower().split()) in title
    return titles
