"""Checking the items of a crawl for near-duplicates, and following kept items to their delivery.

The text of an item becomes final in the index when the item is delivered; otherwise it is withdrawn. An item is
delivered when it has left the last pipeline and, if Scrapy has feeds, one of them has written it. If it is dropped or
fails earlier, or its process is killed, its near-duplicates must not be dropped, so they wait for its outcome. Failures
of the index's store do not stop the crawl: items pass unchecked, and are added to the index later.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter
from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.base import is_large
from denoise_scrapy.crawl.item_pages import Delivery, ItemPage, ItemText
from denoise_scrapy.crawl.item_values import Spellings
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.crawl.state import CrawlState
from denoise_scrapy.dedup import CLAIM_SECONDS, RULES, DuplicateIndex, StoreMismatch, Verdict, open_store
from denoise_scrapy.dedup.places import index_beside, is_file, is_remote
from denoise_scrapy.exceptions import ConfigurationError, OtherVersion
from denoise_scrapy.items import DAY
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import logger_of
from denoise_scrapy.storage import BackOff, is_unreachable, without_password

logger = logger_of(__name__)

Answer = TypeVar("Answer")

INDEX_FILE = "denoise-texts.sqlite"  # in a job directory
MEMORY = "memory"
# Maximum dropped keys that an index in a file or on a server remembers: some 10 MB.
REMEMBERED_COPIES = 100_000
# Maximum characters of items that ended during an outage of the store, to be written later; beyond, the newest are
# left out.
MOST_MISSED_CHARS = 8_000_000
# Maximum texts forgotten at a time, at the start and with each beat: these take .02 and .002 s in a file.
EXPIRED, EXPIRED_A_BEAT = 1000, 100

# Maximum seconds a near-duplicate waits while the original is still in the pipelines, where it may be dropped or fail:
# as long as slow pipelines take. Then it passes.
LONGEST_WAIT = 60.0
# Seconds between checks on an item of another process; items of this crawl signal their end.
LOOK_AGAIN = 0.25
# Maximum items held while a feed cannot be written, some tens of KB each. Beyond, the oldest are withdrawn, so that
# their copies are kept as well.
MOST_UNWRITTEN = 1000
# Maximum items whose rejecting feeds are remembered: 10 MB. Copies of forgotten items are dropped.
MOST_REFUSED = 100_000

DAMAGED = ". Move it away, or restore it; it has not been touched."
REQUIRED = " (DENOISE_DEDUP_REQUIRED = False starts the crawl without it)"
BESIDE = "%s This crawl uses a new index beside it instead, %s, in which no text is known yet"
NOTHING_BEFORE = (
    "DENOISE_SEEN = %r, but the index ends with the crawl, so items of earlier crawls are not recognised: set "
    "DENOISE_DEDUP_STORE or JOBDIR to keep it"
)

_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
# Python 3.10 has no error codes. A missing file cannot be opened on a read-only file system.
_PASSING_WORDS = ("readonly database", "is full", "disk I/O error", "is locked", "unable to open database")


class DuplicateCheck:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end.

    A store on another machine is called in a thread, one call at a time, to keep the crawl going.
    """

    def __init__(self, state: CrawlState):
        self.index: DuplicateIndex | None = None  # None if it is not open
        self.spellings = Spellings()
        self._crawl = crawl = state.crawl
        self._settings = crawl.settings
        directory = job_dir(crawl.crawler.settings)
        place = index_place(crawl.settings, str(Path(directory).absolute()) if directory else None)
        self._place = place if crawl.settings.needs_index else MEMORY
        self._remote = is_remote(self._place) and is_asyncio_available()
        self._lock = asyncio.Lock()
        self._back_off = BackOff()
        self._beat: Any = None
        self._nbytes = 0  # size of the index when it was closed
        self._file: tuple[int, int] | None = None
        self._missed: deque[Delivery] = deque()  # ended while the store failed
        self._missed_chars = 0
        self._left_out = 0  # items that ended beyond the limit, and never reach the index
        self._open: dict[Delivery, None] = {}
        self._unwritten: list[Delivery] = []  # delivered, but a feed could not be written
        self._feeds = Feeds(crawl.crawler)
        self._refused: dict[int, list[int]] = {}  # feeds that rejected an item, by a hash of key and scope
        self._forgotten = 0  # number of these forgotten
        self._taken_back = 0  # number of unwritten items withdrawn
        crawl.watch("bytes/index", lambda: self._nbytes if self.index is None else self.index.stats["bytes"])
        crawl.watch("evicted/undelivered", lambda: self._left_out)
        crawl.watch("evicted/spellings", lambda: self.spellings.evicted)
        crawl.watch("evicted/refused", lambda: self._forgotten)
        crawl.watch("evicted/unwritten", lambda: self._taken_back)
        state.ended = self.ended
        # pipelines are not closed if another one fails
        crawl.crawler.signals.connect(self.close, signals.spider_closed)

    def open(self) -> None:
        """Open the index, later after a temporary error, such as a full disk; raise `ConfigurationError` for others."""
        if self._settings.seen != "keep" and self._place == MEMORY:
            logger.warning(NOTHING_BEFORE, self._settings.seen, extra=self._crawl.extra)
        try:
            if self._settings.enabled:  # otherwise it is opened for the first item that is processed
                self.index = self._opened()
                while self._expire(self.index, EXPIRED):
                    pass
        except Exception as error:  # whatever the error, the crawl must not start without its index
            away, required = is_unreachable(error), self._settings.dedup_required
            if not _passes_by_itself(error) and (required or not away):
                damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
                advice = (damaged and DAMAGED) or (away and REQUIRED) or ""
                raise ConfigurationError(f"the index of texts {self._said(error)}{advice}") from error
            self._failed(error)

    def begin(self) -> None:
        """Start recording at intervals that the crawl is alive."""
        self._beat = create_looping_call(self._beat_now)
        self._beat.start(CLAIM_SECONDS / 3, now=False)

    async def finish(self) -> None:
        """Settle the remaining items, whose final objects are unknown; signals have reported those that failed."""
        for delivery in list(self._open):
            await self._settle(delivery)
        if self._missed:
            self._back_off.worked()  # even if the store failed recently: this is the last chance
            await self.use(lambda _: None)

    def close(self) -> None:
        """Close the index. A second call does nothing."""
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        self._look_for_file()
        self._let_go()

    async def check(self, text: ItemText, whose: ItemPage) -> Verdict | None:
        """Check the text of an item, and keep it unless it is a copy; None if the index cannot be used now."""
        delivery = whose.delivery = Delivery(text)
        self._open[delivery] = None
        try:
            verdict = await self._judge(text, whose.own_page)
        except BaseException:
            self._let_pass(delivery)
            raise
        if verdict is None:
            delivery.unchecked = True
            self._crawl.count("dedup/unchecked")
        elif verdict.duplicate or is_dropped(verdict, whose.settings):
            self._let_pass(delivery)
        else:
            delivery.claim = verdict.claim
        return verdict

    def is_wanted(self, item: Any, text: ItemText, of: str | None) -> bool:
        """Return whether a near-duplicate may go to a feed that rejected the kept item."""
        return self._feeds.may_take(item, self._refused.get(hash((of, text.scope)), ()))

    async def use(self, call: Callable[[DuplicateIndex], Answer]) -> Answer | None:
        """Return the result of a call on the index; None if it cannot be used now."""
        async with self._lock:  # otherwise every call would wait for the time-out of a silent server
            if not self._back_off.ready:
                return None
            try:
                answer, error = await asyncio.to_thread(self._called, call) if self._remote else self._called(call)
            except StoreMismatch as mismatch:  # the store has lost its content
                self._let_go()
                self._failed(mismatch)
            except Exception as failure:
                if self.index is not None and isinstance(failure, (ValueError, TypeError)):
                    raise  # an argument of the call is invalid
                self._failed(failure)
            else:
                if error is not None:
                    self._failed(error)  # otherwise every copy would wait for a silent server
                    return answer
                if self._back_off.pause:
                    logger.info("The index of texts can be used again", extra=self._crawl.extra)
                self._back_off.worked()
                return answer
            return None

    def missed(self, delivery: Delivery) -> None:
        """Remember the end of an item until the store works again; a lost item has no text."""
        if self._missed_chars + delivery.text.chars <= MOST_MISSED_CHARS:
            self._missed.append(delivery)
            self._missed_chars += delivery.text.chars
        else:
            self._left_out += 1

    async def _judge(self, text: ItemText, page: CrawledPage | None) -> Verdict | None:
        """Judge a text with the index; for a near-duplicate, wait for the outcome of the kept item."""
        read = None
        if self.index is not None and is_large(len(text.text)):  # beside the reactor
            read = await self._crawl.beside.run(partial(text.read, self.index), len(text.text))

        def check(index: DuplicateIndex) -> Verdict:
            way = index.add if text.is_alone else index.check_and_add
            return way(text.key, read or text.read(index), **text.names, claim=True)

        if not is_asyncio_available():  # the item passes if the kept item may still be lost
            verdict = await self.use(check)
            return replace(verdict, duplicate=False, of=None) if verdict and verdict.pending else verdict
        now = asyncio.get_running_loop().time
        until = now() + LONGEST_WAIT
        while True:
            verdict = await self.use(check)
            if verdict is None or not verdict.pending or (page is not None and verdict.of in page.item_keys):
                return verdict
            if now() >= until:
                self._crawl.count("dedup/waited_in_vain")
                return await self.use(lambda index: index.add(text.key, read or text.read(index), **text.names))
            self._crawl.count("dedup/waits")
            await self._outcome(str(verdict.of), text.scope, until - now())

    async def _end(self, delivery: Delivery, *, lost: bool = False) -> None:
        """Make the text of an item final, or withdraw it, and wake the copies waiting for its end."""
        way, done = DuplicateIndex.withdraw if lost else DuplicateIndex.settle, None
        if lost:
            delivery.text = delivery.text._replace(text="")
        try:
            if lost or not delivery.unchecked:
                done = await self.use(lambda index: way(index, delivery.claim))
            if done is None:
                self.missed(delivery)
            elif done and lost:
                self._crawl.count("dedup/withdrawn")
        except Exception as error:
            self._crawl.report("dedup", error)
        finally:
            self._let_pass(delivery)

    def _let_pass(self, delivery: Delivery) -> None:
        """Stop following an item, and wake the copies waiting for its end."""
        self._open.pop(delivery, None)
        delivery.over.set()

    async def _outcome(self, key: str, scope: str, seconds: float) -> None:
        """Wait until the item with this key has ended, or the next check of the index is due."""
        same = (one for one in reversed(self._open) if (one.text.key, one.text.scope) == (key, scope))
        delivery = next(same, None)
        with suppress(asyncio.TimeoutError):
            waiting = asyncio.sleep(LOOK_AGAIN) if delivery is None else delivery.over.wait()
            await asyncio.wait_for(waiting, seconds)

    def ended(self, whose: ItemPage | None, lost: bool) -> Awaitable[None] | None:
        """Record that an item, possibly unknown, was scraped or lost. Call immediately after Scrapy's feeds."""
        took = [] if lost else self._feeds.took()  # before another item reaches the feeds
        delivery = None if whose is None else whose.delivery
        if delivery is None or delivery.over.is_set():
            return None
        if lost or (took and not any(took)):
            return self._end(delivery, lost=True)
        name = hash((delivery.text.key, delivery.text.scope))
        self._refused.pop(name, None)
        if not all(took):
            self._refused[name] = [number for number, taken in enumerate(took) if not taken]
            if len(self._refused) > MOST_REFUSED:
                del self._refused[next(iter(self._refused))]
                self._forgotten += 1
        return self._settle(delivery)

    async def _settle(self, delivery: Delivery) -> None:
        self._unwritten.append(delivery)
        try:
            self._feeds.flush()
        except OSError as error:
            self._crawl.count("dedup/unwritten")
            message = "A feed cannot be written; copies of its items wait until it can: %s"
            self._crawl.say_once("unwritten", logging.WARNING, message, error)
            while len(self._unwritten) > MOST_UNWRITTEN:
                self._taken_back += 1
                await self._end(self._unwritten.pop(0), lost=True)
            return
        written, self._unwritten = self._unwritten, []
        for each in written:
            await self._end(each)

    def _called(self, call: Callable[[DuplicateIndex], Answer]) -> tuple[Answer, Exception | None]:
        """Write what was missed, then call; return the result, and any error in recording a copy."""
        if self.index is None:
            self.index = self._opened()
        index = self.index
        while self._missed:
            text, claim = self._missed[0].text, self._missed[0].claim
            try:
                if not text.text:
                    index.withdraw(claim)
                elif not index.settle(claim):
                    index.add(text.key, text.read(index), **text.names)
            except StoreMismatch:
                raise
            except (ValueError, TypeError) as error:  # caused by this item: another attempt would fail too
                self._crawl.report("dedup", error)
            self._missed.popleft()
            self._missed_chars -= text.chars
        index.note_error = None
        return call(index), index.note_error

    def _opened(self) -> DuplicateIndex:
        """Open the index; if it has another version or rule, open a new one beside it."""
        try:
            index = self._open_at(self._place)
        except OtherVersion as error:
            beside = index_beside(self._place, RULES[self._settings.dedup_rule].constants)
            if not beside:
                raise
            said = f"{without_password(self._place)}: {error}"
            self._crawl.say_once("dedup_version", logging.WARNING, BESIDE, said, without_password(beside))
            self._place = beside
            index = self._open_at(beside)
        self._file = _identity(self._place)
        return index

    def _open_at(self, place: str) -> DuplicateIndex:
        settings = self._settings
        return DuplicateIndex(
            settings.dedup_threshold or None,
            open_store(place, self._crawl.crawler.settings),
            rule=settings.dedup_rule,
            search=None if settings.dedup_search == "auto" else settings.dedup_search,
            most_new=settings.dedup_most_new,
            short_duplicates=settings.dedup_short,
            remember_copies=0 if place == MEMORY else REMEMBERED_COPIES,
            variants=settings.dedup_variants == "keep",
        )

    def _said(self, error: Exception) -> str:
        shown = without_password(self._place)
        return f"{shown}: {str(error).removeprefix(f'{shown}: ')}"

    def _look_for_file(self) -> None:
        """Warn once that the index's file has vanished: SQLite continues writing without noticing."""
        if self.index is not None and self._file is not None and _identity(self._place) != self._file:
            self._file = None
            self._crawl.count("dedup/store_failed")
            message = "The index of texts %s was moved or deleted; this crawl still uses it, the next will not find it"
            self._crawl.say_once("dedup_file", logging.WARNING, message, self._place)

    def _failed(self, error: Exception) -> None:
        self._back_off.failed()
        self._crawl.count("dedup/store_failed")
        self._crawl.say_once(
            "dedup_store",
            logging.WARNING,
            "The index of texts cannot be used now, and items pass without comparison until it can: %s",
            self._said(error),
        )

    def _let_go(self) -> None:
        index, self.index = self.index, None
        try:
            if index is not None:
                self._nbytes = index.stats["bytes"]
                index.close()
        except Exception as error:  # it is no longer needed
            logger.debug("The index of texts was not closed: %r", error)

    def _beat_now(self) -> None:
        self._look_for_file()
        if self.index is not None and self._back_off.ready:
            if self._remote:
                asyncio.get_running_loop().run_in_executor(None, self._beaten, self.index)
            else:
                self._beaten(self.index)

    def _beaten(self, index: DuplicateIndex) -> None:
        try:
            index.beat()
            self._expire(index, EXPIRED_A_BEAT)
        except Exception as error:  # the next call deals with it
            logger.debug("The index of texts could not record that the crawl is alive: %r", error)

    def _expire(self, index: DuplicateIndex, most: int) -> int:
        """Forget texts that no crawl has seen within DENOISE_DEDUP_DAYS, and return their number."""
        days = self._settings.dedup_days
        gone = index.expire(time.time() - days * DAY, most) if days else 0
        if gone:
            self._crawl.count("dedup/expired", gone)
        return gone


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


def _passes_by_itself(error: Exception) -> bool:
    """Return whether an error in opening or writing a file may be temporary: a full disk, a read-only file."""
    if isinstance(error, sqlite3.OperationalError):
        return any(words in str(error) for words in _PASSING_WORDS)
    return isinstance(error, OSError) and error.errno in _PASSING


class Feeds:
    """Scrapy's feeds of a crawl, which may reject items (`item_filter`, `item_classes`)."""

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._counts: list[tuple[int, int]] = []

    @property
    def _slots(self) -> list[Any]:
        return list(getattr(self._crawler.get_extension(FeedExporter), "slots", ()))

    def took(self) -> list[bool]:
        """Return whether each feed accepted the last scraped item; call after each item."""
        # filters called again may decide differently, such as one that accepts only a hundred items
        counts = [(slot.batch_id, slot.itemcount) for slot in self._slots]
        before, self._counts = self._counts or [(1, 0)] * len(counts), counts
        return [one != other for one, other in zip(counts, before, strict=True)]

    def may_take(self, item: Any, numbers: Sequence[int]) -> bool:
        """Return whether one of these feeds would accept an item in its current state; True if a filter fails."""
        slots = self._slots
        try:
            return any(slots[number].filter.accepts(item) for number in numbers)
        except Exception as error:  # it may need a field that a later pipeline sets
            logger.debug("A feed's filter failed on an item that is still in the pipelines: %r", error)
            return True

    def flush(self) -> None:
        """Flush the feeds' buffers to the operating system, so that their content survives the process."""
        # feeds that are compressed, or stored only at the end, are lost with the process in any case
        for slot in self._slots:
            if not getattr(slot.file, "closed", True) and "postprocessing" not in slot.feed_options:
                slot.file.flush()


def is_dropped(verdict: Verdict, settings: DenoiseSettings) -> bool:
    """Return whether to drop an item because it was delivered before and has not changed."""
    return settings.seen == "drop-unchanged" and verdict.since is not None and not verdict.updated
