"""Checking the items of a crawl for near-duplicates, and following kept items to their delivery.

The index is opened at the start, called as long as its store works, and closed at the end. Failures of the store do not
stop the crawl: items pass unchecked, and their texts are added later.

The text of an item becomes final in the index when the item is delivered; otherwise it is withdrawn. An item is
delivered when it has left the last pipeline and, if Scrapy has feeds, one of them has written it. If it is dropped or
fails earlier, or its process is killed, its near-duplicates must not be dropped, so they wait for its outcome.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from itertools import count
from pathlib import Path
from typing import Any

from scrapy import signals
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.job import job_dir
from twisted.python.failure import Failure

from denoise_scrapy.body.fields import CHUNKS
from denoise_scrapy.crawl.feeds import Feeds
from denoise_scrapy.crawl.items import DAY
from denoise_scrapy.crawl.parts import LARGE, LONGEST_WAIT, LOOK_AGAIN, MOST_HELD, MOST_OF_ALL, Answer, Crawl, beside
from denoise_scrapy.crawl.passages import NOTHING, ItemText, Passage, Passages, Spellings
from denoise_scrapy.crawl.stores import StoreCalls
from denoise_scrapy.dedup import CLAIM_SECONDS, DuplicateIndex, Verdict, open_store
from denoise_scrapy.dedup.open_store import is_file
from denoise_scrapy.dedup.variants import ReadText, site_of
from denoise_scrapy.exceptions import ConfigurationError, StoreMismatch
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.support.shown import logger_of
from denoise_scrapy.support.storage import BackOff, is_unreachable, without_password

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
# Statuses of a page that is gone.
GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class Duplicates:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end."""

    def __init__(self, crawl: Crawl, passages: Passages):
        self.index = CrawlIndex(crawl)
        self.spellings = Spellings()
        self.feeds = Feeds(crawl.crawler)
        self._crawl = crawl
        self._passages = passages
        self._open: dict[Passage, None] = {}  # items with a claim, in order
        self._unwritten: list[Passage] = []  # delivered, but a feed could not be written
        # whose chunks a feed lists if they have changed; "" without such a feed
        self.chunk_field = crawl.settings.fields.get(CHUNKS, "") if self.feeds.lists_changes else ""
        self.gone_chunks: list[tuple[str, str]] = []  # URL and id of the chunks of pages that are gone, at the end
        self._gone: dict[str, None] = {}  # URLs of pages that are gone
        # after Scrapy's feeds: extensions are created first
        connect = crawl.crawler.signals.connect
        connect(self._item_scraped, signals.item_scraped)
        connect(self._item_lost, signals.item_dropped)
        connect(self._item_lost, signals.item_error)
        if self.chunk_field:
            connect(self._note_gone, signals.response_received)

    async def check(self, passage: Passage) -> Verdict | None:
        """Check the text of an item, and keep it unless it is a copy; None if the index cannot be used now."""
        self._open[passage] = None
        try:
            verdict = await self._judged(passage)
        except BaseException:
            self._let_pass(passage)
            raise
        if verdict is None:
            passage.is_unchecked = True
            self._crawl.count("dedup/unchecked")
        elif verdict.duplicate or (verdict.since is not None and not verdict.updated and not verdict.claim):
            self._let_pass(passage)
        else:
            passage.claim = verdict.claim
        return verdict

    def old_chunks(self, item: Any) -> Sequence[str] | None:
        """Return the ids of the chunks that an item replaces; None if none of its own are new."""
        passage = self._passages.find(item)
        return () if passage is None else passage.old_chunks

    def _note_gone(self, response: Response) -> None:
        if response.status not in GONE:
            self._gone.pop(response.url, None)
        elif len(self._gone) < MOST_OF_ALL:  # others are found gone by the next crawl
            self._gone[response.url] = None

    def _forget_gone(self, index: DuplicateIndex) -> list[tuple[str, str]]:
        """Forget the items of pages that are gone; return the URL and id of each of their chunks."""
        found = []
        for url in self._gone:
            scope = site_of(url) if self._crawl.settings.dedup_scope == "site" else ""
            for number in count(1):  # items of one page have numbered keys
                key = Spellings.of(url)[1] + (f"#{number}" if number > 1 else "")
                ids = index.chunks(key, scope)
                if not ids:
                    break
                index.remove(key, scope)
                found += [(url, name) for name in ids]
        return found

    def _item_lost(
        self,
        item: Any,
        response: Response | None,
        exception: BaseException | None = None,
        failure: Failure | None = None,
    ) -> None:
        """Take the signal of an item that was dropped, with an exception, or failed, with a failure."""
        passage = self._passages.end(item, response, exception if failure is None else failure.value)
        if passage in self._open:
            self._end(passage, lost=True)

    def _item_scraped(self, item: Any, response: Response | None) -> None:
        passage = self._passages.end(item, response)
        followed = passage if passage in self._open else None
        is_lost = item is None  # by a pipeline that returns nothing
        if not is_lost and self.feeds.exporter is not None:  # before another item reaches the feeds
            is_lost = not self.feeds.took(None if followed is None else (followed.text.key, followed.text.scope))
        if followed is None:
            return
        if is_lost:
            self._end(followed, lost=True)
            return
        self._unwritten.append(followed)
        try:
            if self.feeds.exporter is not None:
                self.feeds.flush()
        except OSError as error:
            message = "A feed cannot be written; copies of its items wait until it can: %s"
            self._crawl.say_once("unwritten", message, error)
            while len(self._unwritten) > MOST_HELD:  # copies of the oldest are kept as well
                self._crawl.count("memory/evicted/unwritten")
                self._end(self._unwritten.pop(0), lost=True)
            return
        written, self._unwritten = self._unwritten, []
        for each in written:
            self._end(each, lost=False)

    async def finish(self) -> None:
        """Settle the remaining items, whose final objects are unknown; those that failed are no longer among them."""
        for passage in list(self._open):
            self._end(passage, lost=False)
        if self._gone:
            self.gone_chunks = await self.index.use(self._forget_gone) or []
            if self.gone_chunks:
                self.feeds.open_changes()

    async def _judged(self, passage: Passage) -> Verdict | None:
        """Judge a text with the index; for a near-duplicate, wait for the outcome of the kept item."""
        text, page, rule = passage.text, passage.own_page, self._crawl.settings.dedup_rule
        if page is not None and page.whole and is_asyncio_available():
            waiting = [one.over.wait() for one in self._open if one.text.key in page.whole]
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.gather(*waiting), LONGEST_WAIT)
                if page.whole:  # these items are not lost
                    return Verdict(duplicate=True, of=min(page.whole), score=1.0, c1=1.0)
        aside = len(text.text) > LARGE
        read = await beside(lambda: text.read(rule)) if aside else text.read(rule)
        check = partial(_put, text, read)
        if not is_asyncio_available():  # the item passes if the kept item may still be lost
            verdict = await self.index.use(check)
            return replace(verdict, duplicate=False, of=None) if verdict and verdict.pending else verdict
        now = asyncio.get_running_loop().time
        until = now() + LONGEST_WAIT
        while True:
            verdict = await self.index.use(check, aside=aside)
            if verdict is None or not verdict.pending or (page is not None and verdict.of in page.item_keys):
                return verdict
            if now() >= until:
                self._crawl.count("dedup/passed/waited_in_vain")
                return await self.index.use(partial(_put, text, read, is_kept=True))
            kept = verdict.of, text.scope
            same = next((one for one in reversed(self._open) if (one.text.key, one.text.scope) == kept), None)
            # until that item has ended, or the next check of the index is due
            with suppress(asyncio.TimeoutError):
                end = asyncio.sleep(LOOK_AGAIN) if same is None else same.over.wait()
                await asyncio.wait_for(end, until - now())

    def _end(self, passage: Passage, *, lost: bool) -> None:
        """Have the text of an item made final, or withdrawn, and wake the copies waiting for its end."""
        if lost and passage.own_page is not None:
            passage.own_page.item_keys.discard(passage.text.key)
        self._let_pass(passage)
        if passage.claim or (passage.is_unchecked and not lost):
            self.index.end(passage.text, passage.claim, lost=lost)

    def _let_pass(self, passage: Passage) -> None:
        """Stop following an item, and wake the copies waiting for its end."""
        self._open.pop(passage, None)
        passage.over.set()


def _put(text: ItemText, read: ReadText, index: DuplicateIndex, *, is_kept: bool = False) -> Verdict:
    """Check the text of an item with an index, which claims it unless it is a copy; what `is_kept` is only added."""
    way = index.add if is_kept or text.is_alone else index.check_and_add
    return way(text.key, read, scope=text.scope, group=text.group, site=text.site, claim=not is_kept)


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
        self._calls = StoreCalls(
            crawl, "dedup/store_", what, meanwhile, (_Shown,), BackOff(rest=0.0 if self.is_in_memory else REST)
        )
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
        self._crawl.repeat(self._beat_now, CLAIM_SECONDS / 3)

    async def use(self, call: Callable[[DuplicateIndex], Answer], *, aside: bool = False) -> Answer | None:
        """Return the result of a call; None if the index cannot be used now.

        Args:
            call: The call. Its errors about arguments are raised.
            aside: Whether it takes long, so that it is made beside the reactor in any case.
        """
        if self.is_in_memory and not (aside or self.index is None or self._calls.under_way):
            return self._called(call)
        return await self._calls.run(lambda: self._called(call))

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

    async def close(self) -> None:
        """Write what is pending, for the last time, and close it. A second call does nothing."""
        if self._timer is not None:
            self._timer.cancel()
        if self._pending:
            self._calls.use_now()
        if self._pending or self.index is not None:
            await self.use(self._measured)
        self._pending.clear()
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
                _put(text, text.read(self._settings.dedup_rule), index, is_kept=True)
        except StoreMismatch:
            raise
        except _OF_ARGUMENTS as error:  # caused by this item: another attempt would fail too
            self._crawl.report("dedup", error)

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
                index.close()
        except Exception as error:  # it is no longer needed
            logger.debug("The index of texts was not closed: %r", error)

    def _measured(self, index: DuplicateIndex) -> None:
        self._crawl.set("dedup/kept_texts", len(index))
        self._crawl.set("memory/bytes/index", index.stats["bytes"] + index.stats["store_bytes"])

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
