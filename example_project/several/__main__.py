"""The portal crawled by several processes, beside one: what they keep, and what a kill costs.

    python -m example_project.several --crawlers 4 [--kill]

starts a Redis server of its own, serves the portal, runs the crawls and compares them; feeds, logs and statistics are
in example_project/output/several.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from denoise_scrapy.dedup import DuplicateIndex, RedisStore
from example_project.portal import Portal, build, serve
from example_project.run import OUTPUT, CrawlError, crawl
from example_project.several.crawlers import Crawlers, CrawlersError
from example_project.several.outcome import Outcome, outcome, table
from example_project.several.redis_server import ServerError, redis_server

SPREAD = 0.3  # seconds: a kill comes at any moment, not just after a delivery
LONGEST = 600.0  # seconds: nobody waits longer for a crawl of ten


def one_crawler(portal: Portal, folder: Path) -> Outcome:
    """Crawl the portal by one process, with nothing shared."""
    asked: list[str] = []
    with serve(portal=portal, asked=asked) as base:
        seconds = crawl(f"{base}/", folder)
    lines = (folder / "items.jsonl").read_text("utf-8").splitlines()
    return outcome(portal, [[json.loads(line) for line in lines]], asked, seconds)


def several_crawlers(
    portal: Portal, folder: Path, count: int, kill: random.Random | None = None, *, say: bool = False
) -> Outcome:
    """Crawl the portal by some processes.

    Args:
        portal: What to crawl.
        folder: For feeds, logs and statistics.
        count: How many processes.
        kill: What decides which one is killed, and when; None: none is.
        say: Print what happens.

    Raises:
        ServerError: There is no Redis server.
        CrawlersError: A crawler failed, or did not end.

    """
    asked: list[str] = []
    with (
        redis_server() as url,
        serve(portal=portal, asked=asked) as base,
        Crawlers(count, f"{base}/", url, folder) as crawlers,
    ):
        if kill is not None:
            which = kill.randrange(count)
            had = crawlers.kill_after(kill.randint(1, len(portal.pages) // 3), kill.uniform(0, SPREAD), which)
            if say:
                print(f"   crawler {which + 1} is killed; it had delivered {had} items", flush=True)
        seconds = crawlers.wait(LONGEST, say)
        return outcome(portal, [crawler.items() for crawler in crawlers.all], asked, seconds, kept_order(url))


def kept_order(redis_url: str) -> list[str]:
    """Return the paths in the index, in the order in which their texts were kept."""
    store = RedisStore(redis_url)
    index = DuplicateIndex(store=store)
    order = [urlsplit(record.name.key).path for record in store.records()]
    index.close()
    return order


def main(arguments: Sequence[str]) -> int:
    """Run both crawls, print the table, and return 0 where they agree; after a kill, where no story is lost."""
    parser = argparse.ArgumentParser(prog="python -m example_project.several", description=__doc__.partition("\n")[0])
    parser.add_argument("--crawlers", type=int, default=4, help="how many processes (4)")
    parser.add_argument("--kill", action="store_true", help="kill one of them, as kill -9 does, in the middle")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="of when and which")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no process is left
    folder = OUTPUT / "several"
    folder.mkdir(parents=True, exist_ok=True)
    portal = build()
    try:
        print(f"== {options.crawlers} crawlers of a portal of {len(portal.pages)} pages on loopback, through Redis")
        kill = random.Random(options.seed) if options.kill else None
        several = several_crawlers(portal, folder, options.crawlers, kill, say=True)
        print("== one crawler, with nothing shared")
        one = one_crawler(portal, folder)
    except (ServerError, CrawlersError, CrawlError) as error:
        print(f"The crawl failed: {error}", file=sys.stderr)
        return 1
    print(f"\n{table(one, several)}\n")
    same = several.same_items(one)
    print(f"   {'the same' if same else 'NOT the same'} items, up to which copy came first")
    if several.missed and kill is not None:
        print("   what the killed one had delivered, without having told the index, was not known to be there")
    print(f"   feeds and logs are in {os.path.relpath(folder)}" + (f" (--seed {options.seed})" if kill else ""))
    return int(bool(several.lost) or (kill is None and not same))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
