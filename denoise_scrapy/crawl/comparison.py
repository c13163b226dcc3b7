"""Comparison pages: from the crawl if it has any, otherwise fetched through its engine.

The rules of the crawl (robots.txt, delays, middlewares) apply to each fetch, and so do limits of our own.
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

# Fetches allowed in addition to DENOISE_COMPARISON_SHARE: two pages each of the first two templates.
FREE = 4
# download_timeout of a fetch, in seconds; also the limit for all fetches from one host together, and for an item's wait
# until its fetch begins, so that a server can delay a crawl by that much only once. Pages take one or two.
TIMEOUT = 10.0
# Share of that time that must be left to begin a fetch: with less, it would only fail.
LEAST_TIME = 0.1
# "Too many requests" and "service unavailable".
PATIENCE_STATUSES = frozenset({429, 503})
# Maximum sites remembered, some 300 bytes each: 3 MB. Forgotten ones may be tried again, within the crawl's budget.
MOST_SITES = 10_000
# Maximum URLs remembered, some 100 bytes each: few sites need more than the default of 8.
MOST_URLS = 40_000

# Pages of the same template that make fetching unnecessary. Most of the gain comes with the first; a second
# distinguishes copies of the page from its template.
ENOUGH = 2
# Pages of the same template that are worth the short wait, but not a request: they reveal texts that only some pages
# have in the same place, such as advertisements (`strategies.combined`, "stock"). The demo kept some of these in its
# first pages.
PLENTY = 10
# Maximum seconds an item waits while the crawl itself requests the site's first pages; as for fetches.
LONGEST_WAIT = TIMEOUT
# Maximum links tried for one page: a site that forbids or redirects this many siblings will not serve one.
CANDIDATES = 8
# Minimum similarity of URLs of one template, which differ in an identifier, a slug or a date.
LIKE = 0.8
# Futile waits for pages of one site after which its items are no longer held back: a site with one page, or with one
# template per page, would stall the crawl.
PATIENCE = 3
LOOK_AGAIN = 0.25  # seconds between checks for requests of the crawl
# Marks our own requests, so that our middleware ignores them.
FETCH_META = "denoise_comparison"
# Appended to them in Scrapy's log, to explain pages that the spider did not request.
FETCH_FLAG = "denoise-comparison"
# Time when the headers of the response to one of our requests arrived.
HEAD_META = "denoise_head_at"
LATENCY_META = "download_latency"  # Scrapy's: seconds from sending a request to the headers of its response
# IPv6 addresses that carry an IPv4 address in their last four bytes: RFC 6052.
_NAT64 = ip_network("64:ff9b::/96")
NO_FETCHES = (
    "No comparison pages are fetched, since the reactor is not an asyncio one; pages are compared only with other "
    "pages of the crawl"
)


class ComparisonPages:
    """Provides comparison pages, fetching some only while a site has too few."""

    def __init__(self, crawl: Crawl, sites: SiteMemory, pages: CrawledPages):
        self._crawl = crawl
        self._sites = sites
        self._pages = pages
        self._budget = FetchBudget(crawl)
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()  # of sites and servers

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
            # A fetch would queue behind requests that may themselves return such pages. A rare template is not worth
            # the long wait: held items delay the crawl.
            requests = self._is_crawl_requesting(crawled)
            idle = 0 if requests else idle + 1
            until = latest if requests and len(known) < needed else soon
            # idle only once may be the gap between two requests
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
        except RuntimeError:  # not created yet
            return True
        slot = getattr(engine, "_slot", None)
        return not getattr(engine, "running", False) or bool(getattr(slot, "closing", None))

    def _is_crawl_requesting(self, crawled: CrawledPage) -> bool:
        """Return whether requests of the spider to a page's server are in progress or delayed."""
        slots = getattr(self._crawl.crawler.engine.downloader, "slots", {})
        active = getattr(slots.get(self._server(crawled)), "active", ())
        return any(FETCH_META not in request.meta for request in active)

    def _server(self, crawled: CrawledPage) -> str:
        """Return the key of the downloader slot for a page and its siblings."""
        url, key_of = crawled.page.url, getattr(self._crawl.crawler.engine.downloader, "get_slot_key", None)
        return site_key(url) if key_of is None else str(key_of(Request(url, meta=dict(crawled.carried))))

    async def _fetch_some(self, crawled: CrawledPage, site: str, needed: int) -> None:
        """Fetch pages of a site, each URL once per crawl, one at a time per site and per server."""

        def is_done() -> bool:
            return self._gives_up(site) or _mates(self._known(crawled), needed) >= needed

        asked = monotonic()
        # requests may name several slots of the downloader for one site, and one for several sites
        async with self._lock("site", site), self._lock("server", self._server(crawled)):
            # another task may have fetched pages, or given up on the site; then examining links is unnecessary
            if is_done() or monotonic() - asked >= TIMEOUT:
                return
            for url in self._candidates(crawled, needed):
                if is_done():
                    return
                if not self._budget.affords(site):
                    self._crawl.count("comparison/over_budget")
                    return
                await self._fetch(url, crawled, site)

    def _lock(self, of: str, name: str) -> asyncio.Lock:
        return self._locks.setdefault((of, name), asyncio.Lock())

    def _gives_up(self, site: str) -> bool:
        return self._budget.gives_up(site) or self._is_stopping()

    def _candidates(self, crawled: CrawledPage, needed: int) -> list[str]:
        """Return links to siblings, the most similar first."""
        # if there are comparison pages, though of other templates, guessing is not worthwhile: then only a few URLs
        # very similar to the page's own are tried
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
        if location is not None and self._budget.affords(site) and not self._gives_up(site):
            response = await self._ask(location, crawled, site)
            if response is not None and 300 <= response.status < 400:
                self._budget.give_up(site, "redirects")
        request = None if response is None else response.request
        if response is None or request is None or not is_sibling(request, response, crawled):
            self._crawl.count("comparison/failed")
            return
        read = replace(crawled.settings, keep=(), remove=())  # these are for pages of items
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
            if isinstance(failure, IgnoreRequest) and LATENCY_META not in request.meta:  # robots.txt, off-site
                self._crawl.count("comparison/requests", -1)
                budget.count_request(site, -1)
                return None
            error = failure
        budget.learn(site, request, error)
        # the host may have resolved to another address by now
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
    """The fetches from one site, or from one host, whose sites share its time."""

    fetched: int = 0
    seconds: float = 0.0
    vain_waits: int = 0  # waits for pages of the crawl that yielded too few
    poor_waits: int = 0  # waits that yielded enough, but not plenty
    given_up: str = ""  # why nothing more is fetched


class FetchBudget:
    """Limits on requests, per crawl and per site, and on their time per host; remembers the URLs tried.

    All fetches from one host together take no longer than `TIMEOUT`, not counting time in the queue: its sites share
    it, as they share a slot of Scrapy's downloader. Fetching from a site also stops when its connection breaks, when it
    redirects twice, or when it responds "too many requests" or the like to any request. The least recently used sites,
    hosts and URLs are forgotten.
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
        """Return the record of a site or host, creating it if necessary."""
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
        """Record the outcome of a request, and how long it took, not counting time in the queue."""
        seconds = float(request.meta.get(LATENCY_META, 0.0))
        if HEAD_META in request.meta:  # absent for browsers, whose latency covers the whole transfer
            seconds += monotonic() - request.meta[HEAD_META]
        kind = type(error).__name__.lower()  # download handlers have their own exception classes
        if "timeout" in kind or "timedout" in kind:
            self.give_up(site, "timeout")
            seconds = float(request.meta["download_timeout"])
        elif error is not None and not isinstance(error, IgnoreRequest) and "cancelled" not in kind:
            self.give_up(site, "broken")  # other errors are responses cut off at their maximum size
        self.spend_seconds(site, seconds)

    def _headers_received(self, request: Request) -> None:
        if FETCH_META in request.meta:
            request.meta[HEAD_META] = monotonic()

    def _response_received(self, request: Request) -> None:
        self._crawled += FETCH_META not in request.meta

    def _response_downloaded(self, request: Request, response: Response) -> None:
        """Stop fetching from a site that limits requests of any kind."""
        if response.status in PATIENCE_STATUSES or b"Retry-After" in response.headers:
            self.give_up(site_key(request.url), "busy")


def _host(site: str) -> str:
    return site.partition("://")[2].rpartition(":")[0]


def comparison_request(url: str, crawled: CrawledPage, seconds: float) -> Request:
    """Return a GET request for `url`, sent in the same way as the page's, but without its headers and cookies."""
    meta: dict[str, Any] = {
        **crawled.carried,
        FETCH_META: True,
        "download_timeout": seconds,
        "download_maxsize": max(1, crawled.settings.max_page_bytes),
        "dont_retry": True,  # another link will do
        "dont_redirect": True,  # never to another site; nor are HTML refreshes followed
        "dont_merge_cookies": True,  # responses may change the spider's session or language
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
    except ValueError:  # not a URL
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
    """Return whether comparison pages must come from public addresses: unless the page is from a private one."""
    if crawled.carried.get("proxy"):  # it resolves the host; the address of the response is the proxy's
        return False
    # unknown with caches and some handlers: then the page counts as public unless its URL has a private address
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
    """Return a URL's host as an IP address, None if it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


async def leads_to_public_only(host: str, seconds: float) -> bool:
    """Return whether all addresses that a host resolves to in the crawl are public; False if there are none."""
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
    """Return the addresses of a name from the reactor's resolver, whose cache the download uses next."""
    loop = asyncio.get_running_loop()
    if not is_reactor_installed():
        return [str(entry[4][0]) for entry in await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    from twisted.internet import reactor  # noqa: PLC0415 - an import would install one

    done: asyncio.Future[list[str]] = loop.create_future()
    found: list[str] = []

    def complete() -> None:
        if not done.done():  # as it is after a time-out
            done.set_result(found)

    def add(address: Any) -> None:
        found.append(str(address.host))

    receiver = SimpleNamespace(  # an `IResolutionReceiver`
        resolutionBegan=lambda _: None, addressResolved=add, resolutionComplete=complete
    )
    reactor.nameResolver.resolveHostName(receiver, host)
    return await done
