"""What several pages of a site tell about one of them: which of its blocks stand on how many others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.template import template_similarity, without_copies


@dataclass(frozen=True)
class SiteStatistics:
    """The comparison pages of a site, as strategies see them. A value: it never changes.

    Attributes:
        pages: Pages of the site, in order of preference.
    """

    pages: tuple[Page, ...] = ()

    @classmethod
    def of(cls, pages: Iterable[Page]) -> SiteStatistics:
        """Statistics of these pages."""
        return cls(tuple(pages))

    def for_page(self, page: Page) -> SiteStatistics:
        """The same without the page itself and its copies, the likest template first."""
        others = [p for p in self.pages if p is not page and (not page.url or p.url != page.url)]
        others.sort(key=lambda other: -template_similarity(page, other))
        return SiteStatistics(tuple(without_copies(page, others)))

    def repeated_share(self, page: Page) -> npt.NDArray[np.float64]:
        """Share of the pages that carry each block's text, shape (blocks,); 0 where there is no page."""
        hashes = page.blocks.text_hashes
        if not self.pages:
            return np.zeros(len(hashes))
        seen = [np.isin(hashes, other.blocks.text_hashes) for other in self.pages]
        return np.asarray(np.mean(seen, axis=0))
