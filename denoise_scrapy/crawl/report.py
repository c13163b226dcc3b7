"""What a crawl says of itself: lines of progress, and what its memories hold and had to let go."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import create_looping_call

from denoise_scrapy.native import status
from denoise_scrapy.shown import logger_of

if TYPE_CHECKING:
    from denoise_scrapy.crawl.log import CrawlLog

Number = Callable[[], int]

logger = logger_of(__name__)


class CrawlReport:
    """Writes a line of progress from time to time, a summary at the end, and the stats under ``denoise/memory/``.

    Args:
        log: The crawl's.
        interval: Seconds between two lines, 0 for none.
    """

    def __init__(self, log: CrawlLog, interval: float):
        self._log = log
        self._interval = interval
        self._call: Any = None
        self._bytes: dict[str, Number] = {}
        self._evicted: dict[str, Number] = {}

    def watch(self, name: str, *, nbytes: Number | None = None, evicted: Number | None = None) -> None:
        """Report a memory too.

        Args:
            name: Its name in the stats.
            nbytes: Returns how many bytes it holds, about.
            evicted: Returns how many of its entries had to leave.
        """
        if nbytes is not None:
            self._bytes[name] = nbytes
        if evicted is not None:
            self._evicted[name] = evicted

    def bytes(self) -> dict[str, int]:
        """Return the bytes that each memory holds now, about."""
        return {name: number() for name, number in self._bytes.items()}

    def start(self) -> None:
        """Begin to log; to be called when the spider is opened."""
        accelerator = status()
        self._log.set("accelerator", accelerator)
        logger.debug("denoise: arrays are the work of %s", accelerator, extra=self._log.extra)
        if self._interval:
            self._call = create_looping_call(self._say)
            self._call.start(self._interval, now=False)

    def finish(self) -> None:
        """Log the summary, set the stats of memories, and stop; to be called when the spider is closed."""
        if self._call is not None and self._call.running:
            self._call.stop()
        held = self.bytes()
        self._log.set("memory/bytes", sum(held.values()))
        for name, count in held.items():
            self._log.set(f"memory/bytes/{name}", count)
        for name, number in self._evicted.items():
            self._log.set(f"memory/evicted/{name}", number())
        self._say("denoise at the end: ")

    def _say(self, opening: str = "denoise: ") -> None:
        logger.info("%s%s", opening, self.line(), extra=self._log.extra)

    def line(self) -> str:
        """Return the counts so far in one line."""
        count = self._log.counted
        return (
            f"{numbered(count('pages/parsed'), 'page')}, {numbered(count('body/items'), 'body', 'bodies')} "
            f"({count('body/empty')} empty), {numbered(count('comparison/requests'), 'comparison request')} "
            f"({count('comparison/reused')} reused), {numbered(count('dedup/duplicates'), 'near-duplicate')}, "
            f"{numbered(count('errors'), 'error')}"
        )


def numbered(count: int, one: str, many: str = "") -> str:
    """Write a number of things in words.

    Example:
        >>> numbered(1, "body", "bodies"), numbered(0, "page")
        ('1 body', '0 pages')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
