"""Pages fetched by a crawl of a few requests, which obeys the settings of the project around."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError

from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from twisted.python.failure import Failure

    from denoise_scrapy.commands import Given

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
#: The project's middlewares, delays, caches and robots.txt hold, but nothing is done with items.
PAGES_ALONE: Mapping[str, Any] = {
    "EXTENSIONS": {},
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
}


def fetch(urls: Sequence[str], settings: Given) -> dict[str, tuple[str, str, bool]]:
    """Fetch pages; return the source of each, its URL after redirects, and whether it is HTML.

    Raises:
        OSError: A page cannot be fetched, or is no text.
    """
    ours = settings.copy() if isinstance(settings, Settings) else Settings(settings)
    ours.setdict({**PAGES_ALONE, "DENOISE_ENABLED": False}, priority="cmdline")  # no comparison pages are needed here
    pages: dict[str, tuple[str, str, bool]] = {}
    problems = dict.fromkeys(urls, "the crawl ended before it came; -L ERROR says why")

    def keep(response: Response) -> None:
        if isinstance(response, TextResponse):
            pages[response.meta["asked"]] = (response.text, response.url, isinstance(response, HtmlResponse))
        else:
            problems[response.meta["asked"]] = "neither text nor HTML"

    problems |= crawl_pages(urls, ours, keep)
    failed = [f"{url}: {problems[url]}" for url in urls if url not in pages]
    if failed:
        raise OSError("not fetched: " + "; ".join(failed))
    return pages


def crawl_pages(urls: Sequence[str], settings: Settings, keep: Callable[..., None], follow: int = 0) -> dict[str, str]:
    """Crawl pages, and so many more that they link to; return why pages were not fetched, by URL as requested.

    `keep` is called with each `response` and its `item`: the URL, and what pipelines put there. Once a process: its
    reactor starts once.
    """
    asyncio = settings["TWISTED_REACTOR"] == _ASYNCIO and not settings.getbool("FORCE_CRAWLER_PROCESS")
    asyncio = asyncio or not settings.getbool("TWISTED_REACTOR_ENABLED", True)
    process = AsyncCrawlerProcess(settings) if asyncio else CrawlerProcess(settings)  # as `scrapy.cmdline` chooses
    crawler = process.create_crawler(PagesSpider)
    problems: dict[str, str] = {}
    crawler.signals.connect(keep, signals.item_scraped)
    process.crawl(crawler, urls=urls, follow=follow, problems=problems)
    process.start()
    return problems


class PagesSpider(Spider):
    """Fetches some pages, and some that they link to on their sites."""

    name = "denoise-pages"

    def __init__(self, urls: Sequence[str], follow: int, problems: dict[str, str], **more: Any) -> None:
        super().__init__(**more)
        self.urls, self.left, self.problems = urls, follow, problems
        self._links = LinkExtractor()
        self._met = {*urls}

    async def start(self) -> AsyncIterator[Any]:
        """Request the pages."""
        for url in self.urls:
            if site_key(url):  # files of this machine are no pages of the web
                yield Request(url, self.parse, errback=self.fail, dont_filter=True, meta={"asked": url})
            else:
                self.problems[url] = "only http(s) URLs are fetched"

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield an item for a page, and requests of pages that it links to."""
        yield {"url": response.url}
        self._met.add(urldefrag(response.url).url)
        links = self._links.extract_links(response) if self.left > 0 and isinstance(response, HtmlResponse) else ()
        for link in links:
            url = urldefrag(link.url).url
            if self.left > 0 and url not in self._met and site_key(url) == site_key(response.url):
                self._met.add(url)
                self.left -= 1
                yield Request(url, self.parse, errback=self.fail, meta={"asked": url})

    def fail(self, failure: Failure) -> None:
        """Record in words why a page could not be fetched."""
        error, request = failure.value, failure.request  # type: ignore[attr-defined]
        why = f"status {error.response.status}" if isinstance(error, HttpError) else str(error)
        self.problems[request.meta["asked"]] = why or type(error).__name__
