"""What runs beside the reactor, in threads of the crawl's own: bodies, all work of large pages and texts, stores.

On the reactor stays what the crawl shares: its memories, its stats, its log, what was decided about items. What runs
here is a function of its arguments, which nobody else changes meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from scrapy.utils.asyncio import is_asyncio_available

Answer = TypeVar("Answer")

# Bytes of a page, or characters of a text, from which all work on it is done beside the reactor: to parse so many takes
# 5 ms, and most recorded pages have less.
LARGE = 200_000
# Bytes of a page whose body is worth a thread. To go there and back takes the reactor .05 ms, a body of so many .1 ms.
WORTH = 10_000


def is_large(size: int) -> bool:
    """Return whether all work on what is about so many bytes or characters runs beside the reactor."""
    return size > LARGE


class Beside:
    """Runs work of a crawl in threads; without any, or without an asyncio reactor, on the reactor itself.

    Args:
        threads: How many there are for bodies. Large pages and stores have one each besides, so that none waits for
            the other; those are begun when they are needed.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._last: asyncio.Future[None] | None = None

    async def run(self, work: Callable[[], Answer], size: int) -> Answer:
        """Return what some work returns, and raise what it raises; `size` is that of the page or the text it is about.

        Work of large ones is done one at a time, so that memory is bounded; that of others at once, on the reactor.
        """
        return await self.alone(work) if is_large(size) else work()

    async def alone(self, work: Callable[[], Answer], of: str = "large") -> Answer:
        """The same for work that is done one at a time whatever its size; `of`: with what other work."""
        return await self._in_thread(work, of, 1) if self._has_threads else work()

    async def in_turn(self, work: Callable[[], Answer], size: int) -> Answer:
        """The same for work of which several may be done at a time: each answer comes after those asked for before."""
        if not self._has_threads:
            return work()
        before, own = self._last, asyncio.get_running_loop().create_future()
        self._last = own
        try:
            answer = await self._in_thread(work, "bodies", self._threads) if size > WORTH else work()
            if before is not None and not before.done():
                await before
            return answer
        finally:
            if not own.done():  # as it is where the next one was cancelled while it waited for this one
                own.set_result(None)

    def close(self) -> None:
        """End the threads, each with what it has begun. A second call does nothing."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        self._pools.clear()

    @property
    def _has_threads(self) -> bool:
        return bool(self._threads) and is_asyncio_available()

    async def _in_thread(self, work: Callable[[], Answer], name: str, threads: int) -> Answer:
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = ThreadPoolExecutor(threads, f"denoise-{name}")
        return await asyncio.get_running_loop().run_in_executor(pool, work)
