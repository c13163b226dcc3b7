"""The passages of a crawl's items: started when an item leaves the spider, and taken along through the pipelines.

When it starts, it is decided whose text the item gets:

| the item | its text |
| --- | --- |
| is the only one of its response, and names no page or this one | the page's |
| is one of several of its response, but the only one that names this page | the page's |
| is one of several that name this page, a part of it, or none | none |
| names another page that the spider has already fetched | that page's |
| names any other page | none |
| comes from no callback (`start`, errbacks, signals), and names no page | none |

An item names the page whose URL is in its URL field. A page fetched only for comparison is never an item's page.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name

from denoise_scrapy.crawl.base import Crawl
from denoise_scrapy.crawl.passage import ELSEWHERE, SEVERAL, Named, Passage, ResponseItems
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.items import copied

# Logged for the first such item; others are only counted.
_SAID = {
    SEVERAL: "%s yields several items, so its text is not given to any of them. DENOISE_SHARED_BODY = True gives it to "
    "each of them. (Further such items: denoise/body/several)",
    ELSEWHERE: "An item from %s names a page that the spider has not fetched, %r, and gets no text: follow that link, "
    "and yield the item from its callback. (Further such items: denoise/body/elsewhere)",
}
# Maximum passages that wait to be found: hundreds at a time, unless other components drop items before the pipelines.
MOST_HANDED_ON = 10_000
# Requests of `scrapy parse`, which hands items to the pipelines itself, have this in their meta.
PARSE_META = "_callback"


class Passages:
    """Starts passages, and finds them.

    Scrapy gives pipelines and signals the item alone. So a passage is found by its item in what was handed on: by the
    spider, to a pipeline, and to the signal of the item's end.
    """

    def __init__(self, crawl: Crawl, pages: CrawledPages):
        self._crawl = crawl
        self._pages = pages
        self._handed_on: deque[Passage] = deque(maxlen=MOST_HANDED_ON)
        self._responses: WeakKeyDictionary[Response, ResponseItems] = WeakKeyDictionary()
        self._parsed: Callable[[], Response | None] = lambda: None  # the response that `scrapy parse` parses

    def __len__(self) -> int:
        return len(self._handed_on)

    def begin(self, response: Response) -> None:
        """Note a response that enters its callback."""
        if response.request is not None and PARSE_META in response.request.meta:
            self._parsed = weakref.ref(response)

    async def take(self, response: Response, item: Any) -> list[Any]:
        """Take an item that leaves the spider; return copies of the response's items that may now pass."""
        siblings = self._responses.get(response) or await self._siblings(response)
        item = copied(item)  # the spider's own object may be stored elsewhere, or yielded again
        named = await siblings.named(item, self._crawl.settings.url_field, self._pages.recent)
        return self._started(siblings.take(item, named))

    def rest(self, response: Response) -> list[Any]:
        """Return the held item, if any, after the callback has ended."""
        siblings = self._responses.get(response)
        return [] if siblings is None else self._started(siblings.rest())

    def hand_on(self, passage: Passage) -> None:
        """Leave a passage to be found by its item."""
        while self._handed_on and self._handed_on[0].siblings.is_over:  # its item was dropped before the pipelines
            self._handed_on.popleft()
        self._handed_on.append(passage)

    def taken(self, item: Any) -> Passage | None:
        """Return the passage that was handed on with an item, None if there is none."""
        for number, found in enumerate(self._handed_on):
            if found.item is item or found.original is item:
                del self._handed_on[number]
                return found
        return None

    def taken_back(self, passage: Passage) -> None:
        """Take a passage back that was handed on, if it is still there."""
        with suppress(ValueError):
            self._handed_on.remove(passage)

    async def of(self, item: Any) -> Passage:
        """Return the passage of an item that enters a pipeline; a new one for an item from no callback."""
        return self.taken(item) or await self._late(item)

    async def _late(self, item: Any) -> Passage:
        response, named = self._parsed(), Named()
        siblings = ResponseItems(None, self._crawl.settings, None)
        try:
            if response is not None:
                siblings = self._responses.get(response) or await self._siblings(response)
            if ItemAdapter.is_item(item):
                named = await siblings.named(item, self._crawl.settings.url_field, self._pages.recent)
        except Exception as error:
            self._crawl.report("passage", error, siblings.url)
        siblings.count(named)
        if response is not None:
            await asyncio.sleep(0)  # all items of a response are parsed at once: count them first
        return self._noted(siblings.passage(item, named))

    async def _siblings(self, response: Response) -> ResponseItems:
        request, pages = response.request, self._pages
        page, settings = pages.crawled.get(request), self._crawl.settings
        if page is None and request is not None:
            page, settings = await pages.read(request, response), pages.settings_for(request)
        elif page is not None:
            settings = page.settings
        if page is None and settings.enabled:  # the response is a placeholder: a page object has fetched the page
            page = pages.recent.get(response.url)
        return self._responses.setdefault(response, ResponseItems(response, settings, page))

    def _started(self, passages: Iterable[Passage]) -> list[Any]:
        """Hand on passages, and return their items."""
        ready = []
        for passage in passages:
            self.hand_on(self._noted(passage))
            ready.append(passage.item)
        return ready

    def _noted(self, passage: Passage) -> Passage:
        """Log why an item has no text, for the first of each reason."""
        reason = passage.reason
        if passage.page is None and reason in _SAID:
            about = (passage.url or "start()", passage.named)[: _SAID[reason].count("%")]
            self._crawl.say_once(reason, logging.INFO, _SAID[reason], *about)
        return passage


Lost = Callable[[Passage], None]


class _Step(NamedTuple):
    """A pipeline."""

    name: str
    method: Callable[[Any], Any]
    is_ours: bool


class FollowedPipelines(ItemPipelineManager):
    """Scrapy's manager of pipelines, which takes an item's passage along: a pipeline may replace the item."""

    passages: Passages
    lost: Lost | None  # called for an item that a pipeline drops, or that makes one fail
    steps: list[_Step]

    async def process_item_async(self, item: Any) -> Any:
        """Return an item after all pipelines."""
        passage = await self.passages.of(item)
        try:
            for name, method, is_ours in self.steps:
                if is_ours:
                    await method(passage)
                else:
                    passage.item = await ensure_awaitable(method(passage.item), _warn=name)
        except BaseException:
            if self.lost is not None:
                self.lost(passage)
            raise
        if self.lost is not None:
            self.passages.hand_on(passage)  # to the signal of its end
        return passage.item


def follow(crawler: Crawler, passages: Passages, lost: Lost | None) -> None:
    """Have a crawl's manager of pipelines take passages along, unless it is of an unusual kind."""
    engine: Any = crawler.engine
    manager: Any = engine.scraper.itemproc
    own = type(manager)
    if issubclass(own, ItemPipelineManager) and not issubclass(own, FollowedPipelines):
        # of the project's ITEM_PROCESSOR, whose methods come first
        bases = (FollowedPipelines,) if own is ItemPipelineManager else (own, FollowedPipelines)
        steps = [_step(manager, passages, method) for method in manager.methods["process_item"]]
        manager.__class__ = type(own.__name__, bases, {})
        manager.passages, manager.lost, manager.steps = passages, lost, steps


def _step(manager: Any, passages: Passages, method: Any) -> _Step:
    name, pipeline = global_object_name(method), getattr(method, "__self__", None)
    process = getattr(pipeline, "process", None) if getattr(pipeline, "takes_passages", False) else None
    if process is not None:
        is_plain = "denoise_scrapy" in method.__func__.__module__
        return _Step(name, process if is_plain else partial(_handed, passages, method), is_ours=True)
    if method in manager._mw_methods_requiring_spider:  # an old signature
        method = partial(_with_spider, method, manager)
    return _Step(name, method, is_ours=False)


async def _handed(passages: Passages, method: Any, passage: Passage) -> None:
    """Call a method of a subclass of our pipelines, which calls ours with the item alone."""
    passages.hand_on(passage)
    try:
        passage.item = await ensure_awaitable(method(passage.item))
    finally:
        passages.taken_back(passage)


def _with_spider(method: Any, manager: Any, item: Any) -> Any:
    return method(item, manager.crawler.spider)
