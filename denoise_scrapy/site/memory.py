"""The pages of a crawl by site: the comparison pages that cost nothing, and those of earlier crawls."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from weakref import WeakSet

from denoise_scrapy.page import Page, PageFacts, PathTable
from denoise_scrapy.site.facts_store import FAILURES, FactsStore, newest_of_each
from denoise_scrapy.site.shared import SAME_TEMPLATE, likest_first, signature_similarity
from denoise_scrapy.site.urls import site_key
from denoise_scrapy.storage import BackOff

# Bytes of all path tables, where nothing else is said: those of 256 sites with .6 MB each, the mean of 27 recorded ones
# (median .2, largest 4). A body with a new table takes a half longer: median 1.5 to 1.7 times on three corpora.
MAX_TABLE_BYTES = 160_000_000
# A table that takes more than this share of all is replaced, or a site with random names would push all others out.
SHARE = 0.25
# When memory is short, a site with more pages than this gives one up, if it is among so many of the oldest.
ENOUGH, OLDEST = 3, 64
# Sites that a crawl remembers to have read from its store, some 200 bytes each. One more is read again.
MAX_MET = 10_000


class PathTables:
    """A path table for each site; those used longest ago are evicted when all take too much.

    A table grows while pages are parsed with it: it is measured when the next page wants one, of whatever site. Pages
    that were parsed with a table that is evicted go on with their own paths alone (`Page.leave_table`): each would hold
    all of the table else, of which it needs a small part.

    Args:
        max_bytes: Most bytes of all tables, beside what the last page has added; 0: each page gets a new one.

    Attributes:
        nbytes: Bytes of all tables when they were measured last, about.
        evicted: Tables that were evicted.

    Example:
        >>> tables = PathTables()
        >>> tables.get("http://a.example:80") is tables.get("http://a.example:80"), len(tables)
        (True, 1)
    """

    def __init__(self, max_bytes: int = MAX_TABLE_BYTES) -> None:
        if max_bytes < 0:
            raise ValueError(f"max_bytes must be >= 0, got {max_bytes}")
        self._max_bytes = max_bytes
        self._tables: OrderedDict[str, _Table] = OrderedDict()  # those used longest ago first
        self.nbytes = 0
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, site: str) -> PathTable:
        """The table to parse the next page of a site with."""
        self.measure()
        held = self._tables.setdefault(site, _Table())
        self._tables.move_to_end(site)
        return held.table

    def add_page(self, page: Page) -> None:
        """Note that a page stands on the table of its site, for as long as somebody else holds the page."""
        held = self._tables.get(site_key(page.url))
        if held is not None and held.table is page.path_table:
            held.pages.add(page)

    def measure(self) -> None:
        """Measure the table used last, and evict tables where all take too much."""
        if not self._tables:
            return
        last, held = next(reversed(self._tables.items()))
        self.nbytes += held.measure()
        if held.table.full or held.nbytes > SHARE * self._max_bytes:
            self._evict(last)
        while self.nbytes > self._max_bytes:
            self._evict(next(iter(self._tables)))

    def _evict(self, site: str) -> None:
        held = self._tables.pop(site)
        for page in list(held.pages):
            page.leave_table()
        self.nbytes -= held.nbytes
        self.evicted += 1


@dataclass(eq=False)
class _Table:
    table: PathTable = field(default_factory=PathTable)
    pages: WeakSet[Page] = field(default_factory=WeakSet)
    nbytes: int = 0

    def measure(self) -> int:
        """Measure the table; by how many bytes it has grown."""
        before, self.nbytes = self.nbytes, self.table.nbytes
        return self.nbytes - before


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

    def __init__(self, max_bytes: int, max_pages_per_site: int, max_path_bytes: int = MAX_TABLE_BYTES) -> None:
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

    def __contains__(self, url: str) -> bool:
        return url in self._pages

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
            self.tables.add_page(page)
        if sum(len(t.pages) for t in templates) > self._max_pages:
            self._evict(next(iter(max(templates, key=lambda t: len(t.pages)).pages)))
        while self.nbytes > self._max_bytes and self._pages:
            if self._whole:
                url, oldest = self._whole.popitem(last=False)
                self._put(oldest.facts, self._pages[url].template)
                self.reduced += 1
            else:
                self._evict(self._least_missed())

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

    def path_table(self, site: str) -> PathTable:
        """The path table to parse pages of a site with."""
        return self.tables.get(site)

    def _others(self, page: Page, whole: bool) -> Iterator[Page | PageFacts]:
        """Other pages of its site, newest first in each template."""
        for template in self._sites.get(site_key(page.url), ()):
            for other in reversed(template.pages.values()):
                if other.url != page.url and (not whole or isinstance(other, Page)):
                    yield other

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


class SiteMemory:
    """A page memory that outlives its crawl: facts of pages go to a store, and come back when a crawl meets the site.

    No error of the store is raised: it is reported, and the memory goes on without the store, with back-off.

    Args:
        pages: The page memory.
        store: The store; None: in memory only.
        report: Called with each error of the store.
        back_off: When a store that failed is used again.

    Attributes:
        pages: The page memory.
        counts: How often what happened; names as in the stats under `site_memory/`.

    Example:
        >>> memory = SiteMemory(PageMemory(1_000_000, 8))
        >>> memory.remember(Page.parse("<p>Story.", url="http://a.example/1"))
        >>> memory.save(), len(memory.pages)
        (True, 1)
    """

    def __init__(
        self,
        pages: PageMemory,
        store: FactsStore | None = None,
        *,
        report: Callable[[Exception], None] = lambda _: None,
        back_off: BackOff | None = None,
    ) -> None:
        self.pages = pages
        self.counts: Counter[str] = Counter()
        self._store = store
        self._report = report
        self._back_off = back_off or BackOff()
        self._met: OrderedDict[str, None] = OrderedDict()
        self._unsaved: dict[str, set[str]] = {}  # URLs by site

    def meet(self, site: str) -> None:
        """Load the pages that are kept of a site, where this is the first call for it; nothing is done for ""."""
        store = self._store
        if store is None or not site or site in self._met or not self._back_off.ready:
            return
        found: list[PageFacts] = []
        if not self._use(lambda: found.extend(store.load(site)), 1):
            return
        self._met[site] = None
        if len(self._met) > MAX_MET:
            self._met.popitem(last=False)
        self.counts["loaded"] += bool(found)
        for facts in found:
            if facts.url not in self.pages:
                self.pages.remember(facts)

    def remember(self, page: Page) -> None:
        """Keep a page to compare others with. A page without an http(s) URL is not kept."""
        site = site_key(page.url)
        self.meet(site)
        self.pages.remember(page)
        if self._store is not None and page.url in self.pages:
            self._unsaved.setdefault(site, set()).add(page.url)

    def save(self, *, at_once: bool = False) -> bool:
        """Save the facts of the newest pages since the last call, `at_once` also soon after a failure of the store.

        False where the store is left alone.
        """
        held = {site: {url for url in urls if url in self.pages} for site, urls in self._unsaved.items()}
        self._unsaved = {site: urls for site, urls in held.items() if urls}
        store = self._store
        if store is None or not self._unsaved:
            return True
        if not self._back_off.ready and not at_once:
            return False
        sites = {
            site: [facts for facts in newest_of_each(self.pages.pages(site)) if facts.url in urls]
            for site, urls in self._unsaved.items()
        }
        if self._use(lambda: store.save(sites), len(sites)):
            self.counts["saved"] += len(sites)
            self._unsaved.clear()
        return True

    def all_counts(self) -> dict[str, int]:
        """`counts` with those of the store, without zeros."""
        total = self.counts + (self._store.counts if self._store else Counter())
        return {name: count for name, count in total.items() if count}

    def _use(self, call: Callable[[], None], sites: int) -> bool:
        """Use the store for some sites; whether that worked."""
        begin = time.monotonic()
        try:
            call()
        except FAILURES as error:
            self._back_off.failed()
            self._report(error)
            return False
        self._back_off.worked((time.monotonic() - begin) / sites)
        return True
