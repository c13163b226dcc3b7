"""A store in one SQLite file: survives the process, and may be shared by several on one machine."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

from denoise_scrapy.dedup import owners
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.sqlite_file import connect
from denoise_scrapy.dedup.store import BATCH, SEEN_STEP, Copy, Listing, Name, Put, Record, Store

BUSY_SECONDS = 30.0  # a text is kept within a millisecond; only a stuck process holds the file longer

_LISTING = "SELECT id, key, scope, n, digest, bands, s2, s2_limit FROM texts WHERE id > ? ORDER BY id LIMIT ?"
_RECORD = """SELECT id, owner, key, scope, text_group, n, t, s1, s2, s2_limit, digest, bands, numbers
    FROM texts LEFT JOIN claims USING (id) WHERE id """
_ASKED = 512  # records by one statement; SQLite takes 999 parameters in all its versions
_as_listing = partial(tuple.__new__, Listing)  # as `Listing._make`, without a frame for each of a million rows
# One statement, so one transaction: nothing is kept where there is something newer. REPLACE gives a new id.
_PUT = """INSERT OR REPLACE INTO texts (key, scope, text_group, n, t, s1, s2, s2_limit, digest, bands, numbers)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM texts WHERE id > ?)"""
_BEAT = "INSERT OR REPLACE INTO owners VALUES (?, ?)"
_SETTLE = "DELETE FROM claims WHERE id = ? AND owner = ? AND EXISTS (SELECT 1 FROM texts WHERE texts.id = claims.id)"
_COPY = """INSERT OR REPLACE INTO copies (key, scope, kept, seen)
    SELECT ?, scope, key, ? FROM texts WHERE id = ? AND scope = ?"""
_OLD_COPIES = "DELETE FROM copies WHERE id <= (SELECT max(id) FROM copies) - ?"
_COPIES = "SELECT key, scope, kept, seen FROM copies"
_ORPHANS = "FROM claims WHERE id NOT IN (SELECT id FROM texts)"


class SQLiteStore(Store):
    """Records in the table `texts`, constants in the table `meta`; any SQLite client reads them.

    What is claimed is in the table `claims`, its owners in `owners` with the time of their last beat. An owner on
    this machine whose process has ended is dead at once. Dropped keys are in the table `copies`; `texts.seen` is when a
    text was last kept or seen again, in seconds since the epoch.

    One commit a text. Some 1.2 KB a text on disk.

    Args:
        path: The file. Created where there is none.
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
        denoise_scrapy.storage.sqlite_file.StoreMismatch: ...'pair cap' is 256 there and 128 here. ...
        >>> folder.cleanup()

    """

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = BUSY_SECONDS) -> None:
        if not timeout >= 0:
            raise ValueError(f"timeout must be 0 or more seconds, got {timeout!r}")
        self.path = Path(path)
        self._timeout = timeout
        self.opens_damaged = False  # for who looks for damage
        self._link: sqlite3.Connection | None = None
        self._lock = threading.RLock()  # of writing: a connection has one transaction

    def open(self, constants: Mapping[str, str]) -> None:
        """See `Store.open`."""
        if self._link is None:
            self._link = connect(self.path, constants, self._timeout, damaged=self.opens_damaged)
            self._release_dead()

    def newer(self, after: int) -> Iterator[Sequence[Listing]]:
        """See `Store.newer`."""
        while batch := self._listings(after):
            yield batch
            after = batch[-1].id

    def get(self, numbers: Sequence[int]) -> list[Record]:
        """See `Store.get`."""
        found = []
        ordered = sorted(numbers)
        for start in range(0, len(ordered), _ASKED):
            part = ordered[start : start + _ASKED]
            part += part[-1:] * ((1 << (len(part) - 1).bit_length()) - len(part))
            rows = self._connection.execute(_record_statement(len(part)), part)
            for number, owner, key, scope, group, *of in rows:
                found.append(Record(number, Name(key, scope, group), Fingerprint(*of), owner or ""))
        return found

    def put(self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "") -> Put:
        """See `Store.put`."""
        f = fingerprint
        row = (*name, f.n, f.t, f.s1, f.s2, f.limit, f.digest, f.bands, f.numbers, seen)
        with self._writing(several=bool(owner or replaced)) as link:
            done = link.execute(_PUT, row)
            number = (done.lastrowid or 0) if done.rowcount else 0
            if number and replaced:
                link.execute("DELETE FROM claims WHERE id = ?", (replaced,))
            if number and owner:
                link.execute("INSERT INTO claims VALUES (?, ?)", (number, owner))
                link.execute(_BEAT, (owner, time.time()))
        return Put(number, () if number else self._listings(seen))

    def remove(self, number: int) -> bool:
        """See `Store.remove`."""
        with self._writing(several=True) as link:
            link.execute("DELETE FROM claims WHERE id = ?", (number,))
            return link.execute("DELETE FROM texts WHERE id = ?", (number,)).rowcount > 0

    def settle(self, number: int, owner: str) -> bool:
        """See `Store.settle`."""
        with self._writing() as link:
            return link.execute(_SETTLE, (number, owner)).rowcount > 0

    def withdraw(self, number: int, owner: str) -> bool:
        """See `Store.withdraw`."""
        with self._writing(several=True) as link:
            done = link.execute("DELETE FROM claims WHERE id = ? AND owner = ?", (number, owner)).rowcount > 0
            if done:
                link.execute("DELETE FROM texts WHERE id = ?", (number,))
        return done

    def release(self, owner: str) -> list[int]:
        """See `Store.release`."""
        with self._writing(several=True) as link:
            found = link.execute("SELECT id FROM claims WHERE owner = ?", (owner,)).fetchall()
            link.executemany("DELETE FROM texts WHERE id = ?", found)
            link.execute("DELETE FROM claims WHERE owner = ?", (owner,))
            link.execute("DELETE FROM owners WHERE owner = ?", (owner,))
        return [number for (number,) in found]

    def beat(self, owner: str) -> None:
        """See `Store.beat`."""
        with self._writing() as link:
            link.execute(_BEAT, (owner, time.time()))

    def lives(self, owner: str) -> bool:
        """See `Store.lives`. A beat from the future, of a clock that was set back, is taken for one of now."""
        now = time.time()
        row = self._connection.execute("SELECT beat FROM owners WHERE owner = ?", (owner,)).fetchone()
        if row is None or owners.has_ended(owner):
            return False
        if row[0] > now:
            with self._writing() as link:
                link.execute("UPDATE owners SET beat = ? WHERE owner = ? AND beat > ?", (now, owner, now))
        return bool(now - row[0] < owners.CLAIM_SECONDS)

    def note(self, number: int, copy: Name | None = None, most: int = 0) -> None:
        """See `Store.note`."""
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

    def copies(self, kept: Name | None = None) -> Iterator[Copy]:
        """See `Store.copies`."""
        which, values = ("", ()) if kept is None else (" WHERE kept = ? AND scope = ?", kept[:2])
        yield from map(Copy._make, self._connection.execute(f"{_COPIES}{which} ORDER BY id", values))

    def copy_named(self, name: Name) -> Copy | None:
        """See `Store.copy_named`."""
        row = self._connection.execute(f"{_COPIES} WHERE key = ? AND scope = ?", name[:2]).fetchone()
        return None if row is None else Copy(*row)

    def remove_copy(self, name: Name) -> bool:
        """See `Store.remove_copy`."""
        with self._writing() as link:
            return link.execute("DELETE FROM copies WHERE key = ? AND scope = ?", name[:2]).rowcount > 0

    def last_seen(self, numbers: Sequence[int]) -> dict[int, float]:
        """See `Store.last_seen`."""
        found: dict[int, float] = {}
        for start in range(0, len(numbers), _ASKED):
            part = numbers[start : start + _ASKED]
            asked = f"SELECT id, seen FROM texts WHERE id IN ({','.join('?' * len(part))})"
            found.update(self._connection.execute(asked, part))
        return found

    def set_last_seen(self, times: Mapping[int, float]) -> None:
        """See `Store.set_last_seen`."""
        with self._writing(several=True) as link:
            link.executemany("UPDATE texts SET seen = ? WHERE id = ?", [(int(at), one) for one, at in times.items()])

    def problems(self) -> list[str]:
        """See `Store.problems`."""
        try:
            said = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check")]
        except sqlite3.DatabaseError as error:  # so bad that it cannot even be looked through
            return [str(error)]
        found = [line for line in said if line != "ok"]
        if not found:
            orphans = self._connection.execute(f"SELECT id {_ORPHANS}")
            found += [f"a claim on text {number}, which cannot be found" for (number,) in orphans]
        return found

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    def close(self) -> None:
        """See `Store.close`."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def _release_dead(self) -> None:
        """Forget what dead owners have claimed, all at once: each would take a look at all claims."""
        with self._writing(several=True) as link:
            claims = link.execute("SELECT id, owner FROM claims").fetchall()
            known = {owner for (owner,) in link.execute("SELECT owner FROM owners")}
            dead = {owner for owner in known.union(owner for _, owner in claims) if not self.lives(owner)}
            gone = [(number,) for number, owner in claims if owner in dead]
            link.executemany("DELETE FROM texts WHERE id = ?", gone)
            link.executemany("DELETE FROM claims WHERE id = ?", gone)
            link.executemany("DELETE FROM owners WHERE owner = ?", [(owner,) for owner in dead])
            link.execute(f"DELETE {_ORPHANS}")  # one of the past that knows no claims may have replaced their texts

    @contextmanager
    def _writing(self, *, several: bool = False) -> Iterator[sqlite3.Connection]:
        """Give the connection for writing; several statements are one step for all others."""
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


@cache
def _record_statement(count: int) -> str:
    """The statement for a power of two of ids: a new one takes SQLite ten times as long as one that it knows."""
    return _RECORD + ("= ?" if count == 1 else f"IN ({','.join('?' * count)}) ORDER BY id")
