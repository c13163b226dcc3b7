"""A line of progress in the log from time to time, and a summary at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import create_looping_call

from denoise_scrapy.native import status
from denoise_scrapy.shown import logger_of
from denoise_scrapy.stats import PREFIX

if TYPE_CHECKING:
    from denoise_scrapy.crawl.state import CrawlState

logger = logger_of(__name__)


class Progress:
    """Reports the stats of one crawl to the log.

    Args:
        state: The crawl; its ``progress_interval`` (seconds, 0 for none) sets the time between
            lines.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self._call: Any = None

    def start(self) -> None:
        """Begin to log; to be called when the spider is opened."""
        accelerator = status()
        self._state.crawler.stats.set_value(PREFIX + "accelerator", accelerator)
        logger.debug("denoise: arrays are the work of %s", accelerator, extra={"spider": self._state.crawler.spider})
        interval = self._state.settings.progress_interval
        if interval:
            self._call = create_looping_call(self._log)
            self._call.start(interval, now=False)

    def finish(self) -> None:
        """Log the summary and stop; to be called when the spider is closed."""
        if self._call is not None and self._call.running:
            self._call.stop()
        self._log("denoise at the end: ")

    def _log(self, opening: str = "denoise: ") -> None:
        logger.info("%s%s", opening, self.line(), extra={"spider": self._state.crawler.spider})

    def line(self) -> str:
        """Return the counts so far in one line."""
        value = self._state.crawler.stats.get_value

        def count(name: str) -> int:
            return int(value(PREFIX + name, 0))

        comparisons = numbered(count("comparison/requests"), "comparison request")
        return (
            f"{numbered(count('pages/parsed'), 'page')}, {numbered(count('body/items'), 'body', 'bodies')} "
            f"({count('body/empty')} empty), {comparisons} ({count('comparison/reused')} reused), "
            f"{numbered(count('dedup/duplicates'), 'near-duplicate')}, {numbered(count('errors'), 'error')}"
        )


def numbered(count: int, one: str, many: str = "") -> str:
    """A number of things in words.

    Example:
        >>> numbered(1, "body", "bodies"), numbered(0, "page")
        ('1 body', '0 pages')
    """
    return f"{count} {one if count == 1 else many or one + 's'}"
