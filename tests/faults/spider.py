"""The crawl that is killed: a spider that requests pages without an outcome, and pipelines of a user after ours.

What becomes of each item is written down at once, by a system call of its own, so that a kill loses none of it. Runs
in the folder of its project, by `scrapy runspider`.
"""

from __future__ import annotations

import asyncio
import os
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import DropItem

from denoise_scrapy.crawl import stores
from denoise_scrapy.support import storage
from tests.faults.project import Journal, settled_urls

for module in (storage, stores):
    module.SLOW_SECONDS = 1e9  # all stores of a busy machine are slow at times

AGAIN = 8  # one page of so many is asked for again though it is settled: an item is no duplicate of itself
SLOWEST = 0.3  # seconds that the user's pipeline takes at most, a database's write on a bad day


def share(url: str, what: str) -> float:
    """A number in [0, 1) that a page has in every run."""
    return zlib.crc32(f"{what} {urlsplit(url).path}".encode()) / 2**32


def is_dropped_by_user(url: str) -> bool:
    return share(url, "dropped") < 0.12


def is_failed_by_user(url: str) -> bool:
    return share(url, "failed") < 0.08


def passes_user(url: str) -> bool:
    return not (is_dropped_by_user(url) or is_failed_by_user(url))


class First:
    """A pipeline before ours that records the arriving items."""

    what = "entered"

    def __init__(self) -> None:
        self._journal = Journal()

    def process_item(self, item: Any) -> Any:
        self._journal.write(self.what, item["url"])
        return item


class Slow:
    """A slow pipeline after ours."""

    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(SLOWEST * share(item["url"], "slow"))
        return item


class Picky:
    """A pipeline that drops some items, always the same ones, and fails on others."""

    def process_item(self, item: Any) -> Any:
        if is_dropped_by_user(item["url"]):
            raise DropItem("not wanted", log_level="DEBUG")
        if is_failed_by_user(item["url"]):
            raise RuntimeError("the user's pipeline fails")
        return item


class Last(First):
    """A pipeline that records the items leaving the pipelines."""

    what = "left"


class Witness:
    """Records Scrapy's signals about items, and how long the event loop was blocked."""

    def __init__(self, crawler: Any):
        self._journal = Journal()
        self._longest = 0.0
        self._ticking: asyncio.Task[None] | None = None
        connect = crawler.signals.connect
        connect(self.opened, signals.spider_opened)
        connect(self.scraped, signals.item_scraped)
        connect(self.dropped, signals.item_dropped)
        connect(self.failed, signals.item_error)
        connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Witness:
        return cls(crawler)

    def opened(self) -> None:
        self._journal.write("opened")
        self._ticking = asyncio.get_running_loop().create_task(self._tick())

    def scraped(self, item: Any) -> None:
        self._journal.write("scraped", item["url"])

    def dropped(self, item: Any, exception: Exception) -> None:
        what = "duplicate" if type(exception).__name__ == "NearDuplicate" else "dropped"
        self._journal.write(what, item["url"], of=getattr(exception, "of", None))

    def failed(self, item: Any) -> None:
        self._journal.write("failed", item["url"])

    def closed(self, reason: str) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        self._journal.write("closed", reason=reason, longest_pause=self._longest)

    async def _tick(self) -> None:
        before = time.monotonic()
        while True:
            await asyncio.sleep(0.02)
            now = time.monotonic()
            self._longest = max(self._longest, now - before)
            before = now


class StoriesSpider(Spider):
    """Requests the pages of a list whose items have no outcome yet, like a user who resumes from the output.

    Scrapy loses its queue with a kill, so the job directory alone would end a killed crawl early.
    """

    name = "stories"
    list_path = "/list"
    custom_settings: ClassVar[dict[str, Any]] = {
        "ADDONS": {"denoise_scrapy.DenoiseAddon": 500},
        "EXTENSIONS": {Witness: 0},
        "ITEM_PIPELINES": {First: -300, Slow: 300, Picky: 400, Last: 900},
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "INFO",
        "CONCURRENT_REQUESTS": 6,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 6,
        "DENOISE_COMPARISON_WAIT": 0.05,
    }

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.site + self.list_path, dont_filter=True)  # type: ignore[attr-defined]

    def parse(self, response: Any) -> Iterator[Any]:
        run = os.environ.get("STORIES_RUN", "")
        settled = settled_urls(Path())
        for href in response.css("a.story::attr(href)").getall():
            url = response.urljoin(href)
            if url not in settled or share(url, f"again {run}") < 1 / AGAIN:
                yield Request(url, self.parse_story, dont_filter=True)
        for href in response.css("a.list::attr(href)").getall():
            yield response.follow(href, self.parse, dont_filter=True)

    def parse_story(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
