"""What its site says of a page: the pages that it is compared with, and what it shares with them.

Source of the likeness of templates: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from denoise_scrapy.core.sharing import Shared, share, similarities
from denoise_scrapy.page import Page, PageFacts

ComparedPage = TypeVar("ComparedPage", bound=Page | PageFacts)

# Pages more similar than this share a template (the source's value).
SAME_TEMPLATE = 0.82


def template_similarity(a: Page | PageFacts, b: Page | PageFacts) -> float:
    """Common block paths / block paths of the page with fewer, 0 to 1.

    Example:
        >>> a = Page.parse("<div><ul><li>x</ul></div>")
        >>> template_similarity(a, Page.parse("<div><p>y</div>"))
        1.0
        >>> template_similarity(a, Page.parse("<table><td>y</table>"))
        0.0
    """
    return similarities(a.facts.data, [b.facts.data])[0]


def likest_first(page: Page | PageFacts, others: Iterable[ComparedPage]) -> list[ComparedPage]:
    """Other pages, those most like the page's template first; among equals in the order given."""
    others = list(others)
    likeness = similarities(page.facts.data, [other.facts.data for other in others])
    return [others[i] for i in sorted(range(len(others)), key=likeness.__getitem__, reverse=True)]


@dataclass(frozen=True)
class SiteStatistics:
    """The comparison pages of a site, as strategies see them. A value: it never changes.

    Attributes:
        pages: Pages of the site, or their facts, in order of preference.
    """

    pages: tuple[Page | PageFacts, ...] = ()
    # the page compared last, and what it shares with them; empty before the first one
    _shared: list[tuple[Page, Shared]] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(cls, pages: Iterable[Page | PageFacts]) -> SiteStatistics:
        """Statistics of these pages."""
        return cls(tuple(pages))

    def for_page(self, page: Page) -> SiteStatistics:
        """The same without the page itself and its copies, the likest template first."""
        numbers = [i for i, p in enumerate(self.pages) if p is not page and (not page.url or p.url != page.url)]
        if not numbers:
            return SiteStatistics()
        shared = _shared(page, [self.pages[i] for i in numbers])
        likest = shared.likest()
        return SiteStatistics(tuple(self.pages[numbers[i]] for i in likest), [(page, shared.only(likest))])

    def first(self, k: int, *, whole: bool = False) -> SiteStatistics:
        """The same of the first k pages only.

        Args:
            k: How many pages at most.
            whole: Only pages that are there as a whole, with their elements.
        """
        if len(self.pages) <= k and not whole:
            return self
        chosen = [i for i, page in enumerate(self.pages) if not whole or isinstance(page, Page)][:k]
        shared = [(page, known.only(chosen)) for page, known in self._shared]
        return SiteStatistics(tuple(self.pages[i] for i in chosen), shared)

    @property
    def whole_pages(self) -> tuple[Page, ...]:
        """Those of the pages that are there as a whole, with their elements."""
        return tuple(page for page in self.pages if isinstance(page, Page))

    def shared_with(self, page: Page) -> Shared:
        """What a page shares with the pages; found once for all features and rules.

        Example:
            >>> page, other = Page.parse("<p>One.<p>Two."), Page.parse("<div><p>Two.</div>")
            >>> SiteStatistics.of([other]).shared_with(page).text_share.tolist()
            [0.0, 1.0]
        """
        if not self._shared or self._shared[0][0] is not page:
            self._shared[:] = [(page, _shared(page, self.pages))]
        return self._shared[0][1]


def _shared(page: Page, others: Iterable[Page | PageFacts]) -> Shared:
    return share(page.facts.data, [other.facts.data for other in others])
