"""Near-duplicate texts: fingerprints, a MinHash prefilter, an exact search, and stores.

Works on strings, independently of pages and crawls. `rules` makes a fingerprint and compares two, `variants` tells
texts about different things apart, `prefilter` finds candidates among many, `index` among others, and decides with a
store's help (`store`, `sqlite_store`, `redis_store`, `open_store`), `batch` does it for rows of a list or file.

Example:
    >>> from denoise_scrapy.dedup import DuplicateIndex
    >>> index = DuplicateIndex()
    >>> index.check_and_add("/a", "Swifts sleep on the wing, high over sea. " * 4).reason
    'new'
    >>> index.check_and_add("/b", "Swifts sleep on the wing, high over sea. " * 4).of
    '/a'
"""

from typing import TYPE_CHECKING

from denoise_scrapy.dedup.batch import deduplicate
from denoise_scrapy.dedup.index import RULES, SEARCHES, DuplicateIndex, Verdict
from denoise_scrapy.dedup.open_store import open_store
from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.sqlite_store import MemoryStore, SQLiteStore
from denoise_scrapy.dedup.store import CLAIM_SECONDS, Store
from denoise_scrapy.dedup.versions import source_of
from denoise_scrapy.exceptions import StoreMismatch
from denoise_scrapy.support.lazily import names_of

if TYPE_CHECKING:
    from denoise_scrapy.dedup.redis_store import RedisStore

__all__ = [
    "CLAIM_SECONDS",
    "RULES",
    "SEARCHES",
    "DuplicateIndex",
    "Fingerprint",
    "MemoryStore",
    "RedisStore",
    "SQLiteStore",
    "Store",
    "StoreMismatch",
    "Verdict",
    "deduplicate",
    "open_store",
    "source_of",
]

__getattr__ = names_of(__name__, {"RedisStore": "redis_store"})
