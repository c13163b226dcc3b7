"""Cluster rule: the block that holds the content of most pages of the template holds this page's too.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy, without_hidden
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics, template_similarity
from denoise_scrapy.site.clusters import best_block, learn_rule, relative_alpha
from denoise_scrapy.site.memory import SAME_TEMPLATE

#: The cluster: the page and as many others of its template. The source asks for more than five pages in all.
COMPARISON_PAGES = 9


class ClusterStrategy(Strategy):
    """The rule with the highest sum of H over the page's cluster; without one the page's block of highest H."""

    name = "cluster"
    comparison_pages = COMPARISON_PAGES
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # without pages of its template the cluster is the page alone
        others = site.whole_pages[: self.comparison_pages]
        alike = (other for other in others if template_similarity(page, other) > SAME_TEMPLATE)
        rule = learn_rule([page, *alike])
        block = rule.find(page) if rule is not None else -1
        reason = f"in the cluster's block {rule}"
        if block < 0:
            block, reason = best_block(page, relative_alpha(page))[0], "in the page's block of highest H"
        inside = page.elements.inside(np.array([block] if block >= 0 else [], np.int64))
        chosen = page.blocks.share_owned_by(inside) >= 0.5  # most of the text block lies in the chosen one
        kept = without_hidden(page, chosen)
        reasons = np.where(kept, reason, np.where(chosen, "hidden", "outside the content's block"))
        confidence = 0.5 if kept.any() else 0.0
        return Decision(kept, np.where(kept, 0.9, 0.1), confidence, reasons.tolist(), is_rule=True)
