"""Opening a SQLite file: ours, new, or refused untouched."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

_MAGIC = b"SQLite format 3\x00"
_MOVE = "Give another path, or move that file away; it has not been touched."
_META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


class StoreMismatch(ValueError):  # noqa: N818 - the public name says what happened
    """A file or store was written by something that cannot be continued.

    Attributes:
        constant: What differs.
        stored: Its value in the store.
        current: The value this version works with.

    Example:
        >>> str(StoreMismatch("pair cap", "128", "256", "a.db", "Delete it."))
        "a.db: 'pair cap' is 128 there and 256 here. Delete it."
    """

    def __init__(self, constant: str, stored: str, current: str, where: str, advice: str) -> None:
        super().__init__(f"{where}: {constant!r} is {stored} there and {current} here. {advice}")
        self.constant = constant
        self.stored = stored
        self.current = current


@dataclass(frozen=True)
class FileKind:
    """One kind of file.

    Attributes:
        application_id: Number in the file's header that tells it from other databases.
        what: What it is, for messages: "an index of denoise_scrapy".
        schema: Statements that make its tables where there are none; `meta` is made for every kind.
        advice: What to do with a file of another version.
    """

    application_id: int
    what: str
    schema: tuple[str, ...]
    advice: str


def connect(path: Path, kind: FileKind, constants: Mapping[str, str], timeout: float) -> sqlite3.Connection:
    """Open or create a file.

    Args:
        path: The file; its folder must exist.
        kind: What it must be.
        constants: What its content is made with in this version; kept in the table `meta`.
        timeout: Seconds to wait for another process to finish its transaction.

    Returns:
        A connection in write-ahead mode, usable from any thread, without transactions of its own.

    Raises:
        StoreMismatch: Not of this kind, or of other constants.
        FileNotFoundError: The folder does not exist.
        sqlite3.Error: It cannot be opened or written.
    """
    refuse_foreign(path, kind)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: its folder does not exist; create it or give another path")
    link = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        link.execute("BEGIN IMMEDIATE")
        for statement in (f"PRAGMA application_id = {kind.application_id}", _META, *kind.schema):
            link.execute(statement)
        _check_constants(link, path, kind, constants)
        link.execute("COMMIT")
        _write_ahead(link, timeout)
    except BaseException:
        link.close()
        raise
    return link


def connect_to_read(
    path: Path, kind: FileKind, constants: Mapping[str, str], timeout: float
) -> sqlite3.Connection | None:
    """Open a file that cannot be written; arguments as for `connect`.

    Returns:
        A connection to read by, None where there is nothing that can be read.

    Raises:
        StoreMismatch: Not of this kind, or of other constants.
    """
    # A file whose folder cannot be written either has no memory to share; then it counts that nobody writes.
    for way in ("mode=ro", "mode=ro&immutable=1"):
        try:
            refuse_foreign(path, kind)
            address = f"file:{quote(str(path.absolute()))}?{way}"
            link = sqlite3.connect(address, timeout=timeout, isolation_level=None, check_same_thread=False, uri=True)
        except (OSError, sqlite3.Error):
            continue
        try:
            _check_stored(dict(link.execute("SELECT name, value FROM meta")), path, kind, constants)
            return link
        except sqlite3.Error:
            link.close()
        except BaseException:
            link.close()
            raise
    return None


def refuse_foreign(path: Path, kind: FileKind) -> None:
    """Look at a file's header, without opening it as a database.

    Args:
        path: The file, which need not exist.
        kind: What it must be.

    Raises:
        StoreMismatch: It is a folder, no SQLite database, or another program's.
    """
    if path.is_dir():
        raise StoreMismatch("file", "a folder", "a file", str(path), "Give the path of a file.")
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        head = file.read(100)
    if not head.startswith(_MAGIC):
        raise StoreMismatch("file", "no SQLite database", kind.what, str(path), _MOVE)
    if int.from_bytes(head[68:72], "big") != kind.application_id:
        raise StoreMismatch("file", "another program's database", kind.what, str(path), _MOVE)


def _check_constants(link: sqlite3.Connection, path: Path, kind: FileKind, constants: Mapping[str, str]) -> None:
    """Write the constants into a new file, hold an old one's against ours."""
    stored = dict(link.execute("SELECT name, value FROM meta"))
    if not stored:
        link.executemany("INSERT INTO meta VALUES (?, ?)", constants.items())
        return
    _check_stored(stored, path, kind, constants)


def _check_stored(stored: Mapping[str, str], path: Path, kind: FileKind, constants: Mapping[str, str]) -> None:
    for name, value in constants.items():
        if stored.get(name) != value:
            raise StoreMismatch(name, str(stored.get(name)), value, str(path), kind.advice)


def _write_ahead(link: sqlite3.Connection, timeout: float) -> None:
    """Switch to write-ahead mode; SQLite does not wait by itself while another process starts."""
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
