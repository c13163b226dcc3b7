"""State that outlives a process: atomically replaced files, SQLite files, Redis connections, and back-off."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from denoise_scrapy.exceptions import KIND, StoreMismatch


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file, which replaces another after the block, or is deleted if it fails."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


# Seconds without a store after a failure, doubled with each further one. A server restarts within one or two; a full
# disk may remain full for long, and each attempt may cost a time-out.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
# Seconds above which a response is slow: .001 to .01 are usual, and a busy machine may take some tenths. The store then
# pauses for a multiple of this time, by default so that the crawl spends at most a tenth of its time waiting.
SLOW_SECONDS, REST = 1.0, 9.0


@dataclass
class BackOff:
    """Decides when a failed or slow store may be used again; `clock` returns seconds, `rest` is the multiple."""

    clock: Callable[[], float] = time.monotonic
    rest: float = REST
    pause: float = 0.0  # seconds, of the last failure
    _until: float = 0.0

    @property
    def ready(self) -> bool:
        """True if the store may be used now."""
        return self.clock() >= self._until

    def failed(self) -> None:
        """Record a failure."""
        self.pause = min(max(2 * self.pause, FIRST_PAUSE), LONGEST_PAUSE)
        self._until = self.clock() + self.pause

    def worked(self, seconds: float = 0.0) -> None:
        """Record a response, and how many seconds the crawl waited for it."""
        self.pause = 0.0
        self._until = self.clock() + (self.rest * seconds if seconds > SLOW_SECONDS else 0.0)


SCHEMES = ("redis://", "rediss://", "unix://")  # of URLs accepted by redis-py
_RETRIES = 3  # enough for a server that restarts
_RETRY_PAUSE, _LONGEST_RETRY_PAUSE = 0.1, 1.0  # seconds before the first retry, and at most
_OPEN = """
-- KEYS: meta and others. ARGV: value of the second where the keys are new, or '', then names and values for meta.
-- Gives the first name whose value in meta is another, and that value; nothing if all are equal.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' and redis.call('EXISTS', unpack(KEYS, 2)) == 0 then
  redis.call('HSET', KEYS[1], unpack(ARGV, 2))
  if ARGV[1] ~= '' then redis.call('SET', KEYS[2], ARGV[1]) end
elseif kind ~= 'hash' or redis.call('HEXISTS', KEYS[1], 'layout') == 0 then
  return {'keys', "another program's"}
end
for i = 2, #ARGV, 2 do
  local stored = redis.call('HGET', KEYS[1], ARGV[i]) or 'None'
  if stored ~= ARGV[i + 1] then return {ARGV[i], stored} end
end
return {}
"""
_OTHER_KEYS = "Use the version that wrote them, or give another name; they have not been touched."
_FOREIGN = "Give another name, or delete these keys; they have not been touched."
_MISSING = "A store in Redis needs redis-py, which is not installed: pip install denoise-scrapy[redis]"


def without_password(place: str) -> str:
    """Return the place of a store for messages: a URL without user, password and options; a path unchanged.

    Example:
        >>> without_password("redis://user:secret@cache.example:6379/0?password=x#news")
        'redis://cache.example:6379/0#news'
    """
    scheme, mark, rest = place.partition("://")
    if not mark:
        return place
    address, hash_, name = rest.partition("#")
    return scheme + mark + address.partition("?")[0].rpartition("@")[2] + hash_ + name


class RedisLink:
    """A client of redis-py, which connects with the first request and reconnects when necessary.

    `name` begins the keys, in braces; by default what follows "#" in the URL, else "denoise". `timeout` is in seconds;
    failed requests are retried `retries` times, by default as long as a server takes to restart. Raises `ImportError`
    if redis-py is not installed, `ValueError` for an invalid URL, name or timeout.
    """

    def __init__(self, url: str, name: str | None, timeout: float, retries: int = _RETRIES) -> None:
        url, _, own = url.partition("#")
        self.name = name = unquote(own) or "denoise" if name is None else name
        if not isinstance(name, str) or not name or "{" in name or "}" in name:
            raise ValueError(f"name must be a string without braces, not empty, got {name!r}")
        if not timeout > 0:
            raise ValueError(f"timeout must be above 0 seconds, got {timeout!r}")
        try:
            import redis  # noqa: PLC0415 - an extra
            from redis.backoff import ExponentialBackoff  # noqa: PLC0415
            from redis.retry import Retry  # noqa: PLC0415
        except ImportError as error:
            raise ImportError(_MISSING) from error
        self.errors: type[Exception] = redis.RedisError  # redis-py has no other common base class
        failures = (redis.ConnectionError, redis.TimeoutError)
        # untyped, since types differ between versions of redis-py
        self.client: Any = redis.Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(ExponentialBackoff(_LONGEST_RETRY_PAUSE, _RETRY_PAUSE), retries, (*failures, OSError)),
            retry_on_error=list(failures),
        )
        self.place = without_password(url)

    @contextmanager
    def named(self) -> Iterator[Any]:
        """Yield the client; an error of the server raised inside names it."""
        try:
            yield self.client
        except self.errors as error:
            error.args = (f"{self.place}: {error}",)
            raise


def opening(keys: Sequence[str], constants: Mapping[str, str], start: str = "") -> tuple[Any, ...]:
    """Return the arguments of EVAL that open a store; its response is for `check_opened`."""
    return _OPEN, len(keys), *keys, start, *(part for item in constants.items() for part in item)


def check_opened(response: Sequence[bytes], constants: Mapping[str, str], what: str, where: str) -> None:
    """Raise `StoreMismatch` for keys that are not ours, or of another version or rule."""
    if response:
        name, stored = (part.decode("utf-8", "replace") for part in response)
        advice = _OTHER_KEYS if name in constants else _FOREIGN
        raise StoreMismatch(name, stored, constants.get(name, what), where, advice)


_MAGIC = b"SQLite format 3\x00"
# Our kinds of files, by the number in the header that identifies them.
OWN_FILES: Mapping[int, str] = {
    0x64736472: "an index of denoise_scrapy",  # 'dsdr'
    0x64737369: "a site memory of denoise_scrapy",  # 'dssi'
}
_OTHER_FILE = "Use the version that wrote it, or give another path; it has not been touched."
_MOVE = "Give another path, or move that file away; it has not been touched."
# Page size of databases in memory: with 4 KB, a seventh is lost at the ends of pages; with 16 KB, the 32 bands of a
# text among 300,000 take .19 ms to write, with 8 KB .11.
_MEMORY_PAGE = 8192
_META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name LIMIT ?"

Schema = list[tuple[str, str, str, str | None]]


def is_unreachable(error: Exception) -> bool:
    """Return whether a server is unreachable or silent; rejecting a password does not count."""
    try:
        import redis  # noqa: PLC0415 - an extra
    except ImportError:
        return False
    refused = (redis.AuthenticationError, redis.exceptions.AuthorizationError)
    return isinstance(error, (redis.ConnectionError, redis.TimeoutError)) and not isinstance(error, refused)


@dataclass(frozen=True)
class FileKind:
    """A kind of SQLite file."""

    application_id: int  # number in the file's header, of `OWN_FILES`
    schema: tuple[str, ...]  # statements that create missing tables; `meta` is created for every kind
    # Tables whose cells must have their columns' types, which SQLite does not check, each with a condition that is true
    # of damaged rows. The check takes .8 s with a million texts.
    sound: tuple[tuple[str, str], ...] = ()

    @property
    def what(self) -> str:
        """The kind, for messages."""
        return OWN_FILES[self.application_id]


def connect(path: Path, kind: FileKind, constants: Mapping[str, str], timeout: float) -> sqlite3.Connection:
    """Open or create a file; return a connection in write-ahead mode, without implicit transactions, for any thread.

    `constants` are the parameters of its content in this version, stored in the table `meta`; `timeout` is the seconds
    to wait for another process to finish its transaction. Raises `StoreMismatch` for a file of another kind or with
    other constants or foreign tables, whose triggers may never end; `FileNotFoundError` if the folder is missing;
    `sqlite3.Error` if it cannot be opened or written.
    """
    refuse_foreign(path, kind)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: its folder does not exist; create it or give another path")
    link = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        if str(path) == ":memory:":
            link.execute(f"PRAGMA page_size = {_MEMORY_PAGE}")
        link.execute("BEGIN IMMEDIATE")
        is_new = not _schema(link, 1)
        if not is_new:
            _check(link, path, kind, constants)
        _make(link, kind)
        if is_new:
            link.execute(f"PRAGMA application_id = {kind.application_id}")
            link.executemany("INSERT INTO meta VALUES (?, ?)", constants.items())
        link.execute("COMMIT")
        with suppress(sqlite3.DatabaseError):  # unreadable pages are reported on read
            for table, other in kind.sound:
                types = [(row[1], row[2].lower()) for row in link.execute(f"PRAGMA table_info({table})")]
                flaws = " OR ".join([*(f"typeof({name}) <> '{type_}'" for name, type_ in types), other])
                if link.execute(f"SELECT 1 FROM {table} WHERE {flaws} LIMIT 1").fetchone():
                    raise StoreMismatch(f"a row of {table}", "damaged", f"what {kind.what} holds", str(path), _MOVE)
        _write_ahead(link, timeout)
    except BaseException:
        link.close()
        raise
    return link


def connect_to_read(
    path: Path, kind: FileKind, constants: Mapping[str, str], timeout: float
) -> sqlite3.Connection | None:
    """Open a read-only file, like `connect`; return None if it cannot be read."""
    # In a read-only folder there can be no shared memory either; then assume that nobody writes.
    for way in ("mode=ro", "mode=ro&immutable=1"):
        with suppress(OSError, sqlite3.Error), ExitStack() as opened:
            refuse_foreign(path, kind)
            address = f"file:{quote(str(path.absolute()))}?{way}"
            link = sqlite3.connect(address, timeout=timeout, isolation_level=None, check_same_thread=False, uri=True)
            opened.callback(link.close)
            _check(link, path, kind, constants)
            opened.pop_all()
            return link
    return None


def refuse_foreign(path: Path, kind: FileKind) -> None:
    """Raise `StoreMismatch` for a folder and, by its header, for a file of another kind."""
    if path.is_dir():
        raise StoreMismatch(KIND, "a folder", "a file", str(path), "Give the path of a file.")
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        head = file.read(100)
    if not head.startswith(_MAGIC):
        raise StoreMismatch(KIND, "no SQLite database", kind.what, str(path), _MOVE)
    found = int.from_bytes(head[68:72], "big")
    if found != kind.application_id:
        raise StoreMismatch(KIND, OWN_FILES.get(found, "another program's database"), kind.what, str(path), _MOVE)


def _make(link: sqlite3.Connection, kind: FileKind) -> None:
    for statement in (_META, *kind.schema):
        link.execute(statement)


def _schema(link: sqlite3.Connection, most: int) -> Schema:
    """Return the tables, indexes and triggers of a file."""
    link.execute("PRAGMA trusted_schema = OFF")
    link.text_factory = partial(str, encoding="utf-8", errors="replace")
    found = link.execute(_SCHEMA, (most,)).fetchall()
    link.text_factory = str
    return found


def _check(link: sqlite3.Connection, path: Path, kind: FileKind, constants: Mapping[str, str]) -> None:
    """Compare a file with its kind, constants first."""
    with closing(sqlite3.connect(":memory:")) as new:  # as SQLite writes it
        _make(new, kind)
        own = _schema(new, -1)
    found = _schema(link, len(own) + 1)
    if any(row in own for row in found if row[1] == "meta"):
        for name, value in constants.items():
            [(stored,)] = link.execute("SELECT max(value) FROM meta WHERE name = ?", (name,))
            if stored != value:
                raise StoreMismatch(name, str(stored)[:100], value, str(path), _OTHER_FILE)
    for odd in (row for row in found if row not in own):  # older files may lack some of ours
        raise StoreMismatch(KIND, f"with a foreign {odd[0]} {odd[1][:100]!r}", kind.what, str(path), _MOVE)


def _write_ahead(link: sqlite3.Connection, timeout: float) -> None:
    """Switch to write-ahead mode, retrying while another process does so, for which SQLite does not wait."""
    end = time.monotonic() + timeout
    while True:
        try:
            link.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
    # A killed process loses nothing; a power cut may cost the last commits, never the file.
    link.execute("PRAGMA synchronous = NORMAL")
