"""What one crawl knows, shared by the middlewares and pipelines of its crawler."""

from __future__ import annotations

import logging
import weakref
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.exceptions import DontCloseSpider, NotConfigured

from denoise_scrapy import stats
from denoise_scrapy.crawl.bounded import BoundedDict
from denoise_scrapy.crawl.comparison.pages import ComparisonPages
from denoise_scrapy.crawl.comparison.reuse import ReuseStore
from denoise_scrapy.crawl.crawled_page import CrawledPage, PageText
from denoise_scrapy.crawl.geometry import Geometry
from denoise_scrapy.crawl.item_pages import ItemPages
from denoise_scrapy.crawl.memory_report import MemoryReport
from denoise_scrapy.crawl.progress import Progress
from denoise_scrapy.crawl.refusal import refusing_to_start
from denoise_scrapy.crawl.responses import is_comparable, is_page, read_page
from denoise_scrapy.crawl.site_keeper import SiteKeeper
from denoise_scrapy.crawl.stats_file import write_stats
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site import PageMemory, VisitedShapes, site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from denoise_scrapy.page import Page

logger = logger_of(__name__)

META_KEY = "denoise"
# Part of DENOISE_MEMORY_MB for finding an item's page by URL; the rest is for comparison pages.
RECENT_SHARE = 0.25
# Messages that are said once: of some tens of kinds, but a spider may name anything in the meta of requests.
MOST_SAID = 1000


class CrawlState:
    """Settings and remembered pages of one crawl, and whose text its items have.

    It holds its crawler weakly, since the table of states is keyed by crawlers.

    Raises:
        ConfigurationError: A setting of ours is unknown or invalid.
    """

    def __init__(self, crawler: Crawler):
        self._crawler = weakref.ref(crawler)
        self.settings = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        memory_bytes = self.settings.memory_bytes
        recent_bytes = int(memory_bytes * RECENT_SHARE)
        self.memory = PageMemory(memory_bytes - recent_bytes, self.settings.pages_per_site, self.settings.paths_bytes)
        self.sites = SiteKeeper(self, self.memory)
        self.recent: BoundedDict[str, CrawledPage] = BoundedDict(recent_bytes)
        self.reuse = ReuseStore(self.settings.reuse_bytes)
        self.visited = VisitedShapes()
        self.items = ItemPages(self)
        self.items_in_work = 0
        self.comparison = ComparisonPages(self)
        self.geometry = Geometry(self)
        self._crawled: WeakKeyDictionary[Request, CrawledPage | None] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Request, DenoiseSettings] = WeakKeyDictionary()
        self._said: set[str] = set()
        self._progress = Progress(self)
        self.memories = MemoryReport(self)
        self._watch_memories()
        self._connect(crawler)

    @property
    def crawler(self) -> Crawler:
        """The crawler; it outlives its state.

        Raises:
            RuntimeError: It does not any more.
        """
        crawler = self._crawler()
        if crawler is None:
            raise RuntimeError("the crawl is over")
        return crawler

    def count(self, name: str, by: int = 1) -> None:
        """Add to the stat ``denoise/<name>``."""
        self.crawler.stats.inc_value(stats.PREFIX + name, by)

    def report(self, place: str, error: Exception) -> None:
        """Count an error of ours; log the first of each place and kind with its traceback."""
        self.count("errors")
        self.count(f"errors/{place}")
        self.say_once(
            f"{place}/{type(error).__name__}",
            logging.ERROR,
            "denoise failed in %s and left the crawl as it was; it counts further errors of this "
            "kind under denoise/errors/%s",
            place,
            place,
            exc_info=error,
        )

    def say_once(self, key: str, level: int, message: str, *args: object, **more: Any) -> None:
        """Log a message, the first time `key` is used in the crawl."""
        if key not in self._said and len(self._said) < MOST_SAID:
            self._said.add(key)
            logger.log(level, message, *args, extra={"spider": self.crawler.spider}, **more)

    def settings_for(self, request: Request) -> DenoiseSettings:
        """Return the settings for a request; invalid ones in its meta are logged and ignored."""
        settings = self._asked.get(request)
        if settings is None:
            try:
                settings = self.settings.for_page(request.meta.get(META_KEY))
            except ConfigurationError as error:
                settings = self.settings.for_page(None)
                self.count("invalid_meta")
                name = str(error).partition(" = ")[0]  # without the value, which may be any
                self.say_once(f"meta/{name}", logging.ERROR, "%s in the meta of %s", error, request)
            self._asked[request] = settings
        return settings

    def read(self, request: Request, response: Response) -> CrawledPage | None:
        """Return the page of a response, parsed once; None where it is none, or is left alone."""
        if request not in self._crawled and is_page(response):
            self._crawled[request] = crawled = self._first_read(request, response)
            if crawled is not None:
                self._remember(crawled, request, response)
        return self._crawled.get(request)

    def _first_read(self, request: Request, response: Response) -> CrawledPage | None:
        settings = self.settings_for(request)
        if not settings.enabled:
            self.count("pages/opted_out")
            return None
        if len(response.body) > settings.max_page_bytes:
            self.count("pages/too_large")
            return None
        page = self.parse(request, response, settings)
        crawled = CrawledPage(page, settings, request, response.ip_address)
        crawled.came_with(response)
        return crawled

    def parse(self, request: Request, response: Response, settings: DenoiseSettings) -> Page:
        """Parse the response to a request with the path table of its site."""
        self.count("pages/parsed")
        site = site_key(response.url)
        self.sites.memory.meet(site)  # pages of earlier crawls serve from the first page on
        table = self.memory.path_table(site)
        page = read_page(response, table, keep=settings.keep, remove=settings.remove)
        self.memory.tables.add_page(page)
        self.geometry.attach(page, request, response, settings)
        return page

    def note_request(self, origin: Request, request: Request) -> None:
        """Note what the spider asks for from the page of `origin`."""
        self.note_visit(request)
        crawled = self._crawled.get(origin)
        if crawled is not None:
            crawled.requested.add(request.url)

    def note_visit(self, request: Request) -> None:
        """Note the shape of the URL of one of the spider's requests, unless it posts: links like it may be followed."""
        if request.method == "GET" and len(request.url) <= MAX_URL_LENGTH:
            self.visited.add(request.url)

    def has_given(self, text: Any) -> bool:
        """Whether a text, not an equal one, is what a page fetched lately has given to its items."""
        given = (crawled.text for crawled in self.recent.values() if crawled.text is not None) if text else ()
        return any(value is text for values in given for value in values.fields.values())

    def _remember(self, crawled: CrawledPage, request: Request, response: Response) -> None:
        nbytes = crawled.page.nbytes // len(crawled.names)
        for name in crawled.names:
            self.recent.put(name, crawled, nbytes)
        if is_comparable(request, response):
            self.remember(crawled.page)

    def note_text(self, crawled: CrawledPage, text: PageText) -> None:
        """Give a page its text, which counts among what is held of it."""
        crawled.text = text
        nbytes = text.nbytes // len(crawled.names)
        for name in crawled.names:
            if self.recent.get(name) is crawled:
                self.recent.grow(name, nbytes)

    def remember(self, page: Page) -> None:
        """Keep a page to compare others with."""
        self.sites.remember(page)
        self.comparison.page_arrived(page)

    def _watch_memories(self) -> None:
        watch, pages, recent, reuse = self.memories.watch, self.memory, self.recent, self.reuse
        watch("pages", nbytes=lambda: pages.nbytes)  # those that leave are counted under pages/evicted
        watch("whole_pages", evicted=lambda: pages.reduced)
        watch("path_tables", nbytes=lambda: pages.tables.nbytes, evicted=lambda: pages.tables.evicted)
        watch("recent", nbytes=lambda: recent.nbytes, evicted=lambda: recent.evicted)
        watch("shapes", evicted=lambda: self.visited.evicted)
        watch("reuse", nbytes=lambda: reuse.nbytes, evicted=lambda: reuse.evicted)

    def _connect(self, crawler: Crawler) -> None:
        connect = crawler.signals.connect
        for left in (signals.item_scraped, signals.item_dropped, signals.item_error):
            connect(self._item_left, left)
        connect(self._progress.start, signals.spider_opened)
        connect(self._spider_idle, signals.spider_idle)
        connect(self._spider_closed, signals.spider_closed)

    def _item_left(self, item: Any) -> None:
        self.items.forget(item)

    def _spider_idle(self) -> None:
        if self.items_in_work:  # of `scrapy parse`, which does not wait for its items
            raise DontCloseSpider
        self.sites.save()

    def _spider_closed(self) -> None:
        self.crawler.stats.set_value(f"{stats.PREFIX}pages/evicted", self.memory.evicted)
        self.memories.note()
        self._progress.finish()
        self._write_stats()
        self.recent.clear()
        self.reuse.clear()

    def _write_stats(self) -> None:
        try:
            if self.settings.enabled:
                write_stats(self.crawler)
        except OSError as error:
            self.report("stats", error)


_states: WeakKeyDictionary[Crawler, CrawlState] = WeakKeyDictionary()


def state_of(crawler: Crawler) -> CrawlState:
    """Return the state of a crawl, made when first asked for.

    Raises:
        NotConfigured: DENOISE_ENABLED is False.
        ConfigurationError: A setting of ours is unknown or invalid.
    """
    state = _states.get(crawler)
    if state is None:
        with refusing_to_start(crawler):
            state = _states[crawler] = CrawlState(crawler)
    if not state.settings.enabled:
        raise NotConfigured("DENOISE_ENABLED is False")
    return state
