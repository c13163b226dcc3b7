"""Calling the stores of a crawl: beside the reactor, one call at a time, with a rest for one that fails or is slow."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from denoise_scrapy.crawl.base import Answer, Crawl, beside
from denoise_scrapy.shown import logger_of
from denoise_scrapy.storage import REST, SLOW_SECONDS, BackOff

logger = logger_of(__name__)

FAILED = "%s cannot be used now, and %s until it can: %s"
SLOW = "%s is slow: a call took %.1f seconds; %s while it rests. (Further such calls: denoise/%sslow)"


class StoreCalls:
    """The calls of one store.

    Args:
        crawl: The crawl.
        stat: Beginning of the names of its stats.
        name: Its name in the log.
        meanwhile: What happens while it is not used.
        failures: Errors of the store, which affect neither the crawl nor items.
        rest: How long it rests after a slow call, in multiples of the call.
    """

    def __init__(
        self,
        crawl: Crawl,
        stat: str,
        name: str,
        meanwhile: str,
        failures: tuple[type[Exception], ...],
        rest: float = REST,
    ) -> None:
        self._crawl = crawl
        self._stat = stat
        self._name = name
        self._meanwhile = meanwhile
        self._failures = failures
        self._lock = asyncio.Lock()
        self._back_off = BackOff(rest=rest)
        self.is_free = True  # whether its last call has succeeded, and none is under way

    @property
    def ready(self) -> bool:
        """True if the store may be called now."""
        return self._back_off.ready

    async def run(self, work: Callable[[], Answer], parts: int = 1, *, aside: bool = True) -> Answer | None:
        """Return the result of a call; None if the store cannot be used now.

        Args:
            work: The call.
            parts: Number of things it does, each of which may take a while.
            aside: Whether to call it beside the reactor.
        """

        def timed() -> tuple[Answer, float]:
            begun = time.monotonic()
            return work(), (time.monotonic() - begun) / parts

        async with self._lock:  # otherwise every call would wait for the time-out of a silent server
            if not self.ready:
                return None
            self.is_free = False
            try:
                answer, seconds = await beside(timed) if aside else (work(), 0.0)
            except self._failures as error:
                self.failed(error)
                return None
        if self._back_off.pause:
            logger.info("%s can be used again", self._name, extra=self._crawl.extra)
        self._back_off.worked(seconds)
        self.is_free = not self._lock.locked()
        if seconds > SLOW_SECONDS:
            self._crawl.count(f"{self._stat}slow")
            said = (self._name, seconds, self._meanwhile, self._stat)
            self._crawl.say_once(f"{self._stat}slow", logging.WARNING, SLOW, *said)
        return answer

    async def last(self, work: Callable[[], object]) -> None:
        """Do the last thing with the store, when no call is under way."""
        async with self._lock:
            await beside(work)

    def failed(self, error: Exception) -> None:
        """Let the store rest after a failure."""
        self._back_off.failed()
        self.is_free = False
        self.say(error)

    def say(self, error: Exception) -> None:
        """Count a failure, and log the first."""
        self._crawl.count(f"{self._stat}failed")
        said = (self._name, self._meanwhile, error)
        self._crawl.say_once(f"{self._stat}failed", logging.WARNING, FAILED, *said)

    def use_now(self) -> None:
        """Allow the next call even if the store failed recently: it is the last chance."""
        self._back_off.worked()
