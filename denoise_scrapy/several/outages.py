"""Waiting for a Redis server that is away, without an error for each request."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from redis import RedisError

from denoise_scrapy.shown import logger_of

logger = logger_of(__name__)
T = TypeVar("T")

PAUSE = 2.0
"""Seconds before a server is asked again that was away: its client tries some times, and the crawl stands meanwhile."""


class Outages:
    """Asks a server; while it is away nothing is asked for some seconds, and the log has two lines in all.

    Example:
        >>> outages = Outages()
        >>> def ask() -> int:
        ...     raise RedisError("gone")
        >>> outages.ask(ask, 7), outages.ask(lambda: 8, 7), outages.away
        (7, 7, True)

    """

    def __init__(self) -> None:
        self.away = False
        self._again = 0.0

    def ask(self, question: Callable[[], T], otherwise: T) -> T:
        """Return the answer, or `otherwise` where the server does not give one or did not a moment ago."""
        if time.monotonic() < self._again:
            return otherwise
        try:
            answer = question()
        except RedisError as error:
            if not self.away:
                logger.error("The shared frontier cannot be used, and is asked again until it can be: %s", error)
            self.away, self._again = True, time.monotonic() + PAUSE
            return otherwise
        if self.away:
            logger.info("The shared frontier can be used again")
            self.away = False
        return answer
