"""Follows items to their end: texts of the index become final when their items were delivered, and are else withdrawn.

An item is delivered when it has left the last pipeline and Scrapy's feeds have written it. It may be dropped or fail
before, or its process may be killed: then its copies are none, and must not be dropped for it.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from contextlib import suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from denoise_scrapy.crawl.index_guard import IndexGuard, ItemText
    from denoise_scrapy.crawl.log import CrawlLog

# Seconds between two looks at what became of an item of another process; the end of one of this crawl is a signal.
LOOK_AGAIN = 0.25
# Items delivered while a feed cannot be written, which are held with their texts, some tens of KB each. Of more the
# oldest are taken back: a copy of theirs is kept as well then.
MOST_UNWRITTEN = 1000

_current: ContextVar[Delivery | None] = ContextVar("denoise_delivery", default=None)


class Delivery:
    """An item on its way, and what of it is in the index.

    Attributes:
        text: What of the item went to the index.
        items: The item, and copies of it that our pipelines made; held, so that no id is given to another object.
        claim: Its claim in the index, 0 for none.
        unchecked: Whether the index could not be used for it.
        over: Set when it is known what became of the item.
    """

    def __init__(self, text: ItemText, items: Sequence[Any], response: Response | None):
        self.text = text
        self.items = items
        self.claim = 0
        self.unchecked = False
        self.over = asyncio.Event()
        self._response = None if response is None else weakref.ref(response)

    def is_of(self, response: Response | None) -> bool:
        """Whether the item was made from a response; None: from none."""
        return (None if self._response is None else self._response()) is response


class Deliveries:
    """The items on their way from the near-duplicate pipeline.

    A later pipeline may replace the item by another object, which Scrapy's signal hands over when the item was
    scraped. Such an object is known by the context in which it was processed, else as the only one that its response
    has on the way.

    Args:
        crawler: The crawl.
        log: Where its stats and messages go.
        guard: Its index.

    Attributes:
        taken_back: Items withdrawn because a feed could not be written for so long.
    """

    def __init__(self, crawler: Crawler, log: CrawlLog, guard: IndexGuard):
        self.taken_back = 0
        self._crawler = weakref.ref(crawler)
        self._log = log
        self._guard = guard
        self._by_item: dict[int, Delivery] = {}
        self._open: dict[tuple[str, str], Delivery] = {}  # by key and scope
        self._unwritten: list[Delivery] = []  # delivered, but a feed could not be written
        connect = crawler.signals.connect
        # after those of Scrapy's feeds, which are connected before any pipeline is made
        connect(self._scraped, signals.item_scraped)
        connect(self._lost, signals.item_dropped)
        connect(self._lost, signals.item_error)

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, text: ItemText, items: Sequence[Any], response: Response | None) -> Delivery:
        """Follow an item whose text goes to the index.

        Args:
            text: What of the item goes there.
            items: The item, as it is now first, and what else it was on its way.
            response: What it was made from.
        """
        delivery = Delivery(text, items, response)
        for item in items:
            self._by_item[id(item)] = delivery
        self._open[text.key, text.scope] = delivery
        _current.set(delivery)
        return delivery

    def end(self, delivery: Delivery) -> None:
        """Follow an item no longer, and wake those that wait for its end."""
        for item in delivery.items:
            if self._by_item.get(id(item)) is delivery:
                del self._by_item[id(item)]
        name = delivery.text.key, delivery.text.scope
        if self._open.get(name) is delivery:
            del self._open[name]
        delivery.over.set()

    def of(self, item: Any, response: Response | None) -> Delivery | None:
        """Return the delivery of an item that has left the pipelines, None where it is not followed."""
        delivery = self._by_item.get(id(item))
        if delivery is not None:
            return delivery
        delivery = _current.get()
        if delivery is not None and not delivery.over.is_set() and delivery.is_of(response):
            return delivery
        ofs = [] if response is None else [one for one in self._open.values() if one.is_of(response)]
        return ofs[0] if len(ofs) == 1 else None

    async def outcome(self, key: str, scope: str, seconds: float) -> None:
        """Wait until it is known what became of the item of a key, or it is time to look into the index again."""
        delivery = self._open.get((key, scope))
        with suppress(asyncio.TimeoutError):
            waiting = asyncio.sleep(LOOK_AGAIN) if delivery is None else delivery.over.wait()
            await asyncio.wait_for(waiting, seconds)

    async def finish(self) -> None:
        """Settle what is left: items whose last object is not known. Those that failed were named by their signals."""
        for delivery in list(dict.fromkeys(self._by_item.values())):
            await self._settle(delivery)

    async def _scraped(self, item: Any, response: Response | None) -> None:
        delivery = self.of(item, response)
        if delivery is not None:
            await self._settle(delivery)

    async def _lost(self, item: Any, response: Response | None) -> None:
        delivery = self.of(item, response)
        if delivery is not None:
            await self._withdraw(delivery)

    async def _withdraw(self, delivery: Delivery) -> None:
        try:
            found = await self._guard.ask(lambda index: index.withdraw(delivery.claim))
            if found is None:
                self._guard.missed(delivery.text._replace(text=""), delivery.claim)
            elif found:
                self._log.count("dedup/withdrawn")
        except Exception as error:
            self._log.report("dedup", error)
        finally:
            self.end(delivery)

    async def _settle(self, delivery: Delivery) -> None:
        self._unwritten.append(delivery)
        try:
            flush_feeds(self._crawler())
        except OSError as error:
            self._log.count("dedup/unwritten")
            message = "A feed cannot be written; copies of its items wait until it can: %s"
            self._log.say_once("unwritten", logging.WARNING, message, error)
            while len(self._unwritten) > MOST_UNWRITTEN:
                self.taken_back += 1
                await self._withdraw(self._unwritten.pop(0))
            return
        written, self._unwritten = self._unwritten, []
        for each in written:
            await self._make_final(each)

    async def _make_final(self, delivery: Delivery) -> None:
        try:
            if delivery.unchecked or await self._guard.ask(lambda index: index.settle(delivery.claim)) is None:
                self._guard.missed(delivery.text, delivery.claim)
        except Exception as error:
            self._log.report("dedup", error)
        finally:
            self.end(delivery)


def flush_feeds(crawler: Crawler | None) -> None:
    """Hand what the crawl's feeds have buffered to the operating system, which keeps it if the process is killed.

    A feed that is compressed, or stored at its end only, is lost with its process whatever is done here.

    Raises:
        OSError: A file cannot be written.
    """
    exporter: Any = None if crawler is None else crawler.get_extension(FeedExporter)
    for slot in getattr(exporter, "slots", ()):
        file: Any = getattr(slot, "file", None)
        if not getattr(file, "closed", True) and "postprocessing" not in getattr(slot, "feed_options", ()):
            file.flush()
