"""The site memory of a crawl: opened at its start, saved when it idles, from time to time, and at its end."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.refusal import refusing_to_start
from denoise_scrapy.setting_values import ConfigurationError
from denoise_scrapy.site.facts_store import FAILURES, FactsStore, facts_store
from denoise_scrapy.site.memory import PageMemory, SiteMemory
from denoise_scrapy.stats import PREFIX
from denoise_scrapy.storage import BackOff, without_password

if TYPE_CHECKING:
    from denoise_scrapy.crawl.state import CrawlState
    from denoise_scrapy.page import Page
    from denoise_scrapy.settings import DenoiseSettings

SITES_FILE = "denoise-sites.sqlite"
# SQLite's own name for a database without a file.
NO_FILE = ":memory:"
# Pages between two saves: a killed crawl loses those that came since. A save takes some milliseconds a site.
SAVE_EVERY = 100


class SiteKeeper:
    """Loads and saves the site memory of a crawl. A fault of its store costs neither the crawl nor an item.

    Args:
        state: The crawl.
        pages: Its page memory.

    Attributes:
        memory: The site memory; without a store until `open` was called.
    """

    def __init__(self, state: CrawlState, pages: PageMemory):
        self._state = state
        self._pages = pages
        self._store: FactsStore | None = None
        self._unsaved = 0
        self.memory = SiteMemory(pages)

    def open(self) -> None:
        """Open the store.

        Raises:
            ConfigurationError: It is refused; the crawl does not start.
        """
        back_off = BackOff()
        with refusing_to_start(self._state.crawler):
            self._store = self._opened(back_off)
        self.memory = SiteMemory(self._pages, self._store, report=self._failed, back_off=back_off)

    def remember(self, page: Page) -> None:
        """Keep a page to compare others with, in this crawl and the next."""
        self.memory.remember(page)
        self._unsaved += 1
        if self._unsaved >= SAVE_EVERY:
            self.save()

    def save(self, *, at_once: bool = False) -> None:
        """Save what came since the last call, unless the store failed lately.

        Args:
            at_once: Whether it failed or not.
        """
        if not self.memory.save(at_once=at_once):
            return
        self._unsaved = 0
        for name, count in self.memory.all_counts().items():
            self._state.crawler.stats.set_value(f"{PREFIX}site_memory/{name}", count)

    def close(self) -> None:
        """Save, and close the store."""
        self.save(at_once=True)
        if self._store is not None:
            self._store.close()

    def _opened(self, back_off: BackOff) -> FactsStore | None:
        settings = self._state.settings
        place: str | None = settings.site_memory_path
        store: FactsStore | None = None
        try:
            place = sites_place(settings, job_dir(self._state.crawler.settings))
            if place is not None:
                store = facts_store(place, settings.dedup_redis_name)
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
        self._state.count("site_memory/failed")
        self._state.say_once(
            "site_memory",
            logging.WARNING,
            "Pages of sites cannot be kept in the site memory at present, and the crawl goes on without it: %s",
            error,
        )


def sites_place(settings: DenoiseSettings, directory: str | None) -> str | None:
    """Where the site memory lies, as `facts_store` reads it; None for in memory only.

    Args:
        settings: The crawl's.
        directory: Its job directory.
    """
    if settings.site_memory_path:
        return settings.site_memory_path if settings.site_memory_path != NO_FILE else None
    if settings.dedup_store == "redis":
        return f"{settings.dedup_redis_url}#{quote(settings.dedup_redis_name)}"
    if settings.dedup_path:
        return str(Path(settings.dedup_path).parent / SITES_FILE)
    return str(Path(directory, SITES_FILE)) if directory else None
