"""A page of a crawl, and those of its recent pages, found by URL."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse
from scrapy.responsetypes import responsetypes
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from denoise_scrapy.core.source import is_too_large
from denoise_scrapy.crawl.budget import FetchRecord
from denoise_scrapy.crawl.parts import LARGE
from denoise_scrapy.dedup.variants import site_of
from denoise_scrapy.page.parse import is_guessed, media_type, to_utf8
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.site.crawl_history import SiteTally
from denoise_scrapy.site.urls import spelling
from denoise_scrapy.worker.extractor import Extracted, PageSource

OK = HTTPStatus.OK
META_KEY = "denoise"
# Headers that say who asks: a proxy, where Scrapy puts the password that it takes out of the meta; and a site, which
# may refuse a program, or have another page for each browser and language.
WHO_ASKS = ("Proxy-Authorization", "User-Agent", "Accept-Language")
# Meta that name the way of a request: Scrapy's, and those of scrapy-impersonate and scrapy-zyte-api.
WAYS = "proxy bindaddress allow_offsite download_slot impersonate impersonate_args zyte_api zyte_api_automap".split()
# Our own browser context: in the spider's, pages it keeps open may use up the limit while they wait for us.
PLAYWRIGHT_CONTEXT = "denoise"


# How pages begin, and the bytes in which Scrapy looks for it.
_BEGIN, _MOST_BEGIN = re.compile(rb"<html[\s>]", re.IGNORECASE), 5000


def is_html(response: Response) -> bool:
    """Return whether a response is HTML, also where what rendered it gave it a class of its own."""
    if isinstance(response, (HtmlResponse, JsonResponse, XmlResponse)):
        return isinstance(response, HtmlResponse)
    is_told = b"htm" in (response.headers.get("Content-Type") or b"").lower()  # also "text/html charset=utf-8"
    is_untold = responsetypes.from_headers(response.headers) is Response and isinstance(response, TextResponse)
    return is_told or (is_untold and _BEGIN.search(response.body, 0, _MOST_BEGIN) is not None)


def is_page(response: Response) -> bool:
    """Return whether `response` is non-empty HTML; robots.txt and pictures, sometimes served as HTML, are no pages."""
    is_other = urlsplit(response.url).path == "/robots.txt" or not is_html(response) or media_type(response.body)
    return bool(response.body) and not is_other


def is_comparable(request: Request, response: Response) -> bool:
    """Return whether a page may be compared with others of its site: no error page, no log-in form in its place."""
    return (
        response.status == OK
        and bool(site_key(response.url))
        and all(spelling(url) == spelling(response.url) for url in redirected_from(request))
    )


def is_get(request: Request) -> bool:
    """Return whether a request is a plain GET."""
    return request.method == "GET" and not request.body


def redirected_from(request: Request) -> list[str]:
    """Return the URLs that led to `request` by redirects, the spider's own first."""
    return list(request.meta.get("redirect_urls", ()))


def selector_root(response: Response | None, told: str | None) -> Any | None:
    """Return the root of the tree of `response.selector`, None if it is large or our own parse might differ."""
    # the selector must be new, hence unmodified, and made from the same bytes, decoded as browsers do
    is_new = getattr(response, "_cached_selector", response) is None
    own = getattr(type(response), "selector", None)
    if not isinstance(response, TextResponse) or not is_new or own is not TextResponse.selector:
        return None
    body = to_utf8(response.body, told)
    # if nothing is declared and the page is not UTF-8, Scrapy guesses, which may take a second
    if (body is not response.body and told is None) or len(body) > LARGE or is_too_large(body):
        return None
    try:
        # valid UTF-8 read as UTF-8 is the same without decoding and encoding it
        is_same = body is response.body and response.encoding == "utf-8" and type(response).text is TextResponse.text
        return response.selector.root if is_same or response.text.encode("utf-8", "replace") == body else None
    except Exception:  # lxml failed, or the response is of an unusual class
        return None


def told_encoding(response: Response) -> str | None:
    """Return the encoding that the server, the spider or Scrapy's guess gave a response, None for the page's own.

    Where all can but guess, the spider's text and ours are the same.
    """
    # Scrapy's `encoding` may be a guess, or a declaration that browsers read differently (`<meta charset=utf-16>`), and
    # responses made from others have it as if it were given
    given: str | None = getattr(response, "_encoding", None)
    if given is not None and given != html_body_declared_encoding(response.body):
        return given
    told = http_content_type_encoding((response.headers.get("Content-Type") or b"").decode("latin-1"))
    if told is None and isinstance(response, TextResponse) and is_guessed(response.body):
        return response.encoding
    return told


class CrawledPage:
    """A page of the crawl, with the data shared by the items made from it."""

    def __init__(self, source: PageSource, settings: DenoiseSettings, request: Request, response: Response):
        self.number = source.number
        self.source: PageSource | None = source  # until its text is made
        self.settings = settings
        self.url = source.url
        self.site = site_key(source.url)  # "" if it has no http(s) URL
        self.host = site_of(source.url)
        # the URL whose redirects led to a page of another path, its query as a part of the path; "" if none did
        first = (*redirected_from(request), source.url)[0]
        self.origin = "" if urlsplit(first).path == urlsplit(source.url).path else first.replace("?", "/")
        # all its URLs: requested, redirected through, final
        self.urls = {*redirected_from(request), request.url, source.url}
        self.names = self.urls | {spelling(url) for url in self.urls}
        self.is_ok = response.status == OK  # no error page
        self.address = response.ip_address  # of any type, where other code made it
        meta = request.meta
        # what determines how a request is sent, and ours, for comparison pages: of a rendered page, rendered ones
        self.carried: dict[str, Any] = {key: meta[key] for key in (*WAYS, META_KEY) if key in meta}
        if meta.get("playwright"):
            goto = dict(meta.get("playwright_page_goto_kwargs") or {})
            rendered = {"playwright": True, "playwright_context": PLAYWRIGHT_CONTEXT}
            self.carried |= {**rendered, "playwright_page_goto_kwargs": goto}
        self.who_asks = {name: request.headers[name] for name in WHO_ASKS if name in request.headers}
        # whether only GETs led to it, by a way that is ours too, so that opening similar URLs has no side effects
        self.is_got = False
        self.computing = asyncio.Lock()  # held while the text is made
        self.text: Extracted | None = None
        self.wants_body = False  # whether its callback asks for the whole body
        self.deaths = 0  # workers that died of it
        self.tally: SiteTally | None = None  # the counts of its site
        self.record: FetchRecord | None = None  # the fetches from its site, which has none if it has no http(s) URL
        self.item_keys: set[str] = set()  # keys of items with the page's text, not copies of each other
        self.whole: set[str] = set()  # those of the first page of its article, whose text this page's was joined to

    @property
    def nbytes(self) -> int:
        """Approximate bytes in memory, of the HTML, or later of the text."""
        html = 0 if self.source is None else len(self.source.html)
        return 1000 + html + (0 if self.text is None else self.text.nbytes)


class RecentPages:
    """Pages by all their URLs; when one is put, the oldest are evicted until their sizes do not exceed `max_bytes`."""

    def __init__(self, max_bytes: int):
        self.evicted = 0  # evicted or never kept
        self.nbytes = 0  # approximate, of all pages
        self._max_bytes = max_bytes
        self._pages: OrderedDict[CrawledPage, int] = OrderedDict()  # with their sizes
        self._named: dict[str, CrawledPage] = {}

    def put(self, page: CrawledPage) -> None:
        """Keep a page, as the newest, under its URLs."""
        self._pages[page] = 0
        self._named |= dict.fromkeys(page.names, page)
        self.measure(page)
        while self.nbytes > self._max_bytes:
            oldest, nbytes = self._pages.popitem(last=False)
            self.nbytes -= nbytes
            self.evicted += 1
            for name in oldest.names:
                if self._named.get(name) is oldest:
                    del self._named[name]

    def measure(self, page: CrawledPage) -> None:
        """Note the size of a page, which is another once its text is made."""
        if page in self._pages:
            self.nbytes -= self._pages[page]
            self._pages[page] = nbytes = page.nbytes
            self.nbytes += nbytes

    def get(self, url: str) -> CrawledPage | None:
        """Return the newest page with a URL, else with another spelling of it, or None."""
        return self._named.get(url) or self._named.get(spelling(url))

    def clear(self) -> None:
        """Forget everything."""
        self._pages.clear()
        self._named.clear()
        self.nbytes = 0
