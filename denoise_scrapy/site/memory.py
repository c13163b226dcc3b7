"""What a crawl remembers of the pages it has seen: the comparison pages that cost nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from denoise_scrapy.page import Page, PageFacts, PathTable
from denoise_scrapy.site.path_tables import MAX_BYTES, PathTables
from denoise_scrapy.site.template import SAME_TEMPLATE, likest_first, signature_similarity
from denoise_scrapy.site.urls import site_key

#: When memory is short, a site with more pages than this gives one up, if it is among so many of the oldest.
ENOUGH, OLDEST = 3, 64


class PageMemory:
    """Recent pages by site and template, bounded in bytes and in pages a site.

    When bytes are short, the oldest pages are first reduced to their facts, a tenth of their size or less;
    strategies that need no more go on with these. Only then pages are forgotten.

    A page joins the first template whose first page it is like, as it arrives. Of a site with too many pages
    the oldest of the largest template is forgotten, so that a rare template keeps pages to compare with.

    Args:
        max_bytes: Most bytes of pages.
        max_pages_per_site: Most pages of a site.
        max_path_bytes: Most bytes of path tables, see `PathTables`.

    Attributes:
        nbytes: Bytes of pages held, about.
        evicted: Pages forgotten because of the bounds.
        reduced: Pages reduced to their facts because of them.
        tables: The path tables.

    Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).

    Example:
        >>> memory = PageMemory(max_bytes=1_000_000, max_pages_per_site=8)
        >>> for n in range(3):
        ...     memory.remember(Page.parse(f"<div>{n}</div>", url=f"http://a.example/{n}"))
        >>> [page.url for page in memory.comparison_pages(memory.page("http://a.example/1"), 5)]
        ['http://a.example/2', 'http://a.example/0']
    """

    def __init__(self, max_bytes: int, max_pages_per_site: int, max_path_bytes: int = MAX_BYTES) -> None:
        if max_bytes < 0 or max_pages_per_site < 1:
            raise ValueError(
                f"max_bytes must be >= 0 and max_pages_per_site >= 1, got {max_bytes} and {max_pages_per_site}"
            )
        self._max_bytes = max_bytes
        self._max_pages = max_pages_per_site
        self._pages: OrderedDict[str, _Remembered] = OrderedDict()  # by URL, oldest first
        self._whole: OrderedDict[str, Page] = OrderedDict()  # those that are more than their facts
        self._sites: dict[str, list[_Template]] = {}
        self.tables = PathTables(max_path_bytes)
        self.nbytes = 0
        self.evicted = self.reduced = 0

    def __len__(self) -> int:
        return len(self._pages)

    def remember(self, page: Page | PageFacts) -> None:
        """Keep a page, or the facts of one; one of the same URL is replaced. Without an http(s) URL it is not kept."""
        site = site_key(page.url)
        if not site:
            return
        self.forget(page.url)
        templates = self._sites.setdefault(site, [])
        signature = page.signature
        template = next((t for t in templates if signature_similarity(signature, t.signature) > SAME_TEMPLATE), None)
        if template is None:
            template = _Template(signature)
            templates.append(template)
        self._put(page, template)
        if isinstance(page, Page):
            self._whole[page.url] = page
        if sum(len(t.pages) for t in templates) > self._max_pages:
            self._evict(next(iter(max(templates, key=lambda t: len(t.pages)).pages)))
        while self.nbytes > self._max_bytes and self._pages:
            if self._whole:
                url, oldest = self._whole.popitem(last=False)
                self._put(oldest.facts, self._pages[url].template)
                self.reduced += 1
            else:
                self._evict(self._least_missed())

    def __contains__(self, url: str) -> bool:
        return url in self._pages

    def page(self, url: str) -> Page | None:
        """The remembered page of this URL, if it is there as a whole."""
        return self._whole.get(url)

    def pages(self, site: str) -> list[Page | PageFacts]:
        """The remembered pages of a site, newest first in each of its templates."""
        return [page for t in self._sites.get(site, ()) for page in reversed(t.pages.values())]

    def comparison_pages(self, page: Page, k: int, *, whole: bool = False) -> list[Page | PageFacts]:
        """Pages to compare a page with: others of its site, those most like its template first.

        Args:
            page: The page; one of its URL is never among them.
            k: How many at most.
            whole: Only pages that are there as a whole, with their elements.
        """
        own = page.signature
        # None is liker than one of all the same containers, or fewer: where k of these are found, and that is usual,
        # it takes a sixth of the time of ordering all.
        alike = list(
            islice((other for other in self._others(page, whole) if _as_like_as_can_be(own, other.signature)), k)
        )
        return alike if len(alike) == k else likest_first(page, self._others(page, whole))[:k]

    def _others(self, page: Page, whole: bool) -> Iterator[Page | PageFacts]:
        """Other pages of its site, newest first in each template."""
        for template in self._sites.get(site_key(page.url), ()):
            for other in reversed(template.pages.values()):
                if other.url != page.url and (not whole or isinstance(other, Page)):
                    yield other

    def path_table(self, site: str) -> PathTable:
        """The path table that pages of a site should be parsed with."""
        return self.tables.get(site)

    def _put(self, page: Page | PageFacts, template: _Template) -> None:
        """Add a page, or put its facts in its place."""
        old = self._pages.get(page.url)
        self.nbytes += page.nbytes - (old.nbytes if old else 0)
        self._pages[page.url] = _Remembered(page.nbytes, template)
        template.pages[page.url] = page

    def _least_missed(self) -> str:
        """The oldest page of a site that has others enough, so that each of many sites keeps some; else the oldest."""
        for url in islice(self._pages, OLDEST):
            if sum(len(t.pages) for t in self._sites[site_key(url)]) > ENOUGH:
                return url
        return next(iter(self._pages))

    def _evict(self, url: str) -> None:
        self.forget(url)
        self.evicted += 1

    def forget(self, url: str) -> None:
        """Forget the page of this URL, if it is there."""
        old = self._pages.pop(url, None)
        if old is None:
            return
        self._whole.pop(url, None)
        self.nbytes -= old.nbytes
        del old.template.pages[url]
        if not old.template.pages:
            site = site_key(url)
            self._sites[site].remove(old.template)
            if not self._sites[site]:
                del self._sites[site]


def _as_like_as_can_be(a: frozenset[int], b: frozenset[int]) -> bool:
    """Whether `signature_similarity` of the two is 1."""
    return bool(a and b) and (a <= b if len(a) <= len(b) else b <= a)


@dataclass(eq=False)
class _Template:
    """The signature of a template's first page, which later ones are compared with; its pages, oldest first."""

    signature: frozenset[int]
    pages: OrderedDict[str, Page | PageFacts] = field(default_factory=OrderedDict)


@dataclass(frozen=True)
class _Remembered:
    nbytes: int
    template: _Template
