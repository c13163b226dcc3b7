"""What our middlewares and pipelines have in common: the state of their crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from denoise_scrapy.crawl.state import CrawlState, state_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class Component:
    """A middleware or pipeline of ours.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._state = state

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl.

        Raises:
            NotConfigured: DENOISE_ENABLED is False.
            ConfigurationError: A setting of ours is unknown or invalid.
        """
        return cls(state_of(crawler))
