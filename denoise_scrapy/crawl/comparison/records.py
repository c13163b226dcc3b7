"""What was fetched for comparison, a site and a URL: bounded, however many sites a crawl sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from denoise_scrapy.site import page_identity

# Sites remembered: some 300 bytes each, so 3 MB. One that fell out may be tried anew, within the crawl's budget.
MOST_SITES = 10_000
# URLs remembered: more than the default of 8 a site would rarely be needed. Some 100 bytes each.
MOST_URLS = 40_000


@dataclass(slots=True)
class SiteRecord:
    """What is known of one site.

    Attributes:
        fetched: Requests sent.
        seconds: Time all of them took, without the wait for their turn.
        vain_waits: Waits for pages of the crawl that brought too few.
        given_up: Why nothing more is fetched; "" while something may be.
    """

    fetched: int = 0
    seconds: float = 0.0
    vain_waits: int = 0
    given_up: str = ""


class FetchRecords:
    """Records by site, and the URLs that were tried; those not asked about for longest go first.

    Args:
        count: Counts an event: ``comparison/forgotten`` and ``comparison/given_up/<reason>``.
        most_sites: Sites remembered at most.
        most_urls: URLs remembered at most.

    Example:
        >>> records = FetchRecords(print, most_sites=1)
        >>> records.give_up("http://a.example:80", "timeout")
        comparison/given_up/timeout
        >>> records.site("http://b.example:80").given_up
        comparison/forgotten
        ''
    """

    def __init__(self, count: Callable[[str], object], most_sites: int = MOST_SITES, most_urls: int = MOST_URLS):
        self._count = count
        self._most_sites = most_sites
        self._most_urls = most_urls
        self._sites: dict[str, SiteRecord] = {}
        self._tried: dict[int, None] = {}  # hashes

    def site(self, site: str) -> SiteRecord:
        """Return the record of a site, a new one where there is none."""
        record = self._sites.pop(site, None) or SiteRecord()
        self._sites[site] = record  # as the youngest
        if len(self._sites) > self._most_sites:
            del self._sites[next(iter(self._sites))]
            self._count("comparison/forgotten")
        return record

    def give_up(self, site: str, reason: str) -> None:
        """Note that nothing more is to be fetched from a site."""
        record = self.site(site)
        if not record.given_up:
            record.given_up = reason
            self._count(f"comparison/given_up/{reason}")

    def note_tried(self, url: str) -> None:
        """Note that `url` was fetched, or could not be."""
        key = hash(page_identity(url))
        self._tried.pop(key, None)
        self._tried[key] = None
        if len(self._tried) > self._most_urls:
            del self._tried[next(iter(self._tried))]

    def tried(self, url: str) -> bool:
        """Whether `url`, or another spelling of it, was tried before."""
        return hash(page_identity(url)) in self._tried
