"""A site store that a crawl can rely on to fail: its errors are told, and it is asked again after a pause."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from denoise_scrapy.site.pauses import Pauses
from denoise_scrapy.site.store import Facts, SiteStore
from denoise_scrapy.site.stored_site import Merged, StoredSite, Unsaved
from denoise_scrapy.storage import StoreMismatch

#: What a store may fail with while it is in use. One of another version may take its place any time.
FAILURES = (sqlite3.Error, OSError, StoreMismatch)


class PatientStore:
    """Reads from a store and saves to it; no error of the store comes out of here.

    Args:
        store: The store.
        report: Is told its errors.
        pauses: When it is asked again.
    """

    def __init__(self, store: SiteStore, report: Callable[[Exception], None], pauses: Pauses) -> None:
        self._store = store
        self._report = report
        self._pauses = pauses

    @property
    def counts(self) -> Mapping[str, int]:
        """See `SiteStore.counts`."""
        return self._store.counts

    @property
    def rests(self) -> bool:
        """Whether it is not to be asked now."""
        return not self._pauses.over

    def read(self, site: str) -> tuple[StoredSite, Facts] | None:
        """See `SiteStore.read`; None where it rests or fails."""
        if self.rests:
            return None
        with self._asking(1):
            return self._store.read(site)
        return None

    def save(self, sites: Mapping[str, Unsaved], done: Callable[[str, Merged], None]) -> None:
        """See `SiteStore.save`; also where it rests.

        Args:
            sites: What was learned, by site.
            done: Is told each site that was saved, and what has become of it.
        """
        with self._asking(len(sites)):
            for site, merged in self._store.save(sites):
                done(site, merged)

    @contextmanager
    def _asking(self, sites: int) -> Iterator[None]:
        begin = time.monotonic()
        try:
            yield
        except FAILURES as error:
            self._pauses.failed()
            self._report(error)
        else:
            self._pauses.worked(time.monotonic() - begin, sites)
