"""The store of the duplicate index that a project has written itself: DENOISE_DEDUP_STORE is the path of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.utils.misc import load_object

from denoise_scrapy.dedup import RedisStore, Store
from denoise_scrapy.setting_values import is_path

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def store_class(path: str) -> type[Store]:
    """The class of this import path.

    Raises:
        ValueError: There is none, or it is no `Store`.

    Example:
        >>> store_class("denoise_scrapy.dedup.SQLiteStore").__name__
        'SQLiteStore'
        >>> store_class("denoise_scrapy.dedup.Verdict")
        Traceback (most recent call last):
        ValueError: it is no subclass of denoise_scrapy.dedup.Store
    """
    try:
        found = load_object(path)
    except (ImportError, NameError, ValueError) as error:
        raise ValueError(str(error)) from error
    if not (isinstance(found, type) and issubclass(found, Store)):
        raise ValueError("it is no subclass of denoise_scrapy.dedup.Store")
    return found


def check_store(name: str) -> None:
    """Refuse the path of what is no store; names are left alone.

    Raises:
        ValueError: See `store_class`.
    """
    if is_path(name):
        store_class(name)


def make_store(path: str, crawl_settings: BaseSettings) -> Store:
    """The store, to be opened: from its class method `from_settings(settings)`, or without arguments.

    Args:
        path: Import path of its class.
        crawl_settings: All settings of the crawl, in which a store finds its own.
    """
    made = store_class(path)
    build = getattr(made, "from_settings", None)
    store: Store = build(crawl_settings) if build is not None else made()
    return store


def is_remote(name: str) -> bool:
    """Whether a store answers from another machine, and is asked in a thread (`Store.remote`).

    Args:
        name: DENOISE_DEDUP_STORE.
    """
    return RedisStore.remote if name == "redis" else is_path(name) and store_class(name).remote
