"""Ending a crawl before it begins, so that nobody can miss why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from denoise_scrapy.setting_values import ConfigurationError
from denoise_scrapy.shown import logger_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logger_of(__name__)


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
