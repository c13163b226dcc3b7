"""A page of the crawl, with what the items made from it share."""

from __future__ import annotations

import asyncio
import weakref
from sys import getsizeof
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy import Request

from denoise_scrapy.crawl.comparison.reuse import META_OF_WAY
from denoise_scrapy.crawl.responses import redirected_from, spelling

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.crawl.comparison.addresses import Address
    from denoise_scrapy.page import Page
    from denoise_scrapy.settings import DenoiseSettings

# What is carried from a page's request to those for its comparison pages.
META_CARRIED = (*META_OF_WAY, "download_slot")
# A browser context of our own: pages the spider keeps open may take all places of theirs, and wait
# for us.
PLAYWRIGHT_CONTEXT = "denoise"


class PageText(NamedTuple):
    """What the items of a page are given.

    Attributes:
        fields: Values by item field.
        is_empty: Whether the body has no text.
        fallback: By what fallback it was found, "" for none (`Body.fallback`).
        evidence: What it rests on (`Body.evidence`).
    """

    fields: dict[str, Any]
    is_empty: bool
    fallback: str
    evidence: str

    @property
    def nbytes(self) -> int:
        """About what the values occupy in memory, in bytes."""
        return sum(map(_held_bytes, self.fields.values()))


def _held_bytes(value: Any) -> int:
    """About what a field's value occupies in memory: text, or lists and dicts of such."""
    if isinstance(value, dict):
        return 100 + sum(_held_bytes(each) + 100 for each in value.values())
    if isinstance(value, (list, tuple)):
        return 60 + sum(map(_held_bytes, value))
    return getsizeof(value)


class CrawledPage:
    """A page of the crawl, with what the items made from it share.

    Attributes:
        page: The parsed page.
        settings: The crawl's settings with those of the page's request.
        urls: All URLs of the page: asked for, redirected through, final.
        names: The same, and their spellings.
        address: Where it came from; None where that is not known.
        carried: Meta that comparison pages are fetched with.
        requested: URLs the spider's callback asked for from this page.
        computing: Held while the text is computed.
        text: The text, once computed.
        item_keys: Keys of the items whose own text is that of the page: they are no copies of each other.
    """

    def __init__(self, page: Page, settings: DenoiseSettings, request: Request, address: Address | None = None):
        self.page = page
        self.settings = settings
        self.urls = {*redirected_from(request), request.url, page.url}
        self.names = self.urls | {spelling(url) for url in self.urls}
        self.address = address
        self.carried = _carried_meta(request)
        self.requested: set[str] = set()
        self.computing = asyncio.Lock()
        self.text: PageText | None = None
        self.item_keys: set[str | None] = set()
        self._response: weakref.ref[Response] | None = None

    def came_with(self, response: Response) -> None:
        """Note the response that the page was read from. It is not kept."""
        self._response = weakref.ref(response)

    def response(self) -> Response | None:
        """The response that the page was read from; None where it has gone, as it does with the page's last item."""
        return None if self._response is None else self._response()


def _carried_meta(request: Request) -> dict[str, Any]:
    """Return the meta to fetch comparison pages with: a rendered page is compared with rendered ones."""
    meta = request.meta
    carried = {key: meta[key] for key in META_CARRIED if key in meta}
    if meta.get("playwright"):
        carried["playwright"] = True
        carried["playwright_context"] = PLAYWRIGHT_CONTEXT
        carried["playwright_page_goto_kwargs"] = dict(meta.get("playwright_page_goto_kwargs") or {})
    return carried
