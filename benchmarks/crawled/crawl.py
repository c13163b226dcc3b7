"""One crawl of the made hosts in this process.

    python -m benchmarks.crawled.crawl WAY PORT HOSTS PAGES

prints its figures as JSON.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import Response
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import default_settings
from twisted.internet.defer import Deferred, succeed

from benchmarks.crawled.server import HOST
from denoise_scrapy.crawl.state import state_of

ADDON = {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}}
#: Settings of the ways to crawl; all else is the same.
WAYS: dict[str, dict[str, Any]] = {
    "bare": {},
    "addon": {**ADDON, "DENOISE_DEDUP": "off"},
    "addon+dedup": {**ADDON, "DENOISE_DEDUP": "mark"},
    "default": ADDON,
}
#: The setting's name; Scrapy 2.19 gave it a new one.
RESOLVER = "TWISTED_DNS_RESOLVER" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else "DNS_RESOLVER"
SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "WARNING",
    "TELNETCONSOLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
}
SETTINGS[RESOLVER] = "benchmarks.crawled.crawl.LocalNames"
#: Part of the pages that only warms up: models and tables are read, connections made, sites met.
WARM_UP = 0.15
#: Samples of the resident memory over a crawl.
SAMPLES = 150


class LocalNames(CachingThreadedResolver):
    """Every name is this machine."""

    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: N802 - Twisted's name
        """The address of a name."""
        return succeed("127.0.0.1")


class Pages(Spider):
    """Follows the index of each host, and makes an item of each page it lists.

    Args:
        window: Hosts at a time, 0 for all; the next is begun when the pages of one are read.
    """

    name = "pages"

    def __init__(self, *args: Any, window: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ahead = (Request(url, dont_filter=True) for url in self.start_urls)
        self._window = window or len(self.start_urls)
        self._left: Counter[str] = Counter()  # pages of each host

    async def start(self) -> AsyncIterator[Any]:
        """Begin the first hosts."""
        for request in islice(self._ahead, self._window):
            yield request

    def parse(self, response: Response) -> Iterator[Any]:
        """Follow an index."""
        hrefs = response.css("a.item::attr(href)").getall()
        self._left[urlsplit(response.url).netloc] = len(hrefs)
        for href in hrefs:
            yield response.follow(href, self.parse_page)

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Make an item."""
        yield {"url": response.url, "title": response.css("title::text").get(), "page": response.text}
        host = urlsplit(response.url).netloc
        self._left[host] -= 1
        if not self._left[host]:
            del self._left[host]
            yield from islice(self._ahead, 1)


class Watch:
    """Notes time, CPU seconds and memory of this process as the pages come in, and what our memories say they hold."""

    def __init__(self, crawler: Crawler, pages: int, file: Path | None = None) -> None:
        self._crawler = crawler
        self._file = file
        self._ours = bool(crawler.settings.getdict("ADDONS"))
        self._warm = int(pages * WARM_UP)
        self._step = max(pages // SAMPLES, 1)
        self._begun = self._last = (0.0, 0.0)
        self.pages = self.items = 0
        self.memory: list[tuple[int, int]] = []
        self.held: list[dict[str, int]] = []
        crawler.signals.connect(self._response, signals.response_received)
        crawler.signals.connect(self._item, signals.item_scraped)

    def _response(self) -> None:
        self.pages += 1
        if self.pages == self._warm:
            self._begun = now()
        if self.pages % self._step == 0:
            self._sample()

    def _item(self) -> None:
        self.items += 1
        self._last = now()

    def _sample(self) -> None:
        self.memory.append((self.pages, resident()))
        self.held.append(dict(state_of(self._crawler).report.bytes()) if self._ours else {})
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*self.memory[-1], self.held[-1]]) + "\n")

    def figures(self) -> dict[str, Any]:
        """Pages a second and CPU milliseconds a page after the warm-up; samples of memory."""
        seconds, cpu = (last - begun for last, begun in zip(self._last, self._begun, strict=True))
        pages = self.pages - self._warm
        return {
            "pages": self.pages,
            "items": self.items,
            "pages_per_second": pages / seconds,
            "cpu_ms_per_page": 1000 * cpu / pages,
            "memory": self.memory,
            "held": self.held,
        }


def now() -> tuple[float, float]:
    """The time, and this process's CPU time, in seconds."""
    return time.perf_counter(), time.process_time()


def resident() -> int:
    """Resident memory of this process in bytes, 0 where the system does not tell."""
    try:
        fields = Path("/proc/self/statm").read_text("ascii").split()
    except OSError:
        return 0
    return int(fields[1]) * 4096


def crawl(
    way: str,
    port: int,
    hosts: int,
    pages: int,
    settings: dict[str, Any],
    *,
    window: int = 0,
    samples: Path | None = None,
) -> dict[str, Any]:
    """Crawl all pages; figures of `Watch`, and our counters.

    Args:
        way: A key of `WAYS`.
        port: Where the hosts are served.
        hosts: How many there are.
        pages: Pages of each.
        settings: Further settings.
        window: Hosts at a time, 0 for all.
        samples: Gets pages, resident bytes and what our memories hold as lines of JSON, while the crawl runs.
    """
    process = AsyncCrawlerProcess({**SETTINGS, **WAYS[way], **settings})
    crawler = process.create_crawler(Pages)
    watch = Watch(crawler, hosts * (pages + 1), samples)
    urls = [f"http://{HOST.format(n)}:{port}/" for n in range(hosts)]
    process.crawl(crawler, start_urls=urls, window=window)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    ours = {name: value for name, value in stats.items() if name.startswith("denoise/")}
    return {"way": way, **watch.figures(), "stats": ours}


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.crawled.crawl", description=__doc__)
    ap.add_argument("way", choices=WAYS)
    ap.add_argument("port", type=int)
    ap.add_argument("hosts", type=int)
    ap.add_argument("pages", type=int)
    ap.add_argument("-s", action="append", default=[], metavar="NAME=VALUE", help="a further setting")
    ap.add_argument("--window", type=int, default=0, help="hosts at a time")
    ap.add_argument("--samples", type=Path, help="file that gets the samples of memory")
    args = ap.parse_args()
    settings = dict(pair.split("=", 1) for pair in args.s)
    found = crawl(args.way, args.port, args.hosts, args.pages, settings, window=args.window, samples=args.samples)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
