"""The portal's spider for several processes: its first URL is in Redis, and whoever comes first takes it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from scrapy_redis.spiders import RedisMixin

from example_project.spiders.portal import PortalSpider as _PortalSpider

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self


class SharedPortalSpider(RedisMixin, _PortalSpider):  # type: ignore[misc]  # untyped
    """Ends when there was nothing to do for some seconds (MAX_IDLE_TIME_BEFORE_CLOSE)."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make one that looks into Redis for URLs to start with."""
        spider: Self = super().from_crawler(crawler, *args, **kwargs)
        spider.setup_redis(crawler)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests for the URLs in `portal:start_urls`."""
        for request in self.start_requests():
            yield request
