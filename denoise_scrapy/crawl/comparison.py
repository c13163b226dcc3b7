"""Comparison pages: from the crawl if it has some, else fetched through its engine.

Every rule of the crawl applies to a fetch (robots.txt, delays, middlewares), as do limits of our own.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import OrderedDict
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from time import monotonic
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.reactor import is_reactor_installed
from w3lib.url import safe_url_string

from denoise_scrapy.body import find_strategy
from denoise_scrapy.crawl.base import Crawl
from denoise_scrapy.crawl.pages import Address, CrawledPage, CrawledPages, is_comparable, is_page
from denoise_scrapy.crawl.sites import SiteMemory
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site import page_identity, sibling_links, site_key, url_likeness
from denoise_scrapy.site.memory import SAME_TEMPLATE
from denoise_scrapy.site.urls import spelling

logger = logger_of(__name__)
Ranked = list[tuple[float, Page | PageFacts]]  # pages by similarity of their templates, the most similar first

# Fetches allowed in a crawl before DENOISE_COMPARISON_SHARE counts: two pages each of the first two templates.
FREE = 4
# download_timeout of a fetch, in seconds; all fetches from one host together take no longer, and no item waits longer
# for its fetch to begin, so that a server can delay a crawl by that much once. Pages take one or two.
TIMEOUT = 10.0
# Share of that time that must be left to begin a fetch: with less it would only fail.
LEAST_TIME = 0.1
# Too many requests; no service for now.
PATIENCE_STATUSES = frozenset({429, 503})
# Sites remembered: some 300 bytes each, so 3 MB. A forgotten one may be tried again, within the crawl's budget.
MOST_SITES = 10_000
# URLs remembered: more than the default of 8 per site would rarely be needed. Some 100 bytes each.
MOST_URLS = 40_000

# Pages of its template that a page is to be compared with before any is fetched. Most of the gain comes with the first;
# a second distinguishes copies of the page from its template.
ENOUGH = 2
# Pages of its template that are worth the short wait, but not a request: they reveal a text that one page in several
# has in the same place, such as an advertisement (`strategies.combined`, "stock"). The demo kept some in its first
# pages.
PLENTY = 10
# Seconds that an item waits while the crawl itself requests the site's first pages; the time limit of fetches.
LONGEST_WAIT = TIMEOUT
# Links tried for one page: a site that forbids or redirects this many siblings will not serve one.
CANDIDATES = 8
# URLs of one template differ in an identifier, a slug, a date: they are at least this similar.
LIKE = 0.8
# Futile waits for pages of one site, after which its items are no longer held back: a site of one page, or of one
# template per page, would stall the crawl.
PATIENCE = 3
LOOK_AGAIN = 0.25  # seconds after which the requests of the crawl are looked at again
# Marks our own requests, so that our middleware ignores them.
FETCH_META = "denoise_comparison"
# Appended to them in Scrapy's log, where pages that the spider did not request would be confusing.
FETCH_FLAG = "denoise-comparison"
# When the head of the answer to one of our requests arrived.
HEAD_META = "denoise_head_at"
LATENCY_META = "download_latency"  # Scrapy's: seconds from sending a request to the head of its answer
# IPv6 addresses that carry an IPv4 address in their last four bytes: RFC 6052.
_NAT64 = ip_network("64:ff9b::/96")
NO_FETCHES = (
    "No comparison pages are fetched, since the reactor is not an asyncio one; pages are compared with those the crawl "
    "brings"
)


class ComparisonPages:
    """Provides comparison pages, fetching some only while a site has too few."""

    def __init__(self, crawl: Crawl, sites: SiteMemory, pages: CrawledPages):
        self._crawl = crawl
        self._sites = sites
        self._pages = pages
        self._budget = FetchBudget(crawl)
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by server

    async def pages_for(self, crawled: CrawledPage) -> list[Page | PageFacts]:
        """Return comparison pages of the site, the most similar first; the list may be empty.

        If fewer than `PLENTY` share the page's template, wait up to ``comparison_wait`` seconds while the crawl is
        requesting pages of the site. If fewer than `ENOUGH` do, wait in any case, up to `LONGEST_WAIT` seconds while
        the site has fewer pages of any template and the crawl is requesting some; then fetch.
        """
        settings, site = crawled.settings, site_key(crawled.page.url)
        most = min(settings.comparison_pages, find_strategy(settings.strategy).comparison_pages)
        needed, plenty = min(ENOUGH, most), min(PLENTY, most)
        known = self._known(crawled)
        if (mates := _mates(known, plenty)) >= needed:
            self._crawl.count("comparison/from_memory", int(needed > 0))
        if site and mates < plenty and not is_asyncio_available():
            self._crawl.say_once("reactor", logging.WARNING, NO_FETCHES)
        elif site and mates < plenty:
            known = await self._wait(crawled, site, known, needed, plenty)
            may_fetch = settings.comparison_fetch and crawled.is_got
            if mates < needed and may_fetch and _mates(known, needed) < needed:
                await self._fetch_some(crawled, site, needed)
                known = self._known(crawled)
        if needed and not known:
            self._crawl.count("comparison/none")
        return [page for _, page in known]

    def _known(self, crawled: CrawledPage) -> Ranked:
        k, whole = crawled.settings.comparison_pages, find_strategy(crawled.settings.strategy).needs_elements
        return self._sites.likest(crawled.page, k, whole=whole) if k else []

    async def _wait(self, crawled: CrawledPage, site: str, known: Ranked, needed: int, plenty: int) -> Ranked:
        """Wait for pages of the crawl, and return the pages remembered afterwards."""
        now, settings, record = asyncio.get_running_loop().time, crawled.settings, self._budget.record(site)
        lacking = _mates(known, needed) < needed
        if not settings.comparison_wait or (record.vain_waits if lacking else record.poor_waits) >= PATIENCE:
            return known
        self._crawl.count("comparison/waits", int(lacking))
        soon, idle = now() + settings.comparison_wait, 0
        latest = max(soon, now() + LONGEST_WAIT)
        while (mates := _mates(known, plenty)) < plenty and not self._is_stopping():
            # A fetch would queue behind requests that may return such pages themselves.
            # A rare template is not worth the long wait: held items delay the crawl.
            requests = self._is_crawl_requesting(crawled)
            idle = 0 if requests else idle + 1
            until = latest if requests and len(known) < needed else soon
            # between two requests there is a gap as well
            if now() >= until or (mates >= needed and idle > 1):
                record.vain_waits += mates < needed
                record.poor_waits += mates >= needed
                break
            await self._sites.arrival(site, min(until - now(), LOOK_AGAIN))
            known = self._known(crawled)
        return known

    def _is_stopping(self) -> bool:
        try:
            engine: Any = self._crawl.crawler.engine
        except RuntimeError:  # there is none yet
            return True
        slot = getattr(engine, "_slot", None)
        return not getattr(engine, "running", False) or bool(getattr(slot, "closing", None))

    def _is_crawl_requesting(self, crawled: CrawledPage) -> bool:
        """Return whether requests of the spider to the server of a page are in progress, or waiting for their delay."""
        slots = getattr(self._crawl.crawler.engine.downloader, "slots", {})
        active = getattr(slots.get(self._server(crawled)), "active", ())
        return any(FETCH_META not in request.meta for request in active)

    def _server(self, crawled: CrawledPage) -> str:
        """Return the key of the downloader slot for a page and its siblings."""
        url, key_of = crawled.page.url, getattr(self._crawl.crawler.engine.downloader, "get_slot_key", None)
        return site_key(url) if key_of is None else str(key_of(Request(url, meta=dict(crawled.carried))))

    async def _fetch_some(self, crawled: CrawledPage, site: str, needed: int) -> None:
        """Fetch pages of a site, each URL once per crawl, one at a time from a server."""

        def is_done() -> bool:
            gives_up = self._budget.gives_up(site) or self._is_stopping()
            return gives_up or _mates(self._known(crawled), needed) >= needed

        asked = monotonic()
        async with self._locks.setdefault(self._server(crawled), asyncio.Lock()):
            # another task may have fetched pages, or given the site up; then the links need not be examined
            if is_done() or monotonic() - asked >= TIMEOUT:
                return
            for url in self._candidates(crawled, needed):
                if is_done():
                    return
                if not self._budget.affords(site):
                    self._crawl.count("comparison/over_budget")
                    return
                await self._fetch(url, crawled, site)

    def _candidates(self, crawled: CrawledPage, needed: int) -> list[str]:
        """Return links to siblings, the most similar first."""
        # a page with others of its site to compare with, just not of its template, is not worth a guess:
        # then only a few URLs very similar to its own are tried
        known = bool(self._known(crawled))
        own = {page_identity(url) for url in crawled.urls}
        links = [
            url
            for url in map(safe_url_string, sibling_links(crawled.page, CANDIDATES, self._pages.visited))
            if page_identity(url) not in own
            and not self._budget.tried(url)
            and url not in self._sites
            and (not known or url_likeness(crawled.page.url, url) >= LIKE)
        ]
        return links[:needed] if known else links

    async def _fetch(self, url: str, crawled: CrawledPage, site: str) -> None:
        """Fetch `url` and remember its page if it may be compared with `crawled`."""
        self._budget.note_tried(url)
        response = await self._ask(url, crawled, site)
        location = None if response is None else redirect_to_same_page(response)
        if location is not None and self._budget.affords(site):
            response = await self._ask(location, crawled, site)
            if response is not None and 300 <= response.status < 400:
                self._budget.give_up(site, "redirects")
        request = None if response is None else response.request
        if response is None or request is None or not is_sibling(request, response, crawled):
            self._crawl.count("comparison/failed")
            return
        read = replace(crawled.settings, keep=(), remove=())  # it belongs to no item
        await self._sites.add(await self._pages.parse(request, response, read, is_spiders=False))

    async def _ask(self, url: str, crawled: CrawledPage, site: str) -> Response | None:
        """Send a request if permitted, and count it; return None without a usable response."""
        budget, must_be_public = self._budget, must_stay_public(crawled)
        began, host = monotonic(), urlsplit(url).hostname or ""
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
        request = comparison_request(url, crawled, seconds)
        # a browser's time-outs do not cover the wait for a free page; otherwise the downloader limits the time
        most = 2 * seconds if request.meta.get("playwright") else None
        self._crawl.count("comparison/requests")
        response, error = None, None
        try:
            response = await asyncio.wait_for(self._crawl.crawler.engine.download_async(request), most)
        except Exception as failure:
            logger.debug("No comparison page from %s: %r", request.url, failure, extra=self._crawl.extra)
            if isinstance(failure, IgnoreRequest) and LATENCY_META not in request.meta:  # robots.txt, the off-site rule
                self._crawl.count("comparison/requests", -1)
                budget.count_request(site, -1)
                return None
            error = failure
        budget.learn(site, request, error)
        # the host may resolve to another address by now
        address = None if response is None else response.ip_address
        if address is not None and must_be_public and not is_public(address):
            budget.give_up(site, "address")
            return None
        return response


def _mates(known: Ranked, most: int) -> int:
    """Count the first pages that share the page's template, up to `most`."""
    return sum(likeness > SAME_TEMPLATE for likeness, _ in known[:most])


@dataclass(slots=True)
class FetchRecord:
    """Fetches from one site, or from one host, whose sites share its time."""

    fetched: int = 0
    seconds: float = 0.0
    vain_waits: int = 0  # waits for pages of the crawl that yielded too few
    poor_waits: int = 0  # waits that yielded enough, but not plenty
    given_up: str = ""  # why nothing more is fetched


class FetchBudget:
    """Counts requests against the limits, by crawl and by site, and their time by host; remembers the URLs tried.

    All fetches from one host together take no longer than `TIMEOUT`, not counting time in the queue: its sites share
    it, as they share a slot of Scrapy's downloader. A site is also given up when its connection breaks, when it
    redirects twice, and when it responds "too many requests" or the like to any request. The least recently used
    sites, hosts and URLs are forgotten.
    """

    def __init__(self, crawl: Crawl):
        self._crawl = crawl
        self._records: OrderedDict[str, FetchRecord] = OrderedDict()  # by site, and by host
        self._tried: LocalCache[int, None] = LocalCache(MOST_URLS)  # hashes
        self._crawled = 0  # responses to requests of the crawl itself
        self._spent = 0  # fetches begun; subtracted again if nothing was sent
        connect = crawl.crawler.signals.connect
        connect(self._response_received, signals.response_received)
        connect(self._headers_received, signals.headers_received)
        connect(self._response_downloaded, signals.response_downloaded)

    def record(self, of: str) -> FetchRecord:
        """Return the record of a site or host, a new one if there is none."""
        record = self._records.setdefault(of, FetchRecord())
        self._records.move_to_end(of)
        if len(self._records) > MOST_SITES:
            self._records.popitem(last=False)
            self._crawl.count("comparison/forgotten")
        return record

    def give_up(self, site: str, reason: str) -> None:
        """Stop fetching from a site."""
        record = self.record(site)
        if not record.given_up:
            record.given_up = reason
            self._crawl.count(f"comparison/given_up/{reason}")

    def gives_up(self, site: str) -> bool:
        """Return whether fetching from a site has stopped."""
        if TIMEOUT - self.record(_host(site)).seconds < TIMEOUT * LEAST_TIME:
            self.give_up(site, "slow")
        return bool(self.record(site).given_up)

    def note_tried(self, url: str) -> None:
        """Record that `url` was fetched, or could not be."""
        self._tried[hash(page_identity(url))] = None

    def tried(self, url: str) -> bool:
        """Return whether `url`, or another spelling of it, was tried before."""
        return hash(page_identity(url)) in self._tried

    def affords(self, site: str) -> bool:
        """Return whether the limits of the crawl and of the site allow another request to it."""
        most = FREE + self._crawl.settings.comparison_share * self._crawled
        return self._spent < most and self.record(site).fetched < self._crawl.settings.comparison_per_site

    def count_request(self, site: str, by: int = 1) -> None:
        """Count a request to be sent; with `by` -1, subtract one that was not."""
        self._spent += by
        self.record(site).fetched += by

    def seconds_left(self, site: str) -> float:
        """Return how long fetches from a site may still take."""
        return max(TIMEOUT - self.record(_host(site)).seconds, TIMEOUT * LEAST_TIME)

    def spend_seconds(self, site: str, seconds: float) -> None:
        """Add to the time that a site took."""
        self.record(_host(site)).seconds += seconds
        self.gives_up(site)

    def learn(self, site: str, request: Request, error: Exception | None) -> None:
        """Record the outcome of a sent request, and how long it took without the time in the queue."""
        seconds = float(request.meta.get(LATENCY_META, 0.0))
        if HEAD_META in request.meta:  # not in a browser, whose latency covers the whole transfer
            seconds += monotonic() - request.meta[HEAD_META]
        kind = type(error).__name__.lower()  # download handlers have classes of their own
        if "timeout" in kind or "timedout" in kind:
            self.give_up(site, "timeout")
            seconds = float(request.meta["download_timeout"])
        elif error is not None and not isinstance(error, IgnoreRequest) and "cancelled" not in kind:
            self.give_up(site, "broken")  # the others were cut off at their maximum size, as sent or as decompressed
        self.spend_seconds(site, seconds)

    def _headers_received(self, request: Request) -> None:
        if FETCH_META in request.meta:
            request.meta[HEAD_META] = monotonic()

    def _response_received(self, request: Request) -> None:
        self._crawled += FETCH_META not in request.meta

    def _response_downloaded(self, request: Request, response: Response) -> None:
        """Give a site up if it limits requests of any kind."""
        if response.status in PATIENCE_STATUSES or b"Retry-After" in response.headers:
            self.give_up(site_key(request.url), "busy")


def _host(site: str) -> str:
    return site.partition("://")[2].rpartition(":")[0]


def comparison_request(url: str, crawled: CrawledPage, seconds: float) -> Request:
    """Return a GET request for `url`, sent like the page's (proxy, browser) but without its headers and cookies."""
    meta: dict[str, Any] = {
        **crawled.carried,
        FETCH_META: True,
        "download_timeout": seconds,
        "download_maxsize": max(1, crawled.settings.max_page_bytes),
        "dont_retry": True,  # another link will do
        "dont_redirect": True,  # never to another site; an HTML refresh is not followed either
        "dont_merge_cookies": True,  # a server may renew a session, or its language, with each answer
    }
    if meta.get("playwright"):
        goto = {**meta["playwright_page_goto_kwargs"], "timeout": seconds * 1000}
        meta["playwright_page_goto_kwargs"] = goto
    return Request(url, callback=NO_CALLBACK, meta=meta, flags=[FETCH_FLAG])


def redirect_to_same_page(response: Response) -> str | None:
    """Return where a response redirects to, if only a closing slash differs on the same site."""
    location = response.headers.get("Location")
    if not (location and 300 <= response.status < 400):
        return None
    try:
        url = response.urljoin(location.decode("latin-1"))
    except ValueError:  # not a URL at all
        return None
    same_site = site_key(url) == site_key(response.url) and "@" not in url.split("/")[2]
    return url if same_site and spelling(url) == spelling(response.url) else None


def is_sibling(request: Request, response: Response, crawled: CrawledPage) -> bool:
    """Return whether a response is a page of the site that `crawled` may be compared with."""
    return (
        is_page(response)
        and is_comparable(request, response)
        and site_key(response.url) == site_key(crawled.page.url)
        and len(response.body) <= crawled.settings.max_page_bytes
    )


def must_stay_public(crawled: CrawledPage) -> bool:
    """Return whether pages to compare with must come from public addresses: unless the page came from a private one."""
    if crawled.carried.get("proxy"):  # it looks up the name and connects, so that the response has its address
        return False
    # unknown to caches and some handlers: then the page counts as public unless its URL is private
    address = crawled.address or address_of(urlsplit(crawled.page.url).hostname or "")
    return address is None or is_public(address)


def is_public(address: Address) -> bool:
    """Return whether an address is public: not private, loopback, link-local, multicast or reserved."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.is_site_local:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def address_of(host: str) -> Address | None:
    """Return the IP address in a URL's host, None if the host is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


async def leads_to_public_only(host: str, seconds: float) -> bool:
    """Return whether all addresses of a host, as the crawl resolves it, are public; False without any."""
    literal = address_of(host)
    if literal is not None:
        return is_public(literal)
    try:
        found = await asyncio.wait_for(_resolve(host), seconds)
    except (OSError, asyncio.TimeoutError, UnicodeError):
        return False
    addresses = [address_of(each) for each in found]
    return bool(addresses) and all(address is not None and is_public(address) for address in addresses)


async def _resolve(host: str) -> list[str]:
    """Return the addresses of a name from the reactor's resolver, whose cache the download then uses."""
    loop = asyncio.get_running_loop()
    if not is_reactor_installed():
        return [str(entry[4][0]) for entry in await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    from twisted.internet import reactor  # noqa: PLC0415 - an import would install one

    done: asyncio.Future[list[str]] = loop.create_future()
    found: list[str] = []

    def complete() -> None:
        if not done.done():  # it is done after a time-out
            done.set_result(found)

    def add(address: Any) -> None:
        found.append(str(address.host))

    receiver = SimpleNamespace(  # an `IResolutionReceiver`
        resolutionBegan=lambda _: None, addressResolved=add, resolutionComplete=complete
    )
    reactor.nameResolver.resolveHostName(receiver, host)
    return await done
