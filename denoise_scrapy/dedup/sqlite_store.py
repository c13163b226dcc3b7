"""Stores in one SQLite file, which processes on one machine may share, or in memory."""

from __future__ import annotations

import os
import sqlite3
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from typing_extensions import override

from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.store import BATCH, MOST_FOUND, SEEN_STEP, Found, Name, Record, Store, is_dead
from denoise_scrapy.support.storage import FileKind, connect, connect_to_read

BUSY_SECONDS = 30.0  # keeping a text takes a millisecond; only a stuck process locks the file for so long

FORMAT = "10"  # increase with any change of the tables
INDEX = FileKind(
    application_id=0x64736472,  # 'dsdr'
    schema=(
        # AUTOINCREMENT: ids are never reused; otherwise another process would mistake a new row for an old one.
        """CREATE TABLE IF NOT EXISTS texts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL, scope TEXT NOT NULL,
            seen INTEGER NOT NULL DEFAULT (strftime('%s', 'now')),
            n INTEGER NOT NULL, digest BLOB NOT NULL, bands BLOB NOT NULL,
            text_group TEXT NOT NULL, t INTEGER NOT NULL, s1 BLOB NOT NULL, s2 BLOB NOT NULL, s2_limit INTEGER NOT NULL,
            rare BLOB NOT NULL, title BLOB NOT NULL, other_fields BLOB NOT NULL,
            site TEXT NOT NULL, variant_of TEXT NOT NULL, version BLOB NOT NULL, owner TEXT NOT NULL,
            UNIQUE (key, scope))""",
        "CREATE INDEX IF NOT EXISTS texts_seen ON texts (seen)",
        "CREATE INDEX IF NOT EXISTS texts_claimed ON texts (owner) WHERE owner <> ''",
        # texts by the bands of their signatures, if they have any
        "CREATE TABLE IF NOT EXISTS bands (band INTEGER, id INTEGER, PRIMARY KEY (band, id)) WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, beat REAL NOT NULL)",
    ),
    sound=(
        ("texts", "length(digest) <> 16 OR n NOT BETWEEN 0 AND 4294967295"),
        *((name, "0") for name in ("meta", "bands", "owners")),
    ),
)

# All columns of a record except its id and owner, in the order of `Name`, `Fingerprint` and the version.
_COLUMNS = """key, scope, text_group, site, variant_of,
    n, t, s1, s2, s2_limit, digest, bands, rare, title, other_fields, version"""
_columns_of = attrgetter(*Fingerprint.__slots__)
_NEWER = f"SELECT id, '', {_COLUMNS} FROM texts WHERE id > ? ORDER BY id LIMIT ?"
_NAMED = "SELECT id FROM texts WHERE key = ? AND scope = ?"
_FORGET_BAND = "DELETE FROM bands WHERE band = ? AND id = ?"
_IN_BAND = "SELECT id FROM (SELECT id FROM bands WHERE band = ? ORDER BY id LIMIT ?)"
_RECORD = f"SELECT id, owner, {_COLUMNS} FROM texts"
# One statement, hence one transaction: nothing is kept if there are newer texts. REPLACE assigns a new id.
_PUT = f"""INSERT OR REPLACE INTO texts ({_COLUMNS}, owner)
    SELECT {", ".join("?" * 17)} WHERE NOT EXISTS (SELECT 1 FROM texts WHERE id > ?)"""
# Seconds between two beats by claims; a crawl that waits between claims calls `beat`.
_BEAT_EVERY = 1.0
_BEAT = "INSERT OR REPLACE INTO owners VALUES (?, ?)"
_SETTLE = "UPDATE texts SET owner = '' WHERE id = ? AND owner = ? AND owner <> ''"
_CLAIMED = "SELECT id FROM texts WHERE owner = ? AND owner <> '' AND ? IN (0, id)"
_OWNERS = "SELECT owner FROM owners UNION SELECT owner FROM texts WHERE owner <> ''"
_EXPIRED = "SELECT id FROM texts WHERE seen < ? AND owner = '' ORDER BY seen LIMIT ?"


class SQLiteStore(Store):
    """Records in the table `texts`, constants in the table `meta`, readable by any SQLite client.

    `texts.owner` is who has claimed a text, empty once it is settled; owners are in the table `owners` with the time of
    their last beat. An owner on this machine is dead as soon as its process has ended. `texts.seen` is the time when a
    text was last kept or seen again, in seconds since the epoch.

    Each text takes one commit and about 1.8 KB on disk.

    Args:
        path: The file, created if missing.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = SQLiteStore(folder.name + "/texts.db")
        >>> store.open({"pair cap": "256"})
        >>> store.put(Name("a"), Fingerprint.of("some text"), seen=0), len(store)
        (1, 1)
        >>> store.close()
        >>> SQLiteStore(folder.name + "/texts.db").open({"pair cap": "128"})
        Traceback (most recent call last):
        denoise_scrapy.exceptions.StoreMismatch: ...'pair cap' is 256 there and 128 here. ...
        >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._beaten = "", 0.0  # the owner of the last claim, and when it was last recorded as alive
        self._lock = threading.RLock()  # held while writing: a connection has only one transaction

    @override
    def open(self, constants: Mapping[str, str]) -> None:
        if "_connection" not in vars(self):
            self._connection = connect(self.path, INDEX, {"format": FORMAT, **constants}, BUSY_SECONDS)
            self._beaten = "", 0.0
            with self._writing() as link:
                for (owner,) in link.execute(_OWNERS).fetchall():
                    if not self.lives(owner):
                        _release(link, owner)

    @override
    def open_to_read(self, constants: Mapping[str, str]) -> None:
        link = connect_to_read(self.path, INDEX, {"format": FORMAT, **constants}, BUSY_SECONDS)
        if link is None:
            self.open(constants)  # which tells why
        else:
            self._connection = link

    @override
    def find(self, name: Name, bands: bytes = b"", seen: int | None = None) -> Found:
        link, alike = self._connection, list[int]()
        # first: what another process commits meanwhile is found below, and with `newer` it would seem to have been
        newer = [] if seen is None else link.execute(_NEWER, (seen, BATCH)).fetchall()
        named = link.execute(_NAMED, name[:2]).fetchone()
        if bands:
            keys = _keys(bands)
            asked = [value for key in keys for value in (key, MOST_FOUND)]
            shared = Counter(one for (one,) in link.execute(" UNION ALL ".join([_IN_BAND] * len(keys)), asked))
            alike = [number for number, _ in shared.most_common()]
        return Found(0 if named is None else named[0], alike, list(map(self._record, newer)))

    @override
    def get(self, numbers: Sequence[int]) -> list[Record]:
        return [self._record(row) for row in self._rows(_RECORD, numbers)]

    @override
    def put(
        self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "", version: bytes = b""
    ) -> int:
        bands, row = fingerprint.bands, (*name, *_columns_of(fingerprint), version, owner, seen)
        with self._lock:
            now, (last, beaten) = time.time(), self._beaten
            if owner and (owner != last or not 0 <= now - beaten < _BEAT_EVERY):
                self.beat(owner)
                self._beaten = owner, now
            with self._connection as link:
                if replaced or bands:  # else one statement is a transaction
                    link.execute("BEGIN IMMEDIATE")
                gone = _bands_of(link, replaced) if replaced else []
                done = link.execute(_PUT, row)
                number = (done.lastrowid or 0) if done.rowcount else 0
                if number and (gone or bands):
                    link.executemany(_FORGET_BAND, gone)
                    rows = [(key, number) for key in _keys(bands)]
                    link.executemany("INSERT OR IGNORE INTO bands VALUES (?, ?)", rows)
        return number

    @override
    def remove(self, number: int) -> bool:
        with self._writing() as link:
            return _forget(link, [(number,)]) > 0

    @override
    def settle(self, number: int, owner: str) -> bool:
        with self._lock:  # one statement is a transaction
            return self._connection.execute(_SETTLE, (number, owner)).rowcount > 0

    @override
    def release(self, owner: str, number: int = 0) -> list[int]:
        with self._writing() as link:
            return _release(link, owner, number)

    @override
    def beat(self, owner: str) -> None:
        with self._writing() as link:
            link.execute(_BEAT, (owner, time.time()))

    @override
    def lives(self, owner: str) -> bool:
        now = time.time()
        row = self._connection.execute("SELECT beat FROM owners WHERE owner = ?", (owner,)).fetchone()
        if row is not None and row[0] > now:  # the clock was set back
            with self._lock:
                self._connection.execute("UPDATE owners SET beat = ? WHERE owner = ? AND beat > ?", (now, owner, now))
        return row is not None and not is_dead(owner, now - row[0])

    @override
    def note(self, number: int) -> None:
        now = time.time()
        row = self._connection.execute("SELECT seen FROM texts WHERE id = ?", (number,)).fetchone()
        if row is not None and not now - SEEN_STEP < row[0] <= now:
            self.set_last_seen({number: now})

    @override
    def last_seen(self, numbers: Sequence[int]) -> dict[int, float]:
        return dict(self._rows("SELECT id, seen FROM texts", numbers))

    @override
    def set_last_seen(self, times: Mapping[int, float]) -> None:
        with self._writing() as link:
            link.executemany("UPDATE texts SET seen = ? WHERE id = ?", [(int(at), one) for one, at in times.items()])

    @override
    def expire(self, before: float, most: int) -> list[int]:
        with self._writing() as link:
            gone = link.execute(_EXPIRED, (before, most)).fetchall()
            _forget(link, gone)
        return [number for (number,) in gone]

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    @override
    def close(self) -> None:
        if "_connection" in vars(self):
            vars(self).pop("_connection").close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection for writing; its statements are one transaction."""
        with self._lock, self._connection as link:
            link.execute("BEGIN IMMEDIATE")
            yield link

    def _rows(self, query: str, numbers: Sequence[int]) -> Iterator[Any]:
        """Return the rows of these ids, in order."""
        wanted = "WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id"
        return self._connection.execute(f"{query} {wanted}", (str([*numbers]),))

    def _record(self, row: Sequence[Any]) -> Record:
        number, owner, *parts, version = row
        named = len(Name._fields)
        return self.checked(Record(number, Name(*parts[:named]), Fingerprint(*parts[named:]), owner, version))

    @cached_property
    def _connection(self) -> sqlite3.Connection:
        """Its connection, which `open` sets."""
        raise ValueError(f"store {self.path} is not open")


class MemoryStore(SQLiteStore):
    """A database with the same tables in memory, lost on closing: 1.7 KB per text.

    Example:
        >>> with MemoryStore() as store:
        ...     store.open({})
        ...     store.put(Name("a"), Fingerprint.of("some text"), seen=0)
        ...     [record.name.key for record in store.get([1, 2])]
        1
        ['a']
    """

    def __init__(self) -> None:
        super().__init__(":memory:")

    @property
    def nbytes(self) -> int:  # type: ignore[override] # it is not set
        """Bytes of the database."""
        pages, size = (self._connection.execute(f"PRAGMA page_{name}").fetchone()[0] for name in ("count", "size"))
        return int(pages * size)


def _release(link: sqlite3.Connection, owner: str, number: int = 0) -> list[int]:
    """Forget one claim of an owner, or the owner and all its claims; return the ids."""
    gone = link.execute(_CLAIMED, (owner, number)).fetchall()
    _forget(link, gone)
    if not number:
        link.execute("DELETE FROM owners WHERE owner = ?", (owner,))
    return [number for (number,) in gone]


def _forget(link: sqlite3.Connection, numbers: Sequence[tuple[int]]) -> int:
    """Delete texts; return how many were there."""
    for (number,) in numbers:
        link.executemany(_FORGET_BAND, _bands_of(link, number))
    return link.executemany("DELETE FROM texts WHERE id = ?", numbers).rowcount


def _bands_of(link: sqlite3.Connection, number: int) -> list[tuple[int, int]]:
    """Return the rows of a text in the table of bands."""
    found = link.execute("SELECT bands FROM texts WHERE id = ?", (number,)).fetchall()
    return [(key, number) for (bands,) in found for key in _keys(bands)]


def _keys(bands: bytes) -> list[int]:
    """Return bands as signed integers, which SQLite stores in four bytes."""
    return list(struct.unpack_from(f"<{len(bands) // 4}i", bands))
