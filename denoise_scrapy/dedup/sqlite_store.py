"""A store in one SQLite file: survives the process, and may be shared by several on one machine."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.sqlite_file import connect
from denoise_scrapy.dedup.store import Record, Store

BUSY_SECONDS = 30.0  # a check holds the file for a millisecond; only a stuck process takes longer

_ROW = "id, key, scope, n, t, s1, s2, s2_limit, digest, minhash"


class SQLiteStore(Store):
    """Records in the table `texts`, constants in the table `meta`; any SQLite client reads them.

    One commit a text. Some 1.1 KB a text on disk.

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
        >>> with store.transaction():
        ...     print(store.put("a", "", Fingerprint.of("some text")).id, len(store))
        1 1
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

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """See `Store.transaction`."""
        link = self._connection
        link.execute("BEGIN IMMEDIATE")
        try:
            yield
            link.execute("COMMIT")
        except BaseException:
            if link.in_transaction:  # a full disk has ended it already
                link.execute("ROLLBACK")
            raise

    def newer(self, after: int) -> Iterator[Record]:
        """See `Store.newer`."""
        query = f"SELECT {_ROW} FROM texts WHERE id > ? ORDER BY id"
        for number, key, scope, n, t, s1, s2, limit, digest, minhash in self._connection.execute(query, (after,)):
            print_ = Fingerprint(n, t, s1, s2, limit, digest, minhash)
            yield Record(number, key, scope, print_)

    def contains(self, number: int) -> bool:
        """See `Store.contains`."""
        found = self._connection.execute("SELECT 1 FROM texts WHERE id = ?", (number,))
        return found.fetchone() is not None

    def put(self, key: str, scope: str, fingerprint: Fingerprint) -> Record:
        """See `Store.put`."""
        f = fingerprint
        cursor = self._connection.execute(  # REPLACE gives a new id, as the interface asks
            "INSERT OR REPLACE INTO texts (key, scope, n, t, s1, s2, s2_limit, digest, minhash)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (key, scope, f.n, f.t, f.s1, f.s2, f.limit, f.digest, f.minhash),
        )
        return Record(cursor.lastrowid or 0, key, scope, f)

    def remove(self, key: str, scope: str) -> bool:
        """See `Store.remove`."""
        query = "DELETE FROM texts WHERE key = ? AND scope = ?"
        return self._connection.execute(query, (key, scope)).rowcount > 0

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM texts").fetchone()[0])

    def close(self) -> None:
        """See `Store.close`."""
        if self._link is not None:
            self._link.close()
            self._link = None

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._link is None:
            raise ValueError(f"store {self.path} is not open")
        return self._link
