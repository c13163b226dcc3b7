"""All signals together: boosted trees over features of the block, its surroundings and its site.

The trees are fitted on recorded pages of many publishers (`python -m training`); what they were fitted on and how well
they do on publishers left out stands in the model file. The kept set maximises the expected F1.
"""

from __future__ import annotations

import numpy as np

from denoise_scrapy.body.adjustments import cut_comments, lean_to, lower_consent, lower_hidden
from denoise_scrapy.body.features import NAMES, block_features
from denoise_scrapy.body.forest import Forest, block_forest
from denoise_scrapy.body.selection import select_by_expected_f1
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

_ROW = {name: row for row, name in enumerate(NAMES)}


class CombinedStrategy:
    """Boosted trees over all signals.

    Args:
        forest: The trees; those of the package where None is given.
    """

    name = "combined"
    comparison_pages = 5
    needs_elements = False

    def __init__(self, forest: Forest | None = None) -> None:
        self._forest = forest

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        """See `Strategy.decide`."""
        features = block_features(page, site)
        probability = (self._forest or block_forest()).probability(features)
        headings = (features[_ROW["own_heading"]] > 0) | (features[_ROW["tag_dt"]] > 0)
        comments, meta = features[_ROW["is_comments"]] > 0, features[_ROW["is_meta"]] > 0
        probability = cut_comments(page, probability, headings & comments, meta)
        probability = lower_hidden(page, probability)
        probability = lower_consent(page, probability, features[_ROW["consent"]].astype(float))
        probability = lean_to(features[_ROW["hand_kept"]] > 0, page, probability)
        kept, f1 = select_by_expected_f1(probability, page.blocks.tokens)
        reasons = np.where(kept, "like content of other sites", "like what frames content on other sites")
        return Decision(kept, probability, f1, reasons.tolist())
