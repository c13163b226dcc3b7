"""Fetching comparison pages through the engine, so that every rule of the crawl holds: how many, and which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from scrapy import Request, signals
from scrapy.http import Response

from denoise_scrapy.crawl.comparison.request import (
    ReuseStore,
    address_of,
    comparison_request,
    is_public,
    is_redirect,
    is_timeout,
    is_too_large,
    leads_to_public_only,
    longest,
    note_head,
    redirect_to_same_page,
    seconds_taken,
    was_sent,
)
from denoise_scrapy.crawl.pages import asks_for_patience, is_comparable, is_page
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site import page_identity, site_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from denoise_scrapy.crawl.log import CrawlLog
    from denoise_scrapy.crawl.pages import CrawledPage, CrawledPages
    from denoise_scrapy.settings import DenoiseSettings

logger = logger_of(__name__)

# Fetches allowed in a crawl before DENOISE_COMPARISON_SHARE counts: two pages each of the first two templates.
FREE = 4
# download_timeout of a fetch, in seconds; all fetches from one site together take no longer, so that a server can hold
# back a crawl by that once. Pages take one or two.
TIMEOUT = 10.0
# Share of that time that is worth beginning a fetch with: in less it would only fail.
LEAST_TIME = 0.1
# Sites remembered: some 300 bytes each, so 3 MB. One that fell out may be tried anew, within the crawl's budget.
MOST_SITES = 10_000
# URLs remembered: more than the default of 8 a site would rarely be needed. Some 100 bytes each.
MOST_URLS = 40_000


@dataclass(slots=True)
class SiteRecord:
    """Fetches from one site.

    Attributes:
        fetched: Requests sent.
        seconds: Time all of them took, without the wait for their turn.
        vain_waits: Waits for pages of the crawl that brought too few.
        given_up: Why nothing more is fetched; "" while something may be.
    """

    fetched: int = 0
    seconds: float = 0.0
    vain_waits: int = 0
    given_up: str = ""


class FetchRecords:
    """Records by site, and the URLs that were tried; those not used for longest go first.

    Args:
        count: Counts an event: ``comparison/forgotten`` and ``comparison/given_up/<reason>``.
        most_sites: Sites remembered at most.
        most_urls: URLs remembered at most.

    Example:
        >>> records = FetchRecords(print, most_sites=1)
        >>> records.give_up("http://a.example:80", "timeout")
        comparison/given_up/timeout
        >>> records.site("http://b.example:80").given_up
        comparison/forgotten
        ''
    """

    def __init__(self, count: Callable[[str], object], most_sites: int = MOST_SITES, most_urls: int = MOST_URLS):
        self._count = count
        self._most_sites = most_sites
        self._most_urls = most_urls
        self._sites: dict[str, SiteRecord] = {}
        self._tried: dict[int, None] = {}  # hashes

    def site(self, site: str) -> SiteRecord:
        """Return the record of a site, a new one where there is none."""
        record = self._sites.pop(site, None) or SiteRecord()
        self._sites[site] = record  # as the youngest
        if len(self._sites) > self._most_sites:
            del self._sites[next(iter(self._sites))]
            self._count("comparison/forgotten")
        return record

    def give_up(self, site: str, reason: str) -> None:
        """Note that nothing more is to be fetched from a site."""
        record = self.site(site)
        if not record.given_up:
            record.given_up = reason
            self._count(f"comparison/given_up/{reason}")

    def note_tried(self, url: str) -> None:
        """Note that `url` was fetched, or could not be."""
        key = hash(page_identity(url))
        self._tried.pop(key, None)
        self._tried[key] = None
        if len(self._tried) > self._most_urls:
            del self._tried[next(iter(self._tried))]

    def tried(self, url: str) -> bool:
        """Return whether `url`, or another spelling of it, was tried before."""
        return hash(page_identity(url)) in self._tried


class FetchBudget:
    """Counts requests against the limits, by crawl and by site, and their time.

    All fetches from one site together take no longer than `TIMEOUT`, be it one page or many. A site is given up, too,
    when its connection breaks, when it redirects twice, and when it asks anybody for patience.

    Args:
        crawler: The crawl.
        settings: Its settings.
        log: Its log.
    """

    def __init__(self, crawler: Crawler, settings: DenoiseSettings, log: CrawlLog):
        self._crawler = crawler
        self._settings = settings
        self._log = log
        self.records = FetchRecords(log.count)
        self._spent = 0  # fetches begun; those of which nothing was sent are given back
        connect = crawler.signals.connect
        connect(note_head, signals.headers_received)
        connect(self._response_downloaded, signals.response_downloaded)

    def affords(self, site: str) -> bool:
        """Return whether the limits of the crawl and of the site leave room for a request to it."""
        settings, fetched = self._settings, self.records.site(site).fetched
        received = self._crawler.stats.get_value("response_received_count", 0)
        crawled = int(received) - self._log.counted("comparison/requests")
        unasked = self._spent - self._log.counted("comparison/reused")  # by the spider, so far
        return unasked < FREE + settings.comparison_share * crawled and fetched < settings.comparison_per_site

    def count_request(self, site: str, by: int = 1) -> None:
        """Count a request; `by` -1: it was not sent after all."""
        self._spent += by
        self.records.site(site).fetched += by

    def seconds_left(self, site: str) -> float:
        """Return how long fetches from a site may still take."""
        return max(TIMEOUT - self.records.site(site).seconds, TIMEOUT * LEAST_TIME)

    def spend_seconds(self, site: str, seconds: float) -> None:
        """Count time that a site took."""
        record = self.records.site(site)
        record.seconds += seconds
        if TIMEOUT - record.seconds < TIMEOUT * LEAST_TIME:
            self.records.give_up(site, "slow")

    def learn(self, site: str, request: Request, error: Exception | None) -> None:
        """Learn from a request that was sent, and what became of it, whether to send more."""
        if error is not None and is_timeout(error):
            self.records.give_up(site, "timeout")
        elif error is not None and not is_too_large(error):
            self.records.give_up(site, "broken")
        self.spend_seconds(site, seconds_taken(request, error))

    def _response_downloaded(self, request: Request, response: Response) -> None:
        """Leave a site alone that asks for patience, whoever asked it."""
        if asks_for_patience(response):
            self.records.give_up(site_key(request.url), "busy")


class SiblingFetcher:
    """Fetches pages of a site, each URL once a crawl, one at a time from a server.

    Args:
        crawler: The crawl, whose engine fetches.
        settings: Its settings.
        log: Its log.
        pages: Its pages; those fetched are kept among them.
        reuse: Receives the responses, for requests of the spider.
    """

    def __init__(
        self, crawler: Crawler, settings: DenoiseSettings, log: CrawlLog, pages: CrawledPages, reuse: ReuseStore
    ):
        self._crawler = crawler
        self._log = log
        self._pages = pages
        self._reuse = reuse
        self.budget = FetchBudget(crawler, settings, log)
        self.records = self.budget.records
        self._slot_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def fetch(self, url: str, crawled: CrawledPage) -> None:
        """Fetch `url` and remember its page, if it is one to compare `crawled` with."""
        site = site_key(crawled.page.url)
        self.records.note_tried(url)
        request = self._request(url, crawled)
        response = await self._ask(request, site, crawled)
        location = None if response is None else redirect_to_same_page(response)
        if location is not None and self.budget.affords(site):
            request = self._request(location, crawled)
            response = await self._ask(request, site, crawled)
            if response is not None and is_redirect(response):
                self.records.give_up(site, "redirects")
        if response is None or not self._accept(request, response, crawled):
            self._log.count("comparison/failed")

    def stopping(self) -> bool:
        """Return whether the crawl is ending, so that nothing should be begun."""
        try:
            engine: Any = self._crawler.engine
        except RuntimeError:  # there is none yet
            return True
        slot = getattr(engine, "_slot", None)
        return not getattr(engine, "running", False) or bool(getattr(slot, "closing", None))

    def crawl_is_asking(self, crawled: CrawledPage) -> bool:
        """Return whether requests to the server of a page are under way, or wait for their delay."""
        slots = getattr(self._crawler.engine.downloader, "slots", {})
        slot = slots.get(self._slot_key(self._request(crawled.page.url, crawled)))
        return bool(getattr(slot, "active", False))

    def _request(self, url: str, crawled: CrawledPage) -> Request:
        return comparison_request(url, crawled, self.budget.seconds_left(site_key(crawled.page.url)))

    def _slot_key(self, request: Request) -> str:
        key_of = getattr(self._crawler.engine.downloader, "get_slot_key", None)
        return site_key(request.url) if key_of is None else str(key_of(request))

    async def _ask(self, request: Request, site: str, crawled: CrawledPage) -> Response | None:
        """Send a request when it is its turn, if it may be sent, and count it; None where nothing usable came."""
        self.budget.count_request(site)  # now, as other sites' fetches look at the sum while this one waits
        lock = self._slot_locks.setdefault(self._slot_key(request), asyncio.Lock())
        async with lock:
            record = self.records.site(site)
            if not self.stopping() and not record.given_up and await self._may_be_sent(request, site, crawled):
                response, error = await self._download(request)
                if error is None or was_sent(request, error):
                    self.budget.learn(site, request, error)
                    return response if response is None or self._may_be_used(response, site, crawled) else None
        self.budget.count_request(site, -1)
        return None

    async def _download(self, request: Request) -> tuple[Response | None, Exception | None]:
        self._log.count("comparison/requests")
        try:
            return await asyncio.wait_for(self._crawler.engine.download_async(request), longest(request)), None
        except Exception as error:
            if not was_sent(request, error):
                self._log.count("comparison/requests", -1)
            logger.debug("No comparison page from %s: %r", request.url, error, extra=self._log.extra)
            return None, error

    def _must_stay_public(self, crawled: CrawledPage) -> bool:
        """Return whether pages to compare with must come from public addresses.

        Not where the page itself came from a private one. Nor with a proxy: the proxy looks the name up and
        connects, the address of a response is the proxy's own, and the name may mean something to it alone. Where
        the address is unknown (caches, some handlers), the page counts as public unless its URL is a private one.
        """
        if crawled.carried.get("proxy"):
            return False
        address = crawled.address or address_of(urlsplit(crawled.page.url).hostname or "")
        return address is None or is_public(address)

    async def _may_be_sent(self, request: Request, site: str, crawled: CrawledPage) -> bool:
        if not self._must_stay_public(crawled):
            return True
        began = monotonic()
        public = await leads_to_public_only(urlsplit(request.url).hostname or "", self.budget.seconds_left(site))
        self.budget.spend_seconds(site, monotonic() - began)
        request.meta["download_timeout"] = self.budget.seconds_left(site)
        if not public:
            self.records.give_up(site, "address")
        return not self.records.site(site).given_up

    def _may_be_used(self, response: Response, site: str, crawled: CrawledPage) -> bool:
        """Return whether a response may be used: its name may have another address by now."""
        address = response.ip_address
        if address is None or is_public(address) or not self._must_stay_public(crawled):
            return True
        self.records.give_up(site, "address")
        return False

    def _accept(self, request: Request, response: Response, crawled: CrawledPage) -> bool:
        settings = crawled.settings
        if (
            not is_page(response)
            or not is_comparable(request, response)
            or site_key(response.url) != site_key(crawled.page.url)
            or len(response.body) > settings.max_page_bytes
        ):
            return False
        read = replace(settings, keep=(), remove=())  # no item is about it
        self._pages.remember(self._pages.parse(request, response, read))
        self._reuse.put(self._crawler.request_fingerprinter.fingerprint(request), request, response)
        return True
