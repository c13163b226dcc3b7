"""The sites of a crawl: the memory of comparison pages, kept for the next crawl, and the health of sites."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from weakref import WeakValueDictionary

from scrapy.utils.datatypes import LocalCache
from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.parts import MOST_HELD, MOST_KNOWN, Answer, Crawl
from denoise_scrapy.crawl.stores import StoreCalls
from denoise_scrapy.crawl.workers import Workers
from denoise_scrapy.dedup.open_store import is_file
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.site import facts_store, site_key
from denoise_scrapy.site.crawl_history import SiteCrawl, SiteTally, alarms, read_record, record_of
from denoise_scrapy.site.facts_store import FAILURES, FactsStore
from denoise_scrapy.support.storage import SCHEMES, without_password

SITES_FILE = "denoise-sites.sqlite"
# The settings that determine its place.
PLACES = "DENOISE_SITE_MEMORY_PATH, DENOISE_DEDUP_STORE or JOBDIR"
# SQLite's name for a database without a file.
NO_FILE = ":memory:"
# Pages between two saves: a killed crawl loses those after the last save. Saving takes some milliseconds per site.
SAVE_EVERY = 100


class SiteMemory:
    """The facts of a crawl's pages, for this crawl and the next: loaded with a site's first page, saved repeatedly.

    The extractors hold them. Errors of the store affect neither the crawl nor items.
    """

    def __init__(self, crawl: Crawl, workers: Workers):
        self._crawl = crawl
        self._workers = workers
        self._store: FactsStore | None = None
        self._place = sites_place(crawl.settings, job_dir(crawl.crawler.settings))
        name = f"The site memory {without_password(self._place or NO_FILE)}"
        self._calls = StoreCalls(crawl, "site_memory/", name, "the crawl continues without it", FAILURES)
        self._meeting = asyncio.Lock()
        self._saving = asyncio.Lock()
        self._met: LocalCache[str, None] = LocalCache(MOST_KNOWN)
        workers.on_death = self._met.clear
        self._unsaved: dict[str, set[str]] = {}  # URLs by site
        self._added = 0  # pages since the last save
        self._arrivals: WeakValueDictionary[str, asyncio.Event] = WeakValueDictionary()

    def open(self) -> None:
        """Open the store; raise `ConfigurationError` if it is unusable."""
        settings, place = self._crawl.settings, self._place
        if place is None:
            return
        try:
            self._store = facts_store(place)
            self._store.open()
        except (ValueError, FileNotFoundError, ImportError) as error:
            shown = without_password(place)
            of_index = not settings.site_memory_path and sites_place(settings, None)
            by = f", by DENOISE_DEDUP_STORE = {without_password(settings.dedup_store)!r}" if of_index else ""
            why = str(error).removeprefix(f"{shown}: ")
            raise ConfigurationError(f"the site memory {shown}{by}: {why}") from error
        except FAILURES as error:  # it may work later
            self._calls.failed(error)
        if self._store is not None and self._store.read_only is not None:
            self._calls.say(self._store.read_only)

    async def meet(self, site: str) -> None:
        """Load a site's stored pages when its first page arrives; other pages of the site wait for this."""
        if self._store is None or not self._is_new(site):
            return
        async with self._meeting:
            kept = await self.use(lambda store: store.load(site)) if self._is_new(site) else None
            if kept is None:
                return
            self._met[site] = None
            if kept:
                self._crawl.count("site_memory/loaded")
                self._workers.remember(kept)

    async def note(self, url: str) -> None:
        """Note a page that others may be compared with, for the next crawl and for items that wait for one."""
        site = site_key(url)
        event = self._arrivals.pop(site, None)
        if event is not None:
            event.set()
        if self._store is not None:
            self._unsaved.setdefault(site, set()).add(url)
            self._added += 1
            if self._added >= SAVE_EVERY:
                await self.save()

    async def arrival(self, site: str, seconds: float) -> bool:
        """Wait for a new page of a site, at most this many seconds, and return whether one has come."""
        event = self._arrivals.get(site) or asyncio.Event()
        self._arrivals[site] = event
        with suppress(asyncio.TimeoutError):
            return await asyncio.wait_for(event.wait(), seconds)
        return False

    async def save(self) -> None:
        """Save the pages since the last call, unless the store failed recently."""
        self._added = 0
        async with self._saving:  # the last call waits for the previous one
            if not self._unsaved or not self._calls.ready:  # choosing pages takes .4 ms a site and more
                return
            unsaved, self._unsaved = self._unsaved, {}
            sites = await self._workers.newest(unsaved)
            saved = await self.use(lambda store: store.save(sites), len(sites)) if sites else 0
            for site, urls in unsaved.items() if saved is None else ():
                self._unsaved.setdefault(site, set()).update(urls)

    async def close(self) -> None:
        """Save, and close the store."""
        self._calls.use_now()
        await self.save()
        if self._store is not None:
            await self._calls.last(self._store.close)

    async def use(self, call: Callable[[FactsStore], Answer], sites: int = 1) -> Answer | None:
        """Return the result of a store call about a number of sites; None without a store or on failure."""
        store = self._store
        if store is None:
            return None
        answer = await self._calls.run(lambda: call(store), sites)
        counts, store.counts = store.counts, Counter()
        for name, count in counts.items():
            self._crawl.add(name, count)
        return answer

    def _is_new(self, site: str) -> bool:
        """Return whether the store may have pages of a site that are not loaded yet."""
        return bool(site) and site not in self._met and self._calls.ready


def sites_place(settings: DenoiseSettings, directory: str | None) -> str | None:
    """Return the place of the site memory, for `facts_store`; None if it is in memory only."""
    if settings.site_memory_path:
        return settings.site_memory_path if settings.site_memory_path != NO_FILE else None
    index = settings.dedup_store
    if index.startswith(SCHEMES):
        return index
    if is_file(index):
        return str(Path(index).parent / SITES_FILE)
    return str(Path(directory, SITES_FILE)) if directory else None


# Number of sites with their own stats, the worst ones.
WORST = 10
CHANGED = "%s may have changed: %s. `scrapy denoise health %s` shows its last crawls"
ODD = "Most pages of %s may be a wall or an error page: %s. `scrapy denoise health %s` shows more"


class SiteHealth:
    """Counts the pages and items of each site, and judges the site's health.

    Beyond `MOST_HELD`, sites with too few pages to be judged are forgotten, the oldest first; if there are none, new
    sites are not counted.
    """

    def __init__(self, crawl: Crawl, sites: SiteMemory) -> None:
        self._crawl = crawl
        self._sites = sites
        self._began = time.time()
        self._tallies: dict[str, SiteTally] = {}

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return sum(tally.nbytes for tally in self._tallies.values())

    def tally(self, site: str) -> SiteTally | None:
        """Return the counts of a site; None if it is not counted."""
        found = self._tallies.get(site)
        if found is not None or not site:
            return found
        if len(self._tallies) >= MOST_HELD:
            self._crawl.count("memory/evicted/health")
            small = next((other for other, tally in self._tallies.items() if not tally.counts.is_enough), None)
            if small is None:
                return None
            del self._tallies[small]
        return self._tallies.setdefault(site, SiteTally(self._began))

    def now(self) -> dict[str, SiteCrawl]:
        """Return the figures of the sites so far, compared with none of earlier crawls."""
        crawls = {site: tally.crawl() for site, tally in self._tallies.items()}
        return {site: replace(crawl, alarms=tuple(alarms(crawl, ()))) for site, crawl in crawls.items()}

    async def finish(self) -> None:
        """Judge all sites and set the stats; call before the site memory is closed."""
        judged = await self.judge(self._tallies)
        wrong = {site: crawl for site, crawl in judged.items() if crawl.alarms}
        self._crawl.set("health/sites", sum(crawl.is_enough for crawl in judged.values()))
        self._crawl.set("health/alarms", len(wrong))
        for site, crawl in sorted(wrong.items(), key=lambda one: -len(one[1].alarms))[:WORST]:
            host = site.partition("://")[2]
            for name in ("pages", "items", "empty", "copies", "no_content", "common", "same"):
                self._crawl.set(f"site/{host}/{name}", getattr(crawl, name))
            self._crawl.set(f"site/{host}/confidence", crawl.confidence.median)
            self._crawl.set(f"site/{host}/length", crawl.length.median)
            self._crawl.set(f"site/{host}/alarms", "; ".join(crawl.alarms))

    async def judge(self, some: Iterable[str]) -> dict[str, SiteCrawl]:
        """Compare sites with their last crawls, log problems, and save the counts of this crawl so far."""
        judged, records = {}, {}
        sites = [site for site in some if site in self._tallies]
        if not sites:
            return {}
        kept = await self._sites.use(lambda store: {site: store.health(site) for site in sites}, len(sites)) or {}
        for site in sites:
            crawl = self._tallies[site].crawl()
            try:
                stored = read_record(kept.get(site, b""))
            except ValueError:
                self._crawl.count("site_memory/corrupt")
                stored = []
            earlier = [one for one in stored if one.began != self._began]
            before = [one for one in earlier if one.ended <= self._began]
            crawl = judged[site] = replace(crawl, alarms=tuple(alarms(crawl, before)), ended=time.time())
            if crawl.alarms:
                host, why = site.partition("://")[2], "; ".join(crawl.alarms)
                message = CHANGED if before else ODD
                self._crawl.say_once(f"health/{site}", message, site, why, host)
            if crawl.is_enough or crawl.alarms:
                records[site] = record_of([*earlier, crawl])
        if records:
            await self._sites.use(lambda store: store.save_health(records), len(records))
        return judged
