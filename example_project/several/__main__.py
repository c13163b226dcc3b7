"""The portal crawled by several processes that share frontier, index and facts of sites through Redis.

    python -m example_project.several --crawlers 4

starts its own Redis server, serves the portal, runs the crawlers and prints what they kept together; feeds, logs
and statistics are in example_project/output/several.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from example_project.portal import Portal, build, serve
from example_project.run import OUTPUT, ROOT
from example_project.scoring import Duplicates, judge_duplicates
from example_project.several.redis_server import ServerError, redis_server

LONGEST = 600.0  # seconds: ample for a crawl that takes ten


class CrawlersError(Exception):
    """A crawler failed; the message says where its log is."""


class Outcome(NamedTuple):
    """The items kept by several crawlers.

    Attributes:
        items: Number of items that each delivered.
        found: The outcome for copies and for other texts.
        seconds: From the start of the first process to the end of the last.
    """

    items: list[int]
    found: Duplicates
    seconds: float


def start_crawler(number: int, folder: Path, redis_url: str) -> subprocess.Popen[bytes]:
    """Start a process of the portal's spider, with its own feed, log and statistics."""
    files = {"STATS_FILE": f"stats-{number}.json", "LOG_FILE": f"crawl-{number}.log"}
    options = [*(f"{name}={folder / file}" for name, file in files.items()), "DOWNLOAD_DELAY=0"]
    env = {**os.environ, "SCRAPY_SETTINGS_MODULE": "example_project.several.settings", "REDIS_URL": redis_url}
    command = [sys.executable, "-m", "scrapy", "crawl", "portal", "-O", str(folder / f"items-{number}.jsonl")]
    command += [part for option in options for part in ("-s", option)]
    return subprocess.Popen(command, cwd=ROOT, env=env, stderr=subprocess.DEVNULL)


def several_crawlers(portal: Portal, folder: Path, count: int) -> Outcome:
    """Crawl the portal by some processes.

    Args:
        portal: The portal to crawl.
        folder: Folder for feeds, logs and statistics.
        count: Number of processes.

    Raises:
        ServerError: There is no Redis server.
        CrawlersError: A crawler failed.

    """
    with redis_server() as url, serve(portal=portal) as base:
        import redis  # noqa: PLC0415 - an extra

        with redis.Redis.from_url(url) as client:
            client.rpush("portal:start_urls", json.dumps({"url": f"{base}/"}))
        begun = time.perf_counter()
        processes = [start_crawler(number, folder, url) for number in range(1, count + 1)]
        try:
            codes = [process.wait(LONGEST) for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.wait()
        seconds = time.perf_counter() - begun
    failed = [number for number, code in enumerate(codes, 1) if code]
    if failed:
        raise CrawlersError(f"crawler {failed[0]} failed: see {folder / f'crawl-{failed[0]}.log'}")
    feeds = [(folder / f"items-{number}.jsonl").read_text("utf-8").splitlines() for number in range(1, count + 1)]
    paths = [urlsplit(json.loads(line)["url"]).path for feed in feeds for line in feed]
    return Outcome(list(map(len, feeds)), judge_duplicates(portal, paths), seconds)


def main(arguments: Sequence[str]) -> int:
    """Run the crawl and print its figures; return 0 where no story is missing."""
    parser = argparse.ArgumentParser(prog="python -m example_project.several", description=__doc__.partition("\n")[0])
    parser.add_argument("--crawlers", type=int, default=4, help="how many processes (4)")
    options = parser.parse_args(arguments)
    folder = OUTPUT / "several"
    folder.mkdir(parents=True, exist_ok=True)
    portal = build()
    print(f"== {options.crawlers} crawlers of a portal of {len(portal.pages)} pages on loopback, through Redis")
    try:
        outcome = several_crawlers(portal, folder, options.crawlers)
    except (ServerError, CrawlersError) as error:
        print(f"The crawl failed: {error}", file=sys.stderr)
        return 1
    found = outcome.found
    print(f"   items by crawler: {', '.join(map(str, outcome.items))}")
    print(f"   near-duplicates dropped {len(found.dropped)}, left {len(found.missed)}")
    print(f"   stories lost {len(found.wrongly_dropped)}")
    print(f"   {outcome.seconds:.1f} seconds; feeds and logs are in {os.path.relpath(folder)}")
    return int(bool(found.wrongly_dropped))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
