"""The index of a crawl, asked in a way that no fault of its store can stop the crawl."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from scrapy.utils.asyncio import create_looping_call, is_asyncio_available

from denoise_scrapy.crawl.duplicates.index import (
    ItemText,
    UnusableNowError,
    index_place,
    is_remote,
    open_index,
    place_shown,
)
from denoise_scrapy.dedup import CLAIM_SECONDS, DuplicateIndex, StoreMismatch
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.shown import logger_of

if TYPE_CHECKING:
    from denoise_scrapy.crawl.state import CrawlState

Answer = TypeVar("Answer")

# Seconds before a store that failed is asked again; they double while it fails. A server that restarts is back after
# one or two; a full disk stays so for long, and each try may cost a time-out.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
# What became of items while the store could not be asked, with the texts of those delivered, to be told later; the
# newest are left out.
MOST_MISSED_CHARS = 8_000_000

logger = logger_of(__name__)


class _Missed(NamedTuple):
    text: ItemText
    delivered: bool

    @property
    def chars(self) -> int:
        return len(self.text.key) + len(self.text.text)


class IndexGuard:
    """Asks the index. While its store fails there are no answers, and what was to be kept is kept later.

    A store on another machine is asked in a thread, one question at a time, so that the crawl goes on meanwhile.

    Args:
        state: The crawl.

    Attributes:
        left_out: Items of which the index will never hear what became of them, since there were too many.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self.left_out = 0
        state.memories.watch("undelivered", evicted=lambda: self.left_out)
        self._index: DuplicateIndex | None = None
        self._remote = is_remote(state.settings.dedup_store) and is_asyncio_available()
        self._lock = asyncio.Lock()
        self._pause = 0.0
        self._again = 0.0  # when the store may be asked, by the monotonic clock
        self._missed: deque[_Missed] = deque()
        self._missed_chars = 0
        self._beat: Any = None
        self._nbytes = 0

    def open(self) -> None:
        """Open the index.

        Raises:
            ConfigurationError: It is refused. What passes by itself, as a full disk does, is no reason: it is
                opened later.
        """
        try:
            if self._state.settings.enabled:  # else with the first item that is treated
                self._index = self._opened()
        except UnusableNowError as error:
            self._failed(error)
        self._beat = create_looping_call(self._beat_now)
        self._beat.start(CLAIM_SECONDS / 3, now=False)

    @property
    def index(self) -> DuplicateIndex | None:
        """The index, None where it is not open."""
        return self._index

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds beside its store, or held when it was closed."""
        if self._index is not None:
            self._nbytes = self._index.stats["bytes"]
        return self._nbytes

    async def ask(self, ask: Callable[[DuplicateIndex], Answer]) -> Answer | None:
        """What the index answers; None where it cannot be asked now.

        Raises:
            ValueError: What is asked about is invalid.
        """
        async with self._lock:  # else each of many would wait for the time-out of a silent server
            if time.monotonic() < self._again:
                return None
            try:
                answer = await self._run(lambda: self._asked(ask))
            except (StoreMismatch, ConfigurationError) as error:  # it has lost what it held, or is not there to open
                self._let_go()
                self._failed(error)
            except (ValueError, TypeError):
                raise
            except Exception as error:
                self._failed(error)
            else:
                self._works()
                return answer
            return None

    def missed(self, text: ItemText, *, delivered: bool) -> None:
        """Let the index hear of an item's end when the store works again: keep its text, or withdraw it."""
        missed = _Missed(text if delivered else text._replace(text=""), delivered)
        if self._missed_chars + missed.chars <= MOST_MISSED_CHARS:
            self._missed.append(missed)
            self._missed_chars += missed.chars
        else:
            self.left_out += 1

    def close(self) -> None:
        """Close the index; what it kept is stored already."""
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        _ = self.nbytes
        self._let_go()

    async def _run(self, call: Callable[[], Answer]) -> Answer:
        return await asyncio.to_thread(call) if self._remote else call()

    def _asked(self, ask: Callable[[DuplicateIndex], Answer]) -> Answer:
        """Ask; what was missed is told first."""
        if self._index is None:
            self._index = self._opened()
        while self._missed:
            missed, text = self._missed[0], self._missed[0].text
            if not missed.delivered:
                self._index.withdraw(text.key, scope=text.scope)
            elif not self._index.settle(text.key, scope=text.scope):
                self._index.add(text.key, text.text, scope=text.scope, group=text.group)
            self._missed.popleft()
            self._missed_chars -= missed.chars
        return ask(self._index)

    def _opened(self) -> DuplicateIndex:
        return open_index(self._state.settings, self._state.crawler.settings)

    def _works(self) -> None:
        if self._pause:
            logger.info("The index of texts can be used again", extra={"spider": self._state.crawler.spider})
        self._pause = 0.0

    def _failed(self, error: Exception) -> None:
        self._pause = min(max(2 * self._pause, FIRST_PAUSE), LONGEST_PAUSE)
        self._again = time.monotonic() + self._pause
        self._state.count("dedup/store_failed")
        self._state.say_once(
            "dedup_store",
            logging.WARNING,
            "The index of texts cannot be used now, and items pass without comparison until it can: %s: %s",
            place_shown(index_place(self._state.settings, self._state.crawler.settings)),
            error,
        )

    def _let_go(self) -> None:
        index, self._index = self._index, None
        try:
            if index is not None:
                index.close()
        except Exception as error:  # it was no use any more
            logger.debug("The index of texts was not closed: %r", error)

    def _beat_now(self) -> None:
        index = self._index
        if index is None or time.monotonic() < self._again:
            return
        if self._remote:
            asyncio.get_running_loop().run_in_executor(None, self._beaten, index)
        else:
            self._beaten(index)

    def _beaten(self, index: DuplicateIndex) -> None:
        try:
            index.beat()
        except Exception as error:  # the next question finds out
            logger.debug("The index of texts was not told that we live: %r", error)
