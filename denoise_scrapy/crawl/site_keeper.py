"""The site memory of a crawl: opened at its start, saved when it idles, from time to time, and at its end."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from denoise_scrapy.dedup.places import is_class_path
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.site.facts_store import FAILURES, FactsStore, facts_store
from denoise_scrapy.site.memory import PageMemory, SiteMemory
from denoise_scrapy.storage import SCHEMES, BackOff, without_password

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from denoise_scrapy.crawl.log import CrawlLog
    from denoise_scrapy.page import Page
    from denoise_scrapy.settings import DenoiseSettings

SITES_FILE = "denoise-sites.sqlite"
# SQLite's own name for a database without a file.
NO_FILE = ":memory:"
# Pages between two saves: a killed crawl loses those that came since. A save takes some milliseconds a site.
SAVE_EVERY = 100


class SiteKeeper:
    """Loads and saves the site memory of a crawl. A fault of its store costs neither the crawl nor an item.

    Attributes:
        memory: The site memory; without a store until `open` was called.
    """

    def __init__(self, crawler: Crawler, settings: DenoiseSettings, log: CrawlLog, pages: PageMemory):
        self._crawler = crawler
        self._settings = settings
        self._log = log
        self._pages = pages
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

    def remember(self, page: Page) -> None:
        """Keep a page to compare others with, in this crawl and the next."""
        self.memory.remember(page)
        self._unsaved += 1
        if self._unsaved >= SAVE_EVERY:
            self.save()

    def save(self, *, at_once: bool = False) -> None:
        """Save what came since the last call, unless the store failed lately; `at_once`: also then."""
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

    def _opened(self, back_off: BackOff) -> FactsStore | None:
        place: str | None = self._settings.site_memory_path
        store: FactsStore | None = None
        try:
            place = sites_place(self._settings, job_dir(self._crawler.settings))
            if place is not None:
                store = facts_store(place)
                store.open()
        except (ValueError, FileNotFoundError, ImportError) as error:
            raise ConfigurationError(f"the site memory {without_password(place or '')}: {error}") from error
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
