"""Reading the pages of a crawl, each once, as it arrives."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from itertools import count
from weakref import WeakKeyDictionary, ref

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.datatypes import LocalCache

from denoise_scrapy.crawl.budget import FetchBudget, FetchRecord
from denoise_scrapy.crawl.geometry import Geometry
from denoise_scrapy.crawl.pages import (
    META_KEY,
    CrawledPage,
    RecentPages,
    is_comparable,
    is_get,
    is_page,
    redirected_from,
    told_encoding,
)
from denoise_scrapy.crawl.parts import MOST_KNOWN, Crawl
from denoise_scrapy.crawl.sites import SiteHealth, SiteMemory
from denoise_scrapy.crawl.workers import Workers
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.page.parse import MAX_PAGE_BYTES
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.site import VisitedShapes, site_key
from denoise_scrapy.worker.extractor import RECENT_SHARE, PageSource


@dataclass(eq=False)
class CrawledPages:
    """The pages of one crawl."""

    _crawl: Crawl
    _sites: SiteMemory
    _health: SiteHealth
    _budget: FetchBudget
    _workers: Workers
    _geometry: Geometry

    def __post_init__(self) -> None:
        self._contexts = self._crawl.crawler.settings.getdict("PLAYWRIGHT_CONTEXTS")
        self._numbers = count(1)
        self.recent = RecentPages(int(self._crawl.settings.memory_bytes * RECENT_SHARE))
        self.visited = VisitedShapes()  # URLs that the spider requests
        self._led: WeakKeyDictionary[Request, ref[CrawledPage] | None] = WeakKeyDictionary()  # the last page before it
        # hashes of URLs of requests that were no plain GETs, as redirects of them may still arrive
        self._posted: LocalCache[int, None] = LocalCache(MOST_KNOWN)
        # by response, as a request may be sent again
        self.crawled: WeakKeyDictionary[Response, CrawledPage | None] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Request, DenoiseSettings] = WeakKeyDictionary()

    def settings_for(self, request: Request) -> DenoiseSettings:
        """Return the settings for a request; invalid ones in its meta are logged and ignored."""
        if META_KEY not in request.meta:
            return self._crawl.settings
        settings = self._asked.get(request)
        if settings is None:
            try:
                settings = self._crawl.settings.for_page(request.meta[META_KEY])
            except ConfigurationError as error:
                settings = self._crawl.settings
                self._crawl.count("invalid_meta")
                name = str(error).partition(" = ")[0]  # without the value, which may be anything
                self._crawl.say_once(f"meta/{name}", "%s in the meta of %s", error, request, level=logging.ERROR)
            self._asked[request] = settings
        return settings

    async def read(self, request: Request, response: Response, *, wants_body: bool = False) -> CrawledPage | None:
        """Return the page of a response, read once; None if it is not a page, or not processed.

        If its callback `wants_body`, this is noted before an item of another page can have its text made.
        """
        if response in self.crawled or not is_page(response):
            return self.crawled.get(response)
        settings, crawled = self.settings_for(request), None
        if self._is_treated(len(response.body), settings):
            source = self._source(request, response, settings, next(self._numbers))
            crawled = CrawledPage(source, settings, request, response)
            # a browser's context may have a proxy, which ours has not
            context = self._contexts.get(request.meta.get("playwright_context"))
            context = context or request.meta.get("playwright_context_kwargs") or {}
            crawled.is_got = self._is_got(request) and "proxy" not in context
            crawled.wants_body = wants_body
            crawled.tally = self._health.tally(crawled.site)
            crawled.record = self._record(crawled)
        self.crawled[response] = crawled
        if crawled is not None:
            self.recent.put(crawled)
            await self._read(source, crawled, response)
        return crawled

    async def read_comparison_page(self, request: Request, response: Response, settings: DenoiseSettings) -> None:
        """Read a page that was fetched for comparison."""
        await self._read(self._source(request, response, settings, 0), None, None)

    async def read_field(
        self, address: str, html: str, request: Request, response: Response, settings: DenoiseSettings
    ) -> CrawledPage | None:
        """Read the page that a field of an item holds; None if it is too large.

        Args:
            address: Its address.
            html: The HTML.
            request: The request that led to the item.
            response: Its response.
            settings: Those of the response.
        """
        body = html.encode("utf-8", "replace")
        if not self._is_treated(len(body), settings):
            return None
        own = None if settings is self._crawl.settings else settings
        source = PageSource(next(self._numbers), address, body, "utf-8", settings=own)
        crawled = CrawledPage(source, settings, request, response)
        crawled.record = self._record(crawled)
        await self._read(source, crawled, None)
        return crawled

    def _record(self, crawled: CrawledPage) -> FetchRecord | None:
        return self._budget.record(crawled.site) if crawled.site else None

    def _is_treated(self, size: int, settings: DenoiseSettings) -> bool:
        is_too_large = size > MAX_PAGE_BYTES
        self._crawl.count(settings.enabled and is_too_large and "pages/too_large")
        return settings.enabled and not is_too_large

    def _source(self, request: Request, response: Response, settings: DenoiseSettings, number: int) -> PageSource:
        layout = self._geometry.layout_of(request, response, settings)
        own = None if settings is self._crawl.settings else settings
        told = told_encoding(response)
        return PageSource(number, response.url, response.body, told, layout, is_comparable(request, response), own)

    async def _read(self, source: PageSource, crawled: CrawledPage | None, response: Response | None) -> None:
        self._crawl.count("pages/parsed")
        await self._sites.meet(site_key(source.url))  # loads pages of earlier crawls
        boxes = await self._workers.read(source, crawled, response)
        if source.layout is not None:
            self._geometry.note(boxes, source.url, source.settings or self._crawl.settings)
        if source.is_comparable:
            await self._sites.note(source.url)

    def page_before(self, response: Response | None) -> CrawledPage | None:
        """Return the last page that led to a response; None if there is none, or it is not kept any more."""
        request = None if response is None else response.request
        page = None if request is None else self._led.get(request)
        return None if page is None else page()

    def note_visit(self, request: Request, response: Response | None = None) -> None:
        """Record the page that led to a request of the spider, and a GET's URL shape: similar links may be followed."""
        if request in self._led:  # most are noted twice: when they leave the spider and when they are sent
            return
        page = None if response is None else self.crawled.get(response) or self.page_before(response)
        self._led[request] = None if page is None else ref(page)
        if not is_get(request):
            self._posted[hash(request.url)] = None
        elif self._is_got(request) and len(request.url) <= MAX_URL_LENGTH:
            self.visited.add(request.url)

    def _is_got(self, request: Request) -> bool:
        """Return whether only plain GETs led to a request."""
        return is_get(request) and not any(hash(url) in self._posted for url in redirected_from(request))
