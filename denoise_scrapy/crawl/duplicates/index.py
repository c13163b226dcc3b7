"""Between items and the index of texts: what is compared, under which key, stored where."""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from scrapy.utils.job import job_dir
from w3lib.url import canonicalize_url

from denoise_scrapy.dedup import DuplicateIndex, RedisStore, SQLiteStore, Store
from denoise_scrapy.items import ComparedFields, get_field, url_in
from denoise_scrapy.settings import ConfigurationError, is_class_path, store_class
from denoise_scrapy.site import site_key
from denoise_scrapy.storage.redis_link import SCHEMES

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from denoise_scrapy.crawl.item_pages import ItemPage
    from denoise_scrapy.settings import DenoiseSettings

INDEX_FILE = "denoise-texts.sqlite"
# Seconds to wait for an answer of a server on another machine; one takes a millisecond. A few retries follow.
REDIS_TIMEOUT = 2.0
# Dropped keys that an index in a file or on a server remembers with the kept one: some 10 MB.
REMEMBERED_COPIES = 100_000
_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
_PASSING_WORDS = ("readonly database", "is full", "disk I/O error", "is locked")  # Python 3.10 gives no codes


class UnusableNowError(Exception):
    """The index cannot be used now, but its place is right: a full disk, a file that is read-only."""


class ItemText(NamedTuple):
    """What of an item goes to the index.

    Attributes:
        key: What identifies the item.
        text: What is compared.
        scope: Site within which it is compared, "" for all; and what the fields say that must agree.
        group: What the fields say that must differ.
        obstacle: Why it is not compared: "no_text", "no_key", "shared"; "" if it is.
    """

    key: str = ""
    text: str = ""
    scope: str = ""
    group: str = ""
    obstacle: str = ""


def item_text(item: Any, whose: ItemPage) -> ItemText:
    """Return what of an item is compared with others: its own text, which may be none.

    The key is the item's key field, an URL in canonical form, or else the URL that the item was made from. Further
    items of one response with the same key get "#2", "#3" … added: they are different items, not updates.
    """
    settings = whose.settings
    fields = ComparedFields.parse(settings.dedup_fields)
    field = fields.text or settings.body_field
    text = get_field(item, field)
    if not isinstance(text, str) or not text.strip():
        return ItemText(obstacle="no_text")
    if whose.is_shared(field, text):
        return ItemText(obstacle="shared")
    key = _key(item, whose)
    if not key:
        return ItemText(obstacle="no_key")
    site = site_key(whose.url or key) if settings.dedup_scope == "site" else ""
    if whose.siblings is not None:
        key = whose.siblings.numbered(key)
    return ItemText(key, text, fields.scope(item, site), fields.group(item))


def open_index(settings: DenoiseSettings, crawl_settings: BaseSettings) -> DuplicateIndex:
    """Open the index of a crawl where its settings say.

    Raises:
        ConfigurationError: It cannot be opened there, or was made with other settings.
        UnusableNowError: It cannot be opened now, but may be later.
    """
    where = index_place(settings, crawl_settings)
    shown = f"the index of texts {place_shown(where)}"
    try:
        return DuplicateIndex(
            settings.dedup_threshold or None,
            _store(where, settings, crawl_settings),
            rule=settings.dedup_rule,
            search=None if settings.dedup_search == "auto" else settings.dedup_search,
            most_new=settings.dedup_most_new,
            short_duplicates=settings.dedup_short,
            remember_copies=REMEMBERED_COPIES if where is not None else 0,
        )
    except (OSError, sqlite3.OperationalError) as error:
        kind = UnusableNowError if passes_by_itself(error) else ConfigurationError
        raise kind(f"{shown}: {error}") from error
    except sqlite3.DatabaseError as error:
        advice = "Move it away, or restore it; it has not been touched."
        raise ConfigurationError(f"{shown}: {error}. {advice}") from error
    except Exception as error:  # whatever a file or a server answers, the crawl must not start without its index
        raise ConfigurationError(f"{shown}: {error}") from error


def place_shown(where: str | Path | None) -> str:
    """The place of an index as messages may show it: no user and password.

    Example:
        >>> place_shown("redis://user:secret@cache.example:6379/0"), place_shown(None)
        ('redis://cache.example:6379/0', 'in memory')
    """
    if not isinstance(where, str):
        return "in memory" if where is None else str(where)
    scheme, mark, rest = where.partition("://")
    return scheme + mark + rest.rpartition("@")[2] if mark else where


def _store(where: str | Path | None, settings: DenoiseSettings, crawl_settings: BaseSettings) -> Store | None:
    if where is None:
        return None
    if isinstance(where, Path):
        return SQLiteStore(where)
    if is_class_path(where):
        return make_store(where, crawl_settings)
    url, _, name = where.partition("#")
    return RedisStore(url, name=unquote(name) or "denoise", timeout=REDIS_TIMEOUT)


def make_store(path: str, crawl_settings: BaseSettings) -> Store:
    """Make the store of a project: by its class method `from_settings(settings)`, or without arguments.

    Args:
        path: Import path of its class.
        crawl_settings: All settings of the crawl, in which a store finds its own.
    """
    made = store_class(path)
    build = getattr(made, "from_settings", None)
    store: Store = build(crawl_settings) if build is not None else made()
    return store


def is_remote(place: str) -> bool:
    """Whether the store of a place answers from another machine, and is asked in a thread (`Store.remote`)."""
    return place.startswith(SCHEMES) or (is_class_path(place) and store_class(place).remote)


def passes_by_itself(error: Exception) -> bool:
    """Whether what keeps a file from being opened or written may pass: a full disk, a read-only file.

    Example:
        >>> passes_by_itself(sqlite3.OperationalError("attempt to write a readonly database"))
        True
        >>> passes_by_itself(sqlite3.DatabaseError("database disk image is malformed"))
        False
    """
    if isinstance(error, sqlite3.OperationalError):
        return any(words in str(error) for words in _PASSING_WORDS)
    return isinstance(error, OSError) and error.errno in _PASSING


def index_place(settings: DenoiseSettings, crawl_settings: BaseSettings) -> str | Path | None:
    """Return where the index of a crawl is: URL of the server, path of the file or of a class, None for memory."""
    place = settings.dedup_store
    if settings.dedup == "off" or place == "memory":
        return None
    if place != "auto":
        return place if place.startswith(SCHEMES) or is_class_path(place) else Path(place)
    directory = job_dir(crawl_settings)
    return Path(directory, INDEX_FILE) if directory else None


def _key(item: Any, whose: ItemPage) -> str:
    key = get_field(item, whose.settings.dedup_key_field)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    key = (
        key.strip()
        if isinstance(key, str) and key.strip()
        else url_in(item, whose.settings.dedup_key_field) or whose.url
    )
    return canonicalize_url(key) if site_key(key) else key
