"""Opening the SQLite file of an index: ours, new, or refused untouched."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path

from denoise_scrapy.dedup.store import StoreMismatch

APPLICATION_ID = 0x64736472  # 'dsdr' in the file's header: tells our files from other databases
FORMAT = "1"  # raise with any change of the tables

_MAGIC = b"SQLite format 3\x00"
_MOVE = "Give another path, or move that file away; it has not been touched."
_SCHEMA = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # AUTOINCREMENT: an id never comes back, or another process would take a new row for an old one
    """CREATE TABLE IF NOT EXISTS texts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        key TEXT NOT NULL, scope TEXT NOT NULL,
        n INTEGER NOT NULL, t INTEGER NOT NULL,
        s1 BLOB NOT NULL, s2 BLOB NOT NULL, s2_limit INTEGER NOT NULL,
        digest BLOB NOT NULL, minhash BLOB NOT NULL,
        UNIQUE (key, scope))""",
)


def connect(path: Path, constants: Mapping[str, str], timeout: float) -> sqlite3.Connection:
    """Open or create the file.

    Args:
        path: The file; its folder must exist.
        constants: What the fingerprints of this version are made with.
        timeout: Seconds to wait for another process to finish its transaction.

    Returns:
        A connection in write-ahead mode, usable from any thread, without transactions of its own.

    Raises:
        StoreMismatch: Not our file, or one of other constants.
        FileNotFoundError: The folder does not exist.

    """
    refuse_foreign(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: its folder does not exist; create it or give another path")
    link = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        link.execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA:
            link.execute(statement)
        _check_constants(link, path, {"format": FORMAT, **constants})
        link.execute("COMMIT")
        _write_ahead(link, timeout)
    except BaseException:
        link.close()
        raise
    return link


def refuse_foreign(path: Path) -> None:
    """Look at a file's header, without opening it as a database.

    Args:
        path: The file, which need not exist.

    Raises:
        StoreMismatch: It is a folder, no SQLite database, or another program's.

    """
    if path.is_dir():
        raise StoreMismatch("file", "a folder", "a file", str(path), "Give the path of a file.")
    if not path.exists() or not path.stat().st_size:
        return
    with path.open("rb") as file:
        head = file.read(100)
    ours = "an index of denoise_scrapy"
    if not head.startswith(_MAGIC):
        raise StoreMismatch("file", "no SQLite database", ours, str(path), _MOVE)
    if int.from_bytes(head[68:72], "big") != APPLICATION_ID:
        raise StoreMismatch("file", "another program's database", ours, str(path), _MOVE)


def _check_constants(link: sqlite3.Connection, path: Path, constants: Mapping[str, str]) -> None:
    """Write the constants into a new file, hold an old one's against ours."""
    stored = dict(link.execute("SELECT name, value FROM meta"))
    if not stored:
        link.executemany("INSERT INTO meta VALUES (?, ?)", constants.items())
        return
    advice = "Delete the file to start a new index, or use the version that wrote it."
    for name, value in constants.items():
        if stored.get(name) != value:
            raise StoreMismatch(name, str(stored.get(name)), value, str(path), advice)


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
