"""The index of a crawl's texts: opened at the start, called as long as its store works, closed at the end.

Failures of the store do not stop the crawl: items pass unchecked, and their texts are added later.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.items import DAY
from denoise_scrapy.crawl.parts import LOOK_AGAIN, Answer, Crawl
from denoise_scrapy.crawl.passages import NOTHING, ItemText
from denoise_scrapy.crawl.stores import StoreCalls
from denoise_scrapy.dedup import CLAIM_SECONDS, DuplicateIndex, Verdict, open_store
from denoise_scrapy.dedup.open_store import is_file
from denoise_scrapy.dedup.variants import ReadText
from denoise_scrapy.exceptions import ConfigurationError, StoreMismatch
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.support.shown import logger_of
from denoise_scrapy.support.storage import is_unreachable, without_password

logger = logger_of(__name__)

INDEX_FILE = "denoise-texts.sqlite"  # in a job directory
MEMORY = "memory"
# Maximum characters of items whose end the store does not know yet; beyond, the newest are left out.
MOST_PENDING_CHARS = 8_000_000

# Rest of a slow store, in multiples of its call: meanwhile, copies pass.
REST = 1.0

DAMAGED = ". Move it away, or restore it; it has not been touched."
REQUIRED = " (DENOISE_DEDUP_REQUIRED = False starts the crawl without it)"
NOTHING_BEFORE = (
    "DENOISE_SEEN = %r, but the index ends with the crawl, so items of earlier crawls are not recognised: set "
    "DENOISE_DEDUP_STORE or JOBDIR to keep it"
)

_OF_ARGUMENTS = (ValueError, TypeError)


class CrawlIndex:
    """The index of a crawl, whose calls return None while its store fails or rests.

    A store in memory is called on the reactor, any other beside it.
    """

    def __init__(self, crawl: Crawl):
        self.index: DuplicateIndex | None = None  # None if it is not open
        self._crawl = crawl
        self._settings = crawl.settings
        place = index_place(crawl.settings, job_dir(crawl.crawler.settings))
        self._place = place if crawl.settings.needs_index else MEMORY
        self.is_in_memory = self._place == MEMORY  # and ends with the crawl
        what, meanwhile = "The index of texts", "items pass without comparison"
        self._calls = StoreCalls(crawl, "dedup/store_", what, meanwhile, (_Shown,), rest=REST)
        self._beat: Any = None
        self._file: tuple[int, int] | None = None
        self._pending: deque[tuple[ItemText, int, bool]] = deque()  # text, claim, and whether the item was lost
        self._timer: asyncio.TimerHandle | None = None

    @property
    def keeps_versions(self) -> bool:
        """True if it keeps what shows a change of an item: this crawl or a later one may ask."""
        return not self.is_in_memory or self._settings.seen != "keep"

    def open(self) -> None:
        """Open it, later after a temporary error, such as a full disk; raise `ConfigurationError` for others."""
        if self._settings.seen != "keep" and self.is_in_memory:
            logger.warning(NOTHING_BEFORE, self._settings.seen, extra=self._crawl.extra)
        try:
            if self._settings.enabled:  # otherwise it is opened for the first item that is processed
                self.index = self._opened()
                while self._expire(self.index):
                    pass
        except Exception as error:  # whatever the error, the crawl must not start without its index
            away, required = is_unreachable(error), self._settings.dedup_required
            # SQLite's class of errors that may pass: the disk is full, the file locked or read-only
            if not isinstance(error, sqlite3.OperationalError) and (required or not away):
                damaged = isinstance(error, sqlite3.DatabaseError)
                advice = (damaged and DAMAGED) or (away and REQUIRED) or ""
                raise ConfigurationError(f"the index of texts {self._said(error)}{advice}") from error
            self._calls.failed(_Shown(self._said(error)))

    def begin(self) -> None:
        """Start recording at intervals that the crawl is alive."""
        self._beat = create_looping_call(self._beat_now)
        self._beat.start(CLAIM_SECONDS / 3, now=False)

    async def use(self, call: Callable[[DuplicateIndex], Answer], *, aside: bool = False) -> Answer | None:
        """Return the result of a call; None if the index cannot be used now.

        Args:
            call: The call. Its errors about arguments are raised.
            aside: Whether it takes long, so that it is made beside the reactor in any case.
        """
        if self.is_in_memory and not (aside or self.index is None or self._calls.under_way):
            return self._called(call)
        return await self._calls.run(lambda: self._called(call))

    async def check(self, text: ItemText, read: ReadText, *, aside: bool = False) -> Verdict | None:
        """Check the text of an item, and keep it unless it is a copy; arguments and result as for `use`."""

        def check(index: DuplicateIndex) -> Verdict:
            way = index.add if text.is_alone else index.check_and_add
            return way(text.key, read, scope=text.scope, group=text.group, site=text.site, claim=True)

        return await self.use(check, aside=aside)

    def end(self, text: ItemText, claim: int, *, lost: bool) -> None:
        """Have the text of an item made final, or withdrawn, with the next call, or soon."""
        text = NOTHING if lost else text
        if len(text.text) + sum(len(other.text) for other, *_ in tuple(self._pending)) > MOST_PENDING_CHARS:
            self._crawl.count("memory/evicted/undelivered")
            return
        self._pending.append((text, claim, lost))
        if self._timer is None and is_asyncio_available():
            self._timer = asyncio.get_running_loop().call_later(LOOK_AGAIN, self._write_now)

    def _write_now(self) -> None:
        self._timer = None
        if self._pending:
            deferred_from_coro(self.use(lambda _: None))

    async def finish(self) -> None:
        """Write what is pending: it is the last chance."""
        if self._timer is not None:
            self._timer.cancel()
        if self._pending:
            self._calls.use_now()
            await self.use(lambda _: None)

    async def close(self) -> None:
        """Close it. A second call does nothing."""
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        self._look_for_file()
        if self.is_in_memory and not self._calls.under_way:
            self._let_go()
        else:
            await self._calls.last(self._let_go)

    def _called(self, call: Callable[[DuplicateIndex], Answer]) -> Answer:
        """Write what is pending, then call; errors of the store become `_Shown`, those about arguments stay."""
        is_called = False
        try:
            if self.index is None:
                self.index = self._opened()
            while self._pending:
                self._write(self.index, *self._pending[0])
                self._pending.popleft()
            is_called = True
            return call(self.index)
        except StoreMismatch as error:  # the store has lost its content
            self._let_go()
            raise _Shown(self._said(error)) from error
        except Exception as error:
            if is_called and isinstance(error, _OF_ARGUMENTS):
                raise
            raise _Shown(self._said(error)) from error

    def _write(self, index: DuplicateIndex, text: ItemText, claim: int, lost: bool) -> None:
        try:
            if lost:
                self._crawl.add("dedup/withdrawn", index.withdraw(claim))
            elif not index.settle(claim):
                self.add(index, text)
        except StoreMismatch:
            raise
        except _OF_ARGUMENTS as error:  # caused by this item: another attempt would fail too
            self._crawl.report("dedup", error)

    def add(self, index: DuplicateIndex, text: ItemText) -> Verdict:
        """Add a text without comparing it."""
        read = text.read(self._settings.dedup_rule)
        return index.add(text.key, read, scope=text.scope, group=text.group, site=text.site)

    def _opened(self) -> DuplicateIndex:
        place, settings = self._place, self._settings
        index = DuplicateIndex(
            settings.dedup_threshold or None,
            open_store(place),
            rule=settings.dedup_rule,
            variants=settings.dedup_variants == "keep",
            certainty=settings.dedup_certainty,
        )
        self._file = _identity(place)
        return index

    def _said(self, error: Exception) -> str:
        shown = without_password(self._place)
        return f"{shown}: {str(error).removeprefix(f'{shown}: ')}"

    def _look_for_file(self) -> None:
        """Warn once that the index's file has vanished: SQLite continues writing without noticing."""
        if self.index is not None and self._file is not None and _identity(self._place) != self._file:
            self._file = None
            self._crawl.count("dedup/store_failed")
            message = "The index of texts %s was moved or deleted; this crawl still uses it, the next will not find it"
            self._crawl.say_once("dedup_file", message, self._place)

    def _let_go(self) -> None:
        index, self.index = self.index, None
        try:
            if index is not None:
                self._crawl.set("memory/bytes/index", index.stats["bytes"] + index.stats["store_bytes"])
                index.close()
        except Exception as error:  # it is no longer needed
            logger.debug("The index of texts was not closed: %r", error)

    def _beat_now(self) -> None:
        self._look_for_file()
        if self.index is not None:
            deferred_from_coro(self.use(self._beaten))

    def _beaten(self, index: DuplicateIndex) -> None:
        index.beat()
        self._expire(index)

    def _expire(self, index: DuplicateIndex) -> int:
        """Forget some texts that no crawl has seen within DENOISE_DEDUP_DAYS, and return their number."""
        days = self._settings.dedup_days
        gone = index.expire(time.time() - days * DAY) if days else 0
        self._crawl.add("dedup/expired", gone)
        return gone


class _Shown(Exception):  # noqa: N818 - wraps any error of a store
    """An error of the store, in words for the log."""


def _identity(place: str) -> tuple[int, int] | None:
    """Return the identity of an index's file; None if there is none."""
    with suppress(OSError):
        if is_file(place):
            found = Path(place).stat()
            return found.st_dev, found.st_ino
    return None


def index_place(settings: DenoiseSettings, directory: str | None) -> str:
    """Return the place of a crawl's index: DENOISE_DEDUP_STORE, a file in the job directory, or "memory"."""
    if settings.dedup_store != "auto":
        return settings.dedup_store
    return str(Path(directory, INDEX_FILE)) if directory else MEMORY
