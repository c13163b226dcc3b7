"""The connection to a Redis server: optional, bounded in time, and named where it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SCHEMES = ("redis://", "rediss://", "unix://")
"""What URLs begin with that redis-py reads."""

TIMEOUT = 5.0
"""Seconds to wait for an answer. One takes a millisecond: a server silent for so long is gone."""

_RETRIES = 3  # a server that restarts is back within these and their pauses, or stays away for long
_PAUSE, _LONGEST_PAUSE = 0.1, 1.0  # seconds before the first of them, and at most
_MISSING = "A store in Redis needs redis-py, which is not installed: pip install denoise-scrapy[redis]"


def without_password(place: str) -> str:
    """The place of a store for messages: of a URL neither user and password nor options; a path as it is.

    Example:
        >>> without_password("redis://user:secret@cache.example:6379/0?password=x#news")
        'redis://cache.example:6379/0#news'
        >>> without_password("job/denoise-sites.sqlite")
        'job/denoise-sites.sqlite'
    """
    scheme, mark, rest = place.partition("://")
    if not mark:
        return place
    address, hash_, name = rest.partition("#")
    return scheme + mark + address.partition("?")[0].rpartition("@")[2] + hash_ + name


class RedisLink:
    """A client of redis-py. Connects with the first request, and again after a break.

    Args:
        url: As redis-py reads it.
        timeout: Seconds to wait for a connection and for an answer, above 0.
        retries: How often a request that failed is sent again; None: as often as a restart of the server takes.

    Attributes:
        client: The client; without types, for they differ between versions of redis-py.
        errors: What it fails with; redis-py has no other base of its exceptions.
        place: The URL without user, password and options, for messages.

    Raises:
        ImportError: redis-py is not installed.
        ValueError: The URL is none, or the timeout is out of range.

    Example:
        >>> RedisLink("redis://user:secret@localhost:6379/0").place
        'redis://localhost:6379/0'

    """

    def __init__(self, url: str, timeout: float = TIMEOUT, retries: int | None = None) -> None:
        if not timeout > 0:
            raise ValueError(f"timeout must be above 0 seconds, got {timeout!r}")
        try:
            import redis  # noqa: PLC0415 - an extra
            from redis.backoff import ExponentialBackoff  # noqa: PLC0415
            from redis.retry import Retry  # noqa: PLC0415
        except ImportError as error:
            raise ImportError(_MISSING) from error
        self.errors: type[Exception] = redis.RedisError
        self._failures = (redis.ConnectionError, redis.TimeoutError)
        again = _RETRIES if retries is None else retries
        self.client: Any = redis.Redis.from_url(
            url,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(ExponentialBackoff(_LONGEST_PAUSE, _PAUSE), again, (*self._failures, OSError)),
            retry_on_error=list(self._failures),
        )
        self.place = without_password(url.partition("#")[0])

    @contextmanager
    def named(self) -> Iterator[Any]:
        """Give the client; a failure of the connection within says which server it was."""
        try:
            yield self.client
        except self._failures as error:
            error.args = (f"{self.place}: {error}",)
            raise
