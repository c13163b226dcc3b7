"""Real crawls inside the test process: one asyncio reactor, which runs during each crawl."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from scrapy import Request, Spider, signals
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import AsyncCrawlerRunner, Crawler
from scrapy.utils.reactor import install_reactor, is_reactor_installed

from denoise_scrapy.crawl.parts import PREFIX
from docs.counters import meaning_of

ADDON = {"denoise_scrapy.DenoiseAddon": 500}
BASE = {
    "ADDONS": ADDON,
    "TELNETCONSOLE_ENABLED": False,
    "DENOISE_COMPARISON_WAIT": 0.05,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "DEBUG",
}
ONE_BY_ONE = {
    "CONCURRENT_REQUESTS": 1,
    "CONCURRENT_ITEMS": 1,
    "SPIDER_MIDDLEWARES": {"tests.crawl.crawling.OneByOne": 10_000},
}
LONGEST = 120  # seconds, of a crawl that hangs; most take some tenths, on a busy machine many times as long


@dataclass
class Crawl:
    """The results of a crawl."""

    items: list[Any]
    dropped: list[tuple[Any, Exception]]
    stats: dict[str, Any]
    log: str
    crawler: Crawler

    def stat(self, name: str) -> Any:
        return self.stats.get(f"denoise/{name}", 0)

    def bodies(self) -> dict[str, Any]:
        return {item["url"]: item.get("body") for item in self.items}

    def of(self) -> list[str]:
        """Keys of the kept items for which others were dropped."""
        return [str(reason.of) for _, reason in self.dropped]  # type: ignore[attr-defined]

    def lines(self, said: str) -> list[str]:
        return [line for line in self.log.splitlines() if said in line]


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name} {record.levelname} {self.format(record)}")


class OneByOne:
    """A spider middleware that begins with a page, or an item, of the start once the one before has ended."""

    def __init__(self, crawler: Crawler):
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> "OneByOne":
        return cls(crawler)

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for each in start:
            yield each
            while self._is_working():
                await asyncio.sleep(0.002)

    def _is_working(self) -> bool:
        engine: Any = self._crawler.engine
        slot, scraper = engine._slot, engine.scraper.slot
        waits = slot is not None and (slot.inprogress or slot.scheduler.has_pending_requests())
        return bool(waits or (scraper is not None and (scraper.itemproc_size or not scraper.is_idle())))


def spider_of(*pages: str | Request, **attributes: Any) -> type[Spider]:
    """Return a spider of some URLs or requests that yields one dict with the URL of each page."""

    def parse(self: Spider, response: Any) -> Any:
        yield {"url": response.url}

    async def start(self: Spider) -> Any:
        for each in pages:
            yield each.copy() if isinstance(each, Request) else Request(each, dont_filter=True)

    return type("PageSpider", (Spider,), {"name": "pages", "start": start, "parse": parse} | attributes)


def items_only(*items: Any) -> type[Spider]:
    """Return a spider that yields items without pages."""

    async def start(self: Spider) -> Any:
        for item in items:
            yield item

    return spider_of(start=start)


def event_loop() -> asyncio.AbstractEventLoop:
    """Return the loop of the reactor, which is started by the first call."""
    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor

    if not getattr(reactor, "running", False):
        reactor.startRunning(installSignalHandlers=False)  # type: ignore[attr-defined]
    return reactor._asyncioEventloop  # type: ignore[attr-defined,no-any-return]


def stop_reactor() -> None:
    """Stop the reactor's threads, if any, without which the process could not exit."""
    if is_reactor_installed():
        from twisted.internet import reactor

        if getattr(reactor, "running", False):
            reactor.fireSystemEvent("shutdown")  # type: ignore[attr-defined]


def crawl(spider: type[Spider], settings: dict[str, Any] | None = None, **args: Any) -> Crawl:
    """Run a spider to its end; raise any error that prevents its start."""
    loop = event_loop()
    lines = _Lines()
    root = logging.getLogger()
    # Other handlers keep the records, and with them the requests and the crawler.
    before, root.handlers = root.handlers, [lines]
    level = root.level
    root.setLevel(logging.DEBUG)
    items: list[Any] = []
    dropped: list[tuple[Any, Exception]] = []
    runner = AsyncCrawlerRunner({**BASE, **(settings or {})})
    crawler = runner.create_crawler(spider)

    def on_scraped(item: Any) -> None:
        items.append(item)

    def on_dropped(item: Any, exception: Exception) -> None:
        dropped.append((item, exception))

    crawler.signals.connect(on_scraped, signals.item_scraped)
    crawler.signals.connect(on_dropped, signals.item_dropped)

    async def run() -> None:
        await asyncio.wait_for(runner.crawl(crawler, **args), LONGEST)

    try:
        # Scrapy ends a crawl whose last items come from no response with its next beat only
        with patch.object(ExecutionEngine, "_SLOT_HEARTBEAT_INTERVAL", 0.2, create=True):
            loop.run_until_complete(run())
    finally:
        root.handlers = before
        root.setLevel(level)
        for _, error in dropped:
            error.__traceback__ = None  # its frames hold the response
        log = "\n".join(lines.lines)
        print(log)
    stats = crawler.stats.get_stats()
    ours = [name for name in stats if name.startswith(PREFIX)]
    undeclared = [name for name in ours if not meaning_of(name.removeprefix(PREFIX))]
    assert not undeclared, f"not in docs/stats.md: {undeclared}"
    return Crawl(items, dropped, stats, log, crawler)
