"""What a crawl's memories hold, and what had to leave them: the stats under ``denoise/memory/``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from denoise_scrapy.body.features import words
from denoise_scrapy.stats import PREFIX

if TYPE_CHECKING:
    from denoise_scrapy.crawl.state import CrawlState

Number = Callable[[], int]

BYTES, EVICTED = f"{PREFIX}memory/bytes", f"{PREFIX}memory/evicted"


class MemoryReport:
    """Asks the memories of one crawl, and those that all crawls of the process share.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self._bytes: dict[str, Number] = {}
        self._evicted: dict[str, Number] = {}
        before = names_forgotten(), words.forgotten()
        self.watch("names", evicted=lambda: max(0, names_forgotten() - before[0]))
        self.watch("texts", evicted=lambda: words.forgotten() - before[1])

    def watch(self, name: str, *, nbytes: Number | None = None, evicted: Number | None = None) -> None:
        """Let a memory be asked too.

        Args:
            name: Its name in the stats.
            nbytes: Tells how many bytes it holds, about.
            evicted: Tells how many of its entries had to leave.
        """
        if nbytes is not None:
            self._bytes[name] = nbytes
        if evicted is not None:
            self._evicted[name] = evicted

    def bytes(self) -> Mapping[str, int]:
        """Bytes that each memory holds now, about."""
        return {name: ask() for name, ask in self._bytes.items()}

    def note(self) -> None:
        """Set the stats."""
        stats, held = self._state.crawler.stats, self.bytes()
        stats.set_value(BYTES, sum(held.values()))
        for name, count in held.items():
            stats.set_value(f"{BYTES}/{name}", count)
        for name, ask in self._evicted.items():
            stats.set_value(f"{EVICTED}/{name}", ask())


def bounded_caches() -> Iterator[Any]:
    """The functions of the core with a cache of limited size: what they remember depends on the pages."""
    for name, module in list(sys.modules.items()):
        if name.startswith("denoise_scrapy."):
            for value in list(vars(module).values()):
                told = getattr(value, "cache_parameters", None)
                if told is not None and told()["maxsize"] is not None:
                    yield value


def names_forgotten() -> int:
    """How many names and URLs have left such caches, in all crawls of the process."""
    asked = {id(cached): cached.cache_info() for cached in bounded_caches()}  # some stand in several modules
    return sum(told.misses - told.currsize for told in asked.values())
