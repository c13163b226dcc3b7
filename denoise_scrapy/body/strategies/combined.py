"""All signals together: a network, then boosted trees, over features of the block, its surroundings and its site.

They are fitted on recorded pages of many publishers (`python -m training`); what they were fitted on and how well
they do on publishers left out stands in the model file. The kept set maximises the expected F1.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.model import (
    FEW_TOKENS,
    FORUM_TYPES,
    BlockModel,
    Reasons,
    block_model,
    content_signals,
    view_of,
)
from denoise_scrapy.body.strategies.base import Decision, LazyReasons, Strategy
from denoise_scrapy.core.choice import STOCK_PAGES, choose
from denoise_scrapy.core.features import NAMES
from denoise_scrapy.core.model import Neighbours
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BlockLayout
from denoise_scrapy.site import SiteStatistics

#: How much more recall counts than precision when blocks are chosen. F1 on publishers left out hardly changes (1.1, 1.2
#: and 1.25: .9400, .9398, .9398), manuals gain .003; in blind readings the worse text lacks something twice as often as
#: it has too much.
BETA = 1.2
#: A page that is less likely to have content is as little trusted; else its confidence is that of its blocks.
LIKELY_CONTENT = 0.5
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
        """The model; that of the package is read on first use."""
        return self._model or block_model()

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        view = view_of(page, site, self._fitted.vocabulary)
        place = site.shared_with(page).slot_share if len(site.pages) >= STOCK_PAGES else None
        return self.judge(page, view.features, place)

    def judge(
        self,
        page: Page,
        features: npt.NDArray[np.float32],
        place: npt.NDArray[np.float64] | None = None,
    ) -> Decision:
        """The decision on a page's m blocks.

        Args:
            page: The page.
            features: Shape (features, m), rows as in `NAMES`.
            place: Share of the text of each block's place that two pages have, if enough pages are known, shape (m,).
        """
        model = self._fitted
        known = features[_rows(model.names)]
        neighbours = Neighbours.of(page.tree)
        probability, odds = model.judge(known, neighbours)
        choice = choose(
            page.tree,
            probability,
            bits=page.words.bits,
            in_place=features[_IN_PLACE],
            stock=features[_STOCK],
            place=place,
            layout=None if page.boxes is None else BlockLayout.of(page.blocks, page.boxes),
            is_forum=not FORUM_TYPES.isdisjoint(page.declared_types),  # there the comments are the content
            beta=BETA,
        )
        confidence, tokens = choice.f1, page.blocks.tokens
        if model.content is not None and tokens[choice.kept].sum() <= FEW_TOKENS:
            signals = content_signals(known, odds, tokens, page.text_of(odds > 0))
            chance = float(model.content.probability(signals)[0])
            confidence = min(confidence, chance) if chance < LIKELY_CONTENT else confidence
        reasons = LazyReasons(len(tokens), Reasons(known, neighbours, model).of_block)
        return Decision(choice.kept, choice.probability, confidence, reasons)


@cache
def _rows(names: tuple[str, ...]) -> slice | list[int]:
    """Rows of a model's features: the model that comes with the package takes all, as they are."""
    return slice(None) if names == NAMES else [NAMES.index(name) for name in names]
