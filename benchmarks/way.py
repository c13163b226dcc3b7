"""The way of an item through a crawl, counted: `python -m benchmarks.way`.

From a callback's yield to `item_scraped`, for items of later pages of a site: calls of functions of the package, the
files of these functions, and changes of file between successive calls; and messages between the crawl and a worker for
each page, from its response on. Each page is requested after the previous item's end, so that nothing else is counted.
The counts are the same in every run.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, NamedTuple

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

import denoise_scrapy
from benchmarks.crawl import SETTINGS, WAYS
from benchmarks.made_site import HOST, serving
from denoise_scrapy.worker import worker

#: Pages of the site, and those of them that are counted: the site is known by then.
PAGES, COUNTED = 40, range(30, 40)
PACKAGE = str(Path(denoise_scrapy.__file__).parent)


class Way(NamedTuple):
    """Counts of an item, medians over items."""

    calls: float
    files: float
    changes: float
    messages: float


def main() -> None:
    for workers in (0, 1):
        print(f"workers: {workers}  {' '.join(f'{name} {value:g}' for name, value in way(workers)._asdict().items())}")


def way(workers: int) -> Way:
    """Return the counts of a crawl in a process of its own, with a number of workers."""
    with serving(1, PAGES, 0.0) as port:
        command = [sys.executable, "-m", "benchmarks.way", str(port), str(workers)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Way(*json.loads(done.stdout.splitlines()[-1]))


class _Tally:
    """What is counted of one item."""

    def __init__(self) -> None:
        self.calls = self.changes = self.messages = 0
        self.files: set[str] = set()
        self._last = ""

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(PACKAGE):
            self.calls += 1
            self.changes += name != self._last
            self.files.add(name)
            self._last = name

    def messages_of(self, pack: Any, unpack: Any) -> tuple[Any, Any]:
        """Return the functions that write and read messages, counting."""

        def packing(message: Any) -> bytes:
            self.messages += 1
            return bytes(pack(message))

        def unpacking(received: bytearray) -> list[Any]:
            found: list[Any] = unpack(received)
            self.messages += len(found)
            return found

        return packing, unpacking


class Pages(Spider):
    """Requests a page after the item of the previous one has ended."""

    name = "pages"

    async def start(self) -> AsyncIterator[Any]:
        self.found: list[Way] = []
        pack, unpack = worker.pack, worker.unpack
        for number in range(PAGES):
            self.over, self.tally = asyncio.Event(), _Tally()
            worker.pack, worker.unpack = self.tally.messages_of(pack, unpack)
            yield Request(f"http://{HOST.format(0)}:{self.port}/{number}.html")  # type: ignore[attr-defined]
            await self.over.wait()
            tally = self.tally
            if number in COUNTED:
                self.found.append(Way(tally.calls, len(tally.files), tally.changes, tally.messages))

    def parse(self, response: Response) -> Iterator[Any]:
        item = {"url": response.url, "title": response.css("title::text").get()}
        sys.setprofile(self.tally.profile)
        yield item

    def ended(self) -> None:
        sys.setprofile(None)
        self.over.set()


def crawl(port: int, workers: int) -> list[float]:
    """Crawl the site in this process; return the medians."""
    ours = {**WAYS["default"], "DENOISE_COMPARISON_SHARE": 0, "DENOISE_WORKERS": workers}
    process = AsyncCrawlerProcess({**SETTINGS, **ours})
    crawler = process.create_crawler(Pages)

    def ended() -> None:
        crawler.spider.ended()  # type: ignore[union-attr]

    def connect() -> None:
        for signal in (signals.item_scraped, signals.item_dropped):
            crawler.signals.connect(ended, signal)

    crawler.signals.connect(connect, signals.spider_opened)  # after all others
    process.crawl(crawler, port=port)
    process.start()
    found: list[Way] = crawler.spider.found  # type: ignore[union-attr]
    return [median(column) for column in zip(*found, strict=True)]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(crawl(*map(int, sys.argv[1:]))))
    else:
        main()
