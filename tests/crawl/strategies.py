"""Strategies of a project that do harm to the process they run in."""

import os
import signal
import time
from pathlib import Path

from denoise_scrapy.body.strategies import Decision, find_strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics


class RefusalError(Exception):
    """An error that no other process can read."""

    def __init__(self, page: Page, why: str) -> None:
        super().__init__(f"{why}: {page.url}")


class Harmful:
    """Selects as the default does, unless a page's URL names a harm."""

    name = "harmful"
    comparison_pages = 20
    needs_elements = False

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        harm = page.url.rpartition("/")[2]
        if harm.startswith("killed"):
            if b"denoise_scrapy.worker" not in Path("/proc/self/cmdline").read_bytes():
                raise RuntimeError("the crawl's own process would be killed")
            os.kill(os.getpid(), signal.SIGKILL)
        elif harm == "sleeps":
            time.sleep(60)
        elif harm == "eats":
            _ = [bytes(50_000_000) for _ in range(100)]
        elif harm == "raises":
            raise RuntimeError("broken on purpose")
        elif harm == "is-refused":
            raise RefusalError(page, "broken on purpose")
        elif harm.startswith("waits"):
            Path(os.environ["REACHED"]).touch()
            for _ in range(200):
                if Path(os.environ["LEAVE"]).exists():
                    break
                time.sleep(0.05)
        return find_strategy("combined").decide(page, site)
