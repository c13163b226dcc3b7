"""What a crawl of ours counts, reports and says, and how one is refused before it starts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.shown import logger_of
from denoise_scrapy.stats import PREFIX

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logger_of(__name__)

# Messages that are said once: of some tens of kinds, but a spider may name anything in the meta of requests.
MOST_SAID = 1000


class CrawlLog:
    """The stats and the log of one crawl.

    Args:
        crawler: The crawl.
    """

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._said: set[str] = set()

    @property
    def extra(self) -> dict[str, Any]:
        """What log records carry, as those of Scrapy do: the spider."""
        return {"spider": self._crawler.spider}

    def count(self, name: str, by: int = 1) -> None:
        """Add to the stat ``denoise/<name>``."""
        self._crawler.stats.inc_value(PREFIX + name, by)

    def counted(self, name: str) -> int:
        """Return the stat ``denoise/<name>``."""
        return int(self._crawler.stats.get_value(PREFIX + name, 0))

    def set(self, name: str, value: Any) -> None:
        """Set the stat ``denoise/<name>``."""
        self._crawler.stats.set_value(PREFIX + name, value)

    def report(self, place: str, error: Exception) -> None:
        """Count an error of ours; log the first of each place and kind with its traceback."""
        self.count("errors")
        self.count(f"errors/{place}")
        self.say_once(
            f"{place}/{type(error).__name__}",
            logging.ERROR,
            "denoise failed in %s and left the crawl as it was; it counts further errors of this "
            "kind under denoise/errors/%s",
            place,
            place,
            exc_info=error,
        )

    def say_once(self, key: str, level: int, message: str, *args: object, **more: Any) -> None:
        """Log a message, the first time `key` is used in the crawl."""
        if key not in self._said and len(self._said) < MOST_SAID:
            self._said.add(key)
            logger.log(level, message, *args, extra=self.extra, **more)


@contextmanager
def refusing_to_start(crawler: Crawler) -> Iterator[None]:
    """Log a `ConfigurationError` raised inside, in a line of its own, and let the process fail.

    Scrapy itself shows a traceback only.

    Raises:
        ConfigurationError: The one raised inside.
    """
    try:
        yield
    except ConfigurationError as error:
        logger.critical("The crawl does not start: %s", error)
        # Scrapy 2.14 takes a crawler without a spider, and nothing else, for one that failed to
        # start; its exit code would be 0.
        if _has_no_engine(crawler):  # an engine would stumble over it when it is closed
            crawler.spider = None
        raise


def _has_no_engine(crawler: Crawler) -> bool:
    try:
        return crawler.engine is None
    except RuntimeError:  # Scrapy 2.18 raises where older versions have None
        return True
