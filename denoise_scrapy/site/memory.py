"""Other pages of a site: those remembered, those most similar to a page, and what it shares with them.

Source of templates: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter, itemgetter
from typing import TypeVar

from denoise_scrapy.core.sharing import Shared, checked, share, similarities
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.urls import site_key

ComparedPage = TypeVar("ComparedPage", bound=Page | PageFacts)

_DATA = attrgetter("data")

# Pages of a site and crawl that are kept for the next one: those of eight templates, few sites have more; and in the
# sample by which it is judged, at half a KB each: shares of so many are off by a tenth.
PAGES_A_SITE = 40
# Pages more similar than this share a template (the source's value).
SAME_TEMPLATE = 0.82
# When memory is short, a site with more pages than this loses one, if it is among this many of the oldest.
ENOUGH, OLDEST = 3, 64


def template_similarity(a: Page | PageFacts, b: Page | PageFacts) -> float:
    """Return common block paths / block paths of the page with fewer, 0 to 1.

    Example:
        >>> a = Page.parse("<div><ul><li>x</ul></div>")
        >>> template_similarity(a, Page.parse("<div><p>y</div>"))
        1.0
        >>> template_similarity(a, Page.parse("<table><td>y</table>"))
        0.0
    """
    return similarities(a.data, [b.data])[0]


def likest_first(page: Page | PageFacts, others: Iterable[ComparedPage]) -> list[ComparedPage]:
    """Return other pages, most similar template first; equals in the order given."""
    return [other for _, other in _ranked(page, list(others))]


def _ranked(page: Page | PageFacts, others: list[ComparedPage]) -> list[tuple[float, ComparedPage]]:
    likeness = similarities(page.data, list(map(_DATA, others)))
    return sorted(zip(likeness, others, strict=True), key=itemgetter(0), reverse=True)


class SiteStatistics:
    """The comparison pages of a site, as strategies see them.

    Args:
        pages: Pages of the site, or their facts, in order of preference.
        shared: A page, and what it shares with the pages, if known.

    Example:
        >>> page, other = Page.parse("<p>One.<p>Two."), Page.parse("<div><p>Two.</div>")
        >>> SiteStatistics([other]).shared_with(page).text_share.tolist()
        [0.0, 1.0]
    """

    def __init__(self, pages: Iterable[Page | PageFacts] = (), shared: tuple[Page, Shared] | None = None) -> None:
        self.pages = tuple(pages)
        self._shared = shared  # with the page compared last

    def for_page(self, page: Page, k: int | None = None, *, whole: bool = False) -> SiteStatistics:
        """Return the first k of these, without the page itself and its copies, most similar template first.

        With `whole`, only pages whose elements are available.
        """
        others = [one for one in self.pages if one is not page and (not page.url or one.url != page.url)]
        if not others:
            return SiteStatistics()
        shared = share(page.data, list(map(_DATA, others)))
        chosen = [i for i in shared.likest() if not whole or isinstance(others[i], Page)][:k]
        return SiteStatistics(map(others.__getitem__, chosen), (page, shared.only(chosen)))

    @property
    def whole_pages(self) -> tuple[Page, ...]:
        """The pages whose elements are available."""
        return tuple(page for page in self.pages if isinstance(page, Page))

    def shared_with(self, page: Page) -> Shared:
        """Return what a page shares with the pages; computed once for all features and rules."""
        if self._shared is None or self._shared[0] is not page:
            self._shared = page, share(page.data, list(map(_DATA, self.pages)))
        return self._shared[1]


class PageMemory:
    """Recent pages by site and template, bounded in bytes and in pages per site.

    A page joins the first template whose first page is similar. If a site has too many pages, the oldest of the largest
    template is forgotten, so that a rare template keeps pages to compare with.

    Args:
        max_bytes: Maximum bytes of pages.
        max_pages_per_site: Maximum pages per site.

    Attributes:
        nbytes: Approximate bytes of pages held.
        evicted: Pages forgotten because of the limits.

    Example:
        >>> memory = PageMemory(max_bytes=1_000_000, max_pages_per_site=8)
        >>> for n in range(3):
        ...     page = Page.parse(f"<div>{n}</div>", url=f"http://a.example/{n}")
        ...     memory.remember(page)
        >>> [other.url for other in memory.comparison_pages(page, 5)]
        ['http://a.example/1', 'http://a.example/0']
    """

    def __init__(self, max_bytes: int, max_pages_per_site: int) -> None:
        if max_bytes < 0 or max_pages_per_site < 1:
            raise ValueError(
                f"max_bytes must be >= 0 and max_pages_per_site >= 1, got {max_bytes} and {max_pages_per_site}"
            )
        self._max_bytes = max_bytes
        self._max_pages = max_pages_per_site
        self._pages: OrderedDict[str, _Template] = OrderedDict()  # by URL, oldest first
        self._sites: dict[str, list[_Template]] = {}
        self.nbytes = self.evicted = 0

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, url: str) -> bool:
        return url in self._pages

    def __iter__(self) -> Iterator[Page | PageFacts]:
        return (template.pages[url] for url, template in self._pages.items())

    def remember(self, page: Page | PageFacts) -> None:
        """Remember a page or its facts, replacing any with its URL; a page without an http(s) URL is ignored."""
        site = site_key(page.url)
        if not site:
            return
        self.forget(page.url)
        templates = self._sites.setdefault(site, [])
        likeness = similarities(page.data, [template.first for template in templates])
        template = next((t for t, alike in zip(templates, likeness, strict=True) if alike > SAME_TEMPLATE), None)
        if template is None:
            template = _Template(page.data)
            templates.append(template)
        template.pages[page.url] = page
        self._pages[page.url] = template
        self.nbytes += page.nbytes
        if sum(len(t.pages) for t in templates) > self._max_pages:
            self._evict(next(iter(max(templates, key=lambda t: len(t.pages)).pages)))
        while self.nbytes > self._max_bytes and self._pages:
            self._evict(self._least_missed())

    def forget(self, url: str) -> None:
        """Forget the page with this URL, if there is one."""
        template = self._pages.pop(url, None)
        if template is None:
            return
        self.nbytes -= template.pages.pop(url).nbytes
        if not template.pages:
            site = site_key(url)
            self._sites[site].remove(template)
            if not self._sites[site]:
                del self._sites[site]

    def pages(self, site: str) -> list[Page | PageFacts]:
        """Return the remembered pages of a site, newest first within each template."""
        return [page for t in self._sites.get(site, ()) for page in reversed(t.pages.values())]

    def comparison_pages(self, page: Page | PageFacts, k: int, *, whole: bool = False) -> list[Page | PageFacts]:
        """Return up to k pages to compare a page with: of its site, with other URLs, most similar template first.

        With `whole`, only pages whose elements are available.
        """
        return [other for _, other in self.likest(page, k, whole=whole)]

    def likest(self, page: Page | PageFacts, k: int, *, whole: bool = False) -> list[tuple[float, Page | PageFacts]]:
        """Return the same pages, each after the similarity of its template, 0 to 1."""
        others = [
            other
            for other in self.pages(site_key(page.url))
            if other.url != page.url and (not whole or isinstance(other, Page))
        ]
        return _ranked(page, others)[:k]

    def _least_missed(self) -> str:
        """Return the oldest page of a site with enough others, so that each site keeps some; else the oldest."""
        for url in islice(self._pages, OLDEST):
            if sum(len(t.pages) for t in self._sites[site_key(url)]) > ENOUGH:
                return url
        return next(iter(self._pages))

    def _evict(self, url: str) -> None:
        self.forget(url)
        self.evicted += 1


@dataclass(eq=False)
class _Template:
    """Facts of a template's first page, with which later ones are compared; its pages, oldest first."""

    first: bytes
    pages: OrderedDict[str, Page | PageFacts] = field(default_factory=OrderedDict)


# Raise after any change of the facts, of the keys on a server, or of what its scripts store in them.
FACTS_FORMAT = "3"
# More bytes than a page's facts have: .9 MB if it has as many blocks and containers as are read (`core.tree`).
MAX_PAGE_BYTES = 1_000_000

_SAMPLE = "<div id=a class='b c'><h1>Über 1 title</h1><p>Some <b>words</b>, 漢字.<ul><li><a href=/x>x</a></ul></div>"


def constants() -> dict[str, str]:
    """Return the constants of this version's facts: their format, and the hashes of a sample."""
    return {"format": FACTS_FORMAT, "hashes": f"{zlib.crc32(Page.parse(_SAMPLE).data):08x}"}


def read_facts(data: bytes, url: str) -> PageFacts:
    """Return the facts of a page from outside; raise `ValueError` if damaged, or those of another URL."""
    return PageFacts(url, checked(data, url))
