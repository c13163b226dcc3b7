"""Some pages by Scrapy's own downloader, in a crawl of a few requests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from twisted.python.failure import Failure

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
_NO_CRAWL_OF_THE_PROJECT = {
    "DENOISE_ENABLED": False,  # nobody asks for comparison pages here
    "EXTENSIONS": {},
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
}
"""The project's middlewares, delays, caches and robots.txt hold; what it does with items does not."""


class Fetched(NamedTuple):
    """A page.

    Attributes:
        text: What came, decoded.
        url: Where it came from in the end.
        is_html: Whether it is HTML.

    """

    text: str
    url: str
    is_html: bool


class _Spider(Spider):
    name = "denoise-compare"

    def __init__(self, urls: Sequence[str], found: dict[str, Response | str], **more: Any) -> None:
        super().__init__(**more)
        self.urls, self.found = urls, found

    async def start(self) -> AsyncIterator[Any]:
        for url in self.urls:
            given = {"asked": url}
            yield Request(url, self.parse, errback=self.fail, dont_filter=True, cb_kwargs=given, meta=given)

    def parse(self, response: Response, **more: Any) -> None:
        self.found[more["asked"]] = response

    def fail(self, failure: Failure) -> None:
        error: Any = failure.value
        said = f"status {error.response.status}" if isinstance(error, HttpError) else str(error) or type(error).__name__
        self.found[failure.request.meta["asked"]] = said  # type: ignore[attr-defined]


def fetch(urls: Sequence[str], settings: Settings) -> dict[str, Fetched]:
    """Fetch pages. Once a process, as its reactor starts once.

    Args:
        urls: Their URLs, http or https.
        settings: Those of the project, or Scrapy's own.

    Returns:
        The page of each.

    Raises:
        OSError: One could not be fetched, or is no text.

    """
    found: dict[str, Response | str] = {}
    process = _process(settings)
    process.crawl(_Spider, urls=urls, found=found)
    process.start()
    pages, failed = {}, []
    for url in urls:
        response = found.get(url, "the crawl ended before it came; -L ERROR says why")
        if isinstance(response, TextResponse):
            pages[url] = Fetched(response.text, response.url, isinstance(response, HtmlResponse))
        else:
            failed.append(f"{url}: {response if isinstance(response, str) else 'neither text nor HTML'}")
    if failed:
        raise OSError("not fetched: " + "; ".join(failed))
    return pages


def _process(settings: Settings) -> AsyncCrawlerProcess | CrawlerProcess:
    """Make what Scrapy's own commands would have, see `scrapy.cmdline`."""
    ours = settings.copy()
    ours.setdict(_NO_CRAWL_OF_THE_PROJECT, priority="cmdline")
    asyncio = ours["TWISTED_REACTOR"] == _ASYNCIO and not ours.getbool("FORCE_CRAWLER_PROCESS")
    if asyncio or not ours.getbool("TWISTED_REACTOR_ENABLED", True):
        return AsyncCrawlerProcess(ours)
    return CrawlerProcess(ours)
