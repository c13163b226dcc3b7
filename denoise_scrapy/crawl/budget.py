"""Limits on the comparison pages that a crawl fetches."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from http import HTTPStatus
from time import monotonic

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.datatypes import LocalCache

from denoise_scrapy.crawl.parts import MOST_KNOWN, MOST_OF_ALL, Crawl
from denoise_scrapy.site import site_key

# Fetches allowed in addition to DENOISE_COMPARISON_SHARE: two pages each of the first two templates.
FREE = 4
# Maximum fetches from one site: some templates, each with a page and its copies. As many links are tried for one page:
# a site that forbids or redirects these will not serve one.
PER_SITE = 8
# download_timeout of a fetch, in seconds; also the limit for all fetches from one host together, and for an item's wait
# until its fetch begins, so that a server can delay a crawl by that much only once. Pages take one or two. For tools,
# the limit to resolve a host, and for a request of a browser to arrive.
TIMEOUT = 10.0
# Share of that time that must be left to begin a fetch: with less, it would only fail.
LEAST_TIME = 0.1
PATIENCE_STATUSES = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
# Marks our own requests, so that our middleware ignores them.
FETCH_META = "denoise_comparison"
# Time when the headers of the response to one of our requests arrived.
HEAD_META = "denoise_head_at"
LATENCY_META = "download_latency"  # Scrapy's: seconds from sending a request to the headers of its response


@dataclass(slots=True)
class FetchRecord:
    """The fetches from one site, or from one host, whose sites share its time."""

    fetched: int = 0
    seconds: float = 0.0
    vain_waits: int = 0  # waits for pages of the crawl that yielded too few
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
        self.tried: LocalCache[int, None] = LocalCache(MOST_OF_ALL)  # hashes of the pages of URLs
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
        if len(self._records) > MOST_KNOWN:
            self._records.popitem(last=False)
            self._crawl.count("memory/evicted/sites")
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

    def affords(self, site: str) -> bool:
        """Return whether the limits of the crawl and of the site allow another request to it."""
        most = FREE + self._crawl.settings.comparison_share * self._crawled
        return self._spent < most and self.record(site).fetched < PER_SITE

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
