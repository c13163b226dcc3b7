"""The site memory's file: what was learned of sites, and facts of their newest pages, in SQLite."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from denoise_scrapy.site import store
from denoise_scrapy.site.known_site import MAX_FACTS
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.merging import merge
from denoise_scrapy.site.rows import constants
from denoise_scrapy.site.site_tables import (
    FACTS_OF_SITE,
    HEAD_OF_SITE,
    SITES,
    TEMPLATES_OF_SITE,
    facts_of,
    pins_of,
    plain,
    put_facts,
    put_head,
    put_pins,
    put_template,
    template_of,
)
from denoise_scrapy.site.store import Facts, SiteStore
from denoise_scrapy.site.stored_site import Merged, StoredSite, Unsaved, site_of
from denoise_scrapy.storage import connect, connect_to_read

#: Others hold the file for some milliseconds, unless they are stuck; the crawl stands still meanwhile.
BUSY_SECONDS = 1.0


class SQLiteSiteStore(SiteStore):
    """What outlives a crawl, in a file that several processes of one machine may share.

    A file that cannot be written is read as it is.

    Args:
        path: The file. Created where there is none.

    Example:
        >>> import tempfile
        >>> from denoise_scrapy.site.learned_template import LearnedTemplate
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = SQLiteSiteStore(folder + "/sites.sqlite")
        ...     template = LearnedTemplate(frozenset({1, 2}), pages=3)
        ...     (saved,) = store.save({"http://a.example:80": Unsaved((template,))})
        ...     templates, facts = store.load("http://a.example:80")
        ...     store.close()
        >>> templates[0].pages, facts
        (3, [])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(str(path))
        self._file = self.path = Path(path)
        self._link: sqlite3.Connection | None = None

    def open(self) -> None:
        """See `SiteStore.open` and `denoise_scrapy.storage.connect`."""
        if self._link is not None:
            return
        self.read_only = None
        try:
            self._link = connect(self._file, SITES, constants(), BUSY_SECONDS)
        except sqlite3.OperationalError as error:
            self._link = connect_to_read(self._file, SITES, constants(), BUSY_SECONDS)
            if self._link is None:
                raise
            self.read_only = error
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{error}. Move it away, or restore it; it has not been touched.") from error

    def exists(self) -> bool:
        """See `SiteStore.exists`."""
        return self._file.is_file() and self._file.stat().st_size > 0

    def close(self) -> None:
        """See `SiteStore.close`."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def sites(self) -> list[str]:
        """See `SiteStore.sites`."""
        rows = self._ready.execute("SELECT site FROM templates UNION SELECT site FROM pins ORDER BY site")
        return [site for (site,) in rows]

    def pinned(self) -> dict[str, list[LearnedRule]]:
        """See `SiteStore.pinned`."""
        found = {}
        for site, text in self._ready.execute("SELECT site, rules FROM pins ORDER BY site").fetchall():
            with self._skipping():
                found[site] = pins_of(text)
        return found

    def pin(self, site: str, change: Callable[[list[LearnedRule]], Sequence[LearnedRule]]) -> None:
        """See `SiteStore.pin`."""
        with self._transaction() as link:
            put_pins(link, plain(site), change(self.pinned().get(plain(site), [])))

    def read(self, site: str) -> tuple[StoredSite, Facts]:
        """See `SiteStore.read`."""
        facts: Facts = []
        with self._snapshot() as link:
            stored = self._stored(link, plain(site))
            rows = link.execute(FACTS_OF_SITE, (plain(site),)).fetchall()
        for row in rows:
            with self._skipping():
                facts.append(facts_of(row))
        return stored, facts

    def save(self, sites: Mapping[str, Unsaved]) -> Iterator[tuple[str, Merged]]:
        """See `SiteStore.save`. A transaction for each site: others wait for none but that."""
        for site, ours in sites.items():
            with self._transaction() as link:
                merged = merge(ours, self._stored(link, plain(site), ours.base))
                self._write(link, plain(site), merged)
                ours.sent = True
            yield site, merged

    def names(self, site: str) -> set[str]:
        """See `SiteStore.names`."""
        query = "SELECT name FROM templates WHERE site = ? UNION SELECT template FROM facts WHERE site = ?"
        return {str(name) for (name,) in self._ready.execute(query, (plain(site), plain(site)))}

    def _stored(self, link: sqlite3.Connection, site: str, known: StoredSite | None = None) -> StoredSite:
        """The site as it is in the file; `known`, if that is still what it was."""
        version, head = link.execute(HEAD_OF_SITE, (site,)).fetchone() or ("", "")
        if known is not None and version and version == known.version:
            return known
        templates = []
        for row in link.execute(TEMPLATES_OF_SITE, (site,)).fetchall():
            with self._skipping():
                templates.append(template_of(row))
        with self._skipping():
            return site_of(tuple(templates), version, head)
        return StoredSite(tuple(templates), version)

    def _write(self, link: sqlite3.Connection, site: str, merged: Merged) -> None:
        now = time.time()
        for name in merged.gone:
            link.execute("DELETE FROM templates WHERE site = ? AND name = ?", (site, name))
            link.execute("DELETE FROM facts WHERE site = ? AND template = ?", (site, name))
        for number, template in enumerate(merged.written):
            put_template(link, site, template, now + number / 1e3)
        for name, page in merged.facts:
            put_facts(link, site, name, page, MAX_FACTS)
        put_head(link, site, merged.site)
        self._make_room(link)

    def _make_room(self, link: sqlite3.Connection) -> None:
        while _used_bytes(link) > store.MAX_BYTES:
            oldest = link.execute("SELECT site FROM templates GROUP BY site ORDER BY max(saved) LIMIT 1").fetchone()
            if oldest is None:
                return
            for table in ("templates", "facts", "sites"):
                link.execute(f"DELETE FROM {table} WHERE site = ?", oldest)
            self.counts["evicted/saved_sites"] += 1

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """What is written inside is written wholly or not at all, and nobody else writes meanwhile."""
        if self.read_only is not None:  # perhaps it can be written by now
            self.close()
        link = self._ready
        link.execute("BEGIN IMMEDIATE")
        try:
            yield link
            link.execute("COMMIT")
        except BaseException:
            if link.in_transaction:  # a full disk has ended it already
                link.execute("ROLLBACK")
            raise

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """What is read inside is of one moment."""
        link = self._ready
        within = link.in_transaction
        if not within:
            link.execute("BEGIN")
        try:
            yield link
        finally:
            if link.in_transaction and not within:
                link.execute("ROLLBACK")

    @property
    def _ready(self) -> sqlite3.Connection:
        if self._link is None:
            self.open()
        assert self._link is not None
        return self._link


def _used_bytes(link: sqlite3.Connection) -> int:
    pages, free, size = (
        int(link.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
