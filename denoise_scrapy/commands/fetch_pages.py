"""Fetching pages by a crawl of a few requests.

The settings of the current project apply, with its middlewares, delays and caches, but not its pipelines, feeds and
extensions; its index is not used.

Runs as a module for the tools of `mcp`: the request is read as JSON from standard input; pages and their bodies are
written to a file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urldefrag, urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.project import get_project_settings
from twisted.python.failure import Failure

from denoise_scrapy.body.fields import BODY, FIELDS, columns_of
from denoise_scrapy.commands import Given, Source, UsageError
from denoise_scrapy.crawl.budget import TIMEOUT
from denoise_scrapy.crawl.network import is_public, leads_to_public_only
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import media_type
from denoise_scrapy.settings import MARK
from denoise_scrapy.site import site_key
from denoise_scrapy.site.urls import likest_links, sibling_links
from denoise_scrapy.support.shown import nearest_hint

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
#: Settings of a crawl that keeps nothing of what it fetches.
NOTHING_WRITTEN: Mapping[str, Any] = {"EXTENSIONS": {}, "FEEDS": {}, "JOBDIR": None, "TELNETCONSOLE_ENABLED": False}
#: Of one that compares texts, but keeps none.
NOTHING_KEPT: Mapping[str, Any] = {
    **NOTHING_WRITTEN,
    "DENOISE_ENABLED": True,
    "DENOISE_DEDUP_STORE": "memory",
    "DENOISE_SITE_MEMORY_PATH": ":memory:",
}

# Defaults of a crawl for a tool, besides those that `scrapy startproject` writes.
_DEFAULTS = {"DOWNLOAD_DELAY": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_TIMEOUT": 30, "RETRY_TIMES": 1}
_FORCED = {
    **NOTHING_KEPT,
    "ITEM_PIPELINES": {},
    "TWISTED_REACTOR": _ASYNCIO,  # for `PublicOnly`
    "DNSCACHE_ENABLED": True,  # the download uses the addresses that it has checked
    "ROBOTSTXT_OBEY": True,
    "CLOSESPIDER_TIMEOUT": 240,  # below the tool's own limit, so that fetched pages are not lost
    "DOWNLOAD_MAXSIZE": 10_000_000,
    "DENOISE_DEDUP": "mark",
    "LOG_LEVEL": "ERROR",
}
_ADDON = "denoise_scrapy.DenoiseAddon"
_NOT_REACHED = "the crawl ended before it was fetched; its log at -L ERROR says why"

ResponseReader: TypeAlias = Callable[[Response], None]


def fetch(urls: Sequence[str], settings: Given, follow: int = 0) -> dict[str, Source]:
    """Fetch pages; return the source of each, its URL after redirects, and whether it is HTML.

    With `follow`, up to so many pages more, which these link to and which are probably alike; robots.txt
    is obeyed unless the project says otherwise.

    Raises:
        OSError: A page cannot be fetched, or is not text.
    """
    ours = settings.copy() if isinstance(settings, Settings) else Settings(settings)
    alone = {**NOTHING_WRITTEN, "ITEM_PIPELINES": {}, "DENOISE_ENABLED": False, "DENOISE_EXAMPLES": ""}
    ours.setdict(alone, priority="cmdline")  # no comparison pages are needed
    if follow:
        ours.setdict({**_DEFAULTS, "ROBOTSTXT_OBEY": True}, priority="default")
    pages: dict[str, Source] = {}

    def read(response: Response) -> None:
        if isinstance(response, TextResponse):
            source = response.body if media_type(response.body) else response.text
            pages[response.meta["asked"]] = (source, response.url, isinstance(response, HtmlResponse))

    problems = crawl_pages(urls, ours, read=read, follow=follow)
    failed = [f"{url}: {problems.get(url, 'neither text nor HTML')}" for url in urls if url not in pages]
    if failed:
        raise OSError("not fetched: " + "; ".join(failed))
    return pages


def crawl_pages(
    urls: Sequence[str],
    settings: Settings,
    *,
    read: ResponseReader | None = None,
    keep: Callable[[dict[str, Any]], None] | None = None,
    follow: int = 0,
) -> dict[str, str]:
    """Crawl pages; return why pages were not fetched, by requested URL.

    With `read`, it is called with each response, and there are no items, which middlewares and add-ons of the project
    might drop or store. With `keep`, it is called with the item of each HTML page, which has the URL and the values set
    by pipelines. Up to `follow` pages that these link to are crawled too; with `read`, those that are probably alike.
    Call once per process: its reactor cannot be restarted.
    """
    process = process_for(settings)
    crawler = process.create_crawler(PagesSpider)
    problems = dict.fromkeys(urls, _NOT_REACHED)
    if keep is not None:
        crawler.signals.connect(keep, signals.item_scraped)
    process.crawl(crawler, urls=urls, left=follow, problems=problems, read=read)
    process.start()
    return problems


def spider_named(name: str, settings: Settings) -> type[Spider]:
    """Return the spider of a project with a name; raise `UsageError` if there is none."""
    loader = get_spider_loader(settings)
    try:
        return loader.load(name)
    except KeyError:
        raise UsageError(f"there is no spider {name!r}{nearest_hint(name, loader.list())}") from None


def process_for(settings: Settings) -> AsyncCrawlerProcess | CrawlerProcess:
    """Return what runs a crawl with these settings, with a reactor or without."""
    has_reactor = settings.getbool("TWISTED_REACTOR_ENABLED", True)
    return CrawlerProcess(settings) if has_reactor else AsyncCrawlerProcess(settings)


class PagesSpider(Spider):
    """Fetches pages, and some pages of the same sites that they link to."""

    name = "denoise-pages"
    urls: Sequence[str]
    left: int  # pages to follow
    problems: dict[str, str]
    read: ResponseReader | None

    async def start(self) -> AsyncIterator[Any]:
        """Request the pages."""
        self._met = {*self.urls}
        for url in self.urls:
            try:
                asked = Request(url, self.parse, errback=self.fail, dont_filter=True, meta={"asked": url})
            except ValueError:  # no scheme, a lone surrogate
                asked = None
            if asked is not None and site_key(url):  # no files of this machine
                yield asked
            else:
                self.problems[url] = "not a valid http(s) URL"

    def parse(self, response: Response) -> Iterator[Any]:
        """Pass on the response, or yield an item for an HTML page, and requests for pages that it links to."""
        self.problems.pop(response.meta["asked"], None)
        is_page = isinstance(response, HtmlResponse) and not media_type(response.body)
        if self.read is not None:
            self.read(response)
        elif is_page:
            yield {"url": response.url}
        else:
            self.problems[response.url] = "no HTML"
        self._met.add(urldefrag(response.url).url)
        for url in self._linked(response) if is_page and self.left > 0 else ():
            if self.left > 0 and url not in self._met and site_key(url) == site_key(response.url):
                self._met.add(url)
                self.left -= 1
                yield Request(url, self.parse, errback=self.fail, meta={"asked": url})

    def _linked(self, response: Any) -> list[str]:
        if self.read is None:
            return [urldefrag(link.url).url for link in LinkExtractor().extract_links(response)]
        page = Page.parse(response.body, url=response.url)
        return sibling_links(response.url, likest_links(page), self.left)

    def fail(self, failure: Failure) -> None:
        """Record why a page could not be fetched."""
        error, request = failure.value, failure.request  # type: ignore[attr-defined]
        why = f"status {error.response.status}" if isinstance(error, HttpError) else str(error)
        self.problems[request.meta["asked"]] = why or type(error).__name__


_PRIVATE = "%s has no public address (the server's option --private allows it)"


class PublicOnly:
    """Downloader middleware: rejects requests to private addresses, including redirects and links, and their pages."""

    async def process_request(self, request: Request) -> None:
        """Raise `IgnoreRequest` for a private address."""
        host = urlsplit(request.url).hostname or ""
        if not site_key(request.url) or not await leads_to_public_only(host, TIMEOUT):
            raise IgnoreRequest(_PRIVATE % (host or request.url))

    def process_response(self, request: Request, response: Response) -> Response:
        """Raise `IgnoreRequest` for a page from a private address: its name may lead elsewhere by now."""
        address = None if request.meta.get("proxy") else response.ip_address  # a proxy resolves names itself
        if address is not None and not is_public(address):
            raise IgnoreRequest(_PRIVATE % urlsplit(request.url).hostname)
        return response


def crawl_for_tool(request: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Crawl, always obeying robots.txt; return the pages and the problems."""
    settings.setdict(_DEFAULTS, priority="default")
    settings.setdict(_FORCED, priority="cmdline")
    settings.set("ADDONS", {**settings.getdict("ADDONS"), _ADDON: 500}, priority="cmdline")
    form = str(request["form"])
    fields = columns_of(BODY if form == "text" else form, [BODY])
    settings.set("DENOISE_FIELDS", {**fields, MARK: MARK}, priority="cmdline")
    if not request["private"]:
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", PublicOnly, 50)
    pages: list[dict[str, Any]] = []

    def keep(item: dict[str, Any]) -> None:
        row = {name: item.get(name) or FIELDS[name].kind() for name in fields}
        mark = {"duplicate_of": item[MARK]["of"]} if item.get(MARK) else {}
        pages.append({"url": item["url"], form: row[BODY], **row, **mark})

    problems = crawl_pages(request["urls"], settings, keep=keep, follow=request["follow"])
    return {"pages": pages, "problems": [{"url": url, "problem": why[:500]} for url, why in problems.items()]}


if __name__ == "__main__":
    found = crawl_for_tool(json.load(sys.stdin), get_project_settings())
    Path(sys.argv[1]).write_bytes(json.dumps(found).encode())
