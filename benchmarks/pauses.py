"""Bodies of a crawl that is stopped again and again: `python -m benchmarks.pauses [--pages N] [--pauses N]`.

The process and its workers are stopped together, as by a paused container or a laptop that sleeps, longer than a page
may take. Pages come one after the other, so that comparison pages do not depend on time, and each body must be the same
as in a crawl that nothing stops. Takes half an hour, of which the machine works some minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.crawl import ADDON, SETTINGS
from benchmarks.made_site import HOST, serving

#: Pages in total, of so many hosts; pauses, and seconds of one: a page may take ten of the processor.
PAGES, HOSTS, PAUSES, SECONDS = 2000, 8, 50, 12.0


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.pauses", description=__doc__)
    ap.add_argument("--pages", type=int, default=PAGES)
    ap.add_argument("--pauses", type=int, default=PAUSES)
    ap.add_argument("--seconds", type=float, default=SECONDS, help="of a pause")
    ap.add_argument("--one", help=argparse.SUPPRESS)
    args = ap.parse_args()
    if args.one:
        crawl(**json.loads(args.one))
        return
    wrong = 0
    with serving(HOSTS, args.pages // HOSTS) as port:
        for workers in ("auto", 2):
            given = {"port": port, "settings": {"DENOISE_WORKERS": workers}}
            quiet, taken = run(given, [])
            moments = random.Random(0)
            # not in the last tenth: it may take less time than the quiet one
            ends = sorted(moments.uniform(0, 0.9 * taken) for _ in range(args.pauses))
            paused, _ = run(given, [after - before for before, after in pairwise([0.0, *ends])], args.seconds)
            differ = [url for url in quiet if paused.get(url) != quiet[url]]
            wrong += len(differ)
            what = f"{len(quiet)} pages in {taken:.0f} seconds, {args.pauses} pauses of {args.seconds:g}"
            print(f"workers {workers}: {what}: {len(differ)} bodies differ", *differ[:5], flush=True)
    if wrong:
        sys.exit("bodies differ after pauses")


def run(given: dict[str, Any], gaps: list[float], seconds: float = 0.0) -> tuple[dict[str, Any], float]:
    """Crawl in another process, which is stopped after each gap; return the items by URL, and how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        feed = Path(folder, "items.jsonl")
        one = json.dumps({**given, "feed": str(feed)})
        begun = time.perf_counter()
        command = [sys.executable, "-m", "benchmarks.pauses", "--one", one]
        process = subprocess.Popen(command, start_new_session=True)
        for gap in gaps:
            time.sleep(gap)
            if process.poll() is not None:
                sys.exit("the crawl has ended before its last pause: give more pages, or fewer pauses")
            os.killpg(process.pid, signal.SIGSTOP)
            time.sleep(seconds)
            os.killpg(process.pid, signal.SIGCONT)
        if process.wait():
            sys.exit("the crawl has failed")
        items = map(json.loads, feed.read_text("utf-8").splitlines())
        return {item["url"]: item for item in items}, time.perf_counter() - begun


def crawl(port: int, feed: str, settings: dict[str, Any]) -> None:
    """Crawl all pages of the hosts at a port in this process."""
    more = {"FEEDS": {feed: {"format": "jsonlines"}}, "DENOISE_COMPARISON_SHARE": 0, "DENOISE_DEDUP": "mark"}
    process = AsyncCrawlerProcess({**SETTINGS, **ADDON, **more, **settings})
    process.crawl(OneByOne, start_urls=[f"http://{HOST.format(n)}:{port}/" for n in range(HOSTS)])
    process.start()


class OneByOne(Spider):
    """Request each page of each host after the item of the one before."""

    name = "one by one"

    async def start(self) -> AsyncIterator[Any]:
        self._over = asyncio.Event()
        self.crawler.signals.connect(self._over.set, signals.item_scraped)
        self.hrefs: list[str] = []
        for url in self.start_urls:
            yield Request(url)
            await self._over.wait()
        for href in self.hrefs:
            self._over.clear()
            yield Request(href, self.parse_page)
            await self._over.wait()

    def parse(self, response: Response) -> None:
        self.hrefs += [response.urljoin(href) for href in response.css("a.item::attr(href)").getall()]
        self._over.set()

    def parse_page(self, response: Response) -> Any:
        yield {"url": response.url}


if __name__ == "__main__":
    main()
