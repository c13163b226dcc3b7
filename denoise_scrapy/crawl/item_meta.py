"""Language and date of a page for its items: they need the extra `meta`, and the page's HTML."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from denoise_scrapy.body.extract import TOO_LARGE
from denoise_scrapy.crawl.responses import told_encoding
from denoise_scrapy.metadata import MAX_HTML, language_of, load, published_on
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.setting_values import PREFIX, ConfigurationError

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.body import Body
    from denoise_scrapy.crawl.crawled_page import CrawledPage
    from denoise_scrapy.crawl.state import CrawlState

#: The library behind each setting.
LIBRARIES: Mapping[str, str] = MappingProxyType({"lang_field": "py3langid", "published_field": "htmldate"})


class ItemMeta:
    """Finds what items are given of a page beside its body.

    Args:
        state: The crawl.

    Raises:
        ConfigurationError: A field is named whose library is not installed.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        for name in state.settings.item_fields if state.settings.enabled else ():
            if name in LIBRARIES:
                try:
                    load(LIBRARIES[name])
                except ImportError as error:
                    field = state.settings.item_fields[name]
                    raise ConfigurationError(f"{PREFIX}{name.upper()} = {field!r} {error}") from error

    def values(self, crawled: CrawledPage, body: Body) -> dict[str, str]:
        """What the wanted ones of these fields receive, by item field; "" for what is not known."""
        wanted = {name: field for name, field in crawled.settings.item_fields.items() if name in LIBRARIES}
        if not wanted:
            return {}
        response = crawled.response()
        if response is None:
            self._state.count("meta/no_html")
        html = cache(partial(html_of, response))  # of a page that is too large it is not asked for a date
        ways = {
            "lang_field": lambda: self._language(body, html()),
            "published_field": lambda: self._published(crawled, body, response, html),
        }
        return {field: self._try(name, ways[name]) for name, field in wanted.items()}

    def _try(self, name: str, find: Callable[[], str]) -> str:
        """A value, "" where it cannot be had; the body of the page is not lost for it."""
        try:
            return find()
        except ImportError as error:  # asked for by a request: nothing of it was known at the start
            self._state.say_once(f"meta/{name}", logging.WARNING, "A request's %s %s", name, error)
        except Exception as error:
            self._state.report("meta", error)
        return ""

    def _language(self, body: Body, html: str) -> str:
        found = language_of(body.text, html)
        self._state.count("meta/lang" if found else "meta/no_lang")
        return found

    def _published(self, crawled: CrawledPage, body: Body, response: Response | None, html: Callable[[], str]) -> str:
        if response is None:
            return ""
        if body.fallback == TOO_LARGE or len(response.body) > MAX_HTML:
            self._state.count("meta/too_large")
            return ""
        found = published_on(html(), crawled.page.url)
        self._state.count("meta/published" if found else "meta/no_date")
        return found


def html_of(response: Response | None) -> str:
    """The text of a page; not its own `text`, which servers can make slow by their charset (`page.parse`)."""
    return "" if response is None else to_utf8(response.body, told_encoding(response)).decode("utf-8", "replace")
