"""How much pages share a template, which of them are copies, and what pages of a site say of one of them.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.shared import SharedBlocks, signature_similarity

ComparedPage = TypeVar("ComparedPage", bound=Page | PageFacts)

# Pages more similar than this share a template (the source's value).
SAME_TEMPLATE = 0.82
# A comparison page that carries more than this share of all the page's tokens is the page again, under
# another URL: siblings differ in a title at least.
SAME_PAGE_SHARE = 0.97
# A comparison page that holds more than this share of the page's prose is a copy of it, or another view …
COPY_SHARE = 0.25
# … where the median of the other comparison pages holds less by this: else that prose is the template's.
# Measured on six corpora: .2 to .4 and .15 to .3 do alike, .8 and .3 cost dragnet .002 and wcxb .009.
COPY_LEAD = 0.2
# A single comparison page has no others to tell by: a copy holds more than this. Less costs up to .03.
ONLY_COPY_SHARE = 0.9


def template_similarity(a: Page | PageFacts, b: Page | PageFacts) -> float:
    """Common block paths / block paths of the page with fewer, 0 to 1.

    Example:
        >>> a = Page.parse("<div><ul><li>x</ul></div>")
        >>> template_similarity(a, Page.parse("<div><p>y</div>"))
        1.0
        >>> template_similarity(a, Page.parse("<table><td>y</table>"))
        0.0
    """
    return signature_similarity(a.signature, b.signature)


def likest_first(page: Page | PageFacts, others: Iterable[ComparedPage]) -> list[ComparedPage]:
    """Other pages, those most like the page's template first; among equals in the order given."""
    others = list(others)
    likeness = [template_similarity(page, other) for other in others]
    return [others[i] for i in sorted(range(len(others)), key=likeness.__getitem__, reverse=True)]


def find_originals(shared: SharedBlocks) -> list[int]:
    """Numbers of the other pages that are no copies of the page: a copy would make its article look like template."""
    blocks = shared.page.blocks
    tokens, prose = shared.carried_tokens.tolist()
    whole, of_prose = SAME_PAGE_SHARE * int(blocks.tokens.sum()), max(int(blocks.paragraph_tokens.sum()), 1)
    different = [i for i, carried in enumerate(tokens) if carried <= whole]
    shares = [prose[i] / of_prose for i in different]
    if len(different) == 1:
        return [i for i in different if shares[0] <= ONLY_COPY_SHARE]
    kept = []
    for n, i in enumerate(different):
        if shares[n] <= COPY_SHARE or shares[n] - median(shares[:n] + shares[n + 1 :]) <= COPY_LEAD:
            kept.append(i)
    return kept


@dataclass(frozen=True)
class SiteStatistics:
    """The comparison pages of a site, as strategies see them. A value: it never changes.

    Attributes:
        pages: Pages of the site, or their facts, in order of preference.
    """

    pages: tuple[Page | PageFacts, ...] = ()
    # what the page compared last shares with them; empty before the first one
    _shared: list[SharedBlocks] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(cls, pages: Iterable[Page | PageFacts]) -> SiteStatistics:
        """Statistics of these pages."""
        return cls(tuple(pages))

    def for_page(self, page: Page) -> SiteStatistics:
        """The same without the page itself and its copies, the likest template first."""
        numbers = [i for i, p in enumerate(self.pages) if p is not page and (not page.url or p.url != page.url)]
        if not numbers:
            return SiteStatistics()
        shared = SharedBlocks(page, [self.pages[i] for i in numbers])
        likeness = shared.likeness
        likest = sorted(find_originals(shared), key=likeness.__getitem__, reverse=True)
        return SiteStatistics(tuple(self.pages[numbers[i]] for i in likest), [shared.only(likest)])

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
        return SiteStatistics(tuple(self.pages[i] for i in chosen), shared)

    @property
    def whole_pages(self) -> tuple[Page, ...]:
        """Those of the pages that are there as a whole, with their elements."""
        return tuple(page for page in self.pages if isinstance(page, Page))

    def shared_with(self, page: Page) -> SharedBlocks:
        """What a page shares with the pages; found once for all features and rules."""
        if not self._shared or self._shared[0].page is not page:
            self._shared[:] = [SharedBlocks(page, self.pages)]
        return self._shared[0]
