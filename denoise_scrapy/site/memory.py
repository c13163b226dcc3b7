"""What a crawl remembers of the pages it has seen: the comparison pages that cost nothing."""

from __future__ import annotations

from collections import OrderedDict

from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.site.template import template_similarity
from denoise_scrapy.site.urls import site_key

#: Path tables kept, one a site. A table is some hundred KB; sites beyond this many start anew.
MAX_TABLES = 256


class PageMemory:
    """Recent pages by site, bounded in bytes and in pages a site; the oldest are forgotten first.

    Attributes:
        nbytes: Bytes held, about.
        evicted: Pages forgotten because of the bounds.

    Example:
        >>> memory = PageMemory(max_bytes=1_000_000, max_pages_per_site=8)
        >>> for n in range(3):
        ...     memory.remember(Page.parse(f"<div>{n}</div>", url=f"http://a.example/{n}"))
        >>> [page.url for page in memory.comparison_pages(memory.page("http://a.example/1"), 5)]
        ['http://a.example/2', 'http://a.example/0']
    """

    def __init__(self, max_bytes: int, max_pages_per_site: int) -> None:
        if max_bytes < 0 or max_pages_per_site < 1:
            raise ValueError(
                f"max_bytes must be >= 0 and max_pages_per_site >= 1, got {max_bytes} and {max_pages_per_site}"
            )
        self._max_bytes = max_bytes
        self._max_pages = max_pages_per_site
        self._pages: OrderedDict[str, Page] = OrderedDict()
        self._sites: dict[str, OrderedDict[str, None]] = {}
        self._tables: OrderedDict[str, PathTable] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self.nbytes = 0
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._pages)

    def remember(self, page: Page) -> None:
        """Keep a page; one of the same URL is replaced. A page without an http(s) URL is not kept."""
        site = site_key(page.url)
        if not site:
            return
        self._forget(page.url)
        self._pages[page.url] = page
        self._sites.setdefault(site, OrderedDict())[page.url] = None
        self._sizes[page.url] = page.nbytes
        self.nbytes += page.nbytes
        if len(self._sites[site]) > self._max_pages:
            self._evict(next(iter(self._sites[site])))
        while self.nbytes > self._max_bytes and self._pages:
            self._evict(next(iter(self._pages)))

    def page(self, url: str) -> Page | None:
        """The remembered page of this URL."""
        return self._pages.get(url)

    def pages(self, site: str) -> list[Page]:
        """The remembered pages of a site, newest first."""
        return [self._pages[url] for url in reversed(self._sites.get(site, ()))]

    def comparison_pages(self, page: Page, k: int) -> list[Page]:
        """Up to k remembered pages of the page's site, those most like its template first, never its own URL."""
        others = [other for other in self.pages(site_key(page.url)) if other.url != page.url]
        return sorted(others, key=lambda other: -template_similarity(page, other))[:k]

    def path_table(self, site: str) -> PathTable:
        """The path table that pages of a site should be parsed with."""
        table = self._tables.pop(site, None)
        if table is None or table.full:
            table = PathTable()
        self._tables[site] = table
        if len(self._tables) > MAX_TABLES:
            self._tables.popitem(last=False)
        return table

    def _evict(self, url: str) -> None:
        self._forget(url)
        self.evicted += 1

    def _forget(self, url: str) -> None:
        if self._pages.pop(url, None) is None:
            return
        self.nbytes -= self._sizes.pop(url)
        site = site_key(url)
        del self._sites[site][url]
        if not self._sites[site]:
            del self._sites[site]
