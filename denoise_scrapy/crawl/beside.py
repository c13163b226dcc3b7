"""What runs beside the reactor: the work of large pages and texts, in a thread, so that the crawl goes on meanwhile.

On the reactor stays what the crawl shares: its memories, its stats, its log, what was decided about items. What runs
here is a function of its arguments, which nobody else changes: a large page has a path table of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from scrapy.utils.asyncio import is_asyncio_available

Answer = TypeVar("Answer")

# Bytes of a page, or characters of a text, from which a thread is worth its while: most recorded pages have less, and
# share the path table of their site, without which a body takes half as long again.
LARGE = 300_000


def is_large(size: int) -> bool:
    """Return whether what is about so many bytes or characters runs beside the reactor."""
    return size > LARGE


class Beside:
    """Runs the work of a crawl's large pages, one at a time: memory is bounded so, and threads share one lock anyway.

    Without an asyncio reactor all work runs on the reactor itself.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def run(self, work: Callable[[], Answer], size: int) -> Answer:
        """Return what some work returns, and raise what it raises; `size` is that of the page or the text it is about.

        Work of small ones is done at once, without a turn of the loop.
        """
        if not is_large(size) or not is_asyncio_available():
            return work()
        async with self._turn:
            return await asyncio.to_thread(work)
