"""The index of a crawl, used in a way that no fault of its store can stop the crawl."""

from __future__ import annotations

import asyncio
import errno
import logging
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.beside import is_large
from denoise_scrapy.dedup import CLAIM_SECONDS, RULES, DuplicateIndex, open_store
from denoise_scrapy.dedup.places import index_beside, is_file, is_remote
from denoise_scrapy.exceptions import OtherVersion, OtherVersionError, StoreMismatch, UnusableNowError
from denoise_scrapy.items import DAY
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.shown import logger_of
from denoise_scrapy.storage import BackOff, is_unreachable, without_password

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from denoise_scrapy.crawl.beside import Beside
    from denoise_scrapy.crawl.log import CrawlLog
    from denoise_scrapy.dedup.index import ReadText
    from denoise_scrapy.settings import DenoiseSettings

Answer = TypeVar("Answer")

INDEX_FILE = "denoise-texts.sqlite"  # in a job directory
MEMORY = "memory"
# Dropped keys that an index in a file or on a server remembers with the kept one: some 10 MB.
REMEMBERED_COPIES = 100_000
# What became of items while the store could not be used, with the texts of those delivered, to be written later; the
# newest are left out.
MOST_MISSED_CHARS = 8_000_000

# Texts forgotten at a time, at the start and in each beat: .02 and .002 s of a file.
EXPIRED, EXPIRED_A_BEAT = 1000, 100

BESIDE = "%s This crawl goes on with another beside it, %s, for which all that it has is new"
NOTHING_BEFORE = (
    "DENOISE_SEEN = %r, but the index ends with the crawl, so that nothing of an earlier crawl is known: "
    "DENOISE_DEDUP_STORE or JOBDIR says where it is kept"
)

_PASSING = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
# Python 3.10 gives no codes. A file that is absent cannot be opened where none can be made: on a read-only file system.
_PASSING_WORDS = ("readonly database", "is full", "disk I/O error", "is locked", "unable to open database")

logger = logger_of(__name__)


class ItemText(NamedTuple):
    """What of an item goes to the index.

    Attributes:
        key: What identifies the item.
        text: What is compared.
        scope: Site within which it is compared, "" for all; and what the fields say that must agree.
        group: What the fields say that must differ.
        site: Host that the item is from.
        title: Its title.
        values: Its other fields, by which like texts are told apart.
        fields: All of it that shows a change, beside its text.
        source: What its text was taken from, and how; "" where that is not known.
        is_alone: Whether it is compared with nothing but what it was.
        obstacle: Why it is not compared, the name of a stat; "" if it is.
    """

    key: str = ""
    text: str = ""
    scope: str = ""
    group: str = ""
    site: str = ""
    title: str = ""
    values: Mapping[str, object] = MappingProxyType({})
    fields: Mapping[str, object] = MappingProxyType({})
    source: str = ""
    is_alone: bool = False
    obstacle: str = ""

    @property
    def names(self) -> dict[str, Any]:
        """What the index takes beside key and text."""
        return {"scope": self.scope, "group": self.group, "site": self.site}

    def read(self, index: DuplicateIndex) -> ReadText:
        """Return its text as an index reads it, with what belongs to it."""
        return index.read(self.text, title=self.title, values=self.values, fields=self.fields, source=self.source)

    @property
    def writable(self) -> bool:
        """Whether a store can write it: half characters cannot be written."""
        try:
            "".join((self.key, self.text, self.scope, self.group, self.site)).encode()
        except UnicodeEncodeError:
            return False
        return True

    @property
    def chars(self) -> int:
        """Characters that it holds."""
        return len(self.key) + len(self.text)


class IndexGuard:
    """Uses the index of a crawl. While its store fails there are no answers, and what was to be kept is kept later.

    A store on another machine is used in a thread, one call at a time, so that the crawl goes on meanwhile.

    Attributes:
        index: The index, None where it is not open.
        left_out: Items whose end will never reach the index, since there were too many.
    """

    def __init__(self, crawler: Crawler, settings: DenoiseSettings, log: CrawlLog, beside: Beside):
        self.index: DuplicateIndex | None = None
        self.left_out = 0
        self._settings = settings
        self._beside = beside
        self._crawl_settings: BaseSettings = crawler.settings
        self._log = log
        directory = job_dir(crawler.settings)
        place = index_place(settings, str(Path(directory).absolute()) if directory else None)
        self._place = place if settings.needs_index else MEMORY
        self._remote = is_remote(self._place) and is_asyncio_available()
        self._lock = asyncio.Lock()
        self._back_off = BackOff()
        self._missed: deque[tuple[ItemText, int]] = deque()
        self._missed_chars = 0
        self._beat: Any = None
        self._nbytes = 0
        self._file: tuple[int, int] | None = None

    def open(self) -> None:
        """Open the index.

        Raises:
            ConfigurationError: It is refused. What passes by itself, as a full disk does, is no reason: it is
                opened later.
        """
        if self._settings.seen != "keep" and self._place == MEMORY:
            logger.warning(NOTHING_BEFORE, self._settings.seen, extra=self._log.extra)
        try:
            if self._settings.enabled:  # else with the first item that is treated
                self.index = self._opened()
                while self._expire(self.index, EXPIRED):
                    pass
        except UnusableNowError as error:
            self._failed(error)

    def begin(self) -> None:
        """Note from now on, again and again, that the crawl lives."""
        self._beat = create_looping_call(self._beat_now)
        self._beat.start(CLAIM_SECONDS / 3, now=False)

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds beside its store, or held when it was closed."""
        if self.index is not None:
            self._nbytes = self.index.stats["bytes"]
        return self._nbytes

    async def ask(self, call: Callable[[DuplicateIndex], Answer]) -> Answer | None:
        """Return the answer of the index; None where it cannot be used now.

        Raises:
            ValueError: What it is called with is invalid.
        """
        async with self._lock:  # else each of many would wait for the time-out of a silent server
            if not self._back_off.ready:
                return None
            try:
                answer = await asyncio.to_thread(self._called, call) if self._remote else self._called(call)
            except (StoreMismatch, ConfigurationError) as error:  # it has lost what it held, or is not there to open
                self._let_go()
                self._failed(error)
            except (ValueError, TypeError):
                raise
            except Exception as error:
                self._failed(error)
            else:
                if self.index is not None and (unnoted := self.index.note_error) is not None:
                    self.index.note_error = None
                    self._failed(unnoted)  # else each copy would wait for a silent server
                    return answer
                if self._back_off.pause:
                    logger.info("The index of texts can be used again", extra=self._log.extra)
                self._back_off.worked()
                return answer
            return None

    async def read(self, text: ItemText) -> ReadText | None:
        """Return a large text as the index reads it, made beside the reactor; None for any other."""
        index, size = self.index, len(text.text)
        if index is None or not is_large(size):
            return None
        return await self._beside.run(partial(text.read, index), size)

    def missed(self, text: ItemText, claim: int) -> None:
        """Note the end of an item until the store works again: its text is kept then; one without a text was lost."""
        if self._missed_chars + text.chars <= MOST_MISSED_CHARS:
            self._missed.append((text, claim))
            self._missed_chars += text.chars
        else:
            self.left_out += 1

    async def write_missed(self) -> None:
        """Write what was missed, though the store failed lately: it is the last chance."""
        if self._missed:
            self._back_off.worked()
            await self.ask(lambda _: None)

    def close(self) -> None:
        """Close the index; what it kept is stored already. A second call does nothing."""
        if self._beat is not None and self._beat.running:
            self._beat.stop()
        self._look_for_file()
        _ = self.nbytes
        self._let_go()

    def _called(self, call: Callable[[DuplicateIndex], Answer]) -> Answer:
        """Write what was missed, then call."""
        if self.index is None:
            self.index = self._opened()
        while self._missed:
            text, claim = self._missed[0]
            try:
                if not text.text:
                    self.index.withdraw(claim)
                elif not self.index.settle(claim):
                    self.index.add(text.key, text.read(self.index), **text.names)
            except StoreMismatch:
                raise
            except (ValueError, TypeError) as error:  # of this entry: no later try would do better
                self._log.report("dedup", error)
            self._missed.popleft()
            self._missed_chars -= text.chars
        return call(self.index)

    def _opened(self) -> DuplicateIndex:
        try:
            index = open_index(self._place, self._settings, self._crawl_settings)
        except OtherVersionError as error:
            self._log.say_once("dedup_version", logging.WARNING, BESIDE, error, without_password(error.beside))
            self._place = error.beside
            index = open_index(self._place, self._settings, self._crawl_settings)
        self._file = _identity(self._place)
        return index

    def _look_for_file(self) -> None:
        """Say once that the index's file has vanished: SQLite writes on without noticing."""
        if self.index is not None and self._file is not None and _identity(self._place) != self._file:
            self._file = None
            self._log.count("dedup/store_failed")
            message = "The index of texts %s was moved or deleted; this crawl goes on with it, the next has none"
            self._log.say_once("dedup_file", logging.WARNING, message, self._place)

    def _failed(self, error: Exception) -> None:
        self._back_off.failed()
        self._log.count("dedup/store_failed")
        self._log.say_once(
            "dedup_store",
            logging.WARNING,
            "The index of texts cannot be used now, and items pass without comparison until it can: %s: %s",
            without_password(self._place),
            error,
        )

    def _let_go(self) -> None:
        index, self.index = self.index, None
        try:
            if index is not None:
                index.close()
        except Exception as error:  # it was no use any more
            logger.debug("The index of texts was not closed: %r", error)

    def _beat_now(self) -> None:
        self._look_for_file()
        index = self.index
        if index is None or not self._back_off.ready:
            return
        if self._remote:
            asyncio.get_running_loop().run_in_executor(None, self._beaten, index)
        else:
            self._beaten(index)

    def _expire(self, index: DuplicateIndex, most: int) -> int:
        """Forget texts that no crawl has met for so long as the settings say; return how many."""
        days = self._settings.dedup_days
        gone = index.expire(time.time() - days * DAY, most) if days else 0
        if gone:
            self._log.count("dedup/expired", gone)
        return gone

    def _beaten(self, index: DuplicateIndex) -> None:
        try:
            index.beat()
            self._expire(index, EXPIRED_A_BEAT)
        except Exception as error:  # the next call finds out
            logger.debug("The index of texts could not note that the crawl lives: %r", error)


def _identity(place: str) -> tuple[int, int] | None:
    """What tells the file of an index from others; None where there is none."""
    try:
        found = Path(place).stat() if is_file(place) else None
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


def index_place(settings: DenoiseSettings, directory: str | None) -> str:
    """Return where the index of a crawl is: DENOISE_DEDUP_STORE, or the job directory's file, or "memory"."""
    if settings.dedup_store != "auto":
        return settings.dedup_store
    return str(Path(directory, INDEX_FILE)) if directory else MEMORY


def open_index(place: str, settings: DenoiseSettings, crawl_settings: BaseSettings) -> DuplicateIndex:
    """Open the index of a crawl.

    Raises:
        ConfigurationError: It cannot be opened there, or was made with other settings.
        UnusableNowError: It cannot be opened now, but may be later.
        OtherVersionError: It is of another version or rule, and there is a place beside it.
    """
    shown = without_password(place)
    try:
        return DuplicateIndex(
            settings.dedup_threshold or None,
            open_store(place, crawl_settings),
            rule=settings.dedup_rule,
            search=None if settings.dedup_search == "auto" else settings.dedup_search,
            most_new=settings.dedup_most_new,
            short_duplicates=settings.dedup_short,
            remember_copies=0 if place == MEMORY else REMEMBERED_COPIES,
            variants=settings.dedup_variants == "keep",
        )
    except Exception as error:  # whatever a file or a server answers, the crawl must not start without its index
        beside = index_beside(place, RULES[settings.dedup_rule].constants) if isinstance(error, OtherVersion) else ""
        if beside:
            raise OtherVersionError(f"{shown}: {error}", beside) from error
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        advice = ". Move it away, or restore it; it has not been touched." if damaged else ""
        away, said = is_unreachable(error), f"the index of texts {shown}: {str(error).removeprefix(f'{shown}: ')}"
        if passes_by_itself(error) or (away and not settings.dedup_required):
            raise UnusableNowError(said) from error
        advice += " (DENOISE_DEDUP_REQUIRED = False starts the crawl without it)" if away else ""
        raise ConfigurationError(f"{said}{advice}") from error


def passes_by_itself(error: Exception) -> bool:
    """Whether what keeps a file from being opened or written may pass: a full disk, a read-only file.

    Example:
        >>> passes_by_itself(sqlite3.OperationalError("attempt to write a readonly database"))
        True
        >>> passes_by_itself(sqlite3.DatabaseError("database disk image is malformed"))
        False
    """
    if isinstance(error, sqlite3.OperationalError):
        return any(words in str(error) for words in _PASSING_WORDS)
    return isinstance(error, OSError) and error.errno in _PASSING
