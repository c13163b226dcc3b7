"""Fetching one comparison page through the engine, so that every rule of the crawl holds."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from denoise_scrapy.responses import is_comparable, is_page, is_same_page
from denoise_scrapy.site import site_key
from denoise_scrapy.stats import PREFIX

if TYPE_CHECKING:
    from denoise_scrapy.crawl_state import CrawlState
    from denoise_scrapy.crawled_page import CrawledPage

logger = logging.getLogger(__name__)

# Marks our own requests, so that our middleware leaves them alone.
FETCH_META = "denoise_comparison"


class SiblingFetcher:
    """Fetches pages of a site, each URL once a crawl, one at a time from a server.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self._spent = 0  # fetches begun; those of which nothing was sent are given back
        self._tried: set[int] = set()  # hashes of URLs
        self._slot_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def fetch(self, url: str, crawled: CrawledPage) -> None:
        """Fetch `url` and remember its page, if it is one to compare `crawled` with."""
        self._tried.add(hash(url))
        self._spent += 1  # now, as other sites' fetches look at it while this one is under way
        request = self._request(url, crawled)
        response = await self._download(request)
        location = None if response is None else _redirect_to_same_page(response)
        if location is not None:
            self._spent += 1
            request = self._request(location, crawled)
            response = await self._download(request)
        if response is None or not self._accept(request, response, crawled):
            self._state.count("comparison/failed")

    def tried(self, url: str) -> bool:
        """Whether `url` was fetched before, with or without success."""
        return hash(url) in self._tried

    def unasked(self) -> int:
        """Return how many fetched pages the spider has not asked for so far."""
        reused = self._state.crawler.stats.get_value(f"{PREFIX}comparison/reused", 0)
        return self._spent - int(reused)

    def pages_crawled(self) -> int:
        """Return how many responses the crawl has received, without our own."""
        value = self._state.crawler.stats.get_value
        return int(value("response_received_count", 0) - value(f"{PREFIX}comparison/requests", 0))

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
        settings = crawled.settings
        meta: dict[str, Any] = {
            **crawled.carried,
            FETCH_META: True,
            "download_timeout": settings.comparison_timeout,
            "download_maxsize": max(1, settings.max_page_bytes),
            "dont_retry": True,  # another link serves as well
            "dont_redirect": True,  # never to another site
        }
        if meta.get("playwright"):
            milliseconds = settings.comparison_timeout * 1000
            goto = {**meta["playwright_page_goto_kwargs"], "timeout": milliseconds}
            meta["playwright_page_goto_kwargs"] = goto
        return Request(url, callback=NO_CALLBACK, meta=meta)

    def _slot_key(self, request: Request) -> str:
        key_of = getattr(self._state.crawler.engine.downloader, "get_slot_key", None)
        return site_key(request.url) if key_of is None else str(key_of(request))

    def _fingerprint(self, request: Request) -> bytes:
        return self._state.crawler.request_fingerprinter.fingerprint(request)

    async def _download(self, request: Request) -> Response | None:
        engine = self._state.crawler.engine
        lock = self._slot_locks.setdefault(self._slot_key(request), asyncio.Lock())
        async with lock:
            if self.stopping():
                self._spent -= 1
                return None
            self._state.count("comparison/requests")
            try:
                return await asyncio.wait_for(engine.download_async(request), _longest(request))
            except IgnoreRequest as error:  # robots.txt, off-site: nothing was sent
                self._spent -= 1
                self._state.count("comparison/requests", -1)
                self._say_failed(request, error)
            except Exception as error:
                self._say_failed(request, error)
            return None

    def _say_failed(self, request: Request, error: Exception) -> None:
        logger.debug(
            "No comparison page from %s: %r",
            request.url,
            error,
            extra={"spider": self._state.crawler.spider},
        )

    def _accept(self, request: Request, response: Response, crawled: CrawledPage) -> bool:
        settings = crawled.settings
        if (
            not is_page(response)
            or not is_comparable(request, response)
            or site_key(response.url) != site_key(crawled.page.url)
            or len(response.body) > settings.max_page_bytes
        ):
            return False
        # an item may be about it, with the settings of the crawl: see `CrawlState.page_of`
        crawl = self._state.settings
        read = replace(settings, keep=crawl.keep, remove=crawl.remove)
        self._state.remember(self._state.parse(request, response, read))
        self._state.reuse.put(self._fingerprint(request), request, response)
        return True


def _longest(request: Request) -> float | None:
    """Return after how many seconds a fetch is given up from outside; None: the downloader sees to it.

    A browser's time-outs do not cover the wait for a free page.
    """
    return 2 * float(request.meta["download_timeout"]) if request.meta.get("playwright") else None


def _redirect_to_same_page(response: Response) -> str | None:
    location = response.headers.get("Location")
    if not 300 <= response.status < 400 or not location:
        return None
    url = response.urljoin(location.decode("latin-1"))
    same_site = site_key(url) == site_key(response.url)
    return url if same_site and is_same_page(url, response.url) else None
