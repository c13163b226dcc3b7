"""The crawl of a tool of `mcp`: the request comes as JSON on standard input, pages go to a file.

The settings of the project around hold, its middlewares, delays and caches too, but robots.txt is obeyed in any case,
and nothing is done with items: no pipelines, feeds and extensions of the project run, and its index is not used.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urldefrag, urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.project import get_project_settings

from denoise_scrapy.commands.scrapy_command import PAGES_ALONE, failure_text
from denoise_scrapy.crawl.comparison import leads_to_public_only
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from scrapy.settings import Settings
    from twisted.python.failure import Failure

# Where the project sets nothing. Other values are what `scrapy startproject` writes.
DEFAULTS = {"DOWNLOAD_DELAY": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_TIMEOUT": 30, "RETRY_TIMES": 1}
FORCED = {
    **PAGES_ALONE,
    "ROBOTSTXT_OBEY": True,
    "CLOSESPIDER_TIMEOUT": 240,  # before the tool's own limit, so that what came is not lost
    "DOWNLOAD_MAXSIZE": 10_000_000,
    "DENOISE_ENABLED": True,
    "DENOISE_BODY_FIELD": "body",
    "DENOISE_DEDUP": "mark",
    "DENOISE_DEDUP_STORE": "memory",
    "DENOISE_SITE_MEMORY_PATH": ":memory:",
    "LOG_LEVEL": "ERROR",
}
_ADDON = "denoise_scrapy.DenoiseAddon"
_MARK = "near_duplicate"
RESOLVING = 10.0  # seconds to find the addresses of a host in


class PublicOnly:
    """A downloader middleware that sends no request to a private address, whatever redirects and links say."""

    async def process_request(self, request: Request) -> None:
        """Refuse a request; raises `IgnoreRequest`."""
        host = urlsplit(request.url).hostname or ""
        if not site_key(request.url) or not await leads_to_public_only(host, RESOLVING):
            raise IgnoreRequest(f"{host or request.url} has no public address")


class PagesSpider(Spider):
    """Fetches some pages, and some that they link to on their sites."""

    name = "denoise-mcp"

    def __init__(self, urls: list[str], follow: int, problems: list[dict[str, str]], **more: Any) -> None:
        super().__init__(**more)
        self.urls, self.left, self.problems = urls, follow, problems
        self._links = LinkExtractor()
        self._met = {*urls}

    async def start(self) -> AsyncIterator[Any]:
        """Request the pages."""
        for url in self.urls:
            if site_key(url):  # files of this machine are no pages of the web
                yield Request(url, self.parse, errback=self.fail, dont_filter=True)
            else:
                self.problems.append({"url": url, "problem": "only http(s) URLs are fetched"})

    def parse(self, response: Response) -> Iterator[Any]:
        """Yield an item for a page, and requests of pages that it links to."""
        if not isinstance(response, HtmlResponse):
            self.problems.append({"url": response.url, "problem": "no HTML"})
            return
        yield {"url": response.url}
        self._met.add(urldefrag(response.url).url)
        for link in self._links.extract_links(response) if self.left > 0 else ():
            url = urldefrag(link.url).url
            if self.left > 0 and url not in self._met and site_key(url) == site_key(response.url):
                self._met.add(url)
                self.left -= 1
                yield Request(url, self.parse, errback=self.fail)

    def fail(self, failure: Failure) -> None:
        """Record a page that could not be fetched."""
        problem = failure_text(failure)[:500]
        self.problems.append({"url": failure.request.url, "problem": problem})  # type: ignore[attr-defined]


def crawl(request: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Crawl, and return the pages and the problems."""
    for name, value in DEFAULTS.items():
        settings.set(name, value, priority="default")
    settings.setdict(FORCED, priority="cmdline")
    settings.set("ADDONS", {**settings.getdict("ADDONS"), _ADDON: 500}, priority="cmdline")
    form = str(request["form"])
    fields = {"title": "title", "confidence": "confidence", "comparison": "comparison", _MARK: _MARK}
    fields |= {} if form == "text" else {form: form}
    settings.set("DENOISE_FIELDS", fields, priority="cmdline")
    if not request["private"]:
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", PublicOnly, 50)
    items: list[dict[str, Any]] = []
    problems: list[dict[str, str]] = []
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(PagesSpider)

    def keep(item: dict[str, Any]) -> None:
        items.append(item)

    crawler.signals.connect(keep, signals.item_scraped)
    process.crawl(crawler, urls=request["urls"], follow=request["follow"], problems=problems)
    process.start()
    return {"pages": [_row(item, form) for item in items], "problems": problems}


def _row(item: dict[str, Any], form: str) -> dict[str, Any]:
    body = item.get("body") or ""
    row = {
        "url": item["url"],
        "title": item.get("title") or "",
        form: body if form == "text" else item.get(form) or "",
        "confidence": item.get("confidence") or 0.0,
        "evidence": "comparison pages" if item.get("comparison") else "page alone",
        "body": body,
    }
    mark = item.get(_MARK)
    return row | {"duplicate_of": mark["of"]} if mark else row


if __name__ == "__main__":
    found = crawl(json.load(sys.stdin), get_project_settings())
    Path(sys.argv[1]).write_bytes(json.dumps(found).encode())
