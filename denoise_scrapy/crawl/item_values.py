"""The values of items: the body of their page in several forms, and its metadata."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.extract import TOO_LARGE
from denoise_scrapy.crawl.pages import PageText, told_encoding
from denoise_scrapy.metadata import Metadata, metadata_of
from denoise_scrapy.metadata.reading import MAX_HTML, load
from denoise_scrapy.metadata.tell import LIBRARIES
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.stats import twentieth

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.body import Body
    from denoise_scrapy.crawl.comparison import ComparisonPages
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
        "title": lambda body: body.title,
        "comparison": lambda body: list(body.comparison),
        "blocks": lambda body: [asdict(block) for block in body.blocks],
    }
)
# What they receive of its metadata, which needs the page's HTML and the libraries of the extra `meta`.
OF_META: Mapping[str, Callable[[Metadata], Any]] = MappingProxyType(
    {
        "author": lambda meta: list(meta.authors),
        "description": lambda meta: meta.description,
        "site_name": lambda meta: meta.site_name,
        "tags": lambda meta: list(meta.tags),
        "lang": lambda meta: meta.language,
        "published": lambda meta: meta.published,
        "modified": lambda meta: meta.modified,
        "image": lambda meta: meta.image,
        "canonical": lambda meta: meta.canonical,
        "meta": asdict,
    }
)


class ItemValues:
    """Makes the bodies of a crawl's pages, and what items get of them; refuses fields whose library is missing."""

    def __init__(self, settings: DenoiseSettings, log: CrawlLog, comparison: ComparisonPages):
        self._log = log
        self._comparison = comparison
        for what in settings.item_fields if settings.enabled else ():
            if what in OF_META:
                try:
                    for library in LIBRARIES:
                        load(library)
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

    def _beside(self, crawled: CrawledPage, body: Body) -> dict[str, Any]:
        """Return metadata by item field, where it is wanted; empty for what is not known."""
        wanted = {what: field for what, field in crawled.settings.item_fields.items() if what in OF_META}
        if not wanted:
            return {}
        meta = self._metadata(crawled, body)
        for what, found, lacking in (
            ("lang", "meta/lang", "meta/no_lang"),
            ("published", "meta/published", "meta/no_date"),
        ):
            if what in wanted:
                self._log.count(found if OF_META[what](meta) else lacking)
        return {field: OF_META[what](meta) for what, field in wanted.items()}

    def _metadata(self, crawled: CrawledPage, body: Body) -> Metadata:
        """Return a page's metadata; its body is not lost where they cannot be had."""
        response = crawled.response()
        if response is None:
            self._log.count("meta/no_html")
        elif body.fallback == TOO_LARGE or len(response.body) > MAX_HTML:
            self._log.count("meta/too_large")
            response = None
        try:
            return metadata_of(html_of(response), crawled.page.url if response else None, body)
        except ImportError as error:  # wanted by a request: nothing of it was known at the start
            self._log.say_once("meta", logging.WARNING, "A request's fields for metadata: %s", error)
        except Exception as error:
            self._log.report("meta", error)
        return Metadata(title=body.title)


def html_of(response: Response | None) -> str:
    """Return the text of a page; not its own `text`, which servers can make slow by their charset (`utf8`)."""
    return "" if response is None else to_utf8(response.body, told_encoding(response)).decode("utf-8", "replace")
