"""The request for one comparison page: where it may lead, and what became of it."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.reactor import is_reactor_installed

from denoise_scrapy.crawl.pages import Address
from denoise_scrapy.site import site_key
from denoise_scrapy.site.urls import spelling

if TYPE_CHECKING:
    from denoise_scrapy.crawl.pages import CrawledPage

# Marks our own requests, so that our middleware leaves them alone.
FETCH_META = "denoise_comparison"
# Stands behind them in Scrapy's log, where pages that the spider did not ask for would puzzle.
FETCH_FLAG = "denoise-comparison"
# When the head of the answer to one of our requests arrived.
HEAD_META = "denoise_head_at"
LATENCY_META = "download_latency"  # Scrapy's: seconds from sending a request to the head of its answer
# IPv6 addresses that stand for IPv4 ones, in their last four bytes: RFC 6052.
_NAT64 = ip_network("64:ff9b::/96")


def comparison_request(url: str, crawled: CrawledPage, seconds: float) -> Request:
    """Return the request for `url`: a GET sent as the page was (by its proxy, browser) but for headers and cookies.

    It is neither tried again nor redirected, and its transfer may take so many seconds.
    """
    meta: dict[str, Any] = {
        **crawled.carried,
        FETCH_META: True,
        "download_timeout": seconds,
        "download_maxsize": max(1, crawled.settings.max_page_bytes),
        "dont_retry": True,  # another link serves as well
        "dont_redirect": True,  # never to another site; nor is a refresh by HTML followed
        "dont_merge_cookies": True,  # a server may renew a session, or its language, with each answer
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
    """Return whether the server was asked, though the request failed: robots.txt and the off-site rule hold it back."""
    return not isinstance(error, IgnoreRequest) or LATENCY_META in request.meta


def is_timeout(error: Exception) -> bool:
    """Return whether an error says that time was over; each handler has a class of its own for it."""
    name = type(error).__name__.lower()
    return "timeout" in name or "timedout" in name


def is_too_large(error: Exception) -> bool:
    """Return whether a transfer was cut off at its largest size, of the body as sent or as decompressed."""
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
    return url if same_site and spelling(url) == spelling(response.url) else None


def is_redirect(response: Response) -> bool:
    """Return whether a response sends its reader elsewhere."""
    return 300 <= response.status < 400


def is_public(address: Address) -> bool:
    """Return whether an address is one of the public network: not private, loopback, link-local, multicast or reserved.

    Example:
        >>> [is_public(ip_address(each)) for each in ("8.8.8.8", "10.0.0.1", "169.254.169.254", "224.0.0.1")]
        [True, False, False, False]
        >>> [is_public(ip_address(each)) for each in ("2606:4700::1", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1")]
        [True, False, False, False]
    """
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
    """Return the address that a URL's host is, None where it is a name.

    Example:
        >>> address_of("::1"), address_of("a.example")
        (IPv6Address('::1'), None)
    """
    try:
        return ip_address(host)
    except ValueError:
        return None


async def leads_to_public_only(host: str, seconds: float) -> bool:
    """Return whether all addresses of a host are public, as the crawl would find them; False where it has none."""
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
    """Return the addresses of a name, by the reactor's resolver, whose cache the download uses next."""
    if is_reactor_installed():
        from twisted.internet import reactor  # noqa: PLC0415 - an import would install one

        receiver = _Receiver()
        reactor.nameResolver.resolveHostName(receiver, host)
        return await receiver.done
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class _Receiver:
    """Collects what a resolver of Twisted finds (`IResolutionReceiver`)."""

    def __init__(self) -> None:
        self.done: asyncio.Future[list[str]] = asyncio.get_running_loop().create_future()
        self._found: list[str] = []

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802 - the interface's name
        """Nothing is to be done then."""

    def addressResolved(self, address: Any) -> None:  # noqa: N802 - the interface's name
        """Note an address."""
        self._found.append(str(address.host))

    def resolutionComplete(self) -> None:  # noqa: N802 - the interface's name
        """Set the result."""
        with suppress(asyncio.InvalidStateError):  # nobody waits any more
            self.done.set_result(self._found)
