"""Create the store of an index from one string: memory, a file or a server."""

from __future__ import annotations

import os
from pathlib import PurePath
from urllib.parse import urlsplit

from denoise_scrapy.dedup.sqlite_store import MemoryStore, SQLiteStore
from denoise_scrapy.dedup.store import Store
from denoise_scrapy.support.storage import SCHEMES

VALID = "memory | path of a file | redis://host:6379/0#name"


def open_store(place: str) -> Store:
    """Create the store at a place, for a `DuplicateIndex` to open.

    Args:
        place: "memory"; the path of a file, with a suffix or a slash; or the URL of a Redis server with "#" and the
            name of the index, `redis://localhost:6379/0#news` (without one: "denoise").

    Returns:
        The store. Missing files are created; a server is contacted when the index opens.

    Raises:
        ValueError: `place` has none of these forms.
        ImportError: The place is a server, and redis-py is not installed.

    Example:
        >>> open_store("crawls/news.sqlite").path.name
        'news.sqlite'
        >>> open_store("sqlite")
        Traceback (most recent call last):
        ValueError: 'sqlite' is not a place of an index; valid is memory | path of a file | ...
    """
    if place == "memory":
        return MemoryStore()
    if place.startswith(SCHEMES):
        from denoise_scrapy.dedup.redis_store import RedisStore  # noqa: PLC0415 - for crawls on a server

        return RedisStore(place)
    if not is_file(place):
        raise ValueError(f"{place!r} is not a place of an index; valid is {VALID}")
    return SQLiteStore(place)


def is_file(place: str) -> bool:
    """Return whether a place is the path of a file: it has a slash, or a suffix that is no name of a class.

    What begins as a URL is none, also with one slash too few; a letter and a colon are a drive.
    """
    suffix = PurePath(place).suffix
    is_named = bool(suffix) and (suffix.isupper() or not suffix[1].isupper())
    return len(urlsplit(place).scheme) <= 1 and ("/" in place or os.sep in place or is_named)
