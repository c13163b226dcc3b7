"""Facts of the newest pages of sites, stored for the next crawl: one table in a SQLite file or on a Redis server."""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import override

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.memory import (
    FACTS_FORMAT,
    MAX_PAGE_BYTES,
    PAGES_A_SITE,
    SAME_TEMPLATE,
    constants,
    read_facts,
    template_similarity,
)
from denoise_scrapy.support.storage import SCHEMES, FileKind, RedisLink, check_opened, connect, connect_to_read, opening

# Pages kept per template: as many as a page is compared with.
PAGES_A_TEMPLATE = 5
# Above this many bytes those kept longest are evicted. A page has some 4 KB: room for fifteen hundred sites.
MAX_BYTES = 256_000_000
# Seconds that a page is kept, 90 days: sites change their template, and old pages no longer match. A guess.
MAX_AGE = 90 * 86_400.0
# Seconds to wait for another process that writes to the file, which takes milliseconds, and for an answer of the
# server, which takes one: meanwhile the crawl is blocked.
BUSY_SECONDS = TIMEOUT = 1.0
# Sites that are written at a time: some 2 MB.
BATCH = 32
# Stands for a URL in the row with the record of a site's health.
HEALTH = "health:"

# Errors of a store in use. A store of another version, or a damaged file, may replace it at any time.
FAILURES = (sqlite3.Error, OSError, ValueError)


class KeptSite(NamedTuple):
    """A site with kept pages, see `site_key`."""

    site: str
    pages: int
    newest: float  # time of the newest row, in seconds since 1970
    nbytes: int  # of all rows
    has_health: bool  # whether there is a record of it


Change = tuple[str, Sequence[str], Sequence[tuple[str, bytes]]]  # site, URLs to delete, rows to put


class FactsStore(ABC):
    """Storage interface for facts of pages. Any number of processes may use one store.

    Attributes:
        place: Where it is, for messages.
        counts: Stats: rows that were skipped, and pages or sites that were evicted for want of room.
        read_only: Reason why nothing can be saved, None if it can.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.counts: Counter[str] = Counter()
        self.read_only: Exception | None = None

    @abstractmethod
    def open(self) -> None:
        """Open the store; create it if there is none. The other methods do so too, if this has failed.

        Raises:
            StoreMismatch: It was written by another version, or by another program.
            ValueError: It is damaged.
            sqlite3.Error, OSError: It cannot be reached; the other methods raise these too.
        """

    @abstractmethod
    def exists(self) -> bool:
        """Return whether there is a store, which `open` would otherwise create."""

    @abstractmethod
    def close(self) -> None:
        """Close the store. A second call does nothing."""

    def sites(self) -> list[KeptSite]:
        """Return the sites with kept pages, sorted by name."""
        return sorted(site for site in self._listed() if site.pages)

    def load(self, site: str) -> list[PageFacts]:
        """Return the facts of a site's pages, oldest first; damaged rows are skipped and counted."""
        return list(self._unpacked(islice(self._rows(site), PAGES_A_SITE)))[::-1]

    def save(self, sites: Mapping[str, Sequence[PageFacts]]) -> int:
        """Save pages, newest first, by site; a page replaces the one with its URL. Return the number of sites."""
        changes = [(site, (), [(_plain(facts.url), facts.data) for facts in pages]) for site, pages in sites.items()]
        # before the next batch, which would evict other sites to make room for pages to be deleted
        for site, count in zip(sites, self._written(changes), strict=True):
            if count > PAGES_A_SITE:
                rows = list(self._rows(site))
                kept = {facts.url for facts in newest_of_each(self._unpacked(rows))}
                self._write_batch([(site, [url for url, _ in rows if url not in kept], ())])
        return len(sites)

    def forget(self, site: str) -> None:
        """Delete everything about a site."""
        self._write_batch([(site, [HEALTH, *(url for url, _ in self._rows(site))], ())])

    @abstractmethod
    def health(self, site: str) -> bytes:
        """Return the record of a site's health (`crawl_history.record_of`), b"" if there is none."""

    def save_health(self, records: Mapping[str, bytes]) -> None:
        """Save such records by site, each replacing the previous one."""
        list(self._written([(site, (), [(HEALTH, record)]) for site, record in records.items()]))

    def health_sites(self) -> list[str]:
        """Return the sites with such a record, sorted by name."""
        return sorted(site.site for site in self._listed() if site.has_health)

    @abstractmethod
    def _listed(self) -> Iterator[KeptSite]:
        """Return all sites."""

    @abstractmethod
    def _rows(self, site: str) -> Iterable[tuple[str, bytes]]:
        """Return URL and row of a site's pages, newest first."""

    def _written(self, sites: Sequence[Change]) -> Iterator[int]:
        for begin in range(0, len(sites), BATCH):
            yield from self._write_batch(sites[begin : begin + BATCH])

    @abstractmethod
    def _write_batch(self, sites: Sequence[Change]) -> list[int]:
        """Delete and put rows of sites, newest first; return the resulting number of pages of each."""

    def _unpacked(self, rows: Iterable[tuple[str, bytes]]) -> Iterator[PageFacts]:
        for url, row in rows:
            try:
                yield read_facts(row, url)
            except (ValueError, TypeError, AttributeError):  # not written by any version of ours
                self.counts["site_memory/corrupt"] += 1


def facts_store(place: str) -> FactsStore:
    """Return the store at a place, not yet opened.

    Args:
        place: Path of a file, or URL of a server, optionally followed by "#" and a name.

    Raises:
        ValueError: It is another kind of URL, or the name is invalid.
        ImportError: It needs redis-py, which is not installed.

    Example:
        >>> facts_store("job/denoise-sites.sqlite").place
        'job/denoise-sites.sqlite'
    """
    if place.startswith(SCHEMES):
        return RedisFacts(place)
    if "://" in place:
        raise ValueError(f"no such kind of store: use a file or {', '.join(SCHEMES)}")
    return SQLiteFacts(place)


def newest_of_each(pages: Iterable[Page | PageFacts]) -> list[PageFacts]:
    """Return the facts of the newest few pages of each template of a site, newest first, as many as are kept."""
    templates: list[list[PageFacts]] = []
    for own in (page.facts for page in pages):
        for mates in templates:
            # pages without containers share a template too
            both_plain = not (len(own.signature) or len(mates[0].signature))
            if both_plain or template_similarity(own, mates[0]) > SAME_TEMPLATE:
                mates.append(own)
                break
        else:
            templates.append([own])
    return [facts for mates in templates for facts in mates[:PAGES_A_TEMPLATE]][:PAGES_A_SITE]


def _plain(text: str) -> str:
    """Replace lone surrogates, which hostile pages contain and stores reject."""
    return text.encode("utf-8", "replace").decode()


_FILE = FileKind(
    application_id=0x64737369,  # 'dssi'
    schema=(
        """CREATE TABLE IF NOT EXISTS facts (
            site TEXT NOT NULL, url TEXT NOT NULL, saved REAL NOT NULL, facts BLOB NOT NULL,
            PRIMARY KEY (site, url))""",
        "CREATE INDEX IF NOT EXISTS facts_by_age ON facts (saved)",
    ),
)
# Lengths are checked first: another program may have written rows of any size.
_ROW = f"CASE WHEN length(facts) <= {2 * MAX_PAGE_BYTES} THEN facts END"
_PAGES = f"url <> '{HEALTH}'"
_USED_BYTES = """SELECT (page_count - freelist_count) * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size"""


class SQLiteFacts(FactsStore):
    """Facts in a file that several processes on one machine may share. A file that cannot be written is only read.

    Args:
        path: The file, created if missing.

    Example:
        >>> import tempfile
        >>> page = Page.parse("<p>One two.", url="http://a.example/1")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = SQLiteFacts(folder + "/sites.sqlite")
        ...     store.save({"http://a.example:80": [page.facts]})
        ...     print([facts.url for facts in store.load("http://a.example:80")])
        ...     store.close()
        1
        ['http://a.example/1']
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(str(path))
        self._path = Path(path)

    @override
    def open(self) -> None:
        _ = self._ready

    @override
    def exists(self) -> bool:
        return self._path.is_file() and self._path.stat().st_size > 0

    @override
    def close(self) -> None:
        if "_ready" in vars(self):
            vars(self).pop("_ready").close()

    @override
    def _listed(self) -> Iterator[KeptSite]:
        query = f"""SELECT site, sum({_PAGES}), max(saved), sum(length(facts)), max(url = '{HEALTH}') FROM facts
            WHERE typeof(site) = 'text' AND typeof(saved) = 'real' GROUP BY site"""
        return map(KeptSite._make, self._ready.execute(query))

    @override
    def health(self, site: str) -> bytes:
        query = f"SELECT {_ROW} FROM facts WHERE site = ? AND url = ?"
        row = self._ready.execute(query, (_plain(site), HEALTH)).fetchone()
        return row[0] if row and isinstance(row[0], bytes) else b""

    @override
    def _rows(self, site: str) -> Iterable[tuple[str, bytes]]:
        query = f"SELECT url, {_ROW} FROM facts WHERE site = ? AND {_PAGES} ORDER BY saved DESC"
        return self._ready.execute(query, (_plain(site),))

    @override
    def _write_batch(self, sites: Sequence[Change]) -> list[int]:
        if self.read_only is not None:  # it may have become writable
            self.close()
        found, now = [], time.time()
        with self._ready as link:  # rolled back on errors
            link.execute("BEGIN IMMEDIATE")
            for name, gone, rows in sites:
                site = _plain(name)
                link.executemany("DELETE FROM facts WHERE site = ? AND url = ?", [(site, url) for url in gone])
                link.executemany(
                    "INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)",
                    [(site, url, now - number / 1e3, row) for number, (url, row) in enumerate(rows)],
                )
                found += link.execute(f"SELECT count(*) FROM facts WHERE site = ? AND {_PAGES}", (site,)).fetchone()
            self._make_room(link)
        return found

    def _make_room(self, link: sqlite3.Connection) -> None:
        link.execute("DELETE FROM facts WHERE saved < ?", (time.time() - MAX_AGE,))
        oldest = "SELECT rowid FROM facts ORDER BY saved LIMIT 10"
        while link.execute(_USED_BYTES).fetchone()[0] > MAX_BYTES:
            gone = link.execute(f"DELETE FROM facts WHERE rowid IN ({oldest})").rowcount
            self.counts["memory/evicted/site_memory"] += gone
            if not gone:
                return

    @cached_property
    def _ready(self) -> sqlite3.Connection:
        """Its connection, until it is closed."""
        self.read_only = None
        try:
            return connect(self._path, _FILE, constants(), BUSY_SECONDS)
        except sqlite3.OperationalError as error:
            link = connect_to_read(self._path, _FILE, constants(), BUSY_SECONDS)
            if link is None:
                raise
            self.read_only = error
            return link
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{error}. Move it away, or restore it; it has not been touched.") from error


# Before each row: when it was saved, in seconds since 1970.
_SAVED = struct.Struct("<d")

_WRITE = """
-- KEYS: site, meta, saved, sizes. ARGV: the site's name, most bytes of all sites, most seconds since a site was saved,
-- what the keys of sites begin with, number of fields to delete, these, then fields and values.
-- Returns how many pages the site has now, and how many sites were evicted.
if redis.call('EXISTS', KEYS[2]) == 0 then return {0, 0} end
local site, most, first = ARGV[1], tonumber(ARGV[2]), 6 + tonumber(ARGV[5])
-- first, for it is refused where memory is full, with nothing changed
for i = first, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = 6, first - 1 do redis.call('HDEL', KEYS[1], ARGV[i]) end

local size, fields = 0, redis.call('HKEYS', KEYS[1])
for _, field in ipairs(fields) do size = size + #field + redis.call('HSTRLEN', KEYS[1], field) end
local time = redis.call('TIME')
local now = time[1] + time[2] / 1e6
local total = redis.call('HINCRBY', KEYS[2], 'bytes', size - tonumber(redis.call('HGET', KEYS[4], site) or '0'))
if size == 0 then
  redis.call('HDEL', KEYS[4], site)
  redis.call('ZREM', KEYS[3], site)
else
  redis.call('HSET', KEYS[4], site, size)
  redis.call('ZADD', KEYS[3], now, site)
end

local evicted = 0
while redis.call('ZCARD', KEYS[3]) > 1 do
  local oldest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
  if total <= most and tonumber(oldest[2]) > now - tonumber(ARGV[3]) then break end
  redis.call('ZREM', KEYS[3], oldest[1])
  redis.call('DEL', ARGV[4] .. oldest[1])
  total = redis.call('HINCRBY', KEYS[2], 'bytes', -tonumber(redis.call('HGET', KEYS[4], oldest[1]) or '0'))
  redis.call('HDEL', KEYS[4], oldest[1])
  evicted = evicted + 1
end
return {#fields, evicted}
"""


_LIST = """
-- KEYS: saved, sizes. ARGV: what the keys of sites begin with, the field with a record of health.
-- Gives for each site its name, number of fields, time, bytes, and 1 if it has a record of health.
local found, sites = {}, redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #sites, 2 do
  local key, size = ARGV[1] .. sites[i], redis.call('HGET', KEYS[2], sites[i]) or '0'
  local fields, has_health = redis.call('HLEN', key), redis.call('HEXISTS', key, ARGV[2])
  found[#found + 1] = {sites[i], fields, sites[i + 1], size, has_health}
end
return found
"""


class RedisFacts(FactsStore):
    """Facts on a server, which processes on any number of machines may share.

    The keys begin with the name in braces, so that a cluster keeps them in one slot: `{name}:site:meta`, a hash with
    the constants and the bytes of all sites; `{name}:site:saved`, a sorted set of the times sites were saved;
    `{name}:site:sizes`, a hash of their bytes; `{name}:site:of:` plus the site's name, a hash of rows by URL.

    Nothing is sent twice: a failed request costs one timeout.

    Args:
        url: `redis://host:6379/0`, `rediss://...` or `unix:///path`, as redis-py reads it.
        name: Prefix of the keys, without braces; an index of texts may have the same. By default what follows "#" in
            the URL, else "denoise".
        timeout: Seconds to wait for an answer, above 0.

    Raises:
        ImportError: redis-py is not installed.
        ValueError: The URL is invalid, or an argument is out of range.

    Example:
        >>> store = RedisFacts("redis://localhost:6379/0", name="news")  # connects when it is opened
        >>> store.place
        'redis://localhost:6379/0#news'
    """

    def __init__(self, url: str, *, name: str | None = None, timeout: float = TIMEOUT) -> None:
        self._redis = RedisLink(url, name, timeout, retries=0)
        self._constants = {"layout": FACTS_FORMAT, **constants()}
        super().__init__(f"{self._redis.place}#{self._redis.name}")
        self._meta, self._saved, self._sizes, self._of = (
            f"{{{self._redis.name}}}:site:{key}" for key in ("meta", "saved", "sizes", "of:")
        )

    @override
    def open(self) -> None:
        self._answers()

    @override
    def exists(self) -> bool:
        return self._sent(("exists", self._meta)) == [1]

    @override
    def close(self) -> None:
        self._redis.client.close()

    @override
    def _listed(self) -> Iterator[KeptSite]:
        (found,) = self._answers(("eval", _LIST, 2, self._saved, self._sizes, self._of, HEALTH))
        for site, fields, saved, size, has_health in found:
            yield KeptSite(_text(site), fields - has_health, float(saved), int(size), bool(has_health))

    @override
    def health(self, site: str) -> bytes:
        (row,) = self._answers(("hget", self._of + _plain(site), HEALTH))
        return (row or b"")[_SAVED.size :]

    @override
    def _rows(self, site: str) -> Iterable[tuple[str, bytes]]:
        (fields,) = self._answers(("hgetall", self._of + _plain(site)))
        fields.pop(HEALTH.encode(), None)
        found = []
        for url, value in fields.items():
            saved = _SAVED.unpack_from(value)[0] if len(value) >= _SAVED.size else 0.0
            found.append((saved, _text(url), value[_SAVED.size :]))
        return [(url, row) for _, url, row in sorted(found, reverse=True)]

    @override
    def _write_batch(self, sites: Sequence[Change]) -> list[int]:
        now, requests = time.time(), []
        for site, gone, rows in sites:
            keys = (self._of + _plain(site), self._meta, self._saved, self._sizes)
            given: list[Any] = [_plain(site), MAX_BYTES, MAX_AGE, self._of, len(gone), *gone]
            for number, (url, row) in enumerate(rows):
                given += (url, _SAVED.pack(now - number / 1e3) + row)
            requests.append(("eval", _WRITE, len(keys), *keys, *given))
        answers = self._answers(*requests)
        self.counts["memory/evicted/site_memory"] += sum(evicted for _, evicted in answers)
        return [count for count, _ in answers]

    def _answers(self, *requests: Sequence[Any]) -> list[Any]:
        """Send requests, each a name and arguments, after one that checks that the keys are ours, or creates them."""
        open_first = opening((self._meta, self._saved, self._sizes), self._constants)
        response, *answers = self._sent(("eval", *open_first), *requests)
        check_opened(response, self._constants, "a site memory of denoise_scrapy", self.place)
        return answers

    def _sent(self, *requests: Sequence[Any]) -> list[Any]:
        """Send requests in one round trip; turn failures into an `OSError` that names the server."""
        try:
            with self._redis.named() as client:
                pipe = client.pipeline(transaction=False)
                for name, *arguments in requests:
                    getattr(pipe, name)(*arguments)
                answers: list[Any] = pipe.execute()
        except self._redis.errors as error:
            raise ConnectionError(str(error)) from error
        return answers


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
