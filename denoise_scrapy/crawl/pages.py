"""The pages that a crawl has fetched: read once, found again by URL, and kept to compare later ones with."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.beside import is_large
from denoise_scrapy.crawl.reading import read_page
from denoise_scrapy.dedup.places import is_class_path
from denoise_scrapy.exceptions import OtherVersion
from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.site import VisitedShapes, site_key
from denoise_scrapy.site.facts_store import FAILURES, FactsStore, facts_beside, facts_store
from denoise_scrapy.site.memory import PageMemory, SiteMemory, StoreUse
from denoise_scrapy.site.urls import spelling
from denoise_scrapy.storage import SCHEMES, BackOff, without_password

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from denoise_scrapy.crawl.beside import Beside
    from denoise_scrapy.crawl.geometry import Geometry
    from denoise_scrapy.crawl.log import CrawlLog


SITES_FILE = "denoise-sites.sqlite"
# The settings that say where it lies.
PLACES = "DENOISE_SITE_MEMORY_PATH, DENOISE_DEDUP_STORE or JOBDIR"
BESIDE = "The site memory %s This crawl goes on with another beside it, %s"
# SQLite's own name for a database without a file.
NO_FILE = ":memory:"
# Pages between two saves: a killed crawl loses those that came since. A save takes some milliseconds a site.
SAVE_EVERY = 100


class SiteKeeper:
    """Loads and saves the site memory of a crawl. A fault of its store costs neither the crawl nor an item.

    Attributes:
        memory: The site memory; without a store until `open` was called.
    """

    def __init__(self, crawler: Crawler, settings: DenoiseSettings, log: CrawlLog, pages: PageMemory, beside: Beside):
        self._crawler = crawler
        self._settings = settings
        self._log = log
        self._pages = pages
        self._beside = beside
        self._lock = asyncio.Lock()  # the store is used by one at a time
        self._store: FactsStore | None = None
        self._unsaved = 0
        self.memory = SiteMemory(pages)

    def open(self) -> None:
        """Open the store.

        Raises:
            ConfigurationError: It is refused.
        """
        back_off = BackOff()
        self._store = self._opened(back_off)
        self.memory = SiteMemory(self._pages, self._store, report=self._failed, back_off=back_off)

    async def meet(self, site: str) -> None:
        """Load the pages that are kept of a site, with its first page; further ones wait for them too."""
        if self.memory.is_new(site):
            async with self._lock:
                await self._make(self.memory.meeting(site))

    def remember(self, page: Page) -> None:
        """Keep a page to compare others with, in this crawl and the next."""
        self.memory.remember(page)
        self._unsaved += 1

    @property
    def has_many(self) -> bool:
        """Whether so many pages came since the last save that it is time for another."""
        return self._unsaved >= SAVE_EVERY

    async def save(self, *, at_once: bool = False) -> None:
        """Save what came since the last call, unless the store failed lately; `at_once`: also then."""
        self._unsaved = 0
        async with self._lock:
            await self._make(self.memory.saving(at_once=at_once))
        for name, count in self.memory.all_counts().items():
            self._log.set(f"site_memory/{name}", count)

    async def ask(self, call: Callable[[FactsStore], Answer], sites: int) -> Answer | None:
        """Return what the store answers about so many sites; None without one, or where it fails."""
        answer: Answer | None = None
        async with self._lock:
            for use in self.memory.using(call, sites):
                await self._beside.alone(use.make, "stores")
                answer = use.answer
        return answer

    async def close(self) -> None:
        """Save, and close the store."""
        await self.save(at_once=True)
        if self._store is not None:
            self._store.close()

    async def _make(self, uses: Iterable[StoreUse]) -> None:
        for use in uses:
            await self._beside.alone(use.make, "stores")

    def _opened(self, back_off: BackOff) -> FactsStore | None:
        place: str | None = self._settings.site_memory_path
        store: FactsStore | None = None
        try:
            place = sites_place(self._settings, job_dir(self._crawler.settings))
            if place is not None:
                store = facts_store(place)
                try:
                    store.open()
                except OtherVersion as error:
                    place = facts_beside(place)
                    self._log.say_once("sites_version", logging.WARNING, BESIDE, error, without_password(place))
                    store = facts_store(place)
                    store.open()
        except (ValueError, FileNotFoundError, ImportError) as error:
            shown = without_password(place or "")
            raise ConfigurationError(f"the site memory {shown}: {str(error).removeprefix(f'{shown}: ')}") from error
        except FAILURES as error:  # perhaps it works later
            back_off.failed()
            self._failed(error)
        if store is not None and store.read_only is not None:
            self._failed(store.read_only)
        return store

    def _failed(self, error: Exception) -> None:
        self._log.count("site_memory/failed")
        self._log.say_once(
            "site_memory",
            logging.WARNING,
            "Pages of sites cannot be kept in the site memory at present, and the crawl goes on without it: %s",
            error,
        )


def sites_place(settings: DenoiseSettings, directory: str | None) -> str | None:
    """Return where the site memory lies, as `facts_store` reads it; None for in memory only."""
    if settings.site_memory_path:
        return settings.site_memory_path if settings.site_memory_path != NO_FILE else None
    index = settings.dedup_store
    if index.startswith(SCHEMES):
        return index
    if index not in {"auto", "memory"} and not is_class_path(index):
        return str(Path(index).parent / SITES_FILE)
    return str(Path(directory, SITES_FILE)) if directory else None


Answer = TypeVar("Answer")
Key = TypeVar("Key")
Value = TypeVar("Value")
Address = IPv4Address | IPv6Address

OK = 200
META_KEY = "denoise"
# Meta that decides how a request is sent, so that a comparison page is fetched the same way.
META_OF_WAY = ("proxy", "bindaddress")
# The URL of a request that was no plain GET, in its own meta, which the requests that redirects make of it inherit.
POSTED_META = "denoise_posted"
# A browser context of our own: pages the spider keeps open may take all places of theirs, and wait
# for us.
PLAYWRIGHT_CONTEXT = "denoise"


def is_page(response: Response) -> bool:
    """Return whether `response` is HTML and has any; robots.txt is none, though served as such at times."""
    is_html = isinstance(response, HtmlResponse) and bool(response.body)
    return is_html and urlsplit(response.url).path != "/robots.txt"


def is_comparable(request: Request, response: Response) -> bool:
    """Return whether other pages of the site may be compared with this one.

    Error pages, answers to forms and pages reached by a redirect from elsewhere (a log-in form, the
    home page in place of an article) are no examples of the site's template.
    """
    return (
        request.method == "GET"
        and response.status == OK
        and bool(site_key(response.url))
        and all(spelling(url) == spelling(response.url) for url in redirected_from(request))
    )


def is_got(request: Request) -> bool:
    """Return whether GETs alone led to `request`, so that opening others like it changes nothing."""
    return _is_get(request) and request.meta.get(POSTED_META) not in redirected_from(request)


def _is_get(request: Request) -> bool:
    return request.method == "GET" and not request.body


def redirected_from(request: Request) -> list[str]:
    """Return the URLs that led to `request` by redirects, the spider's own one first."""
    return list(request.meta.get("redirect_urls", ()))


class BoundedDict(Generic[Key, Value]):
    """Entries with a size each; the oldest leave so that the sum of sizes never exceeds `max_bytes`.

    Attributes:
        nbytes: The sum.
        evicted: Entries that had to leave, or were never kept.
    """

    def __init__(self, max_bytes: int):
        self.max_bytes = max_bytes
        self.nbytes = self.evicted = 0
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def values(self) -> Iterator[Value]:
        """Yield the values, the oldest first."""
        return (value for value, _ in self._entries.values())

    def put(self, key: Key, value: Value, nbytes: int) -> None:
        """Keep `value`, of `nbytes` bytes, under `key` as the youngest entry."""
        self.pop(key)
        if nbytes > self.max_bytes:
            self.evicted += 1
            return
        self._entries[key] = (value, nbytes)
        self.nbytes += nbytes
        self._make_room()

    def grow(self, key: Key, nbytes: int) -> None:
        """Add `nbytes` to the size of the value under `key`, if there is one; its age stays."""
        entry = self._entries.get(key)
        if entry is not None:
            self._entries[key] = (entry[0], entry[1] + nbytes)
            self.nbytes += nbytes
            self._make_room()

    def _make_room(self) -> None:
        while self.nbytes > self.max_bytes:
            _, (_, freed) = self._entries.popitem(last=False)
            self.nbytes -= freed
            self.evicted += 1

    def get(self, key: Key) -> Value | None:
        """Return the value under `key`, or None."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def pop(self, key: Key) -> Value | None:
        """Remove and return the value under `key`, or None."""
        entry = self._entries.pop(key, None)
        if entry is None:
            return None
        self.nbytes -= entry[1]
        return entry[0]

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()
        self.nbytes = 0


class PageText(NamedTuple):
    """Values for the items of a page.

    Attributes:
        fields: Values by item field.
        is_empty: Whether the body has no text.
        fallback: By what fallback it was found, "" for none (`Body.fallback`).
        evidence: What it rests on (`Body.evidence`).
        title: The page's own title.
        source: What tells all text of the page, and how the body was taken from it.
        amounts: Its prices and tables.
        nbytes: About what the values occupy in memory, in bytes.
    """

    fields: dict[str, Any]
    is_empty: bool
    fallback: str
    evidence: str
    title: str
    source: str
    amounts: str
    nbytes: int


def held_bytes(value: Any) -> int:
    """About what a field's value occupies in memory: text, or lists and dicts of such."""
    if isinstance(value, dict):
        return 100 + sum(held_bytes(each) + 100 for each in value.values())
    if isinstance(value, (list, tuple)):
        return 60 + sum(map(held_bytes, value))
    return getsizeof(value)


class CrawledPage:
    """A page of the crawl, with what the items made from it share.

    Attributes:
        page: The parsed page.
        settings: The crawl's settings with those of the page's request.
        urls: All URLs of the page: asked for, redirected through, final.
        names: The same, and their spellings.
        size: Bytes of its response.
        address: Where it came from; None where that is not known.
        carried: Meta that comparison pages are fetched with.
        is_got: Whether GETs alone led to it.
        waited: Seconds that its fetches have waited for others to the same server.
        computing: Held while the text is computed.
        text: The text, once computed.
        item_keys: Keys of the items whose own text is that of the page: they are no copies of each other.
        response: Returns the response that the page was read from; None where it has gone, as it does with the
            page's last item.
    """

    def __init__(self, page: Page, settings: DenoiseSettings, request: Request, response: Response):
        self.page = page
        self.settings = settings
        self.urls = {*redirected_from(request), request.url, page.url}
        self.names = self.urls | {spelling(url) for url in self.urls}
        self.size = len(response.body)
        self.address: Address | None = response.ip_address
        self.carried = _carried_meta(request)
        self.is_got = is_got(request)
        self.waited = 0.0
        self.computing = asyncio.Lock()
        self.text: PageText | None = None
        self.item_keys: set[str | None] = set()
        self.response = weakref.ref(response)


def _carried_meta(request: Request) -> dict[str, Any]:
    """Return the meta to fetch comparison pages with: a rendered page is compared with rendered ones."""
    meta = request.meta
    carried = {key: meta[key] for key in (*META_OF_WAY, "download_slot", META_KEY) if key in meta}
    if meta.get("playwright"):
        carried["playwright"] = True
        carried["playwright_context"] = PLAYWRIGHT_CONTEXT
        carried["playwright_page_goto_kwargs"] = dict(meta.get("playwright_page_goto_kwargs") or {})
    return carried


class CrawledPages:
    """The pages of one crawl.

    Attributes:
        recent: The pages fetched lately, by URL.
        visited: Shapes of the URLs that the spider asks for.
        beside: Does what takes long in threads.
        used: Whether any page is treated: all are by default, or a request has asked for it.
    """

    def __init__(
        self,
        settings: DenoiseSettings,
        log: CrawlLog,
        memory: PageMemory,
        sites: SiteKeeper,
        geometry: Geometry,
        *,
        beside: Beside,
        recent_bytes: int,
    ):
        self._settings = settings
        self._log = log
        self._memory = memory
        self._sites = sites
        self._geometry = geometry
        self.beside = beside
        self.used = settings.enabled
        self.recent: BoundedDict[str, CrawledPage] = BoundedDict(recent_bytes)
        self.visited = VisitedShapes()
        self._noted: WeakSet[Request] = WeakSet()
        self._crawled: WeakKeyDictionary[Request, CrawledPage | None] = WeakKeyDictionary()
        self._asked: WeakKeyDictionary[Request, DenoiseSettings] = WeakKeyDictionary()
        self._arrivals: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()

    def settings_for(self, request: Request) -> DenoiseSettings:
        """Return the settings for a request; invalid ones in its meta are logged and ignored."""
        settings = self._asked.get(request)
        if settings is None:
            try:
                settings = self._settings.for_page(request.meta.get(META_KEY))
            except ConfigurationError as error:
                settings = self._settings
                self._log.count("invalid_meta")
                name = str(error).partition(" = ")[0]  # without the value, which may be any
                self._log.say_once(f"meta/{name}", logging.ERROR, "%s in the meta of %s", error, request)
            self._asked[request] = settings
        return settings

    async def read(self, request: Request, response: Response) -> CrawledPage | None:
        """Return the page of a response, parsed once; None where it is none, or is left alone."""
        if request not in self._crawled and is_page(response):
            crawled = await self._first_read(request, response)
            if request in self._crawled:  # somebody else has read it meanwhile
                return self._crawled[request]
            self._crawled[request] = crawled
            if crawled is not None:
                nbytes = crawled.page.nbytes // len(crawled.names)
                for name in crawled.names:
                    self.recent.put(name, crawled, nbytes)
                if is_comparable(request, response):
                    await self.remember(crawled.page)
        return self._crawled.get(request)

    async def _first_read(self, request: Request, response: Response) -> CrawledPage | None:
        settings = self.settings_for(request)
        if not settings.enabled:
            if self.used:
                self._log.count("pages/opted_out")
            return None
        if len(response.body) > settings.max_page_bytes:
            self._log.count("pages/too_large")
            return None
        if not self.used:
            self._begin()
        page = await self.parse(request, response, settings, is_spiders=True)
        return CrawledPage(page, settings, request, response)

    def _begin(self) -> None:
        """Open the store of sites with the first page that is treated, in a crawl that treats none by default."""
        self.used = True
        try:
            self._sites.open()
        except ConfigurationError as error:
            self._log.report("site_memory", error)

    async def parse(self, request: Request, response: Response, settings: DenoiseSettings, *, is_spiders: bool) -> Page:
        """Parse the response to a request: the spider's, which will be given it, or one of ours."""
        self._log.count("pages/parsed")
        await self._sites.meet(site_key(response.url))  # pages of earlier crawls serve from the first page on
        size, layout = len(response.body), self._geometry.layout_of(request, response, settings)
        read = partial(
            read_page,
            response,
            keep=settings.keep,
            remove=settings.remove,
            layout=layout or "",
            by_selector=is_spiders and not is_large(size),
        )
        page = await self.beside.run(read, size)
        self._geometry.note(page, layout, response, settings)
        return page

    async def remember(self, page: Page) -> None:
        """Keep a page to compare others with, and wake what waits for one of its site."""
        self._sites.remember(page)
        event = self._arrivals.pop(site_key(page.url), None)
        if event is not None:
            event.set()
        if self._sites.has_many:
            await self._sites.save()

    async def arrival(self, site: str, seconds: float) -> None:
        """Wait for a page of a site, so many seconds at most."""
        event = self._arrivals.get(site) or asyncio.Event()
        self._arrivals[site] = event
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)

    def note_visit(self, request: Request) -> None:
        """Note the shape of the URL of one of the spider's requests, unless it posts: links like it may be followed.

        Most requests come twice, as they leave the spider and as they are sent.
        """
        if request in self._noted:
            return
        self._noted.add(request)
        if not _is_get(request):
            request.meta[POSTED_META] = request.url
        elif is_got(request) and len(request.url) <= MAX_URL_LENGTH:
            self.visited.add(request.url)

    def note_text(self, crawled: CrawledPage, text: PageText) -> None:
        """Give a page its text, which counts among what is held of it."""
        crawled.text = text
        nbytes = text.nbytes // len(crawled.names)
        for name in crawled.names:
            if self.recent.get(name) is crawled:
                self.recent.grow(name, nbytes)
