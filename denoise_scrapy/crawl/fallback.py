"""Asking a function of the project for the text of pages whose body is in doubt (DENOISE_FALLBACK)."""

from __future__ import annotations

from functools import partial
from typing import Any

from denoise_scrapy.body import Body
from denoise_scrapy.body.extraction import CALLABLE, with_text
from denoise_scrapy.body.fields import values_of
from denoise_scrapy.crawl.asking import Asked, asked_page
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.crawl.parts import Crawl, beside
from denoise_scrapy.dedup.versions import whole_source
from denoise_scrapy.page.parse import MAX_PAGE_BYTES
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.worker.extractor import Extracted


class Fallback:
    """Asks the function, and puts what it returns in the place of a body.

    It is called with the `Body` in doubt, an `AskedPage` and the site, as `https://news.example`, and returns the
    text or None.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._function = Asked(crawl, "fallback")

    async def revised(self, page: CrawledPage, found: Extracted, body: Body) -> Extracted:
        """Return what was extracted, with the function's text if it is asked and has one."""
        source = page.source
        if source is None or not self._function.may_ask:
            return found
        asked = await asked_page(source, body)
        text = await self._function.ask(self._text, asked.url, body, asked, _site_of(asked.url))
        if not text:
            return found
        self._crawl.count("fallback/used")
        return await beside(partial(_revised, found, body, text, page.settings, self._crawl.settings.fallback))

    def _text(self, answer: Any) -> str:
        if not (answer is None or isinstance(answer, str)):
            raise TypeError(f"it returned {type(answer).__name__}, not str or None")
        return (answer or "")[:MAX_PAGE_BYTES].strip()


def _site_of(url: str) -> str:
    """Return the site of a page as the function gets it.

    Example:
        >>> _site_of("https://a.example/7"), _site_of("http://a.example:8080/7")
        ('https://a.example', 'http://a.example:8080')
    """
    site = site_key(url)
    return site.removesuffix(":443" if site.startswith("https:") else ":80")


def _revised(found: Extracted, body: Body, text: str, settings: DenoiseSettings, path: str) -> Extracted:
    told = with_text(body, text, CALLABLE)
    revised = found._replace(
        fields=found.fields | values_of(settings.columns[""], told, settings),
        fallback=CALLABLE,
        body=told,
        size=len(text),
        read=None,
        source=whole_source(found.source, path),
    )
    return revised.measured()
