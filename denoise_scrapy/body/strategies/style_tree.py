"""Site style tree: what the site's pages say, and how they show it, merged; what they all share is dropped.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003).
"""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy, without_hidden
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.site.style_tree import NOISE_THRESHOLD, importance

#: A block with more than this share of its text in noisy elements is dropped.
NOISY_SHARE = 0.5


class StyleTreeStrategy(Strategy):
    """Site style tree of the page and its comparison pages, less the noisy elements."""

    name = "style-tree"
    comparison_pages = 9
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # the tree of a page alone knows no noise
        found = importance(page, site.whole_pages[: self.comparison_pages])
        noisy = page.blocks.share_owned_by(found.noisy_text(NOISE_THRESHOLD)) > NOISY_SHARE
        kept = without_hidden(page, ~noisy)
        reasons = np.where(noisy, "in elements that say the same on the site's pages", "hidden")
        reasons = np.where(kept, "in elements that say something of their own", reasons)
        probability = np.where(kept, 0.6, 0.1)
        return Decision(kept, probability, 0.5 if kept.any() else 0.0, reasons.tolist(), is_rule=True)
