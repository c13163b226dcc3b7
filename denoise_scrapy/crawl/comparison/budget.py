"""How many comparison pages may be fetched, from a site and in a crawl, and when a site is given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request, signals

from denoise_scrapy.crawl.comparison.records import FetchRecords
from denoise_scrapy.crawl.comparison.request import is_timeout, is_too_large, note_head, seconds_taken
from denoise_scrapy.crawl.responses import asks_for_patience
from denoise_scrapy.site import site_key
from denoise_scrapy.stats import PREFIX

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.crawl.state import CrawlState

# Share of the time a site may take that is worth beginning a fetch with: in less it would only fail.
LEAST_TIME = 0.1


class FetchBudget:
    """Counts requests against the limits, by crawl and by site, and their time.

    All fetches from one site together take no longer than one time-out: a server can hold back a crawl by that
    once, be it with one page or with many. It is given up, too, when its connection breaks, when it redirects
    twice, and when it asks anybody for patience.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self.records = FetchRecords(state.count)
        self._spent = 0  # fetches begun; those of which nothing was sent are given back
        connect = state.crawler.signals.connect
        connect(note_head, signals.headers_received)
        connect(self._response_downloaded, signals.response_downloaded)

    def affords(self, site: str) -> bool:
        """Whether the limits of the crawl and of the site leave room for a request to it."""
        settings = self._state.settings
        allowed = settings.comparison_free + settings.comparison_share * self._pages_crawled()
        return self._unasked() < allowed and self.records.site(site).fetched < settings.comparison_per_site

    def count_request(self, site: str, by: int = 1) -> None:
        """Count a request; `by` -1: it was not sent after all."""
        self._spent += by
        self.records.site(site).fetched += by

    def seconds_left(self, site: str) -> float:
        """Return how long fetches from a site may still take."""
        allowed = self._state.settings.comparison_timeout
        return max(allowed - self.records.site(site).seconds, allowed * LEAST_TIME)

    def spend_seconds(self, site: str, seconds: float) -> None:
        """Count time that a site took."""
        record, allowed = self.records.site(site), self._state.settings.comparison_timeout
        record.seconds += seconds
        if allowed - record.seconds < allowed * LEAST_TIME:
            self.records.give_up(site, "slow")

    def learn(self, site: str, request: Request, error: Exception | None) -> None:
        """Learn from a request that was sent, and what became of it, whether to send more."""
        if error is not None and is_timeout(error):
            self.records.give_up(site, "timeout")
        elif error is not None and not is_too_large(error):
            self.records.give_up(site, "broken")
        self.spend_seconds(site, seconds_taken(request, error))

    def _unasked(self) -> int:
        """How many fetched pages the spider has not asked for so far."""
        reused = self._state.crawler.stats.get_value(f"{PREFIX}comparison/reused", 0)
        return self._spent - int(reused)

    def _pages_crawled(self) -> int:
        """How many responses the crawl has received, without our own."""
        value = self._state.crawler.stats.get_value
        return int(value("response_received_count", 0) - value(f"{PREFIX}comparison/requests", 0))

    def _response_downloaded(self, request: Request, response: Response) -> None:
        """Leave a site alone that asks for patience, whoever asked it."""
        if asks_for_patience(response):
            self.records.give_up(site_key(request.url), "busy")
