"""Calling the stores of a crawl: beside the reactor, one call at a time, with a rest for one that fails or is slow."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.crawl.parts import Answer, Crawl, beside
from denoise_scrapy.support.shown import logger_of
from denoise_scrapy.support.storage import SLOW_SECONDS, BackOff

logger = logger_of(__name__)

FAILED = "%s cannot be used now, and %s until it can: %s"
SLOW = "%s is slow: a call took %.1f seconds; %s while it rests. (Further such calls: denoise/%sslow)"

# Seconds between two looks at whether the reactor turns: a tenth of what makes a call slow.
BEAT = SLOW_SECONDS / 10


@dataclass(eq=False)
class StoreCalls:
    """The calls of one store, in a thread of their own: one after the other, without a turn of the reactor between two.

    Args:
        crawl: The crawl.
        stat: Beginning of the names of its stats.
        name: Its name in the log.
        meanwhile: What happens while it is not used.
        failures: Errors of the store, which affect neither the crawl nor items.
        back_off: Decides how long it rests after a failure or a slow call.
    """

    _crawl: Crawl
    _stat: str
    _name: str
    _meanwhile: str
    _failures: tuple[type[Exception], ...]
    _back_off: BackOff = field(default_factory=BackOff)
    _has_failed = False  # in its last call
    under_way = 0  # number of calls
    _beat = math.inf  # when the reactor last turned, while calls are under way
    _stood_still = 0.0  # seconds that it did not turn meanwhile

    def __post_init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "denoise store")  # started by the first call

    @property
    def ready(self) -> bool:
        """True if the store may be called now."""
        return self._back_off.ready

    async def run(self, work: Callable[[], Answer], parts: int = 1) -> Answer | None:
        """Return the result of a call that does a number of things; None if the store cannot be used now."""
        if not self.ready:
            return None
        self.under_way += 1
        if self._beat == math.inf and is_asyncio_available():
            self._beat = time.monotonic()
            asyncio.get_running_loop().call_later(BEAT, self._look)
        try:
            answer, seconds = await beside(lambda: self._called(work, parts), self._thread)
        except self._failures as error:
            self.say(error)
            return None
        finally:
            self.under_way -= 1
        if self._has_failed and answer is not None:
            self._has_failed = False
            logger.info("%s can be used again", self._name, extra=self._crawl.extra)
        if seconds > SLOW_SECONDS and not self.ready:
            self._crawl.count(f"{self._stat}slow")
            said = (self._name, seconds, self._meanwhile, self._stat)
            self._crawl.say_once(f"{self._stat}slow", SLOW, *said)
        return answer

    def _look(self) -> None:
        """Note how long the reactor stood still: then the process was held up, as by a callback, and not the store."""
        self._stood_still += self._standing_since(self._beat)
        self._beat = math.inf
        if self.under_way:
            self._beat = time.monotonic()
            asyncio.get_running_loop().call_later(BEAT, self._look)

    def _standing_since(self, time_: float) -> float:
        """Return the seconds that the reactor has not turned for, after some time, beyond two beats."""
        return max(0.0, time.monotonic() - max(self._beat, time_) - 2 * BEAT)

    async def last(self, work: Callable[[], object]) -> None:
        """Do the last thing with the store, after all other calls."""
        await beside(work, self._thread)
        self._thread.shutdown(wait=False)
        self._thread = ThreadPoolExecutor(1)  # for a further call, which starts it again

    def failed(self, error: Exception) -> None:
        """Let the store rest after a failure."""
        self._back_off.failed()
        self.say(error)

    def say(self, error: Exception) -> None:
        """Count a failure, and log the first."""
        self._has_failed = True
        self._crawl.count(f"{self._stat}failed")
        said = (self._name, self._meanwhile, error)
        self._crawl.say_once(f"{self._stat}failed", FAILED, *said)

    def use_now(self) -> None:
        """Allow the next call even if the store failed recently: it is the last chance."""
        self._back_off.worked()

    def _called(self, work: Callable[[], Answer], parts: int) -> tuple[Answer | None, float]:
        """Call, and measure; not if the previous call has failed: every call would wait for a silent server."""
        if not self.ready:
            return None, 0.0
        begun, stood_still = time.monotonic(), self._stood_still
        try:
            answer = work()
        except self._failures:
            self._back_off.failed()
            raise
        held_up = self._stood_still - stood_still + self._standing_since(begun)
        seconds = max(0.0, time.monotonic() - begun - held_up) / parts
        self._back_off.worked(seconds)
        return answer, seconds
