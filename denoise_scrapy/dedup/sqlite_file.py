"""The SQLite file of an index: its tables and its number."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from denoise_scrapy.dedup.prefilter import BANDS
from denoise_scrapy.storage import FileKind
from denoise_scrapy.storage import connect as connect_file

FORMAT = "3"  # raise with any change of the tables
INDEX = FileKind(
    application_id=0x64736472,  # 'dsdr'
    what="an index of denoise_scrapy",
    schema=(
        # AUTOINCREMENT: an id never comes back, or another process would take a new row for an old one.
        # What is looked at most comes first: opening reads all but the group and s1, `sqlite3` shows the rest.
        """CREATE TABLE IF NOT EXISTS texts (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL, scope TEXT NOT NULL,
            seen INTEGER NOT NULL DEFAULT (strftime('%s', 'now')),
            n INTEGER NOT NULL, digest BLOB NOT NULL, bands BLOB NOT NULL,
            text_group TEXT NOT NULL, t INTEGER NOT NULL, s1 BLOB NOT NULL, s2 BLOB NOT NULL, s2_limit INTEGER NOT NULL,
            numbers BLOB NOT NULL, UNIQUE (key, scope))""",
        "CREATE TABLE IF NOT EXISTS claims (id INTEGER PRIMARY KEY, owner TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS owners (owner TEXT PRIMARY KEY, beat REAL NOT NULL)",
        # Dropped keys, those dropped last with the highest ids. The triggers keep them in step with the texts, whoever
        # writes these: REPLACE fires none on deleting, so that a group outlives an update of its text.
        """CREATE TABLE IF NOT EXISTS copies (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL, scope TEXT NOT NULL, kept TEXT NOT NULL, seen REAL NOT NULL,
            UNIQUE (key, scope))""",
        "CREATE INDEX IF NOT EXISTS copies_kept ON copies (kept, scope)",
        """CREATE TRIGGER IF NOT EXISTS text_removed AFTER DELETE ON texts
            BEGIN DELETE FROM copies WHERE kept = OLD.key AND scope = OLD.scope; END""",
        """CREATE TRIGGER IF NOT EXISTS copy_kept AFTER INSERT ON texts
            BEGIN DELETE FROM copies WHERE key = NEW.key AND scope = NEW.scope; END""",
    ),
    advice="Delete the file to start a new index, or use the version that wrote it.",
    sound=(
        ("texts", f"length(digest) <> 16 OR length(bands) NOT IN (0, {4 * BANDS}) OR n NOT BETWEEN 0 AND 4294967295"),
        *((name, "0") for name in ("meta", "claims", "owners", "copies")),
    ),
)


def connect(path: Path, constants: Mapping[str, str], timeout: float, *, damaged: bool = False) -> sqlite3.Connection:
    """Open or create the file of an index.

    Args:
        path: The file; its folder must exist.
        constants: What the fingerprints of this version are made with.
        timeout: Seconds to wait for another process to finish its transaction.
        damaged: Whether to open it also where texts are damaged, so that somebody can say which.

    Returns:
        See `denoise_scrapy.storage.connect`.

    Raises:
        StoreMismatch: Not our file, or one of other constants.
        FileNotFoundError: The folder does not exist.

    """
    kind = replace(INDEX, sound=INDEX.sound[1:]) if damaged else INDEX
    return connect_file(path, kind, {"format": FORMAT, **constants}, timeout)
