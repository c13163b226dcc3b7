"""Where the site memory of a crawl lies: a file, a server, or nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, unquote

from denoise_scrapy.dedup.places import is_class_path
from denoise_scrapy.site.redis_store import RedisSiteStore
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore
from denoise_scrapy.storage.redis_link import SCHEMES

if TYPE_CHECKING:
    from denoise_scrapy.settings import DenoiseSettings
    from denoise_scrapy.site.store import SiteStore

SITES_FILE = "denoise-sites.sqlite"
# SQLite's own name for a database without a file.
NO_FILE = ":memory:"


class SitesPlace(NamedTuple):
    """A place for a site memory.

    Attributes:
        path: The file; None on a server.
        url: The server's URL.
        name: The name there.

    Example:
        >>> print(SitesPlace.of("redis://localhost:6379/0#news"))
        redis://localhost:6379/0#news
        >>> print(SitesPlace.of("job/denoise-sites.sqlite"))
        job/denoise-sites.sqlite
    """

    path: Path | None
    url: str = ""
    name: str = ""

    def __str__(self) -> str:
        return str(self.path) if self.path is not None else f"{_without_password(self.url)}#{quote(self.name)}"

    @classmethod
    def of(cls, place: str) -> SitesPlace:
        """The place that a user names.

        Args:
            place: Path of a file, or URL of a server, which "#" and a name may follow.

        Raises:
            ValueError: It is another kind of URL.
        """
        if place.startswith(SCHEMES):
            url, _, own = place.partition("#")
            return cls(None, url, unquote(own) or "denoise")
        if "://" in place:
            raise ValueError(f"{place}: no such kind of store; there are files and {', '.join(SCHEMES)}")
        return cls(Path(place))

    def store(self) -> SiteStore:
        """The store there, to be opened.

        Raises:
            ImportError: It needs redis-py, which is not installed.
            ValueError: The URL or the name is none.
        """
        return SQLiteSiteStore(self.path) if self.path is not None else RedisSiteStore(self.url, name=self.name)


def sites_place(settings: DenoiseSettings, directory: str | None) -> SitesPlace | None:
    """Where the site memory lies, None for in memory only.

    Args:
        settings: The crawl's.
        directory: Its job directory.

    Raises:
        ValueError: DENOISE_SITE_MEMORY_PATH is an URL of no kind that is known.
    """
    if settings.site_memory_path:
        return SitesPlace.of(settings.site_memory_path) if settings.site_memory_path != NO_FILE else None
    index = settings.dedup_store
    if index.startswith(SCHEMES):
        return SitesPlace.of(index)
    if index not in {"auto", "memory"} and not is_class_path(index):
        return SitesPlace(Path(index).parent / SITES_FILE)
    return SitesPlace(Path(directory, SITES_FILE)) if directory else None


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
