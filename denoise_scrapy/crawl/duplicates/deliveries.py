"""Makes texts of the index final when their items were delivered, and takes back those of items that were not."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import Response

from denoise_scrapy.crawl.duplicates.feed_flush import flush_feeds
from denoise_scrapy.crawl.duplicates.item_claims import Claim, Claims

if TYPE_CHECKING:
    from denoise_scrapy.crawl.duplicates.index import ItemText
    from denoise_scrapy.crawl.duplicates.index_guard import IndexGuard
    from denoise_scrapy.crawl.state import CrawlState

# Seconds between two looks at what became of an item of another process; of an item of ours we are told.
LOOK_AGAIN = 0.25
# Items delivered while a feed cannot be written, which are held with their texts, some tens of KB each. Of more the
# oldest are taken back: a copy of theirs is kept as well then.
MOST_UNWRITTEN = 1000


class Deliveries:
    """Follows items from the near-duplicate pipeline to their end.

    An item is delivered when it has left the last pipeline and Scrapy's feeds have written it. It may be dropped or
    fail before, or its process may be killed: then its copies are none, and must not be dropped for it.

    Args:
        state: The crawl.
        guard: Its index.
    """

    def __init__(self, state: CrawlState, guard: IndexGuard):
        self._state = state
        self._guard = guard
        self._claims = Claims()
        self._unwritten: list[Claim] = []  # delivered, but a feed could not be written
        self._taken_back = 0
        state.memories.watch("unwritten", evicted=lambda: self._taken_back)
        connect = state.crawler.signals.connect
        # after those of Scrapy's feeds, which are connected before any pipeline is made
        connect(self._scraped, signals.item_scraped)
        connect(self._lost, signals.item_dropped)
        connect(self._lost, signals.item_error)

    def begin(self, item: Any, text: ItemText) -> Claim:
        """Follow an item whose text goes to the index."""
        items = self._state.items
        return self._claims.begin(text, items.objects(item), items.response(item))

    def add_copy(self, claim: Claim, item: Any) -> None:
        """Follow a changed copy of an item too."""
        self._claims.add_copy(claim, item)

    def cancel(self, claim: Claim) -> None:
        """Follow an item no longer, since its text was not kept."""
        self._claims.end(claim)

    async def outcome(self, key: str, scope: str, seconds: float) -> None:
        """Wait until it is known what became of the item of a key, or it is time to ask the index again."""
        claim = self._claims.named(key, scope)
        with suppress(asyncio.TimeoutError):
            waiting = asyncio.sleep(LOOK_AGAIN) if claim is None else claim.over.wait()
            await asyncio.wait_for(waiting, seconds)

    async def finish(self) -> None:
        """Settle what is left: items whose last object nobody could tell. Those that failed were told by name."""
        for claim in self._claims.all():
            await self._settle(claim)

    async def _scraped(self, item: Any, response: Response | None) -> None:
        claim = self._claims.of(item, response)
        if claim is not None:
            await self._settle(claim)

    async def _lost(self, item: Any, response: Response | None) -> None:
        claim = self._claims.of(item, response)
        if claim is not None:
            await self._withdraw(claim)

    async def _withdraw(self, claim: Claim) -> None:
        text = claim.text
        try:
            found = await self._guard.ask(lambda index: index.withdraw(text.key, scope=text.scope))
            if found is None:
                self._guard.missed(text, delivered=False)
            elif found:
                self._state.count("dedup/withdrawn")
        except Exception as error:
            self._state.report("dedup", error)
        finally:
            self._claims.end(claim)

    async def _settle(self, claim: Claim) -> None:
        self._unwritten.append(claim)
        try:
            flush_feeds(self._state.crawler)
        except OSError as error:
            self._say_unwritten(error)
            while len(self._unwritten) > MOST_UNWRITTEN:
                self._taken_back += 1
                await self._withdraw(self._unwritten.pop(0))
            return
        written, self._unwritten = self._unwritten, []
        for each in written:
            await self._make_final(each)

    async def _make_final(self, claim: Claim) -> None:
        text = claim.text
        try:
            if claim.unchecked or await self._guard.ask(lambda index: index.settle(text.key, scope=text.scope)) is None:
                self._guard.missed(text, delivered=True)
        except Exception as error:
            self._state.report("dedup", error)
        finally:
            self._claims.end(claim)

    def _say_unwritten(self, error: OSError) -> None:
        self._state.count("dedup/unwritten")
        self._state.say_once(
            "unwritten",
            logging.WARNING,
            "A feed cannot be written; copies of its items wait until it can: %s",
            error,
        )
