"""Joining the pages of an article to the text of the item of its first page (the field `pages`).

Nothing is requested: pages count that the spider has visited. If its callback has requested others, the item waits for
these a while, as Scrapy fetches the newest requests first. Items of later pages wait for that item: they are copies of
the whole only if it is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from math import inf
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.datatypes import LocalCache

from denoise_scrapy.body.fields import CHUNKS, WHOLE
from denoise_scrapy.body.joining import join_pages
from denoise_scrapy.crawl.bodies import PAGES_WAIT, PATIENCE, Bodies
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.crawl.parts import LOOK_AGAIN, MOST_KNOWN, Crawl
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.crawl.sites import SiteMemory
from denoise_scrapy.dedup.versions import joined_sources
from denoise_scrapy.site.urls import spelling
from denoise_scrapy.worker.extractor import Extracted


@dataclass(eq=False)
class PagedBodies:
    """Joins the texts of articles' pages.

    Args:
        crawl: The crawl.
        pages: Its pages.
        sites: Where the next page of a site is waited for.
        bodies: Makes their texts.
    """

    _crawl: Crawl
    _pages: CrawledPages
    _sites: SiteMemory
    _bodies: Bodies

    def __post_init__(self) -> None:
        self._visited = self._pages.recent.get
        self._open: dict[CrawledPage, list[str]] = {}  # whose items are being made, with the pages of their articles
        self._followed: WeakKeyDictionary[CrawledPage, set[str]] = WeakKeyDictionary()
        self._answered: LocalCache[str, float] = LocalCache(MOST_KNOWN)  # when a request brought no page
        self._vain: LocalCache[str, int] = LocalCache(MOST_KNOWN)  # waits in vain, by site

    def note(self, response: Response, request: Request) -> None:
        """Note a request of a callback; the callback of an error page may request it again."""
        page, url = self._pages.crawled.get(response), spelling(request.url)
        self._answered.pop(url, None)
        if page is not None:
            followed = self._followed.setdefault(page, set())
            if len(followed) < MOST_KNOWN:
                followed.add(url)

    def answer(self, urls: Iterable[str]) -> None:
        """Note requested URLs that bring no page, so that nothing waits for them."""
        for url in urls:
            self._answered[spelling(url)] = monotonic()

    async def joined(self, page: CrawledPage, text: Extracted) -> Extracted:
        """Return what was extracted from a page, with the later pages of its article, and its pages marked."""
        name = page.settings.pages_field
        told: list[str] = text.fields.get(name) or []
        is_first = bool(told) and spelling(told[0]) in page.names
        if not is_first:
            await self._first(page, told)
        if not told:
            return text
        self._open[page] = told if is_first else []
        try:
            addresses, met = await (self._all(page, text) if is_first else self._seen(page, text))
        finally:
            self._open.pop(page, None)
        seen = {name: found for name, found in met.items() if found is not None}
        known = seen if is_first else page.names
        marks = [{"url": url, "joined": spelling(url) in known} for url in addresses]
        fields = {**text.fields, name: marks}
        if not is_first or len(seen) == 1:
            return text._replace(fields=fields)
        self._crawl.count("pages/joined")
        for later in (self._visited(url) for url in addresses if spelling(url) in seen):
            if later is not None and later.names.isdisjoint(page.names):
                later.whole = page.item_keys
        texts = [seen[spelling(url)] for url in addresses if spelling(url) in seen]
        fields |= _joined_fields(page, texts)
        source = joined_sources([each.source for each in texts])
        return text._replace(fields=fields, size=len(fields[page.settings.body_field]), read=None, source=source)

    async def _all(self, page: CrawledPage, text: Extracted) -> tuple[list[str], dict[str, Extracted | None]]:
        """Return the same as `_seen`, with the pages that the spider soon will have visited."""
        site, latest, before = page.site, monotonic() + PAGES_WAIT, 1
        while True:
            addresses, seen = await self._seen(page, text)
            self._open[page] = addresses
            missing = {spelling(url) for url in addresses} - seen.keys()
            pages = [page, *filter(None, map(self._visited, addresses))]
            # a callback may request again what was just answered with no page
            missing -= {url for url in missing if monotonic() - self._answered.get(url, inf) > LOOK_AGAIN}
            pending = any(not missing.isdisjoint(self._followed.get(each, ())) for each in pages)
            # the callback of a page that has just arrived may still request the next one
            grew, before = len(seen) > before, len(seen)
            gives_up = self._vain.get(site, 0) >= PATIENCE or not is_asyncio_available() or self._bodies.is_stopping()
            if not missing or not (pending or grew) or gives_up or monotonic() >= latest:
                break
            await self._sites.arrival(site, LOOK_AGAIN)
        if pending and monotonic() >= latest:
            self._crawl.count("pages/waited_in_vain")
            self._vain[site] = self._vain.get(site, 0) + 1
        return addresses, seen

    async def _first(self, page: CrawledPage, addresses: list[str]) -> None:
        """Wait until the item of the first page of an article has its text, if it is being made: that is bounded."""
        first, names = self._visited(addresses[0]) if addresses else None, page.names
        while is_asyncio_available() and not self._bodies.is_stopping():
            if not any(one is first or not names.isdisjoint(map(spelling, told)) for one, told in self._open.items()):
                break
            await self._sites.arrival(page.site, LOOK_AGAIN)

    async def _seen(self, page: CrawledPage, text: Extracted) -> tuple[list[str], dict[str, Extracted | None]]:
        """Return the addresses that any visited page of the article tells, and the texts of these pages, if any."""
        name = page.settings.pages_field
        addresses: list[str] = text.fields[name]
        seen: dict[str, Extracted | None] = {spelling(url): text for url in addresses if spelling(url) in page.names}
        while new := [(url, other) for url in addresses if spelling(url) not in seen and (other := self._visited(url))]:
            for url, other in new:
                # it may redirect to the first, or be an error page
                is_other = other.is_ok and spelling(other.url) not in page.names
                found = await self._bodies.text_of(other, waits=False) if is_other else None
                seen[spelling(url)] = found
                told: list[str] = (found and found.fields.get(name)) or []
                # a later page may not know the address of the first, which often has no number
                if len(told) > len(addresses) and spelling(told[1]) == spelling(addresses[1]):
                    addresses = [addresses[0], *told[1:]]
        return addresses, seen


def _joined_fields(page: CrawledPage, texts: list[Extracted]) -> dict[str, Any]:
    """Return the fields with text of an article's pages; chunks are numbered anew."""
    given, settings = page.settings.item_fields, page.settings
    fields: dict[str, Any] = {}
    for what in (*WHOLE, "updates"):
        values = [each.fields[given[what]] for each in texts if given.get(what) in each.fields]
        if not values:
            continue
        joined = [*chain.from_iterable(values)] if isinstance(values[0], list) else join_pages(values)
        if what == CHUNKS:
            joined = [{**row, "position": number} for number, row in enumerate(joined)]
        fields[given[what]] = joined
    return {settings.body_field: "", **fields}
