"""A page for newsrooms: its paywall, the pages of its article, the updates of a live blog, its structured data.

The page is parsed once, and each is made when it is read. None raises anything, whatever the page contains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, TypeVar

from denoise_scrapy.core.characters import letters
from denoise_scrapy.metadata.annotations import (
    LINE_CHARS,
    MAX_HTML,
    MAX_JSON,
    MAX_VALUES,
    JsonLd,
    Line,
    joined,
    lines_of,
    same_address,
)
from denoise_scrapy.metadata.live import Update, updates_in
from denoise_scrapy.metadata.paging import Link, page_links, pages_in
from denoise_scrapy.metadata.paywall import is_paywalled
from denoise_scrapy.metadata.structured import structured_data
from denoise_scrapy.page.parse import root_of, to_utf8
from denoise_scrapy.support.shown import logger_of

logger = logger_of(__name__)

Value = TypeVar("Value")


class News:
    """A page for newsrooms.

    Args:
        html: The page; its first `MAX_HTML` bytes are read.
        url: Its address; without it no pages are found.
        text: Text of its body, for an offer where it ends, and for posts.
        title: Title of its body.
        kind: Returns the kind of page (`Body.kind`): a thread has posts too, which are no updates.

    Example:
        >>> data = '{"@type": "NewsArticle", "isAccessibleForFree": false}'
        >>> News(f"<script type=application/ld+json>{data}</script><p>It rained.").paywalled
        True
        >>> News("<a href=/rain/2>2</a>", "http://a.example/rain").pages
        ['http://a.example/rain', 'http://a.example/rain/2']
    """

    def __init__(
        self, html: str | bytes, url: str = "", text: str = "", title: str = "", kind: Callable[[], str] = str
    ) -> None:
        self.url, self._html, self._text, self._title, self._kind = url, html, text, title, kind

    @cached_property
    def paywalled(self) -> bool | None:
        """True if the text is not free to read, by what the page declares, or offers where it ends; None if unknown."""
        return self._asked(lambda root: is_paywalled(self._ld, root, self._lines), None)

    @cached_property
    def pages(self) -> list[str]:
        """The addresses of the article's pages, with this one, in order; empty if it has no other."""
        return self._asked(lambda root: pages_in(self.url, self._links(root)), [])

    @cached_property
    def updates(self) -> list[Update]:
        """The posts of a live blog; empty if the page is none."""
        return self._asked(lambda root: updates_in(root, self._ld, self._lines, self._kind), [])

    @cached_property
    def structured(self) -> dict[str, list[Any]]:
        """JSON-LD, OpenGraph and microdata as extruct gives them."""
        nothing: dict[str, list[Any]] = {"json-ld": [], "opengraph": [], "microdata": []}
        return self._asked(lambda root: structured_data(root, self._scripts, self.url), nothing)

    def _asked(self, make: Callable[[Any], Value], nothing: Value) -> Value:
        try:
            return nothing if self._root is None else make(self._root)
        except Exception as error:  # it must not cost the page, whatever it contains
            logger.debug("Nothing of %s: %r", self.url, error)
            return nothing

    @cached_property
    def _root(self) -> Any:
        return root_of(to_utf8(self._html)[:MAX_HTML])

    @cached_property
    def _scripts(self) -> list[str]:
        left, found = MAX_JSON, list[str]()
        for script in self._root.iter("script"):
            if "ld+json" in (script.get("type") or "").lower() and script.text:
                found.append(script.text[:left])
                left -= len(found[-1])
        return found

    @cached_property
    def _ld(self) -> JsonLd:
        return JsonLd(self._scripts, letters(self._title), {same_address(self.url)} - {""})

    @cached_property
    def _lines(self) -> list[Line]:
        return lines_of(self._root, self._text)

    def _links(self, root: Any) -> Iterator[Link]:
        start = joined(self.url, root.xpath("string(//base/@href)")) or self.url
        around: dict[Any, str] = {}
        linked = ((element.get("href") or "", element) for element in islice(root.iter("link", "a"), MAX_VALUES))
        for href, element in page_links(self.url, linked):
            if url := joined(start, href):
                text, parent = _text_of(element), element.getparent()
                if text and parent not in around:
                    around[parent] = _text_of(parent)
                yield Link(url, text, (element.get("rel") or "").lower(), around.get(parent, ""))


def _text_of(element: Any) -> str:
    """Return the text of an element, "" if it is long."""
    parts, chars = list[str](), 0
    for part in element.itertext():
        chars += len(part.strip())
        if chars > LINE_CHARS:
            return ""
        parts.append(part)
    return " ".join("".join(parts).split())
