"""The sites of a crawl: the memory of comparison pages, kept for the next crawl, and the health of sites."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from scrapy.utils.datatypes import LocalCache
from scrapy.utils.job import job_dir

from denoise_scrapy.core.sharing import share
from denoise_scrapy.crawl.base import Answer, Crawl
from denoise_scrapy.dedup.places import is_class_path
from denoise_scrapy.exceptions import OtherVersion
from denoise_scrapy.page import Page
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.site import PageMemory, facts_store, site_key
from denoise_scrapy.site.facts_store import FAILURES, FactsStore, newest_of_each
from denoise_scrapy.site.health import ALIKE, PageReading, SiteCrawl, SiteTally, alarms, read_record, record_of
from denoise_scrapy.site.memory import constants
from denoise_scrapy.storage import SCHEMES, BackOff, place_beside, without_password

SITES_FILE = "denoise-sites.sqlite"
# The settings that determine its place.
PLACES = "DENOISE_SITE_MEMORY_PATH, DENOISE_DEDUP_STORE or JOBDIR"
BESIDE = "The site memory %s This crawl uses a new one beside it instead, %s"
FAILED = "The site memory cannot be used now, and the crawl continues without it: %s"
# SQLite's name for a database without a file.
NO_FILE = ":memory:"
# Pages remembered per site; a page is compared with the five most similar of these.
PAGES_PER_SITE = 32
# Pages between two saves: a killed crawl loses those after the last save. Saving takes some milliseconds per site.
SAVE_EVERY = 100
# Maximum sites remembered as loaded from the store, some 200 bytes each. Forgotten ones are loaded again.
MAX_MET = 10_000


class SiteMemory(PageMemory):
    """Pages of sites, loaded from a store when the crawl reaches a site, and saved repeatedly.

    The store is read and written in a thread, one call at a time. Its errors affect neither the crawl nor items: they
    are logged, and the memory does without the store, with back-off.
    """

    def __init__(self, crawl: Crawl, max_bytes: int):
        super().__init__(max_bytes, PAGES_PER_SITE)
        self._crawl = crawl
        self._lock = asyncio.Lock()
        self._store: FactsStore | None = None
        self._back_off = BackOff()
        self._met: LocalCache[str, None] = LocalCache(MAX_MET)
        self._unsaved: dict[str, set[str]] = {}  # URLs by site
        self._added = 0  # pages since the last save
        self._arrivals: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()

    def open(self) -> None:
        """Open the store; raise `ConfigurationError` if it is unusable."""
        place: str | None = self._crawl.settings.site_memory_path
        try:
            place = sites_place(self._crawl.settings, job_dir(self._crawl.crawler.settings))
            if place is None:
                return
            self._store = facts_store(place)
            try:
                self._store.open()
            except OtherVersion as error:
                place = place_beside(place, constants())
                self._crawl.say_once("sites_version", logging.WARNING, BESIDE, error, without_password(place))
                self._store = facts_store(place)
                self._store.open()
        except (ValueError, FileNotFoundError, ImportError) as error:
            shown = without_password(place or "")
            raise ConfigurationError(f"the site memory {shown}: {str(error).removeprefix(f'{shown}: ')}") from error
        except FAILURES as error:  # it may work later
            self._failed(error)
        if self._store is not None and self._store.read_only is not None:
            self._say_failed(self._store.read_only)

    async def meet(self, site: str) -> None:
        """Load a site's stored pages when its first page arrives; other pages of the site wait for this."""
        if not self._is_new(site):
            return
        async with self._lock:
            kept = await self._use(lambda store: store.load(site)) if self._is_new(site) else None
            if kept is None:
                return
            self._met[site] = None
            if kept:
                self._crawl.count("site_memory/loaded")
            for facts in kept:
                if facts.url not in self:
                    self.remember(facts)

    async def add(self, page: Page) -> None:
        """Keep a comparison page for this crawl and the next, and wake the items waiting for one of its site."""
        self.remember(page)
        site = site_key(page.url)
        event = self._arrivals.pop(site, None)
        if event is not None:
            event.set()
        if self._store is not None and page.url in self:
            self._unsaved.setdefault(site, set()).add(page.url)
        self._added += 1
        if self._added >= SAVE_EVERY:
            await self.save()

    async def arrival(self, site: str, seconds: float) -> None:
        """Wait for a new page of a site, at most this many seconds."""
        event = self._arrivals.get(site) or asyncio.Event()
        self._arrivals[site] = event
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)

    async def save(self) -> None:
        """Save the pages since the last call, unless the store failed recently."""
        self._added = 0
        async with self._lock:
            unsaved = {site: held for site, urls in self._unsaved.items() if (held := {u for u in urls if u in self})}
            self._unsaved = unsaved
            if not unsaved or not self._back_off.ready:  # choosing pages takes .4 ms a site and more
                return
            sites = {
                site: [facts for facts in newest_of_each(self.pages(site)) if facts.url in urls]
                for site, urls in unsaved.items()
            }
            self._unsaved = {}
            if await self._use(lambda store: store.save(sites), len(sites)):
                self._crawl.count("site_memory/saved", len(sites))
                return
            for site, urls in unsaved.items():
                self._unsaved.setdefault(site, set()).update(urls)

    async def close(self) -> None:
        """Save, and close the store."""
        self._back_off.worked()  # even if the store failed recently: this is the last chance
        await self.save()
        if self._store is not None:
            self._store.close()

    def _is_new(self, site: str) -> bool:
        """Return whether the store may have pages of a site that are not loaded yet."""
        return bool(site) and site not in self._met and self._store is not None and self._back_off.ready

    async def use(self, call: Callable[[FactsStore], Answer], sites: int) -> Answer | None:
        """Return the result of a store call about a number of sites; None without a store or on failure."""
        async with self._lock:  # otherwise every call would wait for the time-out of a silent server
            return await self._use(call, sites)

    async def _use(self, call: Callable[[FactsStore], Answer], sites: int = 1) -> Answer | None:
        store = self._store
        if store is None or not self._back_off.ready:
            return None

        def timed() -> tuple[Answer, float]:
            begin = time.monotonic()
            return call(store), time.monotonic() - begin

        try:
            answer, seconds = await self._crawl.beside.alone(timed, "stores")
        except FAILURES as error:
            self._failed(error)
            return None
        finally:
            counts, store.counts = store.counts, Counter()
            for name, count in counts.items():
                self._crawl.count(f"site_memory/{name}", count)
        self._back_off.worked(seconds / sites)
        return answer

    def _failed(self, error: Exception) -> None:
        self._back_off.failed()
        self._say_failed(error)

    def _say_failed(self, error: Exception) -> None:
        self._crawl.count("site_memory/failed")
        self._crawl.say_once("site_memory", logging.WARNING, FAILED, error)


def sites_place(settings: DenoiseSettings, directory: str | None) -> str | None:
    """Return the place of the site memory, for `facts_store`; None if it is in memory only."""
    if settings.site_memory_path:
        return settings.site_memory_path if settings.site_memory_path != NO_FILE else None
    index = settings.dedup_store
    if index.startswith(SCHEMES):
        return index
    if index not in {"auto", "memory"} and not is_class_path(index):
        return str(Path(index).parent / SITES_FILE)
    return str(Path(directory, SITES_FILE)) if directory else None


# Maximum sites counted. One with many pages takes 30 to 100 KB, so these take at most 100 MB.
MOST_SITES = 1_000
# Numbers of pages of a site at which it is judged during the crawl, which may run for weeks.
JUDGED_AT = frozenset({100, 1_000, 10_000, 100_000})
# A text is not the item's own if at least this many other pages, and most of the site, contain it; share of the page's
# words that these must have, since menus mark the current page.
SEVERAL, SAME = 3, 0.95
# Number of sites with their own stats, the worst ones.
WORST = 10
SAID = "%s may have changed: %s. `scrapy denoise health %s` shows its last crawls"


class SiteHealth:
    """Counts the pages and items of each site, and judges the site's health.

    Beyond `MOST_SITES`, sites with too few pages to be judged are forgotten, the oldest first; if there are none, new
    sites are not counted.
    """

    def __init__(self, crawl: Crawl, sites: SiteMemory) -> None:
        self.left_out = 0  # forgotten sites, and pages and items of uncounted ones
        self._crawl = crawl
        self._sites = sites
        self._began = time.time()
        self._tallies: dict[str, SiteTally] = {}

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return sum(tally.nbytes for tally in self._tallies.values())

    def count(self, url: str, name: str) -> None:
        """Add to a count of the site of a URL: an attribute of `SiteTally`."""
        tally = self._tally(site_key(url))
        if tally is not None:
            setattr(tally, name, getattr(tally, name) + 1)

    async def add(self, url: str, reading: PageReading) -> None:
        """Count a page that was extracted."""
        tally = self._tally(site_key(url))
        if tally is not None:
            tally.add(reading)
            if tally.pages in JUDGED_AT:
                await self._judge([site_key(url)])

    def is_no_content(self, page: Page, text: str) -> bool:
        """Return whether the text of a page, shared with an item of another page, is from a wall or an error page.

        It is if most other pages of the site, or of the last pages of this crawl, contain it; or if all pages of its
        template do, and the site has other templates. URLs with the same path are one page, whatever their query.
        """
        others, own = self._sites.pages(site_key(page.url)), urlsplit(page.url).path
        shared = share(page.facts.data, [other.facts.data for other in others])
        total, containers = page.facts.tokens.sum(), len(page.facts.signature)
        same: dict[str, bool] = {}
        mates: set[str] = set()
        for other, tokens, likeness in zip(others, shared.carried[0], shared.likeness, strict=True):
            path = urlsplit(other.url).path
            if path != own:
                same[path] = tokens >= SAME * total
                # a wall has few containers, which most pages have too: so divide by those of the larger page
                sizes = containers, len(other.facts.signature)
                mates |= {path} if likeness * min(sizes) >= ALIKE * max(sizes) else set()
        if mates and all(same[path] for path in mates) and len(same) >= len(mates) + SEVERAL:
            return True
        tally = self._tally(site_key(page.url))
        is_repeated = tally is not None and tally.is_repeated(page.url, text)
        return is_repeated or sum(same.values()) >= max(SEVERAL, len(same) / 2)

    async def finish(self) -> None:
        """Judge all sites and set the stats; call before the site memory is closed."""
        judged = await self._judge([*self._tallies])
        self._crawl.set("health/sites", sum(crawl.is_enough for crawl in judged.values()))
        self._crawl.set("health/alarms", sum(bool(crawl.alarms) for crawl in judged.values()))
        for site, crawl in sorted(judged.items(), key=_badness, reverse=True)[:WORST]:
            host = site.partition("://")[2]
            for name in ("pages", "items", "empty", "copies", "no_content", "common", "same"):
                self._crawl.set(f"site/{host}/{name}", getattr(crawl, name))
            self._crawl.set(f"site/{host}/confidence", crawl.confidence.median)
            self._crawl.set(f"site/{host}/length", crawl.length.median)
            self._crawl.set(f"site/{host}/alarms", "; ".join(crawl.alarms))

    def _tally(self, site: str) -> SiteTally | None:
        found = self._tallies.get(site)
        if found is not None or not site:
            return found
        if len(self._tallies) >= MOST_SITES:
            self.left_out += 1
            small = next((other for other, tally in self._tallies.items() if not tally.is_enough), None)
            if small is None:
                return None
            del self._tallies[small]
        return self._tallies.setdefault(site, SiteTally(self._began))

    async def _judge(self, sites: Sequence[str]) -> dict[str, SiteCrawl]:
        """Compare sites with their last crawls, log problems, and save the counts of this crawl so far."""
        judged, records = {}, {}
        if not sites:
            return {}
        kept = await self._sites.use(lambda store: {site: store.health(site) for site in sites}, len(sites)) or {}
        for site in sites:
            crawl = self._tallies[site].crawl()
            earlier = [one for one in self._read(kept.get(site, b"")) if one.began != self._began]
            before = [one for one in earlier if one.ended <= self._began]
            crawl = judged[site] = replace(crawl, alarms=tuple(alarms(crawl, before)), ended=time.time())
            if crawl.alarms:
                host = site.partition("://")[2]
                self._crawl.say_once(f"health/{site}", logging.WARNING, SAID, site, "; ".join(crawl.alarms), host)
            if crawl.is_enough or crawl.alarms:
                records[site] = record_of([*earlier, crawl])
        if records:
            await self._sites.use(lambda store: store.save_health(records), len(records))
        return judged

    def _read(self, record: bytes) -> list[SiteCrawl]:
        try:
            return read_record(record)
        except ValueError:
            self._crawl.count("site_memory/corrupt")
            return []


def _badness(judged: tuple[str, SiteCrawl]) -> tuple[int, float, float]:
    crawl = judged[1]
    return len(crawl.alarms), crawl.empty / max(1, crawl.pages), -crawl.confidence.median
