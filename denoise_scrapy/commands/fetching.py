"""Pages of the web for the subcommands: fetched by a crawl, as the project's spiders fetch theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError

if TYPE_CHECKING:
    from twisted.python.failure import Failure

#: Settings of a project, or those that are not Scrapy's own.
Given: TypeAlias = Settings | Mapping[str, Any]

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
# The project's middlewares, delays, caches and robots.txt hold; what it does with items does not.
_NO_CRAWL_OF_THE_PROJECT = {
    "DENOISE_ENABLED": False,  # no comparison pages are wanted here
    "EXTENSIONS": {},
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
}


class Fetched(NamedTuple):
    """A page of the web: its source, and its URL after redirects."""

    text: str
    url: str
    is_html: bool


def fetch(urls: Sequence[str], settings: Given) -> dict[str, Fetched]:
    """Fetch pages by a crawl of a few requests, once a process: its reactor starts once. `OSError` where one fails."""
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


def _process(settings: Given) -> AsyncCrawlerProcess | CrawlerProcess:
    """Make the process that Scrapy's own commands would have, see `scrapy.cmdline`."""
    ours = settings.copy() if isinstance(settings, Settings) else Settings(settings)
    ours.setdict(_NO_CRAWL_OF_THE_PROJECT, priority="cmdline")
    asyncio = ours["TWISTED_REACTOR"] == _ASYNCIO and not ours.getbool("FORCE_CRAWLER_PROCESS")
    if asyncio or not ours.getbool("TWISTED_REACTOR_ENABLED", True):
        return AsyncCrawlerProcess(ours)
    return CrawlerProcess(ours)
