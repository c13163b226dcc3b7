"""The store of an index from one string: memory, a file, a server, or a class of one's own."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any
from urllib.parse import unquote

from denoise_scrapy.dedup.redis_store import RedisStore
from denoise_scrapy.dedup.sqlite_store import MemoryStore, SQLiteStore
from denoise_scrapy.dedup.store import Store

SERVERS = ("redis://", "rediss://", "unix://")
FILE_SUFFIXES = (".sqlite", ".sqlite3", ".db")
INDEX_NAME = "denoise"  # of an index on a server whose URL names none


def open_store(place: str, settings: Any = None) -> Store:
    """Make the store at a place, for a `DuplicateIndex` to open.

    Args:
        place: "memory"; the path of a file, which ends in `.sqlite` or `.db` or has a slash in it; the URL of a Redis
            server with "#" and the name of the index, `redis://localhost:6379/0#news` (without one: "denoise"); or the
            import path of a subclass of `Store`.
        settings: Given to the method `from_settings` of such a class if it has one.

    Returns:
        The store. Files are made where there are none; a server is asked when the index opens.

    Raises:
        ValueError: It is none of these.
        ImportError: It is on a server, and redis-py is not installed.

    Example:
        >>> open_store("crawls/news.sqlite").path.name
        'news.sqlite'
        >>> open_store("sqlite")
        Traceback (most recent call last):
        ValueError: 'sqlite' is no place of an index; valid are memory, a file (.sqlite, .db, or with a slash), ...

    """
    if place == "memory":
        return MemoryStore()
    if place.startswith(SERVERS):
        url, _, name = place.partition("#")
        return RedisStore(url, name=unquote(name) or INDEX_NAME)
    if is_file(place):
        return SQLiteStore(place)
    made = store_class(place)
    return made.from_settings(settings) if hasattr(made, "from_settings") else made()


def is_file(place: str) -> bool:
    """Whether a place is the path of a file.

    Example:
        >>> is_file("texts.db"), is_file("job/texts"), is_file("myproject.stores.PostgresStore")
        (True, True, False)

    """
    return "://" not in place and (place.endswith(FILE_SUFFIXES) or "/" in place or os.sep in place)


def store_class(path: str) -> Any:
    """Import a store's class.

    Raises:
        ValueError: There is none of this path, or it is no subclass of `Store`.

    Example:
        >>> store_class("denoise_scrapy.dedup.SQLiteStore").__name__
        'SQLiteStore'
        >>> store_class("denoise_scrapy.dedup.Verdict")
        Traceback (most recent call last):
        ValueError: 'denoise_scrapy.dedup.Verdict' is no subclass of denoise_scrapy.dedup.Store

    """
    module, dot, name = path.rpartition(".")
    if not dot or "://" in path:
        valid = "memory, a file (.sqlite, .db, or with a slash), redis://HOST:PORT/DB#NAME, the import path of a class"
        raise ValueError(f"{path!r} is no place of an index; valid are {valid}")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path!r} cannot be imported: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Store)):
        raise ValueError(f"{path!r} is no subclass of denoise_scrapy.dedup.Store")
    return found
