"""The values of items: the body of their page in several forms, its language and date."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.extract import TOO_LARGE
from denoise_scrapy.crawl.pages import PageText, told_encoding
from denoise_scrapy.metadata import MAX_HTML, language_of, load, published_on
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.stats import twentieth

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.body import Body
    from denoise_scrapy.crawl.comparison.pages import ComparisonPages
    from denoise_scrapy.crawl.log import CrawlLog
    from denoise_scrapy.crawl.pages import CrawledPage
    from denoise_scrapy.settings import DenoiseSettings

# What the fields of DENOISE_FIELDS receive of a body.
OF_BODY: Mapping[str, Callable[[Body], Any]] = MappingProxyType(
    {
        "body": lambda body: body.text,
        "html": lambda body: body.html,
        "markdown": lambda body: body.markdown,
        "confidence": lambda body: round(body.confidence, 4),
        "kind": lambda body: body.kind,
        "title": lambda body: body.title,
        "comparison": lambda body: list(body.comparison),
        "blocks": lambda body: [asdict(block) for block in body.blocks],
    }
)
# The library behind each of the others, which are found in the page's text and HTML: those of the extra `meta`.
LIBRARIES: Mapping[str, str] = MappingProxyType({"lang": "py3langid", "published": "htmldate"})


class ItemValues:
    """Makes the bodies of a crawl's pages, and what items are given of them.

    Args:
        settings: The crawl's.
        log: Its log.
        comparison: Its comparison pages.

    Raises:
        ConfigurationError: A field is named whose library is not installed.
    """

    def __init__(self, settings: DenoiseSettings, log: CrawlLog, comparison: ComparisonPages):
        self._log = log
        self._comparison = comparison
        for what in settings.item_fields if settings.enabled else ():
            if what in LIBRARIES:
                try:
                    load(LIBRARIES[what])
                except ImportError as error:
                    field = settings.item_fields[what]
                    raise ConfigurationError(f"DENOISE_FIELDS[{what!r}] = {field!r} {error}") from error

    async def text_of(self, crawled: CrawledPage) -> PageText:
        """Return what the items of a page are given."""
        pages = await self._comparison.pages_for(crawled)
        settings = crawled.settings
        body = SiteModel.fit(pages).extract(crawled.page, strategy=settings.strategy, taste=settings.taste)
        self._log.count(f"body/confidence/{twentieth(body.confidence)}")
        if body.fallback == TOO_LARGE:
            self._log.say_once(
                "too_large",
                logging.WARNING,
                "%s is too large to be judged: its items get all of its text, as those of further such pages, which "
                "denoise/body/fallback/too_large counts",
                crawled.page.url,
            )
        fields = settings.item_fields
        values = {field: OF_BODY[what](body) for what, field in fields.items() if what in OF_BODY}
        values |= self._beside(crawled, body)
        text = PageText(values, not body.text, body.fallback, body.evidence)
        for page in (crawled.page, *pages):
            if isinstance(page, Page):
                page.drop_columns()
        return text

    def _beside(self, crawled: CrawledPage, body: Body) -> dict[str, str]:
        """Return language and date by item field, where they are wanted; "" for what is not known."""
        wanted = {what: field for what, field in crawled.settings.item_fields.items() if what in LIBRARIES}
        if not wanted:
            return {}
        response = crawled.response()
        if response is None:
            self._log.count("meta/no_html")
        html = cache(partial(html_of, response))  # a page that is too large is not decoded for its date
        ways = {
            "lang": lambda: self._language(body, html()),
            "published": lambda: self._published(crawled, body, response, html),
        }
        return {field: self._try(what, ways[what]) for what, field in wanted.items()}

    def _try(self, what: str, find: Callable[[], str]) -> str:
        """Return a value, "" where it cannot be had; the body of the page is not lost for it."""
        try:
            return find()
        except ImportError as error:  # asked for by a request: nothing of it was known at the start
            self._log.say_once(f"meta/{what}", logging.WARNING, "A request's field for %r %s", what, error)
        except Exception as error:
            self._log.report("meta", error)
        return ""

    def _language(self, body: Body, html: str) -> str:
        found = language_of(body.text, html)
        self._log.count("meta/lang" if found else "meta/no_lang")
        return found

    def _published(self, crawled: CrawledPage, body: Body, response: Response | None, html: Callable[[], str]) -> str:
        if response is None:
            return ""
        if body.fallback == TOO_LARGE or len(response.body) > MAX_HTML:
            self._log.count("meta/too_large")
            return ""
        found = published_on(html(), crawled.page.url)
        self._log.count("meta/published" if found else "meta/no_date")
        return found


def html_of(response: Response | None) -> str:
    """Return the text of a page; not its own `text`, which servers can make slow by their charset (`utf8`)."""
    return "" if response is None else to_utf8(response.body, told_encoding(response)).decode("utf-8", "replace")
