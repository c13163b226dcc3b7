"""The state of one crawl, shared by the middlewares and pipelines of its crawler."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider, NotConfigured
from scrapy.utils.defer import deferred_from_coro
from typing_extensions import Self

from denoise_scrapy.crawl.bodies import Bodies
from denoise_scrapy.crawl.budget import FetchBudget
from denoise_scrapy.crawl.duplicates import Duplicates
from denoise_scrapy.crawl.geometry import Geometry
from denoise_scrapy.crawl.pages import redirected_from
from denoise_scrapy.crawl.parts import Crawl, refusing_to_start
from denoise_scrapy.crawl.passages import Passages
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.crawl.sites import SiteHealth, SiteMemory
from denoise_scrapy.crawl.workers import Workers

if TYPE_CHECKING:
    from denoise_scrapy.crawl.paged import PagedBodies

STATE = "_denoise_state"  # attribute of a crawler


class CrawlState:
    """The objects that do the work of one crawl; raises `ConfigurationError` for invalid settings."""

    def __init__(self, crawl: Crawl):
        self.crawl = crawl
        if crawl.settings.teacher:
            from denoise_scrapy.crawl.teacher import with_folder  # noqa: PLC0415 - for crawls that have one

            with_folder(crawl)
        self.workers = Workers(crawl)
        self.sites = SiteMemory(crawl, self.workers)
        self.health = SiteHealth(crawl, self.sites)
        self.geometry = Geometry(crawl)
        budget = FetchBudget(crawl)
        self.pages = CrawledPages(crawl, self.sites, self.health, budget, self.workers, self.geometry)
        self.passages = Passages(crawl, self.pages)
        self.duplicates = Duplicates(crawl, self.passages)
        self.bodies = Bodies(crawl, self.sites, self.health, budget, self.pages, self.workers)
        self.bodies.keeps_versions = self.duplicates.index.keeps_versions
        self.items_in_work = 0
        self.pipelines = 0  # number of ours
        connect = crawl.crawler.signals.connect
        connect(crawl.start, signals.spider_opened)
        if crawl.settings.pages_field:
            connect(self._request_dropped, signals.request_dropped)
        connect(self._ask_layout, signals.request_reached_downloader)
        connect(self.geometry.take, signals.request_left_downloader)
        connect(self._spider_idle, signals.spider_idle)
        connect(self._spider_closed, signals.spider_closed)

    @cached_property
    def paged(self) -> PagedBodies:
        """Joins the pages of articles, in crawls with a field for them."""
        from denoise_scrapy.crawl.paged import PagedBodies  # noqa: PLC0415 - for these alone

        return PagedBodies(self.crawl, self.pages, self.sites, self.bodies)

    def _request_dropped(self, request: Request) -> None:
        """Note URLs that lead to a page which was requested before."""
        self.paged.answer(redirected_from(request))

    def _ask_layout(self, request: Request) -> None:
        try:
            if request.meta.get("playwright"):  # the settings of others are read with their pages, if they are any
                self.geometry.ask(request, self.pages.settings_for(request))
        except Exception as error:
            self.crawl.report("layout", error)

    def _spider_idle(self) -> None:
        if self.items_in_work:  # `scrapy parse` does not wait for its items
            raise DontCloseSpider
        deferred_from_coro(self.sites.save())

    async def _spider_closed(self) -> None:
        try:
            await self.workers.close()
            await self.duplicates.index.close()  # pipelines are not closed if another one fails
            recent = self.pages.recent
            self.crawl.set("memory/bytes/recent", recent.nbytes)
            self.crawl.set("memory/bytes/health", self.health.nbytes)
            self.crawl.set("memory/evicted/recent", recent.evicted)
            self.crawl.set("memory/evicted/shapes", self.pages.visited.evicted)
            self.crawl.finish()
        finally:
            self.crawl.close()
            self.pages.recent.clear()
            self.passages.clear()


def state_of(crawler: Crawler) -> CrawlState:
    """Return the state of a crawl, created by the first call; raise `NotConfigured` where DENOISE_ENABLED is False."""
    attributes = vars(crawler)
    if STATE not in attributes:
        with refusing_to_start(crawler):
            crawl = Crawl(crawler)
            attributes[STATE] = CrawlState(crawl) if crawl.settings.enabled else None
    state: CrawlState | None = attributes[STATE]
    if state is None:
        raise NotConfigured  # without a reason, which Scrapy would log as a warning
    return state


class Component:
    """Base of our middlewares and pipelines."""

    def __init__(self, state: CrawlState):
        self._state = state
        self._crawl = state.crawl

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create one for a crawl."""
        return cls(state_of(crawler))
