"""The state of one crawl, shared by the middlewares and pipelines of its crawler."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response
from scrapy.utils.defer import deferred_from_coro
from typing_extensions import Self

from denoise_scrapy.crawl.base import Crawl, refusing_to_start
from denoise_scrapy.crawl.comparison import ComparisonPages
from denoise_scrapy.crawl.geometry import Geometry
from denoise_scrapy.crawl.item_pages import ItemPage, ItemPages
from denoise_scrapy.crawl.pages import CrawledPages
from denoise_scrapy.crawl.sites import SiteHealth, SiteMemory

Ended = Callable[[ItemPage | None, bool], Awaitable[None] | None]

# Share of DENOISE_MEMORY_MB for finding items' pages by URL; the rest is for comparison pages.
RECENT_SHARE = 1 / 5
STATE = "_denoise_state"  # attribute of a crawler


class CrawlState:
    """The objects that do the work of one crawl; raises `ConfigurationError` for invalid settings."""

    def __init__(self, crawler: Crawler):
        self.crawl = crawl = Crawl(crawler)
        most = crawl.settings.memory_bytes
        recent = int(most * RECENT_SHARE)
        self.sites = SiteMemory(crawl, most - recent)
        self.health = SiteHealth(crawl, self.sites)
        self.geometry = Geometry(crawl)
        self.pages = CrawledPages(crawl, self.sites, self.geometry, recent)
        self.items = ItemPages(crawl, self.pages)
        self.comparison = ComparisonPages(crawl, self.sites, self.pages)
        # called with the decision about each item that has left the pipelines, and whether it was lost; replaced by
        # `DuplicateCheck`
        self.ended: Ended = lambda whose, lost: None
        self.items_in_work = 0
        self._has_frozen = False
        self._watch_memories()
        self._connect()

    def _watch_memories(self) -> None:
        watch, sites, recent = self.crawl.watch, self.sites, self.pages.recent
        watch("bytes/pages", lambda: sites.nbytes)  # evictions are counted as pages/evicted
        watch("bytes/recent", lambda: recent.nbytes)
        watch("bytes/health", lambda: self.health.nbytes)
        watch("evicted/whole_pages", lambda: sites.reduced)
        watch("evicted/recent", lambda: recent.evicted)
        watch("evicted/health", lambda: self.health.left_out)
        watch("evicted/shapes", lambda: self.pages.visited.evicted)

    def _connect(self) -> None:
        connect = self.crawl.crawler.signals.connect
        # after Scrapy's feeds: extensions are created first
        connect(self._item_scraped, signals.item_scraped)
        connect(self._item_lost, signals.item_dropped)
        connect(self._item_lost, signals.item_error)
        if self.crawl.settings.enabled:
            connect(self.crawl.start, signals.spider_opened)
        connect(self._freeze, signals.spider_opened)
        connect(self._ask_layout, signals.request_reached_downloader)
        connect(self.geometry.take, signals.request_left_downloader)
        connect(self._spider_idle, signals.spider_idle)
        connect(self._spider_closed, signals.spider_closed)

    def _item_scraped(self, item: Any, response: Response | None) -> Awaitable[None] | None:
        return self.ended(self.items.left(item, response), False)

    def _item_lost(self, item: Any, response: Response | None) -> Awaitable[None] | None:
        return self.ended(self.items.left(item, response), True)

    def _freeze(self) -> None:
        """Exclude objects older than the first page from garbage collection until the end of the crawl."""
        # mostly modules: examining them again and again takes a tenth of a crawl's time
        self._has_frozen = self.pages.used and not gc.get_freeze_count()
        if self._has_frozen:
            gc.freeze()

    def _ask_layout(self, request: Request) -> None:
        try:
            if request.meta.get("playwright"):  # the settings of others are read with their pages, if they are any
                self.geometry.ask(request, self.pages.settings_for(request))
        except Exception as error:
            self.crawl.report("layout", error)

    def _spider_idle(self) -> None:
        if self.items_in_work:  # `scrapy parse` does not wait for its items
            raise DontCloseSpider
        if self.pages.used:
            deferred_from_coro(self.sites.save())

    def _spider_closed(self) -> None:
        if self.pages.used:
            self.crawl.set("pages/evicted", self.sites.evicted)
            self.crawl.finish()
        self.pages.recent.clear()
        self.crawl.beside.close()
        if self._has_frozen:
            gc.unfreeze()


def state_of(crawler: Crawler) -> CrawlState:
    """Return the state of a crawl, created by the first call."""
    attributes = vars(crawler)
    if STATE not in attributes:
        with refusing_to_start(crawler):
            attributes[STATE] = CrawlState(crawler)
    state: CrawlState = attributes[STATE]
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
