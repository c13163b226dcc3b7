"""A spider for the example portal, as one written for a known site."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

import scrapy
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

# Pages with a text of their own; all others are lists of links.
TEXTS = re.compile(
    r"/(news|evening)/(?!page-)[\w-]+\.html"
    r"|/xinwen/(\d{4}/\d\d|zhuanzai)/\d+\.html"
    r"|/forum/viewtopic-\d+\.html"
    r"|/docs/[\d.]+/\w+\.html"
    r"|/about\.html"
)


class PortalSpider(scrapy.Spider):
    """scrapy crawl portal -a start=http://127.0.0.1:8808/ -O items.jsonl.

    Its items have no `body`: that is what the plugin adds.
    """

    name = "portal"

    def __init__(self, start: str = "http://127.0.0.1:8808/", **kwargs: Any):
        super().__init__(**kwargs)
        self.first = start
        self.allowed_domains = [urlsplit(start).hostname or ""]
        self.links = LinkExtractor()

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first request; links back to its page are no new ones."""
        yield scrapy.Request(self.first)

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """Yield the item of a page with a text, and requests for all pages it links to."""
        if not isinstance(response, HtmlResponse):
            return
        self._count("portal/pages")
        if TEXTS.fullmatch(urlsplit(response.url).path):
            self._count("portal/items")
            yield {"url": response.url, "title": response.css("h1::text").get(default="")}
        yield from response.follow_all(self.links.extract_links(response))

    def _count(self, name: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(name)
