"""What is known of a site, and the body of a page by it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.result import Block, Body
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, STRATEGIES, Decision, Strategy
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site import SiteStatistics


@dataclass(frozen=True)
class SiteModel:
    """What several pages of a site tell. A value: `extract` is a pure function of the page and it.

    Attributes:
        statistics: The pages, and what they have in common.

    Example:
        >>> frame = "<body><div>Site menu</div><p>{}</p><div>All rights reserved</div>"
        >>> story = "The bridge was closed on Monday because of the flood."
        >>> model = SiteModel.fit([Page.parse(frame.format("Quite another story, told elsewhere."))])
        >>> model.extract(Page.parse(frame.format(story))).text
        'The bridge was closed on Monday because of the flood.'
    """

    statistics: SiteStatistics

    @classmethod
    def fit(cls, pages: Iterable[Page | PageFacts] = ()) -> SiteModel:
        """Learn from pages of one site, in order of preference."""
        return cls(SiteStatistics.of(pages))

    def extract(self, page: Page, *, strategy: str = DEFAULT_STRATEGY) -> Body:
        """The body of a page of this site.

        Args:
            page: The page. It may be among those the model learned from: it is not compared with itself.
            strategy: A name in `STRATEGIES`.

        Raises:
            ValueError: There is no such strategy.
        """
        chosen = find_strategy(strategy)
        site = self.statistics.for_page(page)
        usable = site.whole_pages if chosen.needs_elements else site.pages
        used = SiteStatistics(usable[: chosen.comparison_pages])
        if not len(page.blocks):
            return Body("", 0.0, strategy, fallback="whole text")
        decision = chosen.decide(page, used)
        kept, fallback = (
            decision.kept,
            "" if used.pages or not chosen.comparison_pages else "page alone",
        )
        if not kept.any():  # lost content is worse than noise left in
            kept, fallback = np.ones_like(kept), "whole text"
        return Body(
            text="\n".join(page.block_text(i) for i in np.flatnonzero(kept).tolist()),
            confidence=0.0 if fallback == "whole text" else decision.confidence,
            strategy=strategy,
            comparison=tuple(p.url for p in used.pages),
            fallback=fallback,
            make_blocks=lambda: _blocks(page, decision, kept),
        )


def find_strategy(name: str) -> Strategy:
    """The strategy of this name.

    Raises:
        ValueError: There is none; the message names the nearest.
    """
    if name not in STRATEGIES:
        near = difflib.get_close_matches(name, STRATEGIES, 1, 0)
        raise ValueError(f"unknown strategy {name!r}: did you mean {near[0]!r}? There are {', '.join(STRATEGIES)}")
    return STRATEGIES[name]


def _blocks(page: Page, decision: Decision, kept: npt.NDArray[np.bool_]) -> tuple[Block, ...]:
    paths = page.block_paths()
    return tuple(
        Block(
            paths[i],
            page.block_text(i),
            float(decision.probability[i]),
            bool(kept[i]),
            decision.reasons[i],
        )
        for i in range(len(kept))
    )


def extract(
    html: str | bytes,
    url: str | None = None,
    comparison_pages: Iterable[str | bytes | Page] = (),
    *,
    strategy: str = DEFAULT_STRATEGY,
) -> Body:
    """The body of one page, in one call.

    Args:
        html: The page.
        url: Where it came from.
        comparison_pages: Other pages of the same site, as HTML or as parsed pages; a few are enough.
        strategy: A name in `STRATEGIES`.

    Raises:
        TypeError: A page is neither str, bytes nor Page.
        ValueError: There is no such strategy.

    Example:
        >>> body = extract("<nav><a href=/>Home</a></nav><p>It rained all night.</p>")
        >>> body.text, body.fallback
        ('It rained all night.', 'page alone')
    """
    page = Page.parse(html, url=url)
    others = (p if isinstance(p, Page) else Page.parse(p, paths=page.path_table) for p in comparison_pages)
    return SiteModel.fit(others).extract(page, strategy=strategy)
