"""All signals together: a network, then boosted trees, over features of the block, its surroundings and its site.

They are fitted on recorded pages of many publishers (`python -m training`); what they were fitted on and how well
they do on publishers left out stands in the model file. The kept set maximises the expected F1.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.features import FORUM_TYPES, NAMES, View, features_of
from denoise_scrapy.body.model import BlockModel, block_model
from denoise_scrapy.body.neighbours import Neighbours
from denoise_scrapy.body.reasons import Reasons
from denoise_scrapy.body.selection import (
    STOCK_PAGES,
    cut_comments,
    lower_beside,
    lower_hidden,
    lower_repeated,
    lower_stock,
    move_to_list,
    select_by_expected_f1,
)
from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.body.words import Words, read_words
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

#: How much more recall counts than precision when blocks are chosen. F1 on publishers left out hardly changes (1.1, 1.2
#: and 1.25: .9400, .9398, .9398 with 20 comparison pages, .9355, .9348, .9347 with none), manuals gain .003; and in
#: blind readings the worse text lacks something twice as often as it has too much.
BETA = 1.2
_IN_PLACE, _STOCK = NAMES.index("repeated_in_place"), NAMES.index("stock")


class CombinedStrategy(Strategy):
    """A network and boosted trees over all signals.

    Args:
        model: The model; that of the package where None is given.
    """

    name = "combined"
    comparison_pages = 20
    needs_elements = False

    def __init__(self, model: BlockModel | None = None) -> None:
        self._model = model

    @property
    def _fitted(self) -> BlockModel:
        """The model; that of the package is read when it is asked for first."""
        return self._model or block_model()

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        view = View(page, site, self._fitted.vocabulary)
        place = view.place if len(site.pages) >= STOCK_PAGES else None
        return self.judge(page, features_of(view), place, view.words)

    def judge(
        self,
        page: Page,
        features: npt.NDArray[np.float32],
        place: npt.NDArray[np.float64] | None = None,
        words: Words | None = None,
    ) -> Decision:
        """The decision on a page's m blocks.

        Args:
            page: The page.
            features: Shape (features, m), rows as in `NAMES`.
            place: Share of the text of each block's place that two pages have, if enough pages are known, shape (m,).
            words: What the page's words announce, if that is known.
        """
        model = self._fitted
        known = features[_rows(model.names)]
        neighbours = Neighbours.of(page)
        probability = model.probability(known, neighbours)
        if FORUM_TYPES.isdisjoint(page.declared_types):  # there the comments are the content
            probability = cut_comments(page, probability, words or read_words(page))
        probability = lower_repeated(page, probability, features[_IN_PLACE])
        place = np.zeros(len(probability)) if place is None else place
        probability = lower_stock(page, probability, features[_STOCK], place)
        probability = lower_hidden(page, probability)
        probability = lower_beside(page, probability)
        probability = move_to_list(page, probability)
        kept, f1 = select_by_expected_f1(probability, page.blocks.tokens, beta=BETA)
        return Decision(kept, probability, f1, Reasons(known, neighbours, model))


@cache
def _rows(names: tuple[str, ...]) -> slice | list[int]:
    """Rows of a model's features: the model that comes with the package takes all, as they are."""
    return slice(None) if names == NAMES else [NAMES.index(name) for name in names]
