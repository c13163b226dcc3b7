"""The request for one comparison page, and what became of it."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from denoise_scrapy.crawl.responses import is_same_page
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.crawl.crawled_page import CrawledPage

# Marks our own requests, so that our middleware leaves them alone.
FETCH_META = "denoise_comparison"
# Stands behind them in Scrapy's log, where pages that the spider did not ask for would puzzle.
FETCH_FLAG = "denoise-comparison"
# When the head of the answer to one of our requests arrived.
HEAD_META = "denoise_head_at"
LATENCY_META = "download_latency"  # Scrapy's: seconds from sending a request to the head of its answer


def comparison_request(url: str, crawled: CrawledPage, seconds: float) -> Request:
    """Return the request for `url`: a GET without headers of its own, retries and redirects.

    Args:
        url: A link to a sibling of the page.
        crawled: The page; its way of being fetched (proxy, cookie jar, browser) is taken over, its headers are not.
        seconds: How long the transfer may take.
    """
    meta: dict[str, Any] = {
        **crawled.carried,
        FETCH_META: True,
        "download_timeout": seconds,
        "download_maxsize": max(1, crawled.settings.max_page_bytes),
        "dont_retry": True,  # another link serves as well
        "dont_redirect": True,  # never to another site; nor is a refresh by HTML followed
    }
    if meta.get("playwright"):
        goto = {**meta["playwright_page_goto_kwargs"], "timeout": seconds * 1000}
        meta["playwright_page_goto_kwargs"] = goto
    return Request(url, callback=NO_CALLBACK, meta=meta, flags=[FETCH_FLAG])


def note_head(request: Request) -> None:
    """Note that the head of the answer to `request` has arrived, if it is one of ours."""
    if FETCH_META in request.meta:
        request.meta[HEAD_META] = monotonic()


def seconds_taken(request: Request, error: Exception | None) -> float:
    """Return how long the transfer took, now that it is over; without the wait for its turn, which the crawl sets."""
    latency = float(request.meta.get(LATENCY_META, 0.0))
    if error is not None and is_timeout(error):
        return float(request.meta["download_timeout"])
    head_at = request.meta.get(HEAD_META)  # none in a browser, whose latency is that of the whole
    return latency if head_at is None else monotonic() - head_at + latency


def was_sent(request: Request, error: Exception) -> bool:
    """Whether the server was asked, though the request failed: robots.txt and the off-site rule hold it back."""
    return not isinstance(error, IgnoreRequest) or LATENCY_META in request.meta


def is_timeout(error: Exception) -> bool:
    """Whether an error says that time was over; each handler has a class of its own for it."""
    name = type(error).__name__.lower()
    return "timeout" in name or "timedout" in name


def is_too_large(error: Exception) -> bool:
    """Whether a transfer was cut off at its largest size, of the body as sent or as decompressed."""
    return isinstance(error, IgnoreRequest) or "cancelled" in type(error).__name__.lower()


def longest(request: Request) -> float | None:
    """Return after how many seconds a fetch is given up from outside; None: the downloader sees to it.

    A browser's time-outs do not cover the wait for a free page.
    """
    return 2 * float(request.meta["download_timeout"]) if request.meta.get("playwright") else None


def redirect_to_same_page(response: Response) -> str | None:
    """Return where a response redirects to, if that is the same page of the same site with another closing slash."""
    location = response.headers.get("Location")
    if not is_redirect(response) or not location:
        return None
    try:
        url = response.urljoin(location.decode("latin-1"))
    except ValueError:  # no URL at all
        return None
    same_site = site_key(url) == site_key(response.url) and "@" not in url.split("/")[2]
    return url if same_site and is_same_page(url, response.url) else None


def is_redirect(response: Response) -> bool:
    """Whether a response sends its reader elsewhere."""
    return 300 <= response.status < 400
