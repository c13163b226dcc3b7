"""Strategies of a project that do harm to the process they run in."""

import os
import signal
import sys
import time
from pathlib import Path

from denoise_scrapy.body.strategies import Decision, find_strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.worker.worker import pack


def write_to_the_crawl(data: bytes) -> None:
    """Write to the socket of the worker that calls this."""
    frame = sys._getframe()
    while frame.f_code.co_name != "work":
        assert frame.f_back is not None
        frame = frame.f_back
    frame.f_locals["link"].sendall(data)


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
        if harm.startswith("once-"):
            reached = Path(os.environ["REACHED"], harm)
            harm = "" if reached.exists() else harm.removeprefix("once-")
            reached.touch()
        if harm.startswith(("killed", "stopped", "exits", "silent", "half", "spins", "eats")):
            if b"denoise_scrapy.worker.worker" not in Path("/proc/self/cmdline").read_bytes():
                raise RuntimeError("the crawl's own process would be killed")
            if harm.startswith("half"):
                write_to_the_crawl(pack([(1, b"x" * 9999, "")])[:99])
            if harm.startswith("exits"):
                os._exit(0)
            if harm.startswith(("silent", "half")):
                time.sleep(600)
            while harm == "spins":
                pass
            if harm == "eats":
                _ = [bytes(50_000_000) for _ in range(100)]
            os.kill(os.getpid(), signal.SIGSTOP if harm.startswith("stopped") else signal.SIGKILL)
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
