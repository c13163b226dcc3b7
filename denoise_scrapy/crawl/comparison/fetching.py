"""Fetching one comparison page through the engine, so that every rule of the crawl holds."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from scrapy import Request
from scrapy.http import Response

from denoise_scrapy.crawl.comparison.addresses import address_of, is_public, leads_to_public_only
from denoise_scrapy.crawl.comparison.budget import FetchBudget
from denoise_scrapy.crawl.comparison.request import (
    FETCH_META,
    comparison_request,
    is_redirect,
    longest,
    redirect_to_same_page,
    was_sent,
)
from denoise_scrapy.crawl.responses import is_comparable, is_page
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from denoise_scrapy.crawl.crawled_page import CrawledPage
    from denoise_scrapy.crawl.state import CrawlState

__all__ = ["FETCH_META", "SiblingFetcher"]

logger = logger_of(__name__)


class SiblingFetcher:
    """Fetches pages of a site, each URL once a crawl, one at a time from a server.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self.budget = FetchBudget(state)
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
            self._state.count("comparison/failed")

    def stopping(self) -> bool:
        """Whether the crawl is ending, so that nothing should be begun."""
        try:
            engine: Any = self._state.crawler.engine
        except RuntimeError:  # there is none yet
            return True
        slot = getattr(engine, "_slot", None)
        return not getattr(engine, "running", False) or bool(getattr(slot, "closing", None))

    def crawl_is_asking(self, crawled: CrawledPage) -> bool:
        """Whether requests to the server of a page are under way, or wait for their delay."""
        slots = getattr(self._state.crawler.engine.downloader, "slots", {})
        slot = slots.get(self._slot_key(self._request(crawled.page.url, crawled)))
        return bool(getattr(slot, "active", False))

    def _request(self, url: str, crawled: CrawledPage) -> Request:
        return comparison_request(url, crawled, self.budget.seconds_left(site_key(crawled.page.url)))

    def _slot_key(self, request: Request) -> str:
        key_of = getattr(self._state.crawler.engine.downloader, "get_slot_key", None)
        return site_key(request.url) if key_of is None else str(key_of(request))

    def _fingerprint(self, request: Request) -> bytes:
        return self._state.crawler.request_fingerprinter.fingerprint(request)

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
        self._state.count("comparison/requests")
        try:
            return await asyncio.wait_for(self._state.crawler.engine.download_async(request), longest(request)), None
        except Exception as error:
            if not was_sent(request, error):
                self._state.count("comparison/requests", -1)
            extra = {"spider": self._state.crawler.spider}
            logger.debug("No comparison page from %s: %r", request.url, error, extra=extra)
            return None, error

    def _must_stay_public(self, crawled: CrawledPage) -> bool:
        """Whether pages to compare with must come from public addresses.

        Not where the page itself came from a private one. Nor with a proxy: the proxy looks the name up and
        connects, the address of a response is the proxy's own, and the name may mean something to it alone. Where
        the address is unknown (caches, some handlers), the page counts as public unless its URL tells otherwise.
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
        """Whether the response came from where it may: a name may have changed its address since it was looked up."""
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
        self._state.remember(self._state.parse(request, response, read))
        self._state.reuse.put(self._fingerprint(request), request, response)
        return True
