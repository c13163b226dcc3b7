"""What is remembered of all sites: their pages, and what was learned from the bodies of pages."""

from __future__ import annotations

import secrets
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.known_site import KnownSite
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.memory import PageMemory
from denoise_scrapy.site.patient_store import PatientStore
from denoise_scrapy.site.pauses import Pauses
from denoise_scrapy.site.rules_file import choose_pinned
from denoise_scrapy.site.store import SiteStore
from denoise_scrapy.site.stored_site import Merged
from denoise_scrapy.site.urls import site_key

#: Memory for what was learned, beside that for pages. A site takes 10 to 50 KB: hundreds of sites at a time; those
#: used longest ago leave, into the file where there is one.
MAX_BYTES = 16_000_000


def _ignore(error: Exception) -> None:
    """Take no notice."""


class SiteMemory:
    """Pages of sites, and learned templates, bounded in bytes; with a store it outlives the process.

    A site is read from the store when it is first entered: the facts of its newest pages go to the page memory, as
    comparison pages of the first page at once. What is saved is added to what other processes have saved, and the sums
    of all come back with it. An error of the store never comes out of here: it is told to `report`, and the memory goes
    on without the store, which is asked again after a pause.

    Args:
        pages: The page memory.
        store: The store; None: memory only.
        pinned: Rules by site that decide.
        report: Is told errors of the store.
        pauses: When a store that failed is asked again.
        max_bytes: Most bytes of what was learned, pages not counted.

    Attributes:
        pages: The page memory.
        counts: How often what happened; names as in the stats under `site_memory/`.
        nbytes: Bytes of what was learned, about.

    Example:
        >>> memory = SiteMemory(PageMemory(1_000_000, 8))
        >>> page = Page.parse("<div id=main><p>Story.</div><div>Menu</div>", url="http://a.example/1")
        >>> memory.remember(page)
        >>> memory.learn(page, np.array([1.0, 0.0]))
        []
        >>> print(memory.learned(page).rules()[0])
        #main: 100% of the votes, 1 page, 100% content
    """

    def __init__(
        self,
        pages: PageMemory,
        store: SiteStore | None = None,
        *,
        pinned: Mapping[str, Iterable[LearnedRule]] | None = None,
        report: Callable[[Exception], None] = _ignore,
        pauses: Pauses | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.pages = pages
        self.counts: Counter[str] = Counter()
        self._store = PatientStore(store, report, pauses or Pauses()) if store is not None else None
        self._pinned = {site: tuple(rules) for site, rules in (pinned or {}).items()}
        self._max_bytes = max_bytes
        self._name = secrets.token_hex(4)
        self._missed: set[str] = set()  # sites that could not be read when they were entered
        self._sites: OrderedDict[str, KnownSite] = OrderedDict()  # those used longest ago first
        self._nbytes: dict[str, int] = {}
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._sites)

    def enter(self, site: str) -> KnownSite:
        """What is known of a site, read from the store where this is the first call for it.

        Args:
            site: See `site_key`.
        """
        known = self._sites.get(site)
        if known is None or (site in self._missed and not known.unsaved and self._store and not self._store.rests):
            known = self._sites[site] = self._load(site)
            self._measure(site)
        self._sites.move_to_end(site)
        return known

    def remember(self, page: Page) -> None:
        """Keep a page to compare others with. A page without an http(s) URL is not kept."""
        site = site_key(page.url)
        if site:
            known = self.enter(site)
            known.forget_page(page.url)
            self.pages.remember(page)

    def learned(self, page: Page) -> LearnedTemplate | None:
        """What was learned of a page's template, None where it is none that is known."""
        site = site_key(page.url)
        return self.enter(site).template_of(page) if site else None

    def pinned(self, page: Page) -> LearnedRule | None:
        """The pinned rule for a page, None where there is none that finds its element in it."""
        site = site_key(page.url)
        rules = self._pinned.get(site, ())
        return choose_pinned(rules, page, self.enter(site)) if rules else None

    def learn(self, page: Page, probability: npt.NDArray[np.float64]) -> list[LearnedTemplate]:
        """Learn from a page's body.

        Args:
            page: A page of m blocks; without an http(s) URL nothing is learned from it.
            probability: How likely each block is content, shape (m,).

        Returns:
            Templates that have changed, as they were. What was learned of them is forgotten, and their pages of
            earlier crawls too.
        """
        site = site_key(page.url)
        if not site:
            return []
        known = self.enter(site)
        changed = known.learn(page, probability)
        self.counts["learned"] += 1
        for template in changed:
            for url in [url for url, name in known.inherited.items() if name == template.name]:
                self.pages.forget(url)
                known.forget_page(url)
        self._measure(site)
        return changed

    def save(self, *, at_once: bool = False) -> bool:
        """Add what was learned since the last call to the store, if there is one.

        Args:
            at_once: Also during the pause of a store that has failed.

        Returns:
            Whether the store was asked, or need not be.
        """
        return self._save([site for site, known in self._sites.items() if known.unsaved], at_once)

    def rules(self) -> dict[str, list[LearnedRule]]:
        """The learned rules of the sites in memory."""
        return {site: known.rules() for site, known in self._sites.items() if known.templates}

    def all_counts(self) -> dict[str, int]:
        """`counts` with those of the sites and of the store."""
        total = Counter(self.counts)
        for counts in (*(known.counts for known in self._sites.values()), self._store.counts if self._store else {}):
            total.update(counts)
        return {name: count for name, count in total.items() if count}

    def _load(self, site: str) -> KnownSite:
        found = self._store.read(site) if self._store is not None and site else None
        if found is None:
            self._missed.add(site)
            return KnownSite()
        self._missed.discard(site)
        stored, facts = found
        self.counts["loaded"] += bool(stored.templates)
        for _, page in facts:
            if page.url not in self.pages:
                self.pages.remember(page)
        return KnownSite(stored.templates, facts, stored)

    def _save(self, sites: Iterable[str], at_once: bool = False) -> bool:
        """See `save`."""
        what = {site: self._sites[site] for site in sites}
        if self._store is None or not what:
            return True
        if self._store.rests and not at_once:
            return False
        unsaved = {site: known.to_save(self._name, self.pages.pages(site)) for site, known in what.items()}
        self._store.save(unsaved, self._saved)
        for site, known in what.items():
            if known.unsaved:
                known.failed(unsaved[site])
        return True

    def _saved(self, site: str, merged: Merged) -> None:
        """Go on with what all processes have learned of a site."""
        for url in self._sites[site].saved(merged):
            self.pages.forget(url)
        self._missed.discard(site)
        self.counts["saved"] += 1
        self._nbytes_of(site)

    def _nbytes_of(self, site: str) -> None:
        now = self._sites[site].nbytes
        self.nbytes += now - self._nbytes.get(site, 0)
        self._nbytes[site] = now

    def _measure(self, site: str) -> None:
        """Note how much a site takes, and let others leave where all take too much."""
        self._nbytes_of(site)
        while self.nbytes > self._max_bytes and len(self._sites) > 1:
            oldest = next(name for name in self._sites if name != site)
            if self._sites[oldest].unsaved:
                self._save([oldest])
            self.counts.update(self._sites.pop(oldest).counts)
            self._missed.discard(oldest)
            self.nbytes -= self._nbytes.pop(oldest)
            self.counts["evicted/sites"] += 1
