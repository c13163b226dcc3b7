"""Facilities shared by all parts of a crawl: settings, log, stats, threads, and configuration errors at the start."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.job import job_dir

from denoise_scrapy.settings import ConfigurationError, DenoiseSettings, hide_tracebacks
from denoise_scrapy.shown import counted, logger_of
from denoise_scrapy.stats import PREFIX
from denoise_scrapy.storage import replacing

Answer = TypeVar("Answer")

logger = logger_of(__name__)

STATS_FILE = "denoise-stats.json"
# Maximum messages logged once: there are some tens of kinds, but the meta of requests may name anything.
MOST_SAID = 1000
# Bytes of a page, or characters of a text, above which all work on it is done in a thread: parsing so many takes 5 ms;
# most recorded pages are smaller.
LARGE = 200_000
# Bytes of a page above which extracting its body is worth a thread: the round trip costs the reactor .05 ms, a body of
# this size .1 ms.
WORTH = 10_000


class Crawl:
    """The settings, threads, stats and log that all parts of a crawl share.

    The log has a line of progress every LOGSTATS_INTERVAL seconds, and a summary.
    """

    def __init__(self, crawler: Crawler):
        self.crawler = crawler
        self.settings = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        self.beside = Beside(self.settings.threads)
        self._said: set[str] = set()
        self._progress: Any = None
        self._memories: dict[str, Callable[[], int]] = {}

    @property
    def extra(self) -> dict[str, Any]:
        """The `extra` of log records, which names the spider, as in Scrapy's own."""
        return {"spider": self.crawler.spider}

    def count(self, name: str, by: int = 1) -> None:
        """Add to the stat ``denoise/<name>``."""
        self._add(PREFIX + name, by)

    @cached_property
    def _add(self) -> Callable[[str, int], None]:
        add: Callable[[str, int], None] = self.crawler.stats.inc_value  # each look-up takes Scrapy 2.19 2 µs
        return add

    def counted(self, name: str) -> int:
        """Return the stat ``denoise/<name>``."""
        return int(self.crawler.stats.get_value(PREFIX + name, 0))

    def set(self, name: str, value: Any) -> None:
        """Set the stat ``denoise/<name>``."""
        self.crawler.stats.set_value(PREFIX + name, value)

    def report(self, place: str, error: Exception) -> None:
        """Count an internal error; log the first of each place and kind with its traceback."""
        self.count("errors")
        self.count(f"errors/{place}")
        self.say_once(
            f"{place}/{type(error).__name__}",
            logging.ERROR,
            "denoise failed in %s without affecting the crawl; further errors of this kind are counted as "
            "denoise/errors/%s",
            place,
            place,
            exc_info=error,
        )

    def say_once(self, key: str, level: int, message: str, *args: object, **more: Any) -> None:
        """Log a message the first time `key` is used in the crawl."""
        if key not in self._said and len(self._said) < MOST_SAID:
            self._said.add(key)
            logger.log(level, message, *args, extra=self.extra, **more)

    def watch(self, name: str, number: Callable[[], int]) -> None:
        """Register a number for the stat ``denoise/memory/<name>``, "bytes/…" or "evicted/…", set at the end."""
        self._memories[f"memory/{name}"] = number

    def bytes(self) -> dict[str, int]:
        """Return the approximate bytes that each memory holds now."""
        begin = "memory/bytes/"
        return {name.removeprefix(begin): number() for name, number in self._memories.items() if begin in name}

    def start(self) -> None:
        """Start logging progress."""
        interval = self.crawler.settings.getfloat("LOGSTATS_INTERVAL")
        if interval:
            self._progress = create_looping_call(self._say_progress)
            self._progress.start(interval, now=False)

    def finish(self) -> None:
        """Set the stats of memory, log the summary, and write all stats to the job directory, if there is one."""
        if self._progress is not None and self._progress.running:
            self._progress.stop()
        self.set("memory/bytes", sum(self.bytes().values()))
        for name, number in self._memories.items():
            self.set(name, number())
        self._say_progress("denoise at the end: ")
        try:
            directory = job_dir(self.crawler.settings)
            if directory:  # for `scrapy denoise stats`
                stats = json.dumps(self.crawler.stats.get_stats(), default=str, indent=1, sort_keys=True)
                with replacing(Path(directory, STATS_FILE)) as beside:
                    beside.write_text(stats, encoding="utf-8")
        except OSError as error:
            self.report("stats", error)

    def _say_progress(self, opening: str = "denoise: ") -> None:
        count = self.counted
        line = (
            f"{counted(count('pages/parsed'), 'page')}, {counted(count('body/items'), 'body', 'bodies')} "
            f"({count('body/empty')} empty), {counted(count('comparison/requests'), 'comparison request')}, "
            f"{counted(count('dedup/duplicates'), 'near-duplicate')}, {counted(count('errors'), 'error')}"
        )
        logger.info("%s%s", opening, line, extra=self.extra)


@contextmanager
def refusing_to_start(crawler: Crawler) -> Iterator[None]:
    """Log a `ConfigurationError` raised inside in one line, since Scrapy shows only a traceback, and re-raise it.

    An existing engine would add tracebacks of components closed before they were opened, so objects that may raise
    should be created with the component, before the engine.
    """
    try:
        yield
    except ConfigurationError as error:
        logger.critical("The crawl does not start: %s", error)
        hide_tracebacks()
        # Scrapy 2.14 recognises a failed start only by a crawler without a spider; otherwise its exit code would be 0.
        with suppress(RuntimeError):  # Scrapy 2.18 raises this, older versions return None
            if crawler.engine is not None:  # closing it needs the spider
                raise
        crawler.spider = None
        raise


def is_large(size: int) -> bool:
    """Return whether all work on a page or text of about this size belongs in a thread."""
    return size > LARGE


class Beside:
    """Runs work in threads beside the reactor: bodies, all work on large pages and texts, calls of stores.

    Such work depends only on its arguments, which nothing else changes meanwhile; memory, stats, log and decisions stay
    on the reactor. Without threads or an asyncio reactor, all work is done there. `threads` are for bodies; large pages
    and stores have one more each, so that neither waits for the other.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._last: asyncio.Future[None] | None = None

    async def run(self, work: Callable[[], Answer], size: int) -> Answer:
        """Return the result of a call, or raise its exception; `size` is that of its page or text."""
        # large ones are processed one at a time, to bound memory; others at once, on the reactor
        return await self.alone(work) if is_large(size) else work()

    async def alone(self, work: Callable[[], Answer], of: str = "large") -> Answer:
        """Do the same for calls made one at a time, whatever their size; `of` names the queue they share."""
        return await self._in_thread(work, of, 1) if self._has_threads else work()

    async def in_turn(self, work: Callable[[], Answer], size: int) -> Answer:
        """Do the same for calls that may run in parallel; results are returned in the order of the calls."""
        if not self._has_threads:
            return work()
        before, own = self._last, asyncio.get_running_loop().create_future()
        self._last = own
        try:
            answer = await self._in_thread(work, "bodies", self._threads) if size > WORTH else work()
            if before is not None and not before.done():
                await before
            return answer
        finally:
            if not own.done():  # done if the next call was cancelled while waiting for this one
                own.set_result(None)

    def close(self) -> None:
        """Stop the threads after their current calls. A second call does nothing."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        self._pools.clear()

    @property
    def _has_threads(self) -> bool:
        return bool(self._threads) and is_asyncio_available()

    async def _in_thread(self, work: Callable[[], Answer], name: str, threads: int) -> Answer:
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = ThreadPoolExecutor(threads, f"denoise-{name}")
        return await asyncio.get_running_loop().run_in_executor(pool, work)
