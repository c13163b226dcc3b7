"""Items that a `kill -9` of a crawl costs: `python -m benchmarks.kills [--rounds N] [--write]`, 20 kills of each way.

A crawl of made hosts is killed once it has yielded a number of items, the same numbers for each configuration. Lost are
those yielded that are not in its feed: they were in a pipeline, or in the buffer of the feed's file.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.crawl import ADDON, SETTINGS
from benchmarks.made_site import HOST, serving
from evaluation import figures

HOSTS, PAGES, KILLS = 4, 150, 20
#: Items yielded before a kill: from the first pages on, up to most of the crawl.
FEWEST, MOST = 10, 400
#: Seconds before the server answers, as a site nearby does, and most seconds of a crawl until it is killed.
DELAY, LONGEST = 0.02, 60.0
WAYS: dict[str, dict[str, Any]] = {
    "bare": {},
    "workers 0": {**ADDON, "DENOISE_WORKERS": 0},
    "workers auto": ADDON,
    "workers 2": {**ADDON, "DENOISE_WORKERS": 2},
}


class Small(Spider):
    """Yields a small item of each page, and notes each in a file first."""

    name = "small"

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a.item::attr(href)").getall():
            yield response.follow(href, self.parse_page)

    def parse_page(self, response: Response) -> Iterator[Any]:
        os.write(self.noted, f"{response.url}\n".encode())  # type: ignore[attr-defined]
        yield {"url": response.url, "title": response.css("title::text").get()}


def crawl(way: str, port: int, folder: str) -> None:
    """Crawl all pages in this process."""
    feeds = {f"{folder}/items.jsonl": {"format": "jsonlines"}}
    process = AsyncCrawlerProcess({**SETTINGS, **WAYS[way], "FEEDS": feeds, "JOBDIR": f"{folder}/job"})
    noted = os.open(f"{folder}/yielded", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    process.crawl(Small, start_urls=[f"http://{HOST.format(n)}:{port}/" for n in range(HOSTS)], noted=noted)
    process.start()


def lost(way: str, port: int, after: int) -> int:
    """Crawl in a process of its own, kill it after a number of items, and return how many are not in its feed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.kills", "--one", json.dumps([way, port, folder])]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        latest = time.monotonic() + LONGEST
        while len(_lines(folder, "yielded")) < after and process.poll() is None and time.monotonic() < latest:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        delivered = {json.loads(line)["url"] for line in _lines(folder, "items.jsonl") if line.endswith("}\n")}
        return len({line.strip() for line in _lines(folder, "yielded")} - delivered)


def _lines(folder: str, name: str) -> list[str]:
    path = Path(folder, name)
    return path.read_text("utf-8").splitlines(keepends=True) if path.exists() else []


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    ap.add_argument("--rounds", type=int, default=KILLS, help="kills of each configuration")
    ap.add_argument("--write", action="store_true", help="write the table into the documentation")
    ap.add_argument("--one", help=argparse.SUPPRESS)
    args = ap.parse_args()
    if args.one:
        crawl(*json.loads(args.one))
        return
    moments = [random.Random(number).randint(FEWEST, MOST) for number in range(args.rounds)]
    with serving(HOSTS, PAGES, DELAY) as port:
        found = {way: [lost(way, port, after) for after in moments] for way in WAYS}
    rows = []
    for way, numbers in found.items():
        ratio = median(numbers) / max(1, median(found["bare"]))
        rows.append([way, f"{median(numbers):g}", f"{min(numbers)}–{max(numbers)}", f"{ratio:.2f}"])
    text = (
        f"A crawl of {HOSTS * PAGES} made pages, whose server answers after {1000 * DELAY:.0f} ms, killed "
        f"{args.rounds} times once it has yielded {FEWEST} to {MOST} items. Lost are those not in its feed:\n\n"
    )
    text += figures.table(["kills", "items lost, median", "least and most", "of bare"], rows)
    print(text)
    if args.write:
        figures.write("kills", text)


if __name__ == "__main__":
    main()
