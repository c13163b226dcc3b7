"""Fetching comparison pages through the crawl's engine.

The rules of the crawl (robots.txt, delays, middlewares) apply to each fetch, and so do limits of our own.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from time import monotonic
from typing import Any
from weakref import WeakValueDictionary

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from denoise_scrapy.crawl.budget import FETCH_META, LATENCY_META, PER_SITE, TIMEOUT, FetchBudget
from denoise_scrapy.crawl.network import address_of, is_public, leads_to_public_only
from denoise_scrapy.crawl.pages import CrawledPage, is_comparable, is_page
from denoise_scrapy.crawl.parts import Crawl
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.crawl.workers import Workers
from denoise_scrapy.page.attributes import host_of
from denoise_scrapy.page.parse import MAX_PAGE_BYTES
from denoise_scrapy.site import page_identity, sibling_links, site_key, url_likeness
from denoise_scrapy.site.urls import spelling
from denoise_scrapy.support.shown import logger_of
from denoise_scrapy.worker.extractor import Extractor, Known

logger = logger_of(__name__)

# Minimum similarity of URLs of one template, which differ in an identifier, a slug or a date.
LIKE = 0.8
# Appended to them in Scrapy's log, to explain pages that the spider did not request.
FETCH_FLAG = "denoise-comparison"
COUNTED = "CLOSESPIDER_PAGECOUNT counts all pages, so none is fetched just to compare others with it"


@dataclass(eq=False)
class Fetcher:
    """Fetches comparison pages, each URL once in a crawl, one at a time per site and per server."""

    _crawl: Crawl
    _budget: FetchBudget
    _pages: CrawledPages
    _workers: Workers

    def __post_init__(self) -> None:
        number_of = self._crawl.crawler.settings.getint
        self._counts_pages = bool(number_of("CLOSESPIDER_PAGECOUNT"))
        self._counts_contexts = bool(number_of("PLAYWRIGHT_MAX_CONTEXTS"))  # ours might wait for the spider's to close
        if self._counts_pages:
            self._crawl.say_once("counted", COUNTED, level=logging.INFO)
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()  # of sites and servers

    def may_fetch(self, page: CrawledPage) -> bool:
        """Return whether pages to compare with a page may be fetched, as far as its site and the settings go."""
        wanted = page.record is not None and page.settings.comparison_share > 0 and page.is_got
        is_counted = self._counts_pages or (self._counts_contexts and "playwright" in page.carried)
        return wanted and not is_counted and not self._budget.gives_up(page.site)

    def is_stopping(self) -> bool:
        """Return whether the crawl is about to end."""
        engine: Any = self._crawl.crawler.engine
        slot = getattr(engine, "_slot", None)
        return not getattr(engine, "running", False) or bool(getattr(slot, "closing", None))

    def is_crawl_requesting(self, page: CrawledPage) -> bool:
        """Return whether requests of the spider to a page's server are in progress or delayed."""
        slots = getattr(self._crawl.crawler.engine.downloader, "slots", {})
        active = getattr(slots.get(self._server(page)), "active", ())
        return any(FETCH_META not in request.meta for request in active)

    def is_crawl_held_up(self) -> bool:
        """Return whether the crawl sends no further requests until items have left, as too many responses wait."""
        slot = self._crawl.crawler.engine.scraper.slot
        return bool(slot and slot.needs_backout())

    async def fetch(self, page: CrawledPage, needed: int) -> None:
        """Fetch pages until a number of known ones share a page's template, or nothing more may be fetched."""
        site, asked = page.site, monotonic()

        async def is_done() -> Known | None:
            known = await self._workers.ask(Extractor.known, page)
            return None if known is None or self._gives_up(site) or known.mates >= needed else known

        # requests may name several slots of the downloader for one site, and one for several sites
        async with self._lock("site", site), self._lock("server", self._server(page)):
            if not self._budget.affords(site):
                return
            self._budget.count_request(site)  # set aside: to examine a page's links takes as long as its body
            try:
                known = await is_done()  # another task may have fetched pages, or given up on the site
                if known is None or monotonic() - asked >= TIMEOUT:
                    return
                urls = await self._candidates(page, needed, known)
            finally:
                self._budget.count_request(site, -1)
            for url in urls:
                if await is_done() is None or not self._budget.affords(site):
                    return
                await self._fetch(url, page)

    def _server(self, page: CrawledPage) -> str:
        """Return the key of the downloader slot for a page and its siblings."""
        key_of = getattr(self._crawl.crawler.engine.downloader, "get_slot_key", None)
        return page.site if key_of is None else str(key_of(Request(page.url, meta=dict(page.carried))))

    def _gives_up(self, site: str) -> bool:
        return self._budget.gives_up(site) or self.is_stopping()

    def _lock(self, of: str, name: str) -> asyncio.Lock:
        return self._locks.setdefault((of, name), asyncio.Lock())

    async def _candidates(self, page: CrawledPage, needed: int, known: Known) -> list[str]:
        """Return links to siblings, the most similar first."""
        links = map(safe_url_string, await self._workers.ask(Extractor.links, page) or ())
        own = {page_identity(url) for url in page.urls}
        found = [
            url
            for url in sibling_links(page.url, links, PER_SITE, self._pages.visited)
            if page_identity(url) not in own
            and hash(page_identity(url)) not in self._budget.tried
            and self._pages.recent.get(url) is None
            # if there are comparison pages, though of other templates, guessing is not worthwhile: then only a few URLs
            # very similar to the page's own are tried
            and (not known.pages or url_likeness(page.url, url) >= LIKE)
        ]
        return found[:needed] if known.pages else found

    async def _fetch(self, url: str, page: CrawledPage) -> None:
        """Fetch `url`, and have its page read if `page` may be compared with it."""
        site = page.site
        self._budget.tried[hash(page_identity(url))] = None
        response = await self._ask(url, page)
        location = None if response is None else redirect_to_same_page(response)
        if location is not None and self._budget.affords(site) and not self._gives_up(site):
            response = await self._ask(location, page)
            if response is not None and 300 <= response.status < 400:
                self._budget.give_up(site, "redirects")
        request = None if response is None else response.request
        if (
            response is None
            or request is None
            or not (is_page(response) and is_comparable(request, response))
            or site_key(response.url) != site
            or len(response.body) > MAX_PAGE_BYTES
        ):
            self._crawl.count("comparison/failed")
            return
        await self._pages.read_comparison_page(request, response, page.settings)

    async def _ask(self, url: str, page: CrawledPage) -> Response | None:
        """Send a request if permitted, and count it; return None without a usable response."""
        budget, site, must_be_public = self._budget, page.site, must_stay_public(page)
        began, host = monotonic(), host_of(url)
        budget.count_request(site)
        if must_be_public:
            is_public_only = await leads_to_public_only(host, budget.seconds_left(site))
            budget.spend_seconds(site, monotonic() - began)
            if not is_public_only:
                budget.give_up(site, "address")
            if budget.gives_up(site):
                budget.count_request(site, -1)
                return None
        seconds = budget.seconds_left(site)
        request = comparison_request(url, page, seconds)
        # a browser's time-outs do not cover the wait for a free page; otherwise the downloader limits the time
        most = 2 * seconds if request.meta.get("playwright") else None
        response, error = None, None
        try:
            response = await asyncio.wait_for(self._crawl.crawler.engine.download_async(request), most)
        except Exception as failure:
            logger.debug("No comparison page from %s: %r", request.url, failure, extra=self._crawl.extra)
            if isinstance(failure, IgnoreRequest) and LATENCY_META not in request.meta:  # robots.txt, off-site
                budget.count_request(site, -1)
                return None
            error = failure
        self._crawl.count("comparison/requests")
        budget.learn(site, request, error)
        # the host may have resolved to another address by now
        address = None if response is None else address_of(str(response.ip_address))
        if address is not None and must_be_public and not is_public(address):
            budget.give_up(site, "address")
            return None
        return response


def comparison_request(url: str, page: CrawledPage, seconds: float) -> Request:
    """Return a GET request for `url`, sent in the same way as the page's, but without its cookies and most headers."""
    meta: dict[str, Any] = {
        **page.carried,
        FETCH_META: True,
        "download_timeout": seconds,
        "download_maxsize": MAX_PAGE_BYTES,
        "dont_retry": True,  # another link will do
        "dont_redirect": True,  # never to another site; nor are HTML refreshes followed
        "dont_merge_cookies": True,  # responses may change the spider's session or language
    }
    if meta.get("playwright"):
        goto = {**meta["playwright_page_goto_kwargs"], "timeout": seconds * 1000}
        meta["playwright_page_goto_kwargs"] = goto
    return Request(url, callback=NO_CALLBACK, headers=page.who_asks, meta=meta, flags=[FETCH_FLAG])


def redirect_to_same_page(response: Response) -> str | None:
    """Return where a response redirects to, if only a closing slash differs on the same site."""
    location = response.headers.get("Location")
    if not (location and 300 <= response.status < 400):
        return None
    try:
        url = response.urljoin(location.decode("latin-1"))
    except ValueError:  # not a URL
        return None
    same_site = site_key(url) == site_key(response.url) and "@" not in url.split("/")[2]
    return url if same_site and spelling(url) == spelling(response.url) else None


def must_stay_public(page: CrawledPage) -> bool:
    """Return whether comparison pages must come from public addresses: unless the page is from a private one."""
    if page.carried.get("proxy"):  # it resolves the host; the address of the response is the proxy's
        return False
    # unknown with caches and some handlers: then the page counts as public unless its URL has a private address
    address = address_of(str(page.address)) or address_of(host_of(page.url))
    return address is None or is_public(address)
