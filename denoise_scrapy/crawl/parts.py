"""Facilities shared by all parts of a crawl: settings, log, stats, and configuration errors at the start."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import create_looping_call, is_asyncio_available
from scrapy.utils.job import job_dir
from scrapy.utils.python import global_object_name

from denoise_scrapy.settings import ConfigurationError, DenoiseSettings, hide_tracebacks
from denoise_scrapy.support.shown import counted, logger_of
from denoise_scrapy.support.storage import replacing

Answer = TypeVar("Answer")

logger = logger_of(__name__)

#: Beginning of the names of our stats (`docs/counters.py`).
PREFIX = "denoise/"
#: Import paths of the add-on.
ADDONS = ("denoise_scrapy.DenoiseAddon", "denoise_scrapy.addon.DenoiseAddon")
STATS_FILE = "denoise-stats.json"
FAILED = "Error in %s: %s passes unchanged. (Further such errors: denoise/errors/%s)"
# Bytes of a page, or characters of a text, above which no work on it is done on the reactor: parsing so many takes
# 5 ms; most recorded pages are smaller.
LARGE = 200_000
# Maximum sites, requests or items in progress of one kind that are remembered, some 300 bytes each: 3 MB. Of what all
# items or pages of a crawl have: 10 MB. Those forgotten are taken for new.
MOST_KNOWN, MOST_OF_ALL = 10_000, 100_000
# Maximum of what takes more: sites that are counted, at most 100 KB each; items that no feed has written, some tens of
# KB. Also of what is more only where the meta of requests is odd: messages logged once, objects that a request has.
MOST_HELD = 1_000
# Maximum seconds that an item waits for another one in the pipelines, for a request or for a function of the project:
# as long as slow pipelines take, and twice what a model on a busy server takes for a page.
LONGEST_WAIT = 60.0
# Seconds between two looks at what no signal tells.
LOOK_AGAIN = 0.25


class Crawl:
    """The settings, stats and log that all parts of a crawl share.

    The log has a line of progress every LOGSTATS_INTERVAL seconds, and a summary.
    """

    def __init__(self, crawler: Crawler):
        self.crawler = crawler
        self.settings = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        self.said = set[str]()  # keys of messages that were logged
        self._loops = list[Any]()
        #: Has what was set aside examined for garbage again.
        self.take_back: Callable[[], None] = lambda: None

    @property
    def extra(self) -> dict[str, Any]:
        """The `extra` of log records, which names the spider, as in Scrapy's own."""
        return {"spider": self.crawler.spider}

    def count(self, *names: str | bool) -> None:
        """Add one to the stats ``denoise/<name>``; what is not a name is ignored."""
        for name in names:
            if name and isinstance(name, str):
                self._add(PREFIX + name, 1)

    def add(self, name: str, number: int) -> None:
        """Add a number to the stat ``denoise/<name>``, which is absent as long as it is zero."""
        if number:
            self._add(PREFIX + name, number)

    @cached_property
    def _add(self) -> Callable[[str, int], None]:
        add: Callable[[str, int], None] = self.crawler.stats.inc_value  # each look-up takes Scrapy 2.19 2 µs
        return add

    def counted(self, name: str) -> int:
        """Return the stat ``denoise/<name>``."""
        return int(self.crawler.stats.get_value(PREFIX + name, 0))

    def set(self, name: str, value: Any) -> None:
        """Set the stat ``denoise/<name>``, unless its value is zero or empty."""
        if value:
            self.crawler.stats.set_value(PREFIX + name, value)

    def report(self, place: str, error: Exception, url: str = "") -> None:
        """Count an internal error; log the first of each place and kind with its traceback."""
        self.count("errors", f"errors/{place}")
        key = f"{place}/{type(error).__name__}"
        self.say_once(key, FAILED, place, url or "a page or an item", place, level=logging.ERROR, error=error)

    def say_once(
        self, key: str, message: str, *args: object, level: int = logging.WARNING, error: Exception | None = None
    ) -> None:
        """Log a message, by default a warning, the first time `key` is used in the crawl; the traceback of an error."""
        if key not in self.said and len(self.said) < MOST_HELD:
            self.said.add(key)
            logger.log(level, message, *args, extra=self.extra, exc_info=error)

    def start(self) -> None:
        """Start logging progress."""
        if interval := self.crawler.settings.getfloat("LOGSTATS_INTERVAL"):
            self.repeat(self._say_progress, interval)

    def repeat(self, call: Callable[[], object], seconds: float) -> None:
        """Make a call at intervals until the crawl ends."""
        loop: Any = create_looping_call(call)
        loop.start(seconds, now=False)
        self._loops.append(loop)

    def set_aside(self) -> None:
        """Do not examine for garbage what the process holds now, modules above all: each time took a crawl 70 ms."""
        if not gc.get_freeze_count():  # otherwise the project, or another crawl, did so
            gc.collect()
            gc.freeze()
            self.take_back = gc.unfreeze

    def close(self) -> None:
        """Stop calls at intervals, and take back what was set aside."""
        for loop in self._loops:
            if loop.running:
                loop.stop()
        self.take_back()

    def finish(self) -> None:
        """Sum up the bytes held, log the summary, and write all stats to the job directory, if there is one."""
        sizes = self.crawler.stats.get_stats().items()
        self.set("memory/bytes", sum(size for name, size in sizes if f"{PREFIX}memory/bytes/" in str(name)))
        self._say_progress("denoise at the end: ")
        try:
            if directory := job_dir(self.crawler.settings):  # to be read after the crawl
                stats = json.dumps(self.crawler.stats.get_stats(), default=str, indent=1, sort_keys=True)
                with replacing(Path(directory, STATS_FILE)) as temporary:
                    temporary.write_text(stats, encoding="utf-8")
        except OSError as error:
            self.report("stats", error)

    def _say_progress(self, opening: str = "denoise: ") -> None:
        names = "pages/parsed body/items body/empty comparison/requests dedup/duplicates errors body/lost_later"
        pages, bodies, empty, requests, copies, errors, lost = map(self.counted, names.split())
        if pages or copies or errors:
            line = (
                f"{counted(pages, 'page')}, {counted(bodies, 'body', 'bodies')} ({empty} empty), "
                f"{counted(requests, 'comparison request')}, {counted(copies, 'near-duplicate')}, "
                f"{counted(errors, 'error')}"
                + (f"; {counted(lost, 'item')} with a body lost in later pipelines" if lost else "")
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


async def beside(work: Callable[[], Answer], threads: Executor | None = None) -> Answer:
    """Do some work in a thread, by default one of the loop's; on the reactor if it is not an asyncio one."""
    return await asyncio.get_running_loop().run_in_executor(threads, work) if is_asyncio_available() else work()


def path_of(component: object) -> str:
    """Return the import path of a component, given by it or by its class."""
    return component if isinstance(component, str) else global_object_name(component)


def has_addon(settings: BaseSettings) -> bool:
    """Return whether the add-on is among a project's."""
    return not {*ADDONS}.isdisjoint(map(path_of, settings.getdict("ADDONS")))
