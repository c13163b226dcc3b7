"""The values of items: the body of their page in several forms, and its metadata."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from importlib.metadata import version
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from denoise_scrapy.body import STRATEGIES, SiteModel, find_strategy
from denoise_scrapy.body.extract import TOO_LARGE
from denoise_scrapy.body.tables import amounts_of
from denoise_scrapy.crawl.base import is_large
from denoise_scrapy.crawl.pages import PageText, held_bytes, told_encoding
from denoise_scrapy.metadata import Metadata, metadata_of
from denoise_scrapy.metadata.annotations import LIBRARIES, MAX_HTML, load
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.site.health import PageReading
from denoise_scrapy.stats import twentieth

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.body import Body
    from denoise_scrapy.crawl.base import Beside, CrawlLog
    from denoise_scrapy.crawl.comparison import ComparisonPages
    from denoise_scrapy.crawl.health import SiteHealth
    from denoise_scrapy.crawl.pages import CrawledPage
    from denoise_scrapy.page import Page, PageFacts
    from denoise_scrapy.settings import DenoiseSettings


VERSION = version("denoise-scrapy")  # which takes .25 ms


def _chunks(body: Body, settings: DenoiseSettings) -> list[dict[str, Any]]:
    links, images = (settings.markdown.get(of, "keep") for of in ("links", "images"))
    chunks = body.chunks(settings.chunk_tokens, settings.chunk_overlap, links=links, images=images)
    return [chunk.row for chunk in chunks]


# What the fields of DENOISE_FIELDS receive of a body.
OF_BODY: Mapping[str, Callable[[Body, DenoiseSettings], Any]] = MappingProxyType(
    {
        "body": lambda body, _: body.text,
        "html": lambda body, _: body.html,
        "markdown": lambda body, of: body.to_markdown(**of.markdown),
        "chunks": _chunks,
        "confidence": lambda body, _: round(body.confidence, 4),
        "title": lambda body, _: body.title,
        "comparison": lambda body, _: list(body.comparison),
        "blocks": lambda body, _: [asdict(block) for block in body.blocks],
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

    def __init__(
        self,
        settings: DenoiseSettings,
        log: CrawlLog,
        comparison: ComparisonPages,
        beside: Beside,
        health: SiteHealth,
    ):
        self._health = health
        self._log = log
        self._comparison = comparison
        self._beside = beside
        for what in settings.item_fields if settings.enabled else ():
            if what in OF_META:
                try:
                    for library in LIBRARIES:
                        load(library)
                except ImportError as error:
                    field = settings.item_fields[what]
                    raise ConfigurationError(f"DENOISE_FIELDS[{what!r}] = {field!r}: {error}") from error

    async def text_of(self, crawled: CrawledPage) -> PageText:
        """Return what the items of a page are given."""
        pages, settings = await self._comparison.pages_for(crawled), crawled.settings
        whole = find_strategy(settings.strategy).needs_elements
        # copies: of pages that several threads read each has its own columns
        others = [copy(one) if whole else one.facts for one in pages]
        work = partial(_made, crawled.page, others, settings, crawled.response())
        # a small page that is compared with large ones counts as large too: with 100,000 blocks that takes .1 s
        size = max([crawled.size, *(one.facts.nbytes for one in pages)])
        if settings.strategy not in STRATEGIES or not settings.item_fields.keys().isdisjoint(OF_META):
            # strategies of users, and the libraries for metadata, are never called by two threads
            made = await self._beside.alone(work, "others")
        elif is_large(size):
            made = await self._beside.alone(work)
        else:
            made = await self._beside.in_turn(work, size)
        self._count(crawled, made)
        await self._health.add(crawled.page.url, made.reading)
        return made.text

    def _count(self, crawled: CrawledPage, made: _Made) -> None:
        self._log.count(f"body/confidence/{twentieth(made.confidence)}")
        if made.text.fallback == TOO_LARGE:
            self._log.say_once(
                "too_large",
                logging.WARNING,
                "%s is too large to be judged: its items get all of its text, as those of further such pages, which "
                "denoise/body/fallback/too_large counts",
                crawled.page.url,
            )
        if made.lack:
            self._log.count(made.lack)
        if isinstance(made.error, ImportError):  # of fields of a request, which are not known at the start
            self._log.say_once("meta", logging.WARNING, "Fields that a request asks for: %s", made.error)
        elif made.error is not None:
            self._log.report("meta", made.error)
        for what, lacking in (("lang", "no_lang"), ("published", "no_date")):
            field = crawled.settings.item_fields.get(what)
            if field:
                self._log.count(f"meta/{what if made.text.fields[field] else lacking}")


class _Made(NamedTuple):
    text: PageText  # for its items
    confidence: float
    reading: PageReading
    lack: str  # why it has no metadata of its HTML, a name of stats; "" for no reason
    error: Exception | None  # of its metadata


def _made(
    page: Page, others: Sequence[Page | PageFacts], settings: DenoiseSettings, response: Response | None
) -> _Made:
    """Extract a page, and make what else its items are given; needs nothing of the crawl."""
    body = SiteModel.fit(others).extract(page, strategy=settings.strategy, taste=settings.taste)
    fields, lack, error = settings.item_fields, "", None
    values = {field: OF_BODY[what](body, settings) for what, field in fields.items() if what in OF_BODY}
    wanted = {what: field for what, field in fields.items() if what in OF_META}
    if wanted:
        if response is None:
            lack = "meta/no_html"
        elif body.fallback == TOO_LARGE or len(response.body) > MAX_HTML:
            lack, response = "meta/too_large", None
        meta = Metadata(title=body.title)  # the body is not lost where its metadata cannot be had
        try:
            meta = metadata_of(html_of(response), page.url if response else None, body)
        except Exception as failed:
            error = failed
        values |= {field: OF_META[what](meta) for what, field in wanted.items()}
    title = source = amounts = ""
    if settings.needs_index:
        title, source = body.title, _source(page, settings)
        amounts = "" if body.fallback == TOO_LARGE else amounts_of(page)
    page.drop_columns()
    nbytes = sum(map(held_bytes, (title, source, amounts, *values.values())))
    text = PageText(values, not body.text, body.fallback, body.evidence, title, source, amounts, nbytes)
    return _Made(text, body.confidence, PageReading.of(body.text, body.confidence, page.facts), lack, error)


def _source(page: Page, settings: DenoiseSettings) -> str:
    """Return a hash of all text of a page, and how its body is extracted: with both the same, no text has changed.

    The body alone may differ, for it depends on the pages that the crawl has brought before.
    """
    text = page.text_of(np.ones(len(page.blocks), np.bool_)).encode("utf-8", "surrogatepass")
    way = (VERSION, settings.strategy, settings.taste, settings.keep, settings.remove, settings.geometry)
    return f"{blake2b(text, digest_size=16).hexdigest()} {way}"


def html_of(response: Response | None) -> str:
    """Return the HTML of a page; not its own `text`, which servers can make slow by their charset (`utf8`)."""
    return "" if response is None else to_utf8(response.body, told_encoding(response)).decode("utf-8", "replace")
