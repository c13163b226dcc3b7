"""Deciding which page's text an item gets, once, when the item leaves the spider.

| the item | its text |
| --- | --- |
| is the only one of its response, and names no page or this one | the page's |
| is one of several of its response, but the only one that names this page | the page's |
| is one of several that name this page, a part of it, or none | none |
| names another page that the spider has already fetched | that page's |
| names any other page | none |

An item names the page whose URL is in its URL field. A page fetched only for comparison is never an item's page.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from scrapy.http import HtmlResponse, Response
from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.crawl.base import Beside, Crawl, is_large
from denoise_scrapy.crawl.pages import CrawledPage, CrawledPages
from denoise_scrapy.dedup import DuplicateIndex
from denoise_scrapy.dedup.variants import ReadText
from denoise_scrapy.items import copied, url_in, with_field
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site.urls import spelling

# Reasons why an item has no text of its own: names of stats (`denoise/body/…`).
SEVERAL, ELSEWHERE, NO_PAGE, OPTED_OUT = "several", "elsewhere", "no_page", "opted_out"
# Logged for the first such item; others are only counted.
_SAID = {
    SEVERAL: "%s yields several items, so its text is not given to any of them. DENOISE_SHARED_BODY = True gives it to "
    "each of them. (Further such items: denoise/body/several)",
    ELSEWHERE: "An item from %s names a page that the spider has not fetched, %r, and gets no text: follow that link, "
    "and yield the item from its callback. (Further such items: denoise/body/elsewhere)",
}
# Maximum URLs that a page may declare as its own; usually it declares one, in one or two places.
MOST_DECLARED = 4

# The response whose callback is running, and the item being processed, in the current task.
_scraped: ContextVar[weakref.ref[Response] | None] = ContextVar("denoise_scraped", default=None)
_processed: ContextVar[ItemPage | None] = ContextVar("denoise_processed", default=None)


class ItemText(NamedTuple):
    """The text and fields of an item that are passed to the index."""

    key: str = ""  # identifies the item
    text: str = ""  # the text to compare
    scope: str = ""  # site within which it is compared, "" for all, and the values of fields that must agree
    group: str = ""  # values of fields that must differ
    site: str = ""  # host of the item
    title: str = ""
    values: Mapping[str, object] = MappingProxyType({})  # its other fields, which distinguish similar texts
    fields: Mapping[str, object] = MappingProxyType({})  # all fields that show a change, besides its text
    source: str = ""  # what its text was extracted from, and how; "" if unknown
    is_alone: bool = False  # whether it is compared only with its own earlier version
    obstacle: str = ""  # name of the stat for the reason why it is not compared

    @property
    def names(self) -> dict[str, Any]:
        """Arguments for the index besides key and text."""
        return {"scope": self.scope, "group": self.group, "site": self.site}

    def read(self, index: DuplicateIndex) -> ReadText:
        """Return the text as read by an index, with the item's attributes."""
        return index.read(self.text, title=self.title, values=self.values, fields=self.fields, source=self.source)

    @property
    def chars(self) -> int:
        """Number of characters held."""
        return len(self.key) + len(self.text)


@dataclass(eq=False)
class Delivery:
    """The text of an item on its way to the index."""

    text: ItemText
    claim: int = 0  # its claim in the index, 0 for none
    unchecked: bool = False  # whether the index could not be used for it
    over: asyncio.Event = field(default_factory=asyncio.Event)  # set when the item's outcome is known


@dataclass(eq=False)
class ItemPage:
    """The decision about one item, and its state on the way through the pipelines."""

    items: list[Any]  # it and its changed copies, held so that their ids are not reused meanwhile
    settings: DenoiseSettings
    page: CrawledPage | None  # the page whose text the item gets
    reason: str  # why the item has no text of its own; "" if it has
    siblings: ResponseItems  # the items of its response
    given: set[str] = field(default_factory=set)  # its fields that we filled
    delivery: Delivery | None = None  # None if it is not compared
    has_left: bool = False  # whether it has left the pipelines
    end: weakref.ref[Response] | None = None

    @property
    def own_page(self) -> CrawledPage | None:
        """The page whose text is the item's own."""
        return None if self.reason else self.page

    def gave(self, field: str, text: str) -> bool:
        """Return whether a field holds the text of the page, possibly changed by another pipeline."""
        given = None if self.page is None else self.page.text
        return field in self.given or (given is not None and given.fields.get(field) == text)

    @property
    def url(self) -> str:
        """URL of the page, else of the item's response, else ""."""
        return self.siblings.url if self.page is None else self.page.page.url


class _Named(NamedTuple):
    """The page that an item names: this one or another; neither if it names none, or a part of this one."""

    this: bool = False
    other: str = ""
    other_page: CrawledPage | None = None


class ResponseItems:
    """The items of one response, which is not kept alive; or one item without a response."""

    def __init__(self, response: Response | None, settings: DenoiseSettings, page: CrawledPage | None):
        self.url = "" if response is None else response.url
        self._response = None if response is None else weakref.ref(response)
        self.settings = settings
        self.page = page
        self.names = {self.url, spelling(self.url)} - {""} if page is None else page.names
        self.counted = response is None  # whether items are counted as they leave the spider
        self._declared: set[str] | None = None
        self._items = self._naming_this = 0
        self._held: tuple[Any, _Named] | None = None
        self._keys: Counter[str] = Counter()

    @property
    def response(self) -> Response | None:
        """The response; None if there is none, or it was freed."""
        return None if self._response is None else self._response()

    def absolute(self, url: str) -> str:
        """Return a URL resolved against this page; unchanged if it is not a URL."""
        try:
            return url if "://" in url or self.response is None else self.response.urljoin(url)
        except ValueError:
            return url

    async def declares(self, name: str, beside: Beside) -> bool:
        """Return whether the page declares a URL with this spelling as its own (`canonical`, `og:url`)."""
        response = self.response
        if self._declared is None and isinstance(response, HtmlResponse):
            size = len(response.body)
            # a copy, since the spider may be using the page's selector: selectors of one tree are not thread-safe
            links = await beside.run(partial(_declared, response.copy() if is_large(size) else response), size)
            self._declared = {spelling(self.absolute(link)) for link in links}
        return name in (self._declared or ())

    def count(self, named: _Named) -> None:
        """Count an item."""
        self._items += 1
        self._naming_this += named.this

    def take(self, item: Any, named: _Named) -> list[tuple[Any, _Named]]:
        """Count an item that leaves the spider, hold it if this page may be about it, and return items to pass on."""
        self.counted = True
        self.count(named)
        # the held item is not the only one
        ready = self.rest() if self._held is not None and (named.this or not self._held[1].this) else []
        if self.page is not None and self.is_about(named):
            self._held = item, named
        else:
            ready.append((item, named))
        return ready

    def rest(self) -> list[tuple[Any, _Named]]:
        """Return the held item, if any."""
        held, self._held = self._held, None
        return [held] if held else []

    def is_about(self, named: _Named) -> bool:
        """Return whether this page is about an item, judged by the items so far."""
        return self._naming_this == 1 if named.this else self._items == 1 and not named.other

    def numbered(self, key: str) -> str:
        """Return `key`, with "#2", "#3" … added for further items of this response with the same key."""
        self._keys[key] += 1
        number = self._keys[key]
        return key if number == 1 else f"{key}#{number}"


def _declared(response: HtmlResponse) -> list[str]:
    links = response.css("link[rel~=canonical]::attr(href), meta[property='og:url']::attr(content)").getall()
    return links[:MOST_DECLARED]


class ItemPages:
    """Decides whose text items get, and keeps the decisions until the items have left the pipelines."""

    def __init__(self, crawl: Crawl, pages: CrawledPages):
        self._crawl = crawl
        self._pages = pages
        # by id: some kinds of items, such as plain dicts, allow neither attributes nor weak references
        self._answers: dict[int, ItemPage] = {}
        self._responses: WeakKeyDictionary[Response, ResponseItems] = WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._answers)

    def begin(self, response: Response) -> None:
        """Record that the callback of a response is running, in this task and any task that it starts."""
        _scraped.set(weakref.ref(response))

    async def take(self, response: Response, item: Any) -> list[Any]:
        """Take an item that leaves the spider; return copies of the response's items that may now pass."""
        siblings = await self._siblings(response)
        item = copied(item)  # the spider's own object may be stored elsewhere, or yielded again
        named = await self._named(item, siblings)
        return self._decided(siblings.take(item, named), siblings)

    def rest(self, response: Response) -> list[Any]:
        """Return the held item, if any, after the callback has ended."""
        siblings = self._responses.get(response)
        return [] if siblings is None else self._decided(siblings.rest(), siblings)

    async def of(self, item: Any) -> ItemPage:
        """Return the decision about an item in the pipelines."""
        answer = self._answers.get(id(item))
        if answer is None and (answer := self._in_this_task()) is not None:  # a pipeline between ours has replaced it
            self.add_copy(answer.items[0], item)
        # not decided yet: from `start()`, from `scrapy parse`, or replaced by a pipeline before ours
        answer = answer or await self._late(item)
        _processed.set(answer)
        return answer

    def add_copy(self, item: Any, changed: Any) -> None:
        """Treat `changed` like `item` from now on."""
        answer = self._answers.get(id(item))
        if answer is not None and changed is not item:
            answer.items.append(changed)
            self._answers[id(changed)] = answer

    def with_field(self, item: Any, field: str, value: Any) -> Any:
        """Set a field of an item; return it, or its changed copy if its class is frozen."""
        changed = with_field(item, field, value)
        self.add_copy(item, changed)
        return changed

    def left(self, item: Any, response: Response | None) -> ItemPage | None:
        """Forget an item that has left the pipelines; return the decision about it, None if unknown."""
        # a later pipeline may have replaced it: then it is the one that this task processes, or else the only one of
        # its response on the way to the index
        answer, processed = self._answers.get(id(item)), self._in_this_task()
        if answer is None and processed is not None and processed.siblings.response is response:
            answer = processed
        if answer is None and response is not None:
            own = {one for one in self._answers.values() if one.delivery and one.siblings.response is response}
            answer = own.pop() if len(own) == 1 else None
        if answer is not None:
            self._forget(answer)
        return answer

    def _in_this_task(self) -> ItemPage | None:
        answer = _processed.get() if is_asyncio_available() else None
        return None if answer is None or answer.has_left else answer

    def _forget(self, answer: ItemPage, _: object = None) -> None:
        answer.has_left, answer.end = True, None
        for item in answer.items:
            self._answers.pop(id(item), None)
        answer.items.clear()

    async def _siblings(self, response: Response) -> ResponseItems:
        request, pages = response.request, self._pages
        page = None if request is None or response in self._responses else await pages.read(request, response)
        siblings = self._responses.get(response)
        if siblings is None:
            settings = self._crawl.settings if request is None else pages.settings_for(request)
            if page is None and settings.enabled:  # the response is a placeholder: a page object has fetched the page
                page = pages.recent.get(response.url)
            siblings = self._responses[response] = ResponseItems(response, settings, page)
        return siblings

    async def _named(self, item: Any, siblings: ResponseItems) -> _Named:
        """Return the page that an item names, if the spider has fetched it."""
        url = url_in(item, self._crawl.settings.url_field)
        if not url:
            return _Named()
        url = siblings.absolute(url)
        name, fetched = spelling(url), self._pages.recent
        if url in siblings.names:
            return _Named(this=True)
        if name in siblings.names:
            return _Named(this="#" not in url)
        page = fetched.get(url) or fetched.get(name)
        may_declare = page is None and siblings.page is not None
        if may_declare and await siblings.declares(name, self._crawl.beside):
            return _Named(this=True)
        return _Named(other=url, other_page=page)

    async def _late(self, item: Any) -> ItemPage:
        """Decide about an item that is already in the pipelines."""
        made_from = _scraped.get() if is_asyncio_available() else None
        response = None if made_from is None else made_from()
        if response is None:
            siblings = ResponseItems(None, self._crawl.settings, None)
        else:
            siblings = await self._siblings(response)
        named = await self._named(item, siblings)
        if not siblings.counted:
            siblings.count(named)
            await asyncio.sleep(0)  # `scrapy parse` processes all items of a response at once: count them first
        return self._decide(item, named, siblings)

    def _decided(self, items: Sequence[tuple[Any, _Named]], siblings: ResponseItems) -> list[Any]:
        for item, named in items:
            try:
                answer = self._decide(item, named, siblings)
                if siblings.response is not None:  # the item may be dropped before it reaches a pipeline
                    answer.end = weakref.ref(siblings.response, partial(self._forget, answer))
            except Exception as error:
                self._crawl.report("process_spider_output", error)
        return [item for item, _ in items]

    def _decide(self, item: Any, named: _Named, siblings: ResponseItems) -> ItemPage:
        settings, page, reason = siblings.settings, None, ""
        if not settings.enabled:
            reason = OPTED_OUT
        elif named.other:
            page, reason = named.other_page, "" if named.other_page is not None else ELSEWHERE
        elif siblings.page is None:
            reason = NO_PAGE
        elif siblings.is_about(named):
            page = siblings.page
        else:
            page, reason = siblings.page if settings.shared_body else None, SEVERAL
        settings = settings if page is None else page.settings
        answer = self._answers[id(item)] = ItemPage([item], settings, page, reason, siblings)
        if page is None and reason in _SAID:
            about = (answer.url or "start()", named.other)[: _SAID[reason].count("%")]
            self._crawl.say_once(reason, logging.INFO, _SAID[reason], *about)
        return answer
