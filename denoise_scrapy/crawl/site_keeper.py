"""Between the crawl and the site memory: where it lies, when it is saved, what is said of it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.sites_place import SitesPlace, sites_place
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site.patient_store import FAILURES
from denoise_scrapy.site.pauses import Pauses
from denoise_scrapy.site.site_memory import SiteMemory

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from denoise_scrapy.body import Body
    from denoise_scrapy.crawl.log import CrawlLog
    from denoise_scrapy.page import Page
    from denoise_scrapy.settings import DenoiseSettings
    from denoise_scrapy.site import PageMemory
    from denoise_scrapy.site.learned_rule import LearnedRule
    from denoise_scrapy.site.learned_template import LearnedTemplate
    from denoise_scrapy.site.store import SiteStore

logger = logger_of(__name__)

# Bodies between two saves: a killed crawl loses what it learned of as many; a save takes some milliseconds a site.
SAVE_EVERY = 100


class SiteKeeper:
    """The site memory of a crawl, loaded at its start, saved when it idles, from time to time, and at its end.

    Args:
        crawler: The crawl.
        settings: Its settings.
        log: Its log.
        pages: Its page memory.

    Attributes:
        memory: The site memory; without a file until `open` was called.
    """

    def __init__(self, crawler: Crawler, settings: DenoiseSettings, log: CrawlLog, pages: PageMemory):
        self._crawler = crawler
        self._settings = settings
        self._log = log
        self._pages = pages
        self.memory = SiteMemory(pages)
        self._store: SiteStore | None = None
        self._unsaved = 0

    def open(self) -> None:
        """Open the store.

        Raises:
            ConfigurationError: It is refused.
        """
        pauses = Pauses()
        self._store = self._opened(pauses)
        pinned = self._pinned(pauses)
        self.memory = SiteMemory(self._pages, self._store, pinned=pinned, report=self._failed, pauses=pauses)

    def learn(self, page: Page, body: Body) -> None:
        """Learn from a page's body, unless it is all of the page for want of better."""
        if body.evidence == "whole text" or not len(body.probability):
            return
        try:
            for template in self.memory.learn(page, body.probability):
                self._say_changed(template)
        except Exception as error:  # the body is there: it must not be lost by what it teaches
            self._log.report("site_memory", error)
        self._unsaved += 1
        if self._unsaved >= SAVE_EVERY:
            self.save()

    def save(self, *, at_once: bool = False) -> None:
        """Add what was learned since the last save to the store, unless that rests.

        Args:
            at_once: Whether it may rest or not.
        """
        if not self.memory.save(at_once=at_once):
            return
        self._unsaved = 0
        for name, count in self.memory.all_counts().items():
            self._log.set(f"site_memory/{name}", count)

    def close(self) -> None:
        """Save, and close the store."""
        self.save(at_once=True)
        if self._store is not None:
            self._store.close()

    def _opened(self, pauses: Pauses) -> SiteStore | None:
        place: SitesPlace | str | None = self._settings.site_memory_path
        try:
            place = sites_place(self._settings, job_dir(self._crawler.settings))
            store = None if place is None else place.store()
            if store is not None:
                store.open()
        except (ValueError, FileNotFoundError, ImportError) as error:
            raise ConfigurationError(f"the site memory {place}: {error}") from error
        except FAILURES as error:  # perhaps it works later
            pauses.failed()
            self._failed(error)
        if store is not None and store.read_only is not None:
            self._failed(store.read_only)
        return store

    def _pinned(self, pauses: Pauses) -> dict[str, list[LearnedRule]]:
        """Pinned rules of the store by site."""
        try:
            return {
                s: list(rules) for s, rules in (self._store.pinned() if self._store and pauses.over else {}).items()
            }
        except FAILURES as error:
            pauses.failed()
            self._failed(error)
            return {}

    def _say_changed(self, template: LearnedTemplate) -> None:
        logger.info(
            "The template of pages like %s has changed: what was learned from %d bodies is forgotten",
            template.example,
            template.pages,
            extra=self._log.extra,
        )

    def _failed(self, error: Exception) -> None:
        self._log.count("site_memory/failed")
        self._log.say_once(
            "site_memory",
            logging.WARNING,
            "What is learned of sites cannot be kept in its store at present, and the crawl goes on without: %s",
            error,
        )
