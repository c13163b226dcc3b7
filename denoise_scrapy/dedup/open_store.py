"""Create the store of an index from one string: memory, a file, a server, or a custom class."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import Any

from denoise_scrapy.dedup.sqlite_store import MemoryStore, SQLiteStore
from denoise_scrapy.dedup.store import Store
from denoise_scrapy.support.adapters import find_function
from denoise_scrapy.support.storage import SCHEMES

VALID = "memory | path of a file | redis://host:6379/0#name | import path of a class"


def open_store(place: str, settings: Any = None) -> Store:
    """Create the store at a place, for a `DuplicateIndex` to open.

    Args:
        place: "memory"; the path of a file, with a suffix or a slash; the URL of a Redis server with "#" and the name
            of the index, `redis://localhost:6379/0#news` (without one: "denoise"); or the import path of a subclass of
            `Store`.
        settings: Passed to the `from_settings` method of such a class if it has one.

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
    if is_class_path(place):
        made: Any = store_class(place)
        store: Store = made.from_settings(settings) if hasattr(made, "from_settings") else made()
        return store
    if not is_file(place):
        raise ValueError(f"{place!r} is not a place of an index; valid is {VALID}")
    return SQLiteStore(place)


def is_file(place: str) -> bool:
    """Return whether a place is the path of a file: it has a slash or a suffix."""
    path = "/" in place or os.sep in place or bool(PurePath(place).suffix)
    return path and "://" not in place and not is_class_path(place)


def is_class_path(place: str) -> bool:
    """Return whether a place is the import path of a class: dotted names, the last one capitalised."""
    names = place.split(".")
    return len(names) > 1 and all(map(str.isidentifier, names)) and names[-1][0].isupper()


def store_class(path: str) -> type[Store]:
    """Import a store's class; raise `ValueError` if there is none at this path, or it is not a subclass of `Store`."""
    found: Any = find_function(path)
    if not (isinstance(found, type) and issubclass(found, Store)):
        raise ValueError("it is no subclass of denoise_scrapy.dedup.Store")
    return found
