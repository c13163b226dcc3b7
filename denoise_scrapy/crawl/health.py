"""The health of the sites of a crawl: counted while it runs, compared with their last crawls, logged and kept."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from denoise_scrapy.core.sharing import share
from denoise_scrapy.site import site_key
from denoise_scrapy.site.health import ALIKE, SiteCrawl, SiteTally, alarms, read_record, record_of

if TYPE_CHECKING:
    from denoise_scrapy.crawl.base import CrawlLog
    from denoise_scrapy.crawl.sites import SiteMemory
    from denoise_scrapy.page import Page
    from denoise_scrapy.site.health import PageReading

# Sites counted at a time. One takes 30 to 100 KB where it has many pages, so these take 100 MB at the very most.
MOST_SITES = 1_000
# Pages of a site after which it is judged while the crawl runs, which may go on for weeks.
JUDGED_AT = frozenset({100, 1_000, 10_000, 100_000})
# Other pages on which a text stands, and these are most of the site, from which it is not the item's own; share of the
# page's words that they have, for menus mark the page they are on.
SEVERAL, SAME = 3, 0.95
# Sites with stats of their own, the worst ones.
WORST = 10
SAID = "%s may have changed: %s. `scrapy denoise health %s` shows its last crawls"


class SiteHealth:
    """Counts what a crawl brings of each site, and judges it.

    Of sites beyond `MOST_SITES` those with too few pages to be judged are forgotten, the oldest first; where there are
    none, new sites are not counted. `left_out` counts sites forgotten, and pages and items of sites not counted.
    """

    def __init__(self, log: CrawlLog, sites: SiteMemory) -> None:
        self.left_out = 0
        self._log = log
        self._sites = sites
        self._began = time.time()
        self._small: OrderedDict[str, SiteTally] = OrderedDict()  # with too few pages to be judged
        self._large: dict[str, SiteTally] = {}

    @property
    def nbytes(self) -> int:
        """About what is held, in bytes."""
        return sum(tally.nbytes for tallies in (self._small, self._large) for tally in tallies.values())

    def count(self, url: str, name: str) -> None:
        """Add to a count of the site of a URL: an attribute of `SiteTally`."""
        tally = self._tally(site_key(url))
        if tally is not None:
            setattr(tally, name, getattr(tally, name) + 1)

    async def add(self, url: str, reading: PageReading) -> None:
        """Count a page that was extracted."""
        site = site_key(url)
        tally = self._tally(site)
        if tally is None:
            return
        tally.add(reading)
        if site in self._small and tally.is_enough:
            self._large[site] = self._small.pop(site)
        if tally.pages in JUDGED_AT:
            await self._judge([site])

    def is_no_content(self, page: Page, text: str) -> bool:
        """Return whether the text of a page, which an item of another page has too, is that of a wall or an error page.

        It is where it stands on most others of the site, or of the last pages of this crawl; and at once where all
        pages of its template have it, while the site has others. Addresses of one path are one page, whatever
        parameters they have.
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
                # a wall has few containers, which most pages have too: so the share is that of the page with more
                sizes = containers, len(other.facts.signature)
                mates |= {path} if likeness * min(sizes) >= ALIKE * max(sizes) else set()
        if mates and all(same[path] for path in mates) and len(same) >= len(mates) + SEVERAL:
            return True
        tally = self._tally(site_key(page.url))
        is_repeated = tally is not None and tally.is_repeated(page.url, text)
        return is_repeated or sum(same.values()) >= max(SEVERAL, len(same) / 2)

    async def finish(self) -> None:
        """Judge all sites, and set the stats; to be called before the store of sites is closed."""
        judged = await self._judge([*self._large, *self._small])
        self._log.set("health/sites", sum(crawl.is_enough for crawl in judged.values()))
        self._log.set("health/alarms", sum(bool(crawl.alarms) for crawl in judged.values()))
        for site, crawl in sorted(judged.items(), key=_badness, reverse=True)[:WORST]:
            host = site.partition("://")[2]
            for name in ("pages", "items", "empty", "copies", "no_content", "common", "same"):
                self._log.set(f"site/{host}/{name}", getattr(crawl, name))
            self._log.set(f"site/{host}/confidence", crawl.confidence.median)
            self._log.set(f"site/{host}/length", crawl.length.median)
            self._log.set(f"site/{host}/alarms", "; ".join(crawl.alarms))

    def _tally(self, site: str) -> SiteTally | None:
        found = self._large.get(site) or self._small.get(site)
        if found is not None or not site:
            return found
        if len(self._small) + len(self._large) >= MOST_SITES:
            self.left_out += 1
            if not self._small:
                return None
            self._small.popitem(last=False)
        self._small[site] = SiteTally(self._began)
        return self._small[site]

    async def _judge(self, sites: Sequence[str]) -> dict[str, SiteCrawl]:
        """Compare sites with their last crawls, log what is wrong, and keep what this one brought so far."""
        judged, records = {}, {}
        if not sites:
            return {}
        kept = await self._sites.use(lambda store: {site: store.health(site) for site in sites}, len(sites)) or {}
        for site in sites:
            tally = self._large.get(site) or self._small[site]
            earlier = [one for one in self._read(kept.get(site, b"")) if one.began != self._began]
            crawl, before = tally.crawl(), [one for one in earlier if one.ended <= self._began]
            crawl = judged[site] = replace(crawl, alarms=tuple(alarms(crawl, before)), ended=time.time())
            if crawl.alarms:
                host = site.partition("://")[2]
                self._log.say_once(f"health/{site}", logging.WARNING, SAID, site, "; ".join(crawl.alarms), host)
            if crawl.is_enough or crawl.alarms:
                records[site] = record_of([*earlier, crawl])
        if records:
            await self._sites.use(lambda store: store.save_health(records), len(records))
        return judged

    def _read(self, record: bytes) -> list[SiteCrawl]:
        try:
            return read_record(record)
        except ValueError:
            self._log.count("site_memory/corrupt")
            return []


def _badness(judged: tuple[str, SiteCrawl]) -> tuple[int, float, float]:
    crawl = judged[1]
    return len(crawl.alarms), crawl.empty / max(1, crawl.pages), -crawl.confidence.median
