"""Crawler processes of one crawl: started, watched, killed if wished, and waited for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "example_project.several.settings"
LOOK = 0.05  # seconds between two looks at the processes
SAY = 2.0  # seconds between two lines of progress


class CrawlersError(Exception):
    """A crawler did not end as it should; the message says what is known."""


@dataclass
class Crawler:
    """One process with its files; `killed` tells that it was us who ended it."""

    number: int
    folder: Path
    process: subprocess.Popen[bytes]
    killed: bool = False

    def file(self, kind: str) -> Path:
        """Return its file of a kind: items.jsonl, stats.json or crawl.log."""
        name, _, ending = kind.partition(".")
        return self.folder / f"{name}-{self.number}.{ending}"

    def items(self) -> list[dict[str, Any]]:
        """Return the items of its feed; a line that a kill has cut off is none."""
        found = []
        data = self.file("items.jsonl").read_bytes() if self.file("items.jsonl").exists() else b""
        for line in data.splitlines(keepends=True):
            if line.endswith(b"\n"):
                found.append(json.loads(line))
        return found

    def stats(self) -> dict[str, Any]:
        """Return its statistics; a killed one leaves none."""
        file = self.file("stats.json")
        return json.loads(file.read_text("utf-8")) if file.exists() else {}


class Crawlers:
    """Starts processes of the portal's spider, and ends them with the block.

    Args:
        count: How many.
        start: URL of the first page.
        redis_url: Where they meet.
        folder: Where their feeds, logs and statistics go; must be there.
        settings: More settings of the crawl, NAME=VALUE.

    """

    def __init__(self, count: int, start: str, redis_url: str, folder: Path, settings: Sequence[str] = ()):
        self._begun = time.perf_counter()
        self._env = {**os.environ, "SCRAPY_SETTINGS_MODULE": SETTINGS, "REDIS_URL": redis_url}
        self._start, self._settings = start, settings
        self.all = [self._crawler(number + 1, folder) for number in range(count)]

    def __enter__(self) -> Crawlers:
        return self

    def __exit__(self, *_: object) -> None:
        for crawler in self.all:
            if crawler.process.poll() is None:
                crawler.process.kill()
            crawler.process.wait()

    def delivered(self) -> list[int]:
        """How many items each has delivered so far."""
        return [len(crawler.items()) for crawler in self.all]

    def kill_after(self, items: int, seconds: float, which: int) -> int:
        """Kill a crawler as `kill -9` does, some seconds after so many items were delivered by all.

        Returns:
            How many it had delivered itself.

        Raises:
            CrawlersError: The crawl was over before.

        """
        crawler = self.all[which]
        while sum(self.delivered()) < items and crawler.process.poll() is None:
            time.sleep(LOOK)
        time.sleep(seconds)
        if crawler.process.poll() is not None:
            raise CrawlersError(f"crawler {crawler.number} had ended before it could be killed")
        crawler.killed = True
        crawler.process.kill()
        crawler.process.wait()
        return len(crawler.items())

    def wait(self, longest: float, say: bool = False) -> float:
        """Wait for all of them, and return the seconds since they were started.

        Args:
            longest: Seconds after which it is an error.
            say: Print a line of progress every 2 seconds.

        Raises:
            CrawlersError: One has failed, or does not end.

        """
        said = begun = time.perf_counter()
        while any(crawler.process.poll() is None for crawler in self.all):
            if time.perf_counter() > begun + longest:
                raise CrawlersError(f"the crawl does not end: {self.delivered()} items after {longest:.0f} seconds")
            if say and time.perf_counter() > said + SAY:
                said = time.perf_counter()
                print("   items by crawler: " + ", ".join(map(str, self.delivered())), flush=True)
            time.sleep(LOOK)
        for crawler in self.all:
            reason = crawler.stats().get("finish_reason")
            if not crawler.killed and (crawler.process.returncode or reason != "finished"):
                raise CrawlersError(f"crawler {crawler.number} ended with {reason}: see {crawler.file('crawl.log')}")
        return time.perf_counter() - self._begun

    def _crawler(self, number: int, folder: Path) -> Crawler:
        crawler = Crawler(number, folder, None)  # type: ignore[arg-type]
        names = {"STATS_FILE": crawler.file("stats.json"), "LOG_FILE": crawler.file("crawl.log"), "DOWNLOAD_DELAY": 0}
        options = [*(f"{name}={value}" for name, value in names.items()), *self._settings]
        for kind in ("items.jsonl", "stats.json", "crawl.log"):
            crawler.file(kind).unlink(missing_ok=True)
        command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-a", f"start={self._start}"]
        command += ["-O", str(crawler.file("items.jsonl")), *(part for option in options for part in ("-s", option))]
        crawler.process = subprocess.Popen(command, cwd=ROOT, env=self._env, stderr=subprocess.DEVNULL)
        return crawler
