"""Pages to compare a page with: from the crawl where it has brought some, else fetched."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from scrapy.utils.asyncio import is_asyncio_available
from w3lib.url import safe_url_string

from denoise_scrapy.body import find_strategy
from denoise_scrapy.crawl.comparison.fetching import TIMEOUT, SiblingFetcher
from denoise_scrapy.site import page_identity, sibling_links, site_key, url_likeness
from denoise_scrapy.site.template import SAME_TEMPLATE, template_similarity

if TYPE_CHECKING:
    from denoise_scrapy.crawl.log import CrawlLog
    from denoise_scrapy.crawl.pages import CrawledPage, CrawledPages
    from denoise_scrapy.page import Page, PageFacts
    from denoise_scrapy.site import PageMemory

# Pages of its template that a page is to be compared with before any is fetched. Most of the gain comes with the first;
# a second distinguishes copies of the page from its template.
ENOUGH = 2
# Seconds that an item waits while the crawl itself asks the site for its first pages; as long as fetches may take.
LONGEST_WAIT = TIMEOUT
# Links tried for one page: a site that forbids or redirects this many siblings will not give one.
CANDIDATES = 8
# URLs of one template differ in an identifier, a slug, a date: that leaves this likeness and more.
LIKE = 0.8
# Waits in vain for pages of one site, after which its items are not held back any more: a site of one page,
# or of a template a page, would hold back the crawl.
PATIENCE = 3
LOOK_AGAIN = 0.25  # seconds between two looks at whether the crawl still asks a site for pages


class ComparisonPages:
    """Gives comparison pages, and fetches some only while a site has too few.

    Args:
        log: The crawl's.
        memory: Its pages to compare with.
        pages: Its pages.
        fetcher: Fetches more.
    """

    def __init__(self, log: CrawlLog, memory: PageMemory, pages: CrawledPages, fetcher: SiblingFetcher):
        self._log = log
        self._memory = memory
        self._pages = pages
        self._fetcher = fetcher
        self._site_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def pages_for(self, crawled: CrawledPage) -> list[Page | PageFacts]:
        """Return pages of the site to compare with, the most alike first; at times none.

        Where fewer than `ENOUGH` share the page's template, waits up to ``comparison_wait`` seconds for the crawl to
        bring some, and, while the site has fewer pages of any template and the crawl is asking for some, up to
        `LONGEST_WAIT` seconds; then fetches.
        """
        settings, site = crawled.settings, site_key(crawled.page.url)
        usable = find_strategy(settings.strategy).comparison_pages
        needed = min(ENOUGH, settings.comparison_pages, usable)
        known = self._known(crawled)
        if _mates(crawled.page, known) >= needed:
            self._log.count("comparison/from_memory", int(needed > 0))
        elif site and self._may_wait():
            await self._wait(crawled, site, needed)
            if self._lacks(crawled, needed) and settings.comparison_fetch:
                await self._fetch(crawled, site, needed)
            known = self._known(crawled)
        if needed and not known:
            self._log.count("comparison/none")
        return known

    def _lacks(self, crawled: CrawledPage, needed: int) -> bool:
        return _mates(crawled.page, self._known(crawled)) < needed

    def _known(self, crawled: CrawledPage) -> list[Page | PageFacts]:
        k = crawled.settings.comparison_pages
        return self._memory.comparison_pages(crawled.page, k, whole=_whole(crawled)) if k else []

    def _may_wait(self) -> bool:
        if is_asyncio_available():
            return True
        self._log.say_once(
            "reactor",
            logging.WARNING,
            "No comparison pages are fetched, since the reactor is not an asyncio one; pages are "
            "compared with those the crawl brings",
        )
        return False

    async def _wait(self, crawled: CrawledPage, site: str, needed: int) -> None:
        now, settings = asyncio.get_running_loop().time, crawled.settings
        record = self._fetcher.records.site(site)
        if not settings.comparison_wait or record.vain_waits >= PATIENCE:
            return
        self._log.count("comparison/waits")
        soon = now() + settings.comparison_wait
        latest = max(soon, now() + LONGEST_WAIT)
        while self._lacks(crawled, needed) and not self._fetcher.stopping():
            # A fetch would queue behind requests that may bring pages themselves.
            # A rare template is not worth the long wait: items held back hold back the crawl.
            few = len(self._known(crawled)) < needed
            until = latest if few and self._fetcher.crawl_is_asking(crawled) else soon
            if now() >= until:
                record.vain_waits += 1
                return
            await self._pages.arrival(site, min(until - now(), LOOK_AGAIN))

    async def _fetch(self, crawled: CrawledPage, site: str, needed: int) -> None:
        record = self._fetcher.records.site(site)
        lock = self._site_locks.setdefault(site, asyncio.Lock())
        async with lock:
            # others may have fetched, or given the site up; then the links need not be looked at
            if record.given_up or not self._lacks(crawled, needed):
                return
            for url in self._candidates(crawled, needed):
                if record.given_up or not self._lacks(crawled, needed) or self._fetcher.stopping():
                    return
                if not self._fetcher.budget.affords(site):
                    self._log.count("comparison/over_budget")
                    return
                await self._fetcher.fetch(url, crawled)

    def _candidates(self, crawled: CrawledPage, needed: int) -> list[str]:
        """Return links to siblings; first those the spider asks for too, which cost nothing.

        A page that has others of its site to compare with, only not of its template, is worth no guess:
        then only URLs much like its own are tried, and few.
        """
        known = bool(self._known(crawled))
        own = {page_identity(url) for url in crawled.urls}
        links = [
            url
            for url in map(safe_url_string, sibling_links(crawled.page, CANDIDATES, self._pages.visited))
            if page_identity(url) not in own
            and not self._fetcher.records.tried(url)
            and url not in self._memory
            and (not known or url_likeness(crawled.page.url, url) >= LIKE)
        ]
        links.sort(key=lambda url: url not in crawled.requested)
        return links[:needed] if known else links


def _mates(page: Page, known: Iterable[Page | PageFacts]) -> int:
    """Count the pages that share the template of a page."""
    return sum(template_similarity(page, other) > SAME_TEMPLATE for other in known)


def _whole(crawled: CrawledPage) -> bool:
    return find_strategy(crawled.settings.strategy).needs_elements
