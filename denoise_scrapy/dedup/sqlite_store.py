"""A store in one SQLite file: survives the process, and may be shared by several on one machine."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.sqlite_file import connect
from denoise_scrapy.dedup.store import BATCH, Listing, Name, Put, Record, Store

BUSY_SECONDS = 30.0  # a text is kept within a millisecond; only a stuck process holds the file longer

_LISTING = "SELECT id, key, scope, n, digest, bands, t, s2, s2_limit FROM texts WHERE id > ? ORDER BY id LIMIT ?"
_RECORD = "SELECT id, key, scope, text_group, n, t, s1, s2, s2_limit, digest, bands FROM texts WHERE id "
_ASKED = 512  # records by one statement; SQLite takes 999 parameters in all its versions
_as_listing = partial(tuple.__new__, Listing)  # as `Listing._make`, without a frame for each of a million rows
# One statement, so one transaction: nothing is kept where there is something newer. REPLACE gives a new id.
_PUT = """INSERT OR REPLACE INTO texts (key, scope, text_group, n, t, s1, s2, s2_limit, digest, bands)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM texts WHERE id > ?)"""


class SQLiteStore(Store):
    """Records in the table `texts`, constants in the table `meta`; any SQLite client reads them.

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
        self._link: sqlite3.Connection | None = None

    def open(self, constants: Mapping[str, str]) -> None:
        """See `Store.open`."""
        if self._link is None:
            self._link = connect(self.path, constants, self._timeout)

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
            for number, key, scope, group, *of in rows:
                found.append(Record(number, Name(key, scope, group), Fingerprint(*of)))
        return found

    def put(self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0) -> Put:
        """See `Store.put`."""
        f = fingerprint
        row = (*name, f.n, f.t, f.s1, f.s2, f.limit, f.digest, f.bands, seen)
        done = self._connection.execute(_PUT, row)
        if done.rowcount:
            return Put(done.lastrowid or 0, ())
        return Put(0, self._listings(seen))

    def remove(self, number: int) -> bool:
        """See `Store.remove`."""
        return self._connection.execute("DELETE FROM texts WHERE id = ?", (number,)).rowcount > 0

    def problems(self) -> list[str]:
        """See `Store.problems`."""
        try:
            said = [str(row[0]) for row in self._connection.execute("PRAGMA integrity_check")]
        except sqlite3.DatabaseError as error:  # so bad that it cannot even be looked through
            return [str(error)]
        return [line for line in said if line != "ok"]

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    def close(self) -> None:
        """See `Store.close`."""
        if self._link is not None:
            self._link.close()
            self._link = None

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
