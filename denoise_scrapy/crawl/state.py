"""The state of one crawl, shared by the middlewares and pipelines of its crawler."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.utils.defer import deferred_from_coro

from denoise_scrapy.core.sharing import share
from denoise_scrapy.crawl.beside import Beside
from denoise_scrapy.crawl.comparison import ComparisonPages, SiblingFetcher
from denoise_scrapy.crawl.geometry import Geometry
from denoise_scrapy.crawl.health import SiteHealth
from denoise_scrapy.crawl.item_pages import ItemPages
from denoise_scrapy.crawl.log import CrawlLog, CrawlReport, refusing_to_start, write_stats
from denoise_scrapy.crawl.pages import CrawledPages, SiteKeeper
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import PageMemory, site_key
from denoise_scrapy.site.health import ALIKE, likeness, template_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from denoise_scrapy.page import Page

# Part of DENOISE_MEMORY_MB that finds an item's page by URL; all else is for the pages that others are compared with.
RECENT_SHARE = 1 / 5
# Pages of one site to compare with: the five most alike are chosen from these.
PAGES_PER_SITE = 32
# Other pages on which a text stands, and these are most of the site, from which it is not the item's own; share of the
# page's words that they have, for menus mark the page they are on.
SEVERAL, SAME = 3, 0.95
STATE = "_denoise_state"  # attribute of a crawler


class CrawlState:
    """The settings of one crawl, and the objects that do its work; refuses wrong settings by `ConfigurationError`."""

    def __init__(self, crawler: Crawler):
        self.crawler = crawler
        self.settings = settings = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        self.log = log = CrawlLog(crawler)
        self.memories = CrawlReport(log, crawler.settings.getfloat("LOGSTATS_INTERVAL"))
        recent = int(settings.memory_bytes * RECENT_SHARE)
        self.memory = PageMemory(settings.memory_bytes - recent, PAGES_PER_SITE)
        self.beside = Beside(settings.threads)
        self.sites = SiteKeeper(crawler, settings, log, self.memory, self.beside)
        self.health = SiteHealth(log, self.sites)
        self.geometry = Geometry(settings, log)
        self.pages = CrawledPages(
            settings, log, self.memory, self.sites, self.geometry, beside=self.beside, recent_bytes=recent
        )
        self.items = ItemPages(settings, log, self.pages)
        fetcher = SiblingFetcher(crawler, settings, log, self.pages)
        self.comparison = ComparisonPages(log, self.memory, self.pages, fetcher)
        self.items_in_work = 0
        self._has_frozen = False
        self._watch_memories()
        self._connect()

    def is_no_content(self, page: Page, text: str) -> bool:
        """Return whether the text of a page, which an item of another page has too, is that of a wall or an error page.

        It is where it stands on most others of the site, or of the last pages of this crawl; and at once where all
        pages of its template have it, while the site has others. Addresses of one path are one page, whatever
        parameters they have.
        """
        others = self.memory.pages(site_key(page.url))
        carried = share(page.facts.data, [other.facts.data for other in others]).carried[0]
        total, own, template = page.facts.tokens.sum(), urlsplit(page.url).path, template_of(page.facts)
        same: dict[str, bool] = {}
        mates: set[str] = set()
        for other, tokens in zip(others, carried, strict=True):
            path = urlsplit(other.url).path
            if path != own:
                same[path] = tokens >= SAME * total
                mates |= {path} if likeness(template, template_of(other.facts)) >= ALIKE else set()
        if mates and all(same[path] for path in mates) and len(same) >= len(mates) + SEVERAL:
            return True
        return sum(same.values()) >= max(SEVERAL, len(same) / 2) or self.health.is_repeated(page.url, text)

    def _watch_memories(self) -> None:
        watch, memory, recent = self.memories.watch, self.memory, self.pages.recent
        watch("pages", nbytes=lambda: memory.nbytes)  # those that leave are counted under pages/evicted
        watch("whole_pages", evicted=lambda: memory.reduced)
        watch("recent", nbytes=lambda: recent.nbytes, evicted=lambda: recent.evicted)
        watch("health", nbytes=lambda: self.health.nbytes, evicted=lambda: self.health.left_out)
        watch("shapes", evicted=lambda: self.pages.visited.evicted)

    def _connect(self) -> None:
        connect = self.crawler.signals.connect
        for left in (signals.item_scraped, signals.item_dropped, signals.item_error):
            connect(self.items.forget, left)
        if self.settings.enabled:
            connect(self.memories.start, signals.spider_opened)
        connect(self._freeze, signals.spider_opened)
        connect(self._ask_layout, signals.request_reached_downloader)
        connect(self.geometry.take, signals.request_left_downloader)
        connect(self._spider_idle, signals.spider_idle)
        connect(self._spider_closed, signals.spider_closed)

    def _freeze(self) -> None:
        """Leave what is there before the first page out of garbage collection until the end of the crawl.

        That is modules for the most part. To look through them again and again takes a tenth of a crawl's time.
        """
        self._has_frozen = self.pages.used and not gc.get_freeze_count()
        if self._has_frozen:
            gc.freeze()

    def _ask_layout(self, request: Request) -> None:
        try:
            if request.meta.get("playwright"):
                self.geometry.ask(request, self.pages.settings_for(request))
        except Exception as error:
            self.log.report("layout", error)

    def _spider_idle(self) -> None:
        if self.items_in_work:  # of `scrapy parse`, which does not wait for its items
            raise DontCloseSpider
        if self.pages.used:
            deferred_from_coro(self.sites.save())

    def _spider_closed(self) -> None:
        if self.pages.used:
            self.log.set("pages/evicted", self.memory.evicted)
            self.memories.finish()
            try:
                write_stats(self.crawler)
            except OSError as error:
                self.log.report("stats", error)
        self.pages.recent.clear()
        self.beside.close()
        if self._has_frozen:
            gc.unfreeze()


def state_of(crawler: Crawler) -> CrawlState:
    """Return the state of a crawl, made when first asked for."""
    attributes = vars(crawler)
    if STATE not in attributes:
        with refusing_to_start(crawler):
            attributes[STATE] = CrawlState(crawler)
    state: CrawlState = attributes[STATE]
    return state


class Component:
    """A middleware or pipeline of ours."""

    def __init__(self, state: CrawlState):
        self._state = state
        self._log = state.log

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl."""
        return cls(state_of(crawler))
