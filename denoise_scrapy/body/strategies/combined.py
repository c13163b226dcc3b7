"""All signals together: trees and networks over features of the block, its surroundings and its site.

They are fitted on recorded pages of many publishers (`python -m training`); what they were fitted on and how well
they do on publishers left out stands in the model file. The kept set maximises the expected F1.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.features import NAMES, block_features
from denoise_scrapy.body.features.matrix import FORUM_TYPES
from denoise_scrapy.body.model.block_model import BlockModel, block_model
from denoise_scrapy.body.model.network import Context
from denoise_scrapy.body.reasons import Reasons
from denoise_scrapy.body.selection import (
    cut_comments,
    lean_to,
    lower_beside,
    lower_consent,
    lower_hidden,
    lower_repeated,
    select_by_expected_f1,
)
from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

#: Comparison pages that the model sees, the likest ones: more say no more. What else one page has in common with many
#: needs more of them (`selection.lower_repeated`).
MODEL_PAGES = 5
_ROW = {name: row for row, name in enumerate(NAMES)}


class CombinedStrategy(Strategy):
    """Trees and networks over all signals.

    Args:
        model: The model; that of the package where None is given.
    """

    name = "combined"
    comparison_pages = 20
    needs_elements = False

    def __init__(self, model: BlockModel | None = None) -> None:
        self._model = model

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        return self.judge(page, block_features(page, site.first(MODEL_PAGES)), site)

    def judge(self, page: Page, features: npt.NDArray[np.float32], site: SiteStatistics) -> Decision:
        """The decision by the features of a page's m blocks, shape (features, m), rows as in `NAMES`."""
        model = self._model or block_model()
        known = features[_rows(model.names)]
        probability = model.probability(known, Context.of(page))
        if FORUM_TYPES.isdisjoint(page.declared_types):  # there the comments are the content
            probability = _without_comments(page, probability, features)
        probability = lower_repeated(
            page, probability, features[_ROW["repeated_in_place"]], site.shared_with(page).placed_share
        )
        probability = lower_hidden(page, probability)
        probability = lower_consent(page, probability, features[_ROW["consent"]])
        probability = lower_beside(page, probability)
        probability = lean_to(features[_ROW["hand_kept"]] > 0, page, probability)
        kept, f1 = select_by_expected_f1(probability, page.blocks.tokens)
        return Decision(kept, probability, f1, Reasons(page, known, model))


def _without_comments(
    page: Page, probability: npt.NDArray[np.float64], features: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    announced = features[_ROW["is_comments"]] > 0
    if not announced.any():  # as on most pages
        return probability
    headings = (features[_ROW["own_heading"]] > 0) | (features[_ROW["tag_dt"]] > 0)
    return cut_comments(page, probability, headings & announced, features[_ROW["is_meta"]] > 0)


@cache
def _rows(names: tuple[str, ...]) -> slice | list[int]:
    """Rows of a model's features: the model that comes with the package takes all, as they are."""
    return slice(None) if names == NAMES else [_ROW[name] for name in names]
