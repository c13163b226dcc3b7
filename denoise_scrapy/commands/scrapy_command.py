"""Scrapy's side of the command line: `scrapy denoise` as Scrapy runs it, and pages fetched by a crawl."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.commands import ScrapyCommand
from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError

from denoise_scrapy.commands import SUBCOMMANDS, Given, run

if TYPE_CHECKING:
    from twisted.python.failure import Failure

_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
#: Settings of a crawl for a command: the project's middlewares, delays, caches and robots.txt hold, but nothing is done
#: with items.
PAGES_ALONE: Mapping[str, Any] = {
    "EXTENSIONS": {},
    "FEEDS": {},
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "TELNETCONSOLE_ENABLED": False,
}


class DenoiseCommand(ScrapyCommand):
    """Runs the subcommand that the command line names; Scrapy's parser takes its own options from anywhere."""

    requires_crawler_process = False  # it would load the add-ons and set up logging; `fetch` makes one for URLs
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}  # of the crawl for URLs; -L sets it

    def syntax(self) -> str:
        """Return the command line after `scrapy denoise`."""
        return f"{'|'.join(SUBCOMMANDS)} [options] …"

    def short_desc(self) -> str:
        """Return a line for the list of `scrapy`."""
        return "Extract and explain main texts; inspect indexes of texts"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Keep -h for the subcommand."""
        super().add_options(parser)
        parser.add_argument("-h", "--help", action="store_true", dest="help_asked")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand, and keep its exit code."""
        assert self.settings is not None
        self.exitcode = run([*args, "--help"] if opts.help_asked else args, self.settings)


def fetch(urls: Sequence[str], settings: Given) -> dict[str, tuple[str, str, bool]]:
    """Fetch pages by a crawl of a few requests, once a process: its reactor starts once. `OSError` where one fails.

    Returns:
        The source of each, its URL after redirects, and whether it is HTML.
    """
    found: dict[str, Response | str] = {}
    process = _process(settings)
    process.crawl(_Spider, urls=urls, found=found)
    process.start()
    pages, failed = {}, []
    for url in urls:
        response = found.get(url, "the crawl ended before it came; -L ERROR says why")
        if isinstance(response, TextResponse):
            pages[url] = (response.text, response.url, isinstance(response, HtmlResponse))
        else:
            failed.append(f"{url}: {response if isinstance(response, str) else 'neither text nor HTML'}")
    if failed:
        raise OSError("not fetched: " + "; ".join(failed))
    return pages


def failure_text(failure: Failure) -> str:
    """Return in words why a page was not fetched."""
    error: Any = failure.value
    return f"status {error.response.status}" if isinstance(error, HttpError) else str(error) or type(error).__name__


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
        self.found[failure.request.meta["asked"]] = failure_text(failure)  # type: ignore[attr-defined]


def _process(settings: Given) -> AsyncCrawlerProcess | CrawlerProcess:
    """Return a crawler process like that of Scrapy's own commands, see `scrapy.cmdline`."""
    ours = settings.copy() if isinstance(settings, Settings) else Settings(settings)
    ours.setdict({**PAGES_ALONE, "DENOISE_ENABLED": False}, priority="cmdline")  # no comparison pages are needed here
    asyncio = ours["TWISTED_REACTOR"] == _ASYNCIO and not ours.getbool("FORCE_CRAWLER_PROCESS")
    if asyncio or not ours.getbool("TWISTED_REACTOR_ENABLED", True):
        return AsyncCrawlerProcess(ours)
    return CrawlerProcess(ours)
