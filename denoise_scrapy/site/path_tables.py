"""The path tables of a crawl's sites, bounded in bytes."""

from __future__ import annotations

from collections import OrderedDict

from denoise_scrapy.page import PathTable

#: Bytes of all tables, where nothing else is said: those of 256 sites with .6 MB each, the mean of 27 recorded ones
#: (median .2, largest 4). A body with a new table takes a half longer: median 1.5 to 1.7 times on three corpora.
MAX_BYTES = 160_000_000
#: A table that takes more than this share of all is replaced, or a site with random names would push all others out.
SHARE = 0.25


class PathTables:
    """A table for each site; those used longest ago leave when all take too much.

    A table grows while pages are parsed with it: it is measured when the next page wants one, of whatever site. Pages
    that were parsed with a table that has left go on with their own paths (`PathTable.retire`), so that nothing of the
    others stays.

    Args:
        max_bytes: Most bytes of all tables, beside what the last page has added; 0: each page gets a new one.

    Attributes:
        nbytes: Bytes of all tables when they were measured last, about.
        evicted: Tables that have left.

    Example:
        >>> tables = PathTables()
        >>> tables.get("http://a.example:80") is tables.get("http://a.example:80"), len(tables)
        (True, 1)
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        if max_bytes < 0:
            raise ValueError(f"max_bytes must be >= 0, got {max_bytes}")
        self._max_bytes = max_bytes
        self._tables: OrderedDict[str, PathTable] = OrderedDict()  # those used longest ago first
        self._sizes: dict[str, int] = {}
        self.nbytes = 0
        self.evicted = 0

    def __len__(self) -> int:
        return len(self._tables)

    def get(self, site: str) -> PathTable:
        """The table that the next page of a site is to be parsed with.

        Args:
            site: See `site_key`.
        """
        self.measure()
        if site not in self._tables:
            self._tables[site] = PathTable()
        self._tables.move_to_end(site)
        return self._tables[site]

    def measure(self) -> None:
        """Take in what the table used last has grown by, and let tables leave where all take too much."""
        if not self._tables:
            return
        last, table = next(reversed(self._tables.items()))
        now = table.nbytes
        self.nbytes += now - self._sizes.get(last, 0)
        self._sizes[last] = now
        if table.full or now > SHARE * self._max_bytes:
            self._evict(last)
        while self.nbytes > self._max_bytes:
            self._evict(next(iter(self._tables)))

    def _evict(self, site: str) -> None:
        self._tables.pop(site).retire()
        self.nbytes -= self._sizes.pop(site)
        self.evicted += 1
