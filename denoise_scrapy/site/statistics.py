"""What several pages of a site tell about one of them: which of its blocks stand on how many others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.shared import NumberedPages, SharedBlocks
from denoise_scrapy.site.template import find_originals, likeness_to

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
    #: What the page asked about last shares with them; empty before the first one.
    _shared: list[SharedBlocks] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(cls, pages: Iterable[Page | PageFacts], learned: LearnedTemplate | None = None) -> SiteStatistics:
        """Statistics of these pages."""
        return cls(tuple(pages), learned)

    def for_page(self, page: Page) -> SiteStatistics:
        """The same without the page itself and its copies, the likest template first."""
        numbers = [i for i, p in enumerate(self.pages) if p is not page and (not page.url or p.url != page.url)]
        if not numbers:
            return SiteStatistics((), self.learned)
        shared = SharedBlocks.among(page, self._numbered, numbers)
        native = shared.likeness
        likeness = likeness_to(page, [self.pages[i] for i in numbers]) if native is None else native
        likest = sorted(find_originals(shared), key=likeness.__getitem__, reverse=True)
        return SiteStatistics(tuple(self.pages[numbers[i]] for i in likest), self.learned, [shared.only(likest)])

    @cached_property
    def _numbered(self) -> NumberedPages:
        """The pages' texts and paths, numbered for all pages that are compared with them."""
        return NumberedPages(self.pages)

    def first(self, k: int, *, whole: bool = False) -> SiteStatistics:
        """The same of the first k pages only.

        Args:
            k: How many pages at most.
            whole: Only pages that are there as a whole, with their elements.
        """
        if len(self.pages) <= k and not whole:
            return self
        chosen = [i for i, page in enumerate(self.pages) if not whole or isinstance(page, Page)][:k]
        shared = [known.only(chosen) for known in self._shared]
        return SiteStatistics(tuple(self.pages[i] for i in chosen), self.learned, shared)

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

    def shared_with(self, page: Page) -> SharedBlocks:
        """What a page shares with the pages: found once, for several features and rules ask."""
        if not self._shared or self._shared[0].page is not page:
            self._shared[:] = [SharedBlocks(page, self.pages)]
        return self._shared[0]

    def repeated_share(self, page: Page) -> Shares:
        """Share of the pages that carry each block's text, shape (blocks,); 0 where there is no page."""
        return self.shared_with(page).text_share

    def repeated_in_place_share(self, page: Page) -> Shares:
        """Share of the pages that carry each block's text under the same path, shape (blocks,)."""
        return self.shared_with(page).placed_share

    def repeated_slot_share(self, page: Page) -> Shares:
        """How much of what stands in each block's slot is repeated, shape (blocks,).

        A slot is all blocks of one path, on the page and the comparison pages; the share is that of its
        tokens in texts which two or more of these pages carry. A box that takes its teasers from a common
        stock shows some of them on several pages, the rest are of its kind.
        """
        return self.shared_with(page).slot_share
