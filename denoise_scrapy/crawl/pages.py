"""The pages of a crawl: parsed once, and found by URL."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv6Address
from sys import getsizeof
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakSet

from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from denoise_scrapy.core.source import is_too_large
from denoise_scrapy.crawl.base import Crawl, is_large
from denoise_scrapy.crawl.geometry import Geometry, boxes_on
from denoise_scrapy.crawl.sites import SiteMemory
from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.site import VisitedShapes, site_key
from denoise_scrapy.site.urls import spelling

Address = IPv4Address | IPv6Address

OK = 200
META_KEY = "denoise"
# Meta that determines how a request is sent; comparison pages are fetched in the same way.
META_OF_WAY = ("proxy", "bindaddress")
# The URL of a request that was not a plain GET, in its meta, which its redirects inherit.
POSTED_META = "denoise_posted"
# Our own browser context: in the spider's, pages it keeps open may use up the limit while they wait for us.
PLAYWRIGHT_CONTEXT = "denoise"


def is_page(response: Response) -> bool:
    """Return whether `response` is non-empty HTML; robots.txt, sometimes served as HTML, is not a page."""
    is_html = isinstance(response, HtmlResponse) and bool(response.body)
    return is_html and urlsplit(response.url).path != "/robots.txt"


def is_comparable(request: Request, response: Response) -> bool:
    """Return whether a page may be compared with others of its site: no error page, no log-in form in its place."""
    return (
        request.method == "GET"
        and response.status == OK
        and bool(site_key(response.url))
        and all(spelling(url) == spelling(response.url) for url in redirected_from(request))
    )


def is_got(request: Request) -> bool:
    """Return whether only GETs led to `request`, so that opening similar URLs has no side effects."""
    return _is_get(request) and request.meta.get(POSTED_META) not in redirected_from(request)


def _is_get(request: Request) -> bool:
    return request.method == "GET" and not request.body


def redirected_from(request: Request) -> list[str]:
    """Return the URLs that led to `request` by redirects, the spider's own first."""
    return list(request.meta.get("redirect_urls", ()))


def read_page(
    response: Response,
    *,
    keep: Sequence[str] = (),
    remove: Sequence[str] = (),
    layout: str = "",
    by_selector: bool = False,
) -> Page:
    """Parse a response that `is_page`; with `by_selector`, share the tree of its selector with the spider."""
    told = told_encoding(response)
    root = selector_root(response, told) if by_selector else None
    page = Page.parse(response.body, url=response.url, encoding=told, keep=keep, remove=remove, root=root)
    if layout:
        page.boxes = boxes_on(page, layout)
    _ = page.nbytes, page.facts  # computed here, possibly in a thread
    return page


def selector_root(response: Response, told: str | None) -> Any | None:
    """Return the root of the tree of `response.selector`, None if our own parse might differ."""
    # the selector must be new, hence unmodified, and made from the same bytes, decoded as browsers do
    is_new = getattr(response, "_cached_selector", response) is None
    own = getattr(type(response), "selector", None)
    if not isinstance(response, TextResponse) or not is_new or own is not TextResponse.selector:
        return None
    body = to_utf8(response.body, told)
    # if nothing is declared and the page is not UTF-8, Scrapy guesses, which may take a second
    if (body is not response.body and told is None) or is_too_large(body):
        return None
    try:
        # valid UTF-8 read as UTF-8 is the same without decoding and encoding it
        is_same = body is response.body and response.encoding == "utf-8" and type(response).text is TextResponse.text
        return response.selector.root if is_same or response.text.encode("utf-8", "replace") == body else None
    except Exception:  # lxml failed, or the response is of an unusual class
        return None


def told_encoding(response: Response) -> str | None:
    """Return the encoding that the server or the spider gave a response, None if only the page itself declares one."""
    # Scrapy's `encoding` may be a guess, or a declaration that browsers read differently (`<meta charset=utf-16>`), and
    # responses made from others have it as if it were given
    given: str | None = getattr(response, "_encoding", None)
    if given is not None and given != html_body_declared_encoding(response.body):
        return given
    return http_content_type_encoding((response.headers.get("Content-Type") or b"").decode("latin-1"))


class RecentPages:
    """Pages by URL, with sizes; the oldest are evicted so that their sum, `nbytes`, never exceeds `max_bytes`."""

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self.nbytes = self.evicted = 0  # evicted or never kept
        self._pages: OrderedDict[str, tuple[CrawledPage, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pages)

    def put(self, url: str, page: CrawledPage, nbytes: int) -> None:
        """Keep a page under a URL, as the newest."""
        self.nbytes += nbytes - self._pages.pop(url, (page, 0))[1]
        self._pages[url] = page, nbytes
        if nbytes > self.max_bytes:
            self._pages.move_to_end(url, last=False)
        while self.nbytes > self.max_bytes:
            self.nbytes -= self._pages.popitem(last=False)[1][1]
            self.evicted += 1

    def get(self, url: str) -> CrawledPage | None:
        """Return the page under a URL, or None."""
        return self._pages.get(url, (None, 0))[0]

    def clear(self) -> None:
        """Forget everything."""
        self._pages.clear()
        self.nbytes = 0


class PageText(NamedTuple):
    """Values for the items of a page."""

    fields: dict[str, Any]  # by item field
    is_empty: bool  # the body has no text
    fallback: str  # `Body.fallback`
    evidence: str  # `Body.evidence`
    title: str  # the page's own
    source: str  # a hash of all text of the page, and how the body was extracted
    amounts: str  # prices and tables
    nbytes: int  # approximate bytes in memory


def held_bytes(value: Any) -> int:
    """Return the approximate size in memory of a field's value: text, or lists and dicts of text."""
    if isinstance(value, dict):
        return 100 + sum(held_bytes(each) + 100 for each in value.values())
    if isinstance(value, (list, tuple)):
        return 60 + sum(map(held_bytes, value))
    return getsizeof(value)


class CrawledPage:
    """A page of the crawl, with the data shared by the items made from it."""

    def __init__(self, page: Page, settings: DenoiseSettings, request: Request, response: Response):
        self.page = page
        self.settings = settings
        # all its URLs: requested, redirected through, final
        self.urls = {*redirected_from(request), request.url, page.url}
        self.names = self.urls | {spelling(url) for url in self.urls}
        self.size = len(response.body)
        self.address: Address | None = response.ip_address
        self.carried = _carried_meta(request)  # to fetch comparison pages with
        self.is_got = is_got(request)
        self.computing = asyncio.Lock()  # held while the text is computed
        self.text: PageText | None = None
        self.item_keys: set[str | None] = set()  # keys of items with the page's text, not copies of each other
        self.response = weakref.ref(response)  # it lives as long as the page's items


def _carried_meta(request: Request) -> dict[str, Any]:
    meta = request.meta  # rendered pages are compared with rendered ones
    carried = {key: meta[key] for key in (*META_OF_WAY, "download_slot", META_KEY) if key in meta}
    if meta.get("playwright"):
        carried["playwright"] = True
        carried["playwright_context"] = PLAYWRIGHT_CONTEXT
        carried["playwright_page_goto_kwargs"] = dict(meta.get("playwright_page_goto_kwargs") or {})
    return carried


class CrawledPages:
    """The pages of one crawl."""

    def __init__(self, crawl: Crawl, sites: SiteMemory, geometry: Geometry, recent_bytes: int):
        self._crawl = crawl
        self._sites = sites
        self._geometry = geometry
        self.used = crawl.settings.enabled  # whether any page is processed; a request's meta may enable it too
        self.recent = RecentPages(recent_bytes)
        self.visited = VisitedShapes()  # URLs that the spider requests
        self._noted: WeakSet[Request] = WeakSet()
        self._crawled: WeakKeyDictionary[Request, CrawledPage | None] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Request, DenoiseSettings] = WeakKeyDictionary()

    def settings_for(self, request: Request) -> DenoiseSettings:
        """Return the settings for a request; invalid ones in its meta are logged and ignored."""
        settings = self._asked.get(request)
        if settings is None:
            try:
                settings = self._crawl.settings.for_page(request.meta.get(META_KEY))
            except ConfigurationError as error:
                settings = self._crawl.settings
                self._crawl.count("invalid_meta")
                name = str(error).partition(" = ")[0]  # without the value, which may be anything
                self._crawl.say_once(f"meta/{name}", logging.ERROR, "%s in the meta of %s", error, request)
            self._asked[request] = settings
        return settings

    async def read(self, request: Request, response: Response) -> CrawledPage | None:
        """Return the page of a response, parsed once; None if it is not a page, or not processed."""
        if request in self._crawled or not is_page(response):
            return self._crawled.get(request)
        settings, crawled = self.settings_for(request), None
        if self._is_treated(response, settings):
            page = await self.parse(request, response, settings, is_spiders=True)
            if request in self._crawled:  # another call has parsed it meanwhile
                return self._crawled[request]
            crawled = CrawledPage(page, settings, request, response)
        self._crawled[request] = crawled
        if crawled is not None:
            self._hold(crawled, crawled.names)
            if is_comparable(request, response):
                await self._sites.add(crawled.page)
        return crawled

    def _is_treated(self, response: Response, settings: DenoiseSettings) -> bool:
        if not settings.enabled or len(response.body) > settings.max_page_bytes:
            if settings.enabled or self.used:
                self._crawl.count("pages/too_large" if settings.enabled else "pages/opted_out")
            return False
        if not self.used:  # the first page that is processed, in a crawl that processes none by default
            self.used = True
            try:
                self._sites.open()
            except ConfigurationError as error:
                self._crawl.report("site_memory", error)
        return True

    async def parse(self, request: Request, response: Response, settings: DenoiseSettings, *, is_spiders: bool) -> Page:
        """Parse the response to a request, the spider's or one of ours."""
        self._crawl.count("pages/parsed")
        await self._sites.meet(site_key(response.url))  # loads pages of earlier crawls
        size, layout = len(response.body), self._geometry.layout_of(request, response, settings)
        read = partial(
            read_page,
            response,
            keep=settings.keep,
            remove=settings.remove,
            layout=layout or "",
            by_selector=is_spiders and not is_large(size),
        )
        page = await self._crawl.beside.run(read, size)
        self._geometry.note(page, layout, response, settings)
        return page

    def note_visit(self, request: Request) -> None:
        """Record the URL shape of a GET request of the spider: similar links may be followed."""
        if request in self._noted:  # most are noted twice: when they leave the spider and when they are sent
            return
        self._noted.add(request)
        if not _is_get(request):
            request.meta[POSTED_META] = request.url
        elif is_got(request) and len(request.url) <= MAX_URL_LENGTH:
            self.visited.add(request.url)

    def note_text(self, crawled: CrawledPage, text: PageText) -> None:
        """Set the text of a page, and count its size in memory."""
        crawled.text = text
        self._hold(crawled, [name for name in crawled.names if self.recent.get(name) is crawled])

    def _hold(self, crawled: CrawledPage, names: Iterable[str]) -> None:
        nbytes = crawled.page.nbytes + (0 if crawled.text is None else crawled.text.nbytes)
        for name in names:
            self.recent.put(name, crawled, nbytes // len(crawled.names))
