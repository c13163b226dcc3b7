"""A store in one SQLite file, which survives the process and may be shared by several on one machine, or in memory."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

from typing_extensions import override

from denoise_scrapy.core.feature_strings import BANDS
from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.store import BATCH, SEEN_STEP, Copy, Listing, Name, Put, Record, Store, is_dead
from denoise_scrapy.storage import FileKind, connect

BUSY_SECONDS = 30.0  # keeping a text takes a millisecond; only a stuck process locks the file longer

FORMAT = "5"  # raise with any change of the tables, and add the upgrade from the one before to `INDEX.upgrades`
INDEX = FileKind(
    application_id=0x64736472,  # 'dsdr'
    schema=(
        # AUTOINCREMENT: an id is never reused, or another process would mistake a new row for an old one.
        # The most used columns come first: opening reads all but the group and s1, `sqlite3` shows the rest.
        """CREATE TABLE IF NOT EXISTS texts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL, scope TEXT NOT NULL,
            seen INTEGER NOT NULL DEFAULT (strftime('%s', 'now')),
            n INTEGER NOT NULL, digest BLOB NOT NULL, bands BLOB NOT NULL,
            text_group TEXT NOT NULL, t INTEGER NOT NULL, s1 BLOB NOT NULL, s2 BLOB NOT NULL, s2_limit INTEGER NOT NULL,
            rare BLOB NOT NULL, title BLOB NOT NULL, other_fields BLOB NOT NULL,
            site TEXT NOT NULL, variant_of TEXT NOT NULL, version BLOB NOT NULL DEFAULT x'', UNIQUE (key, scope))""",
        "CREATE INDEX IF NOT EXISTS texts_seen ON texts (seen)",
        "CREATE INDEX IF NOT EXISTS texts_variants ON texts (variant_of, scope) WHERE variant_of <> ''",
        "CREATE TABLE IF NOT EXISTS claims (id INTEGER PRIMARY KEY, owner TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, beat REAL NOT NULL)",
        # Dropped keys, the latest with the highest ids. The triggers keep them in step with the texts, whoever writes
        # the texts: REPLACE fires none on deleting, so that a group survives an update of its text.
        """CREATE TABLE IF NOT EXISTS copies (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL, scope TEXT NOT NULL, kept TEXT NOT NULL, seen REAL NOT NULL,
            UNIQUE (key, scope))""",
        "CREATE INDEX IF NOT EXISTS copies_kept ON copies (kept, scope)",
        """CREATE TRIGGER IF NOT EXISTS text_removed AFTER DELETE ON texts
            BEGIN DELETE FROM copies WHERE kept = OLD.key AND scope = OLD.scope; END""",
        """CREATE TRIGGER IF NOT EXISTS copy_kept AFTER INSERT ON texts
            BEGIN DELETE FROM copies WHERE key = NEW.key AND scope = NEW.scope; END""",
    ),
    advice="Use what wrote it, or give another path; it has not been touched.",
    # spelled as in the table above: SQLite appends the text of a new column to the last one
    upgrades={"4": ("ALTER TABLE texts ADD COLUMN version BLOB NOT NULL DEFAULT x''",)},
    sound=(
        ("texts", f"length(digest) <> 16 OR length(bands) NOT IN (0, {4 * BANDS}) OR n NOT BETWEEN 0 AND 4294967295"),
        *((name, "0") for name in ("meta", "claims", "owners", "copies")),
    ),
)

_LISTING = "SELECT id, key, scope, n, digest, bands, s2, s2_limit FROM texts WHERE id > ? ORDER BY id LIMIT ?"
_RECORD = """SELECT id, owner, key, scope, text_group, site, variant_of,
    n, t, s1, s2, s2_limit, digest, bands, rare, title, other_fields, version
    FROM texts LEFT JOIN claims USING (id) WHERE id """
_ASKED = 512  # records per statement; every version of SQLite accepts 999 parameters
_as_listing = partial(tuple.__new__, Listing)  # like `Listing._make`, without a Python frame for each of a million rows
# One statement, so one transaction: nothing is kept if there is something newer. REPLACE assigns a new id.
_PUT = f"""INSERT OR REPLACE INTO texts (key, scope, text_group, site, variant_of,
    n, t, s1, s2, s2_limit, digest, bands, rare, title, other_fields, version)
    SELECT {", ".join("?" * 16)} WHERE NOT EXISTS (SELECT 1 FROM texts WHERE id > ?)"""
_BEAT = "INSERT OR REPLACE INTO owners VALUES (?, ?)"
_SETTLE = "DELETE FROM claims WHERE id = ? AND owner = ? AND EXISTS (SELECT 1 FROM texts WHERE texts.id = claims.id)"
_COPY = """INSERT OR REPLACE INTO copies (key, scope, kept, seen)
    SELECT ?, scope, key, ? FROM texts WHERE id = ? AND scope = ?"""
_OLD_COPIES = "DELETE FROM copies WHERE id <= (SELECT max(id) FROM copies) - ?"
_COPIES = "SELECT key, scope, kept, seen FROM copies"
_VARIANTS = "SELECT key, scope, text_group, site, variant_of FROM texts WHERE variant_of <> ''"
_EXPIRED = "SELECT id FROM texts WHERE seen < ? AND id NOT IN (SELECT id FROM claims) ORDER BY seen LIMIT ?"
_ORPHANS = "FROM claims WHERE id NOT IN (SELECT id FROM texts)"


class SQLiteStore(Store):
    """Records in the table `texts`, constants in the table `meta`; any SQLite client reads them.

    Claims are in the table `claims`, their owners in `owners` with the time of their last beat. An owner on this
    machine is dead as soon as its process has ended. Dropped keys are in the table `copies`; `texts.seen` is when a
    text was last kept or seen again, in seconds since the epoch.

    One commit and about 1.8 KB on disk per text.

    Args:
        path: The file, created if there is none.
        timeout: Seconds to wait for another process to finish its transaction, 0 or more.

    Raises:
        ValueError: `timeout` is negative.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> store = SQLiteStore(folder.name + "/texts.db")
        >>> store.open({"pair cap": "256"})
        >>> store.put(Name("a"), Fingerprint.of("some text"), seen=0).id, len(store)
        (1, 1)
        >>> store.close()
        >>> SQLiteStore(folder.name + "/texts.db").open({"pair cap": "128"})
        Traceback (most recent call last):
        denoise_scrapy.exceptions.OtherVersion: ...'pair cap' is 256 there and 128 here. ...
        >>> folder.cleanup()
    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = BUSY_SECONDS) -> None:
        if not timeout >= 0:
            raise ValueError(f"timeout must be 0 or more seconds, got {timeout!r}")
        self.path = Path(path)
        self._timeout = timeout
        self.opens_damaged = False  # open the file even if texts are damaged, to look for them
        self._link: sqlite3.Connection | None = None
        self._lock = threading.RLock()  # held while writing: a connection has one transaction

    @override
    def open(self, constants: Mapping[str, str]) -> None:
        if self._link is None:
            kind = replace(INDEX, sound=INDEX.sound[1:]) if self.opens_damaged else INDEX
            self._link = connect(self.path, kind, {"format": FORMAT, **constants}, self._timeout)
            self._release_dead()

    @override
    def newer(self, after: int) -> Iterator[Sequence[Listing]]:
        while batch := self._listings(after):
            yield batch
            after = batch[-1].id

    @override
    def get(self, numbers: Sequence[int]) -> list[Record]:
        found = []
        ordered = sorted(numbers)
        for start in range(0, len(ordered), _ASKED):
            part = ordered[start : start + _ASKED]
            part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))
            rows = self._connection.execute(_record_statement(len(part)), part)
            for number, owner, key, scope, group, site, variant_of, *of, version in rows:
                name = Name(key, scope, group, site, variant_of)
                found.append(Record(number, name, Fingerprint(*of), owner or "", version))
        return found

    @override
    def put(
        self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "", version: bytes = b""
    ) -> Put:
        f = fingerprint
        row = (*name, f.n, f.t, f.s1, f.s2, f.limit, f.digest, f.bands, f.rare, f.title, f.values, version, seen)
        with self._writing(several=bool(owner or replaced)) as link:
            done = link.execute(_PUT, row)
            number = (done.lastrowid or 0) if done.rowcount else 0
            if number and replaced:
                link.execute("DELETE FROM claims WHERE id = ?", (replaced,))
            if number and owner:
                link.execute("INSERT INTO claims VALUES (?, ?)", (number, owner))
                link.execute(_BEAT, (owner, time.time()))
        return Put(number, () if number else self._listings(seen))

    @override
    def remove(self, number: int) -> bool:
        with self._writing(several=True) as link:
            link.execute("DELETE FROM claims WHERE id = ?", (number,))
            return link.execute("DELETE FROM texts WHERE id = ?", (number,)).rowcount > 0

    @override
    def settle(self, number: int, owner: str) -> bool:
        with self._writing() as link:
            return link.execute(_SETTLE, (number, owner)).rowcount > 0

    @override
    def release(self, owner: str, number: int = 0) -> list[int]:
        with self._writing(several=True) as link:
            found = link.execute("SELECT id FROM claims WHERE owner = ? AND ? IN (0, id)", (owner, number)).fetchall()
            link.executemany("DELETE FROM texts WHERE id = ?", found)
            link.executemany("DELETE FROM claims WHERE id = ?", found)
            if not number:
                link.execute("DELETE FROM owners WHERE owner = ?", (owner,))
        return [one for (one,) in found]

    @override
    def beat(self, owner: str) -> None:
        with self._writing() as link:
            link.execute(_BEAT, (owner, time.time()))

    @override
    def lives(self, owner: str) -> bool:
        # A beat from the future, after a clock was set back, counts as one of now.
        now = time.time()
        row = self._connection.execute("SELECT beat FROM owners WHERE owner = ?", (owner,)).fetchone()
        if row is None:
            return False
        if row[0] > now:
            with self._writing() as link:
                link.execute("UPDATE owners SET beat = ? WHERE owner = ? AND beat > ?", (now, owner, now))
        return not is_dead(owner, now - row[0])

    @override
    def note(self, number: int, copy: Name | None = None, most: int = 0) -> None:
        now = time.time()
        row = self._connection.execute("SELECT seen FROM texts WHERE id = ?", (number,)).fetchone()
        if row is None:
            return
        old, remember = not now - SEEN_STEP < row[0] <= now, copy is not None and most > 0
        if old or remember:
            with self._writing(several=True) as link:
                if old:
                    link.execute("UPDATE texts SET seen = ? WHERE id = ?", (int(now), number))
                if copy is not None and remember:
                    link.execute(_COPY, (copy.key, now, number, copy.scope))
                    link.execute(_OLD_COPIES, (most,))

    @override
    def copies(self, kept: Name | None = None) -> Iterator[Copy]:
        which, values = ("", ()) if kept is None else (" WHERE kept = ? AND scope = ?", kept[:2])
        yield from map(Copy._make, self._connection.execute(f"{_COPIES}{which} ORDER BY id", values))

    @override
    def copy_named(self, name: Name) -> Copy | None:
        row = self._connection.execute(f"{_COPIES} WHERE key = ? AND scope = ?", name[:2]).fetchone()
        return None if row is None else Copy(*row)

    @override
    def variants(self, kept: Name | None = None) -> Iterator[Name]:
        which, values = ("", ()) if kept is None else (" AND variant_of = ? AND scope = ?", kept[:2])
        yield from map(Name._make, self._connection.execute(f"{_VARIANTS}{which} ORDER BY id", values))

    @override
    def remove_copy(self, name: Name) -> bool:
        with self._writing() as link:
            return link.execute("DELETE FROM copies WHERE key = ? AND scope = ?", name[:2]).rowcount > 0

    @override
    def last_seen(self, numbers: Sequence[int]) -> dict[int, float]:
        found: dict[int, float] = {}
        for start in range(0, len(numbers), _ASKED):
            part = numbers[start : start + _ASKED]
            asked = f"SELECT id, seen FROM texts WHERE id IN ({','.join('?' * len(part))})"
            found.update(self._connection.execute(asked, part))
        return found

    @override
    def set_last_seen(self, times: Mapping[int, float]) -> None:
        with self._writing(several=True) as link:
            link.executemany("UPDATE texts SET seen = ? WHERE id = ?", [(int(at), one) for one, at in times.items()])

    @override
    def expire(self, before: float, most: int) -> list[int]:
        with self._writing(several=True) as link:
            gone = link.execute(_EXPIRED, (before, most)).fetchall()
            link.executemany("DELETE FROM texts WHERE id = ?", gone)
        return [number for (number,) in gone]

    @override
    def problems(self) -> list[str]:
        try:
            said = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check")]
        except sqlite3.DatabaseError as error:  # too damaged even to be scanned
            return [str(error)]
        found = [line for line in said if line != "ok"]
        if not found:
            orphans = self._connection.execute(f"SELECT id {_ORPHANS}")
            found += [f"a claim on text {number}, which cannot be found" for (number,) in orphans]
        return found

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    @override
    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _release_dead(self) -> None:
        """Forget claims of dead owners, all at once: each owner would take a scan of all claims."""
        with self._writing(several=True) as link:
            claims = link.execute("SELECT id, owner FROM claims").fetchall()
            known = {owner for (owner,) in link.execute("SELECT owner FROM owners")}
            dead = {owner for owner in known.union(owner for _, owner in claims) if not self.lives(owner)}
            gone = [(number,) for number, owner in claims if owner in dead]
            link.executemany("DELETE FROM texts WHERE id = ?", gone)
            link.executemany("DELETE FROM claims WHERE id = ?", gone)
            link.executemany("DELETE FROM owners WHERE owner = ?", [(owner,) for owner in dead])
            link.execute(f"DELETE {_ORPHANS}")  # a version without claims may have replaced their texts

    @contextmanager
    def _writing(self, *, several: bool = False) -> Iterator[sqlite3.Connection]:
        """Yield the connection for writing; its statements are one transaction."""
        with self._lock:
            link = self._connection
            if not several:
                yield link
                return
            link.execute("BEGIN IMMEDIATE")
            try:
                yield link
                link.execute("COMMIT")
            except BaseException:
                if link.in_transaction:
                    link.execute("ROLLBACK")
                raise

    def _listings(self, after: int) -> list[Listing]:
        rows = self._connection.execute(_LISTING, (after, BATCH))
        return list(map(_as_listing, rows))

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._link is None:
            raise ValueError(f"store {self.path} is not open")
        return self._link


class MemoryStore(SQLiteStore):
    """A database of the same tables in memory, gone when it is closed: 1.7 KB a text.

    Example:
        >>> with MemoryStore() as store:
        ...     store.open({})
        ...     store.put(Name("a"), Fingerprint.of("some text"), seen=0).id
        ...     [record.name.key for record in store.get([1, 2])]
        1
        ['a']
    """

    def __init__(self) -> None:
        super().__init__(":memory:")


@cache
def _record_statement(count: int) -> str:
    """The statement for a power of two of ids: a new one takes SQLite ten times as long as a cached one."""
    return _RECORD + ("= ?" if count == 1 else f"IN ({','.join('?' * count)}) ORDER BY id")
