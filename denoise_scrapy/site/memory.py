"""The pages of a crawl by site: the comparison pages that cost nothing, and those of earlier crawls."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from denoise_scrapy.core.sharing import similarities
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.facts_store import FAILURES, FactsStore, newest_of_each
from denoise_scrapy.site.shared import SAME_TEMPLATE, likest_first
from denoise_scrapy.site.urls import site_key
from denoise_scrapy.storage import BackOff

# When memory is short, a site with more pages than this gives one up, if it is among so many of the oldest.
ENOUGH, OLDEST = 3, 64
# Sites that a crawl remembers to have read from its store, some 200 bytes each. One more is read again.
MAX_MET = 10_000


class PageMemory:
    """Recent pages by site and template, bounded in bytes and in pages a site.

    When bytes are short, the oldest pages are first reduced to their facts, a tenth of their size or less;
    strategies that need no more go on with these. Only then pages are forgotten.

    A page joins the first template whose first page it is like, as it arrives. Of a site with too many pages
    the oldest of the largest template is forgotten, so that a rare template keeps pages to compare with.

    Args:
        max_bytes: Most bytes of pages.
        max_pages_per_site: Most pages of a site.

    Attributes:
        nbytes: Bytes of pages held, about.
        evicted: Pages forgotten because of the bounds.
        reduced: Pages reduced to their facts because of them.

    Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).

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
        self._pages: OrderedDict[str, _Remembered] = OrderedDict()  # by URL, oldest first
        self._whole: OrderedDict[str, Page] = OrderedDict()  # those that are more than their facts
        self._sites: dict[str, list[_Template]] = {}
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
        likeness = similarities(page.facts.data, [template.first for template in templates])
        template = next((t for t, alike in zip(templates, likeness, strict=True) if alike > SAME_TEMPLATE), None)
        if template is None:
            template = _Template(page.facts.data)
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

    def comparison_pages(self, page: Page | PageFacts, k: int, *, whole: bool = False) -> list[Page | PageFacts]:
        """Pages to compare a page with: others of its site, those most like its template first.

        Args:
            page: The page; one of its URL is never among them.
            k: How many at most.
            whole: Only pages that are there as a whole, with their elements.
        """
        return likest_first(page, self._others(page, whole))[:k]

    def _others(self, page: Page | PageFacts, whole: bool) -> Iterator[Page | PageFacts]:
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


@dataclass(eq=False)
class _Template:
    """Facts of a template's first page, which later ones are compared with; its pages, oldest first."""

    first: bytes
    pages: OrderedDict[str, Page | PageFacts] = field(default_factory=OrderedDict)


@dataclass(frozen=True)
class _Remembered:
    nbytes: int
    template: _Template


class StoreUse:
    """A use of a store, made wherever there is a thread for it; what follows from it is up to the memory.

    Args:
        call: What is done.

    Attributes:
        answer: What it returned.
        error: What of `FAILURES` it raised, None for nothing.
        seconds: How long it took.
    """

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self.answer: Any = None
        self.error: Exception | None = None
        self.seconds = 0.0

    def make(self) -> None:
        """Do it."""
        begin = time.monotonic()
        try:
            self.answer = self._call()
        except FAILURES as error:
            self.error = error
        self.seconds = time.monotonic() - begin


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
        for use in self.meeting(site):
            use.make()

    def meeting(self, site: str) -> Iterator[StoreUse]:
        """`meet` for those who use the store in a thread: yields each use, which is to be made before the next step."""
        store = self._store
        if store is None or not self.is_new(site):
            return
        use = StoreUse(partial(store.load, site))
        yield use
        if not self._worked(use, 1):
            return
        self._met[site] = None
        if len(self._met) > MAX_MET:
            self._met.popitem(last=False)
        self.counts["loaded"] += bool(use.answer)
        for facts in use.answer:
            if facts.url not in self.pages:
                self.pages.remember(facts)

    def is_new(self, site: str) -> bool:
        """Whether there may be pages of a site in the store that were not loaded yet."""
        return self._store is not None and bool(site) and site not in self._met and self._back_off.ready

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
        if self._is_left_alone(at_once=at_once):
            return False
        for use in self.saving(at_once=at_once):
            use.make()
        return True

    def saving(self, *, at_once: bool = False) -> Iterator[StoreUse]:
        """`save` as `meeting` does it; pages that come meanwhile are saved with the next call."""
        held = {site: {url for url in urls if url in self.pages} for site, urls in self._unsaved.items()}
        self._unsaved = {site: urls for site, urls in held.items() if urls}
        store, unsaved = self._store, self._unsaved
        if store is None or not unsaved or self._is_left_alone(at_once=at_once):
            return
        sites = {
            site: [facts for facts in newest_of_each(self.pages.pages(site)) if facts.url in urls]
            for site, urls in unsaved.items()
        }
        self._unsaved = {}
        use = StoreUse(partial(store.save, sites))
        yield use
        if self._worked(use, len(sites)):
            self.counts["saved"] += len(sites)
            return
        for site, urls in unsaved.items():
            self._unsaved.setdefault(site, set()).update(urls)

    def using(self, call: Callable[[FactsStore], Any], sites: int) -> Iterator[StoreUse]:
        """Use the store for something else about some sites, as `meeting` does; no use where it is left alone."""
        if self._store is not None and self._back_off.ready:
            use = StoreUse(partial(call, self._store))
            yield use
            self._worked(use, sites)

    def all_counts(self) -> dict[str, int]:
        """`counts` with those of the store, without zeros."""
        total = self.counts + (self._store.counts if self._store else Counter())
        return {name: count for name, count in total.items() if count}

    def _is_left_alone(self, *, at_once: bool) -> bool:
        """Whether the store failed lately, and there is something that it would be used for."""
        return self._store is not None and bool(self._unsaved) and not (self._back_off.ready or at_once)

    def _worked(self, use: StoreUse, sites: int) -> bool:
        """Note how a use of the store for some sites ended."""
        if use.error is not None:
            self._back_off.failed()
            self._report(use.error)
            return False
        self._back_off.worked(use.seconds / sites)
        return True
