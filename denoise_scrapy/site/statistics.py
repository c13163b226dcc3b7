"""What several pages of a site tell about one of them: which of its blocks stand on how many others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.template import likest_first, without_copies

Shares = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SiteStatistics:
    """The comparison pages of a site, as strategies see them. A value: it never changes.

    Attributes:
        pages: Pages of the site, or what is left of them, in order of preference.
        learned: What bodies of earlier pages taught of the page's template, None for nothing.
    """

    pages: tuple[Page | PageFacts, ...] = ()
    learned: LearnedTemplate | None = None
    _known: dict[tuple[str, int], Shares] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, pages: Iterable[Page | PageFacts], learned: LearnedTemplate | None = None) -> SiteStatistics:
        """Statistics of these pages."""
        return cls(tuple(pages), learned)

    def for_page(self, page: Page) -> SiteStatistics:
        """The same without the page itself and its copies, the likest template first."""
        others = (p for p in self.pages if p is not page and (not page.url or p.url != page.url))
        return SiteStatistics(tuple(without_copies(page, likest_first(page, others))), self.learned)

    def first(self, k: int, *, whole: bool = False) -> SiteStatistics:
        """The same of the first k pages only.

        Args:
            k: How many pages at most.
            whole: Only pages that are there as a whole, with their elements.
        """
        return SiteStatistics((self.whole_pages if whole else self.pages)[:k], self.learned)

    @property
    def whole_pages(self) -> tuple[Page, ...]:
        """Those of the pages that are there as a whole, with their elements."""
        return tuple(page for page in self.pages if isinstance(page, Page))

    def content_share(self, page: Page) -> Shares:
        """Share of the text under each block's path that was content on earlier pages, shape (blocks,).

        NaN where the path is unknown, everywhere where nothing was learned.
        """
        if self.learned is None:
            return np.full(len(page.facts.tokens), np.nan)
        return self.learned.sums.content_share(page.facts.path_keys)

    def repeated_share(self, page: Page) -> Shares:
        """Share of the pages that carry each block's text, shape (blocks,); 0 where there is no page."""
        return self._once("text", page, lambda: self._share(page, lambda p: p.facts.text_hashes))

    def repeated_in_place_share(self, page: Page) -> Shares:
        """Share of the pages that carry each block's text under the same path, shape (blocks,)."""
        return self._once("place", page, lambda: self._share(page, _placed))

    def repeated_slot_share(self, page: Page) -> Shares:
        """How much of what stands in each block's slot is repeated, shape (blocks,).

        A slot is all blocks of one path, on the page and the comparison pages; the share is that of its
        tokens in texts which two or more of these pages carry. A box that takes its teasers from a common
        stock shows some of them on several pages, the rest are of its kind.
        """
        return self._once("slot", page, lambda: self._slot_share(page))

    def _once(self, what: str, page: Page, compute: Callable[[], Shares]) -> Shares:
        """Several features and rules ask for the same shares of the same page."""
        key = (what, id(page))
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]

    def _share(self, page: Page, hashes: Callable[[Page | PageFacts], npt.NDArray[np.uint64]]) -> Shares:
        if not self.pages:
            return np.zeros(len(page.facts.tokens))
        own = hashes(page)
        return np.asarray(np.mean([np.isin(own, hashes(other)) for other in self.pages], axis=0))

    def _slot_share(self, page: Page) -> Shares:
        pages = (page, *self.pages)
        on_page = np.repeat(np.arange(len(pages)), [len(p.facts.tokens) for p in pages])
        texts, text = np.unique(np.concatenate([p.facts.text_hashes for p in pages]), return_inverse=True)
        _, slot = np.unique(np.concatenate([p.facts.path_keys for p in pages]), return_inverse=True)
        tokens = np.concatenate([p.facts.tokens for p in pages])
        first = np.unique(text * len(pages) + on_page) // len(pages)  # each text once a page
        repeated = np.bincount(first, minlength=len(texts))[text] > 1
        share = np.bincount(slot, tokens * repeated) / np.maximum(np.bincount(slot, tokens), 1)
        return np.asarray(share[slot[: len(page.facts.tokens)]])


def _placed(page: Page | PageFacts) -> npt.NDArray[np.uint64]:
    """A hash of each block's text and path, shape (blocks,)."""
    return np.asarray(page.facts.text_hashes * np.uint64(3) + page.facts.path_keys)
