"""The site memory's file: what was learned of sites, and facts of their newest pages, in SQLite."""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from denoise_scrapy.page import PageFacts
from denoise_scrapy.site.known_site import MAX_FACTS
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rows import constants
from denoise_scrapy.site.site_tables import (
    FACTS_OF_SITE,
    SITES,
    TEMPLATES_OF_SITE,
    facts_of,
    pins_of,
    plain,
    put_facts,
    put_pins,
    put_template,
    template_of,
)
from denoise_scrapy.storage import connect

#: Sites saved longest ago leave a file that is larger. A site takes some 30 to 100 KB: room for thousands of them.
MAX_FILE_BYTES = 256_000_000
#: Only a stuck process holds the file for longer than this; the crawl stands still meanwhile.
BUSY_SECONDS = 2.0


class SiteStore:
    """What outlives a crawl. Of a site, the crawl that saves last is believed; different sites do not meet.

    Args:
        path: The file. Created where there is none.

    Attributes:
        counts: How often what happened: "corrupt" rows that were skipped, "evicted/saved_sites".

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = SiteStore(folder + "/sites.sqlite")
        ...     store.open()
        ...     with store.transaction():
        ...         store.save("http://a.example:80", [LearnedTemplate(frozenset({1, 2}), pages=3)], [], ())
        ...     templates, facts = store.load("http://a.example:80")
        ...     store.close()
        >>> templates[0].pages, facts
        (3, [])
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.counts: Counter[str] = Counter()
        self._link: sqlite3.Connection | None = None

    def open(self) -> None:
        """Make the file ready; see `denoise_scrapy.storage.connect` for what it raises."""
        if self._link is None:
            self._link = connect(self.path, SITES, constants(), BUSY_SECONDS)

    def close(self) -> None:
        """Let go of the file. A second call does nothing."""
        if self._link is not None:
            self._link.close()
            self._link = None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """What is saved inside is saved wholly or not at all.

        Raises:
            sqlite3.Error: The file cannot be written.
        """
        link = self._connection
        link.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._make_room()
            link.execute("COMMIT")
        except BaseException:
            if link.in_transaction:  # a full disk has ended it already
                link.execute("ROLLBACK")
            raise

    def sites(self) -> list[str]:
        """The sites of which something was learned, or that have pinned rules, by name."""
        rows = self._connection.execute("SELECT site FROM templates UNION SELECT site FROM pins ORDER BY site")
        return [site for (site,) in rows]

    def pinned(self) -> dict[str, list[LearnedRule]]:
        """The pinned rules by site. They stay whatever is learned or makes room.

        Raises:
            sqlite3.Error: The file cannot be read.
        """
        found = {}
        for site, text in self._connection.execute("SELECT site, rules FROM pins ORDER BY site").fetchall():
            with self._skipping():
                found[site] = pins_of(text)
        return found

    def pin(self, site: str, rules: Sequence[LearnedRule]) -> None:
        """Write the pinned rules of a site in place of those it had; inside a `transaction`."""
        put_pins(self._connection, plain(site), rules)

    def forget(self, site: str, template: str | None = None) -> None:
        """Delete what was learned of a site, or of one template of it; inside a `transaction`. Pinned rules stay."""
        for table, column in (("templates", "name"), ("facts", "template")):
            which = f"site = ? AND {column} = coalesce(?, {column})"
            self._connection.execute(f"DELETE FROM {table} WHERE {which}", (plain(site), template))

    def load(self, site: str) -> tuple[list[LearnedTemplate], list[tuple[str, PageFacts]]]:
        """What is known of a site; rows that cannot be read are skipped and counted.

        Args:
            site: See `site_key`.

        Returns:
            Its templates, those saved longest ago first, and facts of their newest pages, oldest first, with the
            names of their templates.

        Raises:
            sqlite3.Error: The file cannot be read.
        """
        templates, facts = [], []
        for row in self._connection.execute(TEMPLATES_OF_SITE, (plain(site),)).fetchall():
            with self._skipping():
                templates.append(template_of(row))
        for row in self._connection.execute(FACTS_OF_SITE, (plain(site),)).fetchall():
            with self._skipping():
                facts.append(facts_of(row))
        return templates, facts

    def save(
        self,
        site: str,
        templates: Iterable[LearnedTemplate],
        facts: Iterable[tuple[str, PageFacts]],
        gone: Iterable[str],
    ) -> None:
        """Save what is known of a site; inside a `transaction`.

        Args:
            site: See `site_key`.
            templates: All its templates, those used longest ago first.
            facts: New facts, oldest first, with the names of their templates. Older ones stay while there is room.
            gone: Names of templates to forget with their facts, before anything is written.
        """
        link, site, now = self._connection, plain(site), time.time()
        for name in gone:
            link.execute("DELETE FROM templates WHERE site = ? AND name = ?", (site, name))
            link.execute("DELETE FROM facts WHERE site = ? AND template = ?", (site, name))
        for number, template in enumerate(templates):
            put_template(link, site, template, now + number / 1e3)
        for name, page in facts:
            put_facts(link, site, name, page, MAX_FACTS)

    def _make_room(self) -> None:
        link = self._connection
        while self._used_bytes() > MAX_FILE_BYTES:
            oldest = link.execute("SELECT site FROM templates GROUP BY site ORDER BY max(saved) LIMIT 1").fetchone()
            if oldest is None:
                return
            for table in ("templates", "facts"):
                link.execute(f"DELETE FROM {table} WHERE site = ?", oldest)
            self.counts["evicted/saved_sites"] += 1

    def _used_bytes(self) -> int:
        pages, free, size = (
            int(self._connection.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (pages - free) * size

    @contextmanager
    def _skipping(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError):  # written by no version of ours
            self.counts["corrupt"] += 1

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._link is None:
            raise ValueError(f"site memory {self.path} is not open")
        return self._link
