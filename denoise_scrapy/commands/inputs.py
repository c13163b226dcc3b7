"""What several subcommands of `scrapy denoise` are given: pages and texts, a strategy, a rule."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.spidermiddlewares.httperror import HttpError
from w3lib.encoding import html_to_unicode

from denoise_scrapy.body import STRATEGIES, extract
from denoise_scrapy.commands import STANDARD
from denoise_scrapy.dedup import RULES

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess
    from scrapy.settings import Settings
    from twisted.python.failure import Failure

    from denoise_scrapy.settings import DenoiseSettings

HTML_SUFFIXES = (".html", ".htm", ".xhtml")

_URL = re.compile(r"https?://", re.IGNORECASE)
_OTHER_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HTML = re.compile(r"\ufeff?\s*(?:<\?xml\b[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
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


class GivenText(NamedTuple):
    """A text to compare; the title is that of an HTML page, the URL that of a page of the web, else empty."""

    text: str
    title: str = ""
    url: str = ""


class Fetched(NamedTuple):
    """A page of the web: its source, and its URL after redirects."""

    text: str
    url: str
    is_html: bool


def add_page_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Declare a page or several, others to compare one with, and a strategy."""
    if several:
        what = "an http(s) URL, a file, - for standard input; or several: a folder of HTML, a pattern, an archive"
        parser.add_argument("page", metavar="PAGE", nargs="+", help=what)
    else:
        parser.add_argument("page", metavar="PAGE", help="an http(s) URL, a file, or - for standard input")
    compare = "other pages of the site: the same"
    parser.add_argument("--compare", nargs="+", action="extend", default=[], metavar="PAGE", help=compare)
    parser.add_argument("--strategy", choices=tuple(STRATEGIES), help="default: DENOISE_STRATEGY")


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare a rule and a threshold, for `rule_given`."""
    parser.add_argument("--rule", choices=tuple(RULES), help="default: DENOISE_DEDUP_RULE")
    parser.add_argument("--threshold", type=_threshold, metavar="T", help="default: DENOISE_DEDUP_THRESHOLD")


def rule_given(args: argparse.Namespace, settings: DenoiseSettings) -> tuple[str, float]:
    """Return the rule and the threshold of the command line, else of the settings, else the rule's own."""
    rule = args.rule or settings.dedup_rule
    threshold = settings.dedup_threshold if rule == settings.dedup_rule else 0.0  # another rule has another scale
    return rule, args.threshold or threshold or RULES[rule].threshold


def _threshold(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return value


def texts_of(names: Sequence[str], settings: Settings, *, as_html: bool) -> list[GivenText]:
    """Read texts; of an HTML page, its body and its title.

    Raises:
        UsageError: A name is of none of these kinds, or "-" comes twice.
        OSError: One cannot be read or fetched.
        ValueError: One is neither text nor HTML.
    """
    found = []
    for name, source in zip(names, sources_of(names, "compare", settings), strict=True):
        if isinstance(source, bytes):
            text, url = _decoded(name, source), ""
            is_html = name.lower().endswith(HTML_SUFFIXES) or _HTML.match(text[:4096]) is not None
        else:
            text, url, is_html = source
        if is_html or as_html:
            body = extract(text, url=url or None)
            found.append(GivenText(body.text, body.title, url))
        else:
            found.append(GivenText(text, url=url))
    return found


def sources_of(names: Sequence[str], command: str, settings: Settings) -> list[bytes | Fetched]:
    """Read files and standard input ("-", once) as they are, and fetch URLs.

    Raises:
        UsageError: A name is of none of these kinds, or "-" comes twice.
        OSError: One cannot be read or fetched.
    """
    if list(names).count(STANDARD) > 1:
        raise UsageError(f"{command}: only one page can be standard input")
    urls = [name for name in dict.fromkeys(names) if _URL.match(name)]
    for name in names:
        if _OTHER_URL.match(name) and name not in urls:
            raise UsageError(f"{command}: {name}: only files and http(s) URLs can be read")
    found: dict[str, bytes | Fetched] = {name: _read(name) for name in names if name not in urls}
    if urls:  # last: a missing file is found before any request is sent
        found |= fetch(urls, settings)
    return [found[name] for name in names]


def pages_of(names: Sequence[str], command: str, settings: Settings) -> list[tuple[str | bytes, str | None]]:
    """Read pages as `sources_of` does: the source of each, and its URL if it came from the web.

    Files stay bytes: they are decoded as browsers do.
    """
    sources = sources_of(names, command, settings)
    return [(one, None) if isinstance(one, bytes) else (one.text, one.url) for one in sources]


def fetch(urls: Sequence[str], settings: Settings) -> dict[str, Fetched]:
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


def _process(settings: Settings) -> AsyncCrawlerProcess | CrawlerProcess:
    """Make the process that Scrapy's own commands would have, see `scrapy.cmdline`."""
    from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess  # noqa: PLC0415 - they load Scrapy's engine

    ours = settings.copy()
    ours.setdict(_NO_CRAWL_OF_THE_PROJECT, priority="cmdline")
    asyncio = ours["TWISTED_REACTOR"] == _ASYNCIO and not ours.getbool("FORCE_CRAWLER_PROCESS")
    if asyncio or not ours.getbool("TWISTED_REACTOR_ENABLED", True):
        return AsyncCrawlerProcess(ours)
    return CrawlerProcess(ours)


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == STANDARD else Path(name).read_bytes()


def _decoded(name: str, data: bytes) -> str:
    _, text = html_to_unicode(None, data, default_encoding="utf-8")
    if "\0" in text:
        raise ValueError(f"{name}: neither text nor HTML")
    return text
