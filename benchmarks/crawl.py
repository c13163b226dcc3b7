"""Cost of the add-on in a crawl: `python -m benchmarks.crawl [--write]` crawls made hosts without it and with defaults.

A round runs a crawl with each configuration, one after the other, each in its own process; the load of the machine is
about the same within a round, so ratios within rounds are reported: their median, minimum and maximum. The server has a
process too, so two cores are needed. Pages per second and processor time are measured after the first pages have warmed
up the crawl.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import Response
from scrapy.resolver import CachingThreadedResolver
from scrapy.settings import default_settings
from twisted.internet.defer import Deferred, succeed

from benchmarks.made_site import HOST, serving
from denoise_scrapy.crawl.state import state_of
from evaluation import figures

HOSTS, PAGES, ROUNDS = 8, 150, 5
#: Seconds before the server responds -> least share of the bare crawl's pages per second to reach.
TARGETS = {0.0: 0.60, 0.05: 0.95}
#: Most processor time per page if responses come at once, in multiples of the bare crawl's.
MOST_CPU = 1.8
#: Settings of each configuration; everything else is the same.
WAYS: dict[str, dict[str, Any]] = {"bare": {}, "default": {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}}}
#: The setting's name; Scrapy 2.19 renamed it.
RESOLVER = "TWISTED_DNS_RESOLVER" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else "DNS_RESOLVER"
SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "WARNING",
    "TELNETCONSOLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    RESOLVER: "benchmarks.crawl.LocalNames",
}
#: Share of the pages used as warm-up: models and tables are loaded, connections opened, first sites seen.
WARM_UP = 0.15
#: Samples of the resident memory over a crawl.
SAMPLES = 150

Figures = dict[str, Any]


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    ap.add_argument("--rounds", type=int, default=ROUNDS)
    ap.add_argument("-s", action="append", default=[], metavar="NAME=VALUE", help="a further setting of the add-on")
    ap.add_argument("--write", action="store_true", help="write the tables into the documentation")
    ap.add_argument("--one", help=argparse.SUPPRESS)  # arguments of `crawl` as JSON, in the process of one crawl
    args = ap.parse_args()
    if args.one:
        print(json.dumps(crawl(**json.loads(args.one))))
        return
    more = dict(pair.split("=", 1) for pair in args.s)
    parts = [
        f"A crawl of {HOSTS * PAGES} made pages of 500 elements from {HOSTS} hosts, on two cores that the server "
        f"shares; medians of {args.rounds} rounds, `bare` is the same crawl without the add-on:"
    ]
    for delay in TARGETS:
        with serving(HOSTS, PAGES, delay) as port:
            sizes = {"port": port, "hosts": HOSTS, "pages": PAGES}
            settings = {way: more if way != "bare" else {} for way in WAYS}
            runs = [{way: one_crawl(way, **sizes, settings=settings[way]) for way in WAYS} for _ in range(args.rounds)]
        parts.append(table(delay, runs))
        print(f"\n{parts[-1]}", flush=True)
    if args.write:
        figures.write("crawl", "\n\n".join(parts))


def one_crawl(way: str, **arguments: Any) -> Figures:
    """Crawl in a separate process; arguments and result as for `crawl`."""
    command = [sys.executable, "-m", "benchmarks.crawl", "--one", json.dumps({"way": way, **arguments})]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def table(delay: float, runs: Sequence[dict[str, Figures]]) -> str:
    """Return medians over rounds, and ratios to the bare crawl of the same round, one row per configuration."""
    rows = []
    for way in runs[0]:
        of = {name: [run[way][name] for run in runs] for name in ("pages_per_second", "cpu_ms_per_page")}
        speeds, costs = ([run[way][name] / run["bare"][name] for run in runs] for name in of)
        pages, cpu = map(median, of.values())
        extra = median(run[way]["stats"].get("denoise/comparison/requests", 0) for run in runs)
        spread = f"{median(speeds):.0%} ({min(speeds):.0%}–{max(speeds):.0%})"
        rows.append([way, f"{pages:.0f}", spread, f"{cpu:.2f}", f"{median(costs):.2f}", f"{extra:.0f}"])
    target, most = f", target {TARGETS[delay]:.0%}", "" if delay else f", target {MOST_CPU}"
    first = f"answers after {1000 * delay:.0f} ms"
    head = [first, "pages/s", f"of bare{target}", "CPU ms/page", f"of bare{most}", "extra requests"]
    return figures.table(head, rows)


def crawl(
    way: str, port: int, hosts: int, pages: int, settings: dict[str, Any] | None = None, window: int = 0
) -> Figures:
    """Crawl all pages of the hosts at a port in this process, a number of hosts at a time, 0 for all.

    Returns:
        The figures of `Watch`, and our counters.
    """
    process = AsyncCrawlerProcess({**SETTINGS, **WAYS[way], **(settings or {})})
    crawler = process.create_crawler(Pages)
    watch = Watch(crawler, hosts * (pages + 1))
    process.crawl(crawler, start_urls=[f"http://{HOST.format(n)}:{port}/" for n in range(hosts)], window=window)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    return {**watch.figures(), "stats": {name: value for name, value in stats.items() if name.startswith("denoise/")}}


class LocalNames(CachingThreadedResolver):
    """Resolves every name to this machine."""

    def getHostByName(self, name: str, timeout: Any = ()) -> Deferred[str]:  # noqa: N802 - Twisted's name
        return succeed("127.0.0.1")


class Pages(Spider):
    """Follow the index of each host, and make an item of each page; start a host when one of the window ends."""

    name = "pages"

    def __init__(self, *args: Any, window: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ahead = (Request(url, dont_filter=True) for url in self.start_urls)
        self._window = window or len(self.start_urls)
        self._left: Counter[str] = Counter()  # pages of each host

    async def start(self) -> AsyncIterator[Any]:
        for request in islice(self._ahead, self._window):
            yield request

    def parse(self, response: Response) -> Iterator[Any]:
        hrefs = response.css("a.item::attr(href)").getall()
        self._left[urlsplit(response.url).netloc] = len(hrefs)
        for href in hrefs:
            yield response.follow(href, self.parse_page)

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url, "title": response.css("title::text").get(), "page": response.text}
        host = urlsplit(response.url).netloc
        self._left[host] -= 1
        if not self._left[host]:
            del self._left[host]
            yield from islice(self._ahead, 1)


class Watch:
    """Records time, processor time and memory of this process as pages arrive, and the sizes of our memories."""

    def __init__(self, crawler: Crawler, pages: int) -> None:
        self._crawler = crawler
        self._ours = bool(crawler.settings.getdict("ADDONS"))
        self._warm = int(pages * WARM_UP)
        self._step = max(pages // SAMPLES, 1)
        self._begun = self._last = (0.0, 0.0)
        self._pages = self._items = 0
        self._memory: list[tuple[int, int]] = []
        self._held: list[dict[str, int]] = []
        crawler.signals.connect(self._response, signals.response_received)
        crawler.signals.connect(self._item, signals.item_scraped)

    def _response(self) -> None:
        self._pages += 1
        if self._pages == self._warm:
            self._begun = time.perf_counter(), time.process_time()
        if self._pages % self._step == 0:
            fields = Path("/proc/self/statm").read_text("ascii").split()
            self._memory.append((self._pages, int(fields[1]) * 4096))
            self._held.append(dict(state_of(self._crawler).crawl.bytes()) if self._ours else {})

    def _item(self) -> None:
        self._items += 1
        self._last = time.perf_counter(), time.process_time()

    def figures(self) -> Figures:
        """Return pages per second and CPU milliseconds per page after the warm-up, and samples of memory."""
        seconds, cpu = (last - begun for last, begun in zip(self._last, self._begun, strict=True))
        pages = self._pages - self._warm
        speeds = {"pages_per_second": pages / seconds, "cpu_ms_per_page": 1000 * cpu / pages}
        return {"pages": self._pages, "items": self._items, **speeds, "memory": self._memory, "held": self._held}


if __name__ == "__main__":
    main()
