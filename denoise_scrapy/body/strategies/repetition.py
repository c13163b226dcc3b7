"""Repetition and link density: keep what only this page says, in prose, outside the page's frame.

The hand rule (`body/hand_rule.py`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.hand_rule import HandRule
from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics


class RepetitionStrategy(Strategy):
    """Not repeated, link density below .5, not in the page's frame."""

    name = "repetition"
    comparison_pages = 5
    needs_elements = False

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        rule = HandRule(page, site)
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
