"""Making the text of a page, once there are other pages of its site to compare it with."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf

from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.body import Body
from denoise_scrapy.body.extraction import TOO_LARGE
from denoise_scrapy.crawl.budget import TIMEOUT, FetchBudget
from denoise_scrapy.crawl.fetching import Fetcher
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.crawl.parts import LOOK_AGAIN, Crawl
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.crawl.sites import SiteHealth, SiteMemory
from denoise_scrapy.crawl.workers import Workers
from denoise_scrapy.worker.extractor import Extracted, Extractor, Known, Wish

# Pages of the same template that make waiting and fetching unnecessary. Most of the gain comes with the first; a second
# distinguishes copies of the page from its template. In crawls of recorded sites, waiting for ten changes no F1.
ENOUGH = 2
# Maximum seconds an item waits while the crawl itself requests the site's first pages; as for fetches.
PAGES_WAIT = TIMEOUT
# Futile waits for pages of one site after which its items are no longer held back: a site with one page, or with one
# template per page, would stall the crawl.
PATIENCE = 3
# Scrapy's settings that end a crawl without an item for so many pages or seconds, and values below which no item waits:
# with its turn and its fetches the first may take thrice `PAGES_WAIT`, during which a fast crawl has 1,000 pages.
IMPATIENT = {"CLOSESPIDER_PAGECOUNT_NO_ITEM": 1000, "CLOSESPIDER_TIMEOUT_NO_ITEM": 60}
# Numbers of pages of a site at which it is judged during the crawl, which may run for weeks.
JUDGED_AT = frozenset({100, 1_000, 10_000, 100_000})
NO_FETCHES = (
    "No comparison pages are fetched, since the reactor is not an asyncio one; pages are compared only with other "
    "pages of the crawl"
)
NOT_JUDGED = (
    "%s is too large for its main text to be found: its items get all of its text. (Further such pages: "
    "denoise/body/fallback/too_large)"
)


@dataclass(eq=False)
class Bodies:
    """Makes the texts of pages, and counts the findings."""

    _crawl: Crawl
    _sites: SiteMemory
    _health: SiteHealth
    _budget: FetchBudget
    _pages: CrawledPages
    _workers: Workers
    keeps_versions = False  # whether a later crawl may ask what has changed

    def __post_init__(self) -> None:
        crawl = self._crawl
        self._fetcher = Fetcher(crawl, self._budget, self._pages, self._workers)
        limit_of = crawl.crawler.settings.getint
        self._is_patient = not any(0 < limit_of(name) < least for name, least in IMPATIENT.items())
        self.is_stopping = self._fetcher.is_stopping
        self._fallback = self._teacher = None
        self._body_below = 0.0  # confidence below which bodies are asked about
        if crawl.settings.fallback:
            from denoise_scrapy.crawl.fallback import Fallback  # noqa: PLC0415 - for crawls that have one

            self._fallback = Fallback(crawl)
            self._body_below = crawl.settings.fallback_below
        if crawl.settings.teacher:
            from denoise_scrapy.crawl.teacher import DOUBTED, Teacher  # noqa: PLC0415

            self._teacher, self._body_below = Teacher(crawl, self._workers), max(self._body_below, DOUBTED)

    async def text_of(self, page: CrawledPage, *, waits: bool = True) -> Extracted | None:
        """Return the text of a page, and other values of its items; None if it cannot be made.

        Unless it `waits`, it is compared with the pages that are known.
        """
        async with page.computing:  # items of a page are processed concurrently
            if page.text is None and page.source is not None:
                text = await self._made(page, waits=waits)
                page.text, page.source = text, None  # the HTML is no longer needed
                self._pages.recent.measure(page)
        return page.text

    async def body_of(self, page: CrawledPage) -> Body | None:
        """Return the whole body of a page, once; its items get their values from the same extraction."""
        page.wants_body = True
        text = await self.text_of(page)
        if text is None:
            return None
        page.text = text._replace(body=None)  # it may be larger than the page
        return text.body

    async def _made(self, page: CrawledPage, *, waits: bool) -> Extracted | None:
        """Extract a page.

        If fewer than `ENOUGH` known pages share its template, wait up to ``comparison_wait`` seconds, or up to
        `PAGES_WAIT` while the site has fewer pages of any template and the crawl is requesting some; then fetch.
        """
        tally = page.tally if page.is_ok else None  # pages with an error status do not count
        needed = min(ENOUGH, page.settings.most_compared)
        least = needed if page.record and waits and self._is_patient else 0
        if least and not is_asyncio_available():
            self._crawl.say_once("reactor", NO_FETCHES)
            least = 0
        wants_reading = tally is not None and tally.wants_reading()
        wish = Wish(least, wants_reading, self.keeps_versions, inf if page.wants_body else self._body_below)
        found: Extracted | Known | None = await self._workers.ask(Extractor.extract, page, wish)
        if isinstance(found, Known):
            after = await self._wait(page, found, needed)
            if max(found.mates, after.mates) < needed and self._fetcher.may_fetch(page):
                await self._fetcher.fetch(page, needed)
            found = await self._workers.ask(Extractor.extract, page, wish._replace(mates=0))
        if found is None or isinstance(found, Known):
            return None
        if self._teacher is not None:
            found = await self._teacher.revised(page, found, wish)
        confidence = int(found.confidence * 20 + 1e-9) / 20  # in steps of .05, for the stats
        lacking = found.lacks_styles and "pages/lacking_styles"
        self._crawl.count(f"body/confidence/{confidence:.2f}", lacking, found.taught)
        if tally is not None:
            tally.add(page.url, found.plain, found.reading, is_empty=not found.size, origin=page.origin)
            if tally.counts.pages in JUDGED_AT:
                await self._health.judge([page.site])
        if isinstance(found.error, ImportError):  # for fields from a request's meta, unknown at the start
            self._crawl.say_once("meta", "Fields from the meta of a request: %s", found.error)
        elif found.error is not None:
            self._crawl.report("meta", found.error, page.url)
        if found.fallback == TOO_LARGE:
            self._crawl.say_once("too_large", NOT_JUDGED, page.url)
        below = self._crawl.settings.fallback_below
        if self._fallback is not None and found.body is not None and found.body.confidence < below:
            found = await self._fallback.revised(page, found, found.body)
        return found if page.wants_body or found.body is None else found._replace(body=None)

    async def _wait(self, page: CrawledPage, known: Known, needed: int) -> Known:
        """Wait for pages of the crawl, and return what is known afterwards."""
        now, settings, record = asyncio.get_running_loop().time, page.settings, page.record
        if record is None or not settings.comparison_wait or record.vain_waits >= PATIENCE:
            return known
        self._crawl.count("comparison/waits")
        soon, arrived = now() + settings.comparison_wait, 0
        latest = max(soon, now() + PAGES_WAIT)
        while known.mates < needed and not self._fetcher.is_stopping():
            # A fetch would queue behind requests that may themselves return such pages. A rare template is not worth
            # the long wait: held items delay the crawl.
            requests = self._fetcher.is_crawl_requesting(page)
            if not requests and self._fetcher.is_crawl_held_up():
                break
            until = latest if requests and known.pages < needed else soon
            if now() >= until:
                record.vain_waits += 1
                break
            arrived += 1 if await self._sites.arrival(page.site, min(until - now(), LOOK_AGAIN)) else needed
            if known.mates + arrived >= needed:  # fewer cannot be enough
                known, arrived = await self._workers.ask(Extractor.known, page) or known, 0
        return known
