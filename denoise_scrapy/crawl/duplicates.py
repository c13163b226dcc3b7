"""Whether an item repeats another: what of it is compared, and the wait for what becomes of the other."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import is_asyncio_available
from w3lib.url import canonicalize_url

from denoise_scrapy.crawl.deliveries import Deliveries
from denoise_scrapy.crawl.index_guard import IndexGuard, ItemText
from denoise_scrapy.items import ComparedFields, get_field, url_in
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from denoise_scrapy.crawl.item_pages import ItemPage
    from denoise_scrapy.crawl.pages import CrawledPage
    from denoise_scrapy.crawl.state import CrawlState
    from denoise_scrapy.dedup import DuplicateIndex, Verdict

# Seconds that a near-duplicate waits while the item that it repeats is in the pipelines still, where it may be dropped
# or fail: what a slow pipeline takes. Then it passes.
LONGEST_WAIT = 60.0
# Kept items counted at a time: a megabyte of keys. When there are more, the half with the fewest copies is forgotten.
MOST_COUNTED = 10_000


class DuplicateCheck:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._log = state.log
        self._items = state.items
        self._guard = guard = IndexGuard(state.crawler, state.settings, state.log)
        self.deliveries = deliveries = Deliveries(state.crawler, state.log, guard)
        watch = state.memories.watch
        watch("index", nbytes=lambda: guard.nbytes)
        watch("undelivered", evicted=lambda: guard.left_out)
        watch("unwritten", evicted=lambda: deliveries.taken_back)

    def open(self) -> None:
        """Open the index.

        Raises:
            ConfigurationError: It is refused.
        """
        self._guard.open()

    async def finish(self) -> DuplicateIndex | None:
        """Make final what is left, and return the index for the last time; None where it cannot be used."""
        await self.deliveries.finish()
        return self._guard.index

    def close(self) -> None:
        """Close the index."""
        self._guard.close()

    async def check(self, item: Any, text: ItemText, page: CrawledPage | None) -> Verdict | None:
        """Check an item, and keep its text if it repeats none.

        Args:
            item: The item.
            text: What of it is compared.
            page: The page whose text is its own, if it is one's: other items of that text are no copies.

        Returns:
            The verdict; None where the index cannot be used now.

        Raises:
            ValueError: Its text or key cannot be written as UTF-8.
        """
        delivery = self.deliveries.begin(text, self._items.objects(item), self._items.response(item))
        try:
            verdict = await self._judge(text, page)
        except BaseException:
            self.deliveries.end(delivery)
            raise
        if verdict is None:
            delivery.unchecked = True
            self._log.count("dedup/unchecked")
        elif verdict.duplicate:
            self.deliveries.end(delivery)
        else:
            delivery.claim = verdict.claim
        return verdict

    async def _judge(self, text: ItemText, page: CrawledPage | None) -> Verdict | None:
        """Use the index, and wait while it is not known what becomes of the item that this one repeats."""
        guard = self._guard
        if not is_asyncio_available():
            return await guard.ask(lambda index: _passing(_check(index, text)))
        now = asyncio.get_running_loop().time
        until = now() + LONGEST_WAIT
        while True:
            verdict = await guard.ask(lambda index: _check(index, text))
            if verdict is None or not verdict.pending or (page is not None and verdict.of in page.item_keys):
                return verdict
            if now() >= until:
                self._log.count("dedup/waited_in_vain")
                return await guard.ask(lambda index: _kept(index, text))
            self._log.count("dedup/waits")
            await self.deliveries.outcome(str(verdict.of), text.scope, until - now())


def _check(index: DuplicateIndex, text: ItemText) -> Verdict:
    return index.check_and_add(text.key, text.text, scope=text.scope, group=text.group, claim=True)


def _kept(index: DuplicateIndex, text: ItemText) -> Verdict:
    """Keep a text whatever it is like."""
    return index.add(text.key, text.text, scope=text.scope, group=text.group)


def _passing(verdict: Verdict) -> Verdict:
    """A verdict after which the item passes, if it repeats an item that may be lost yet."""
    return replace(verdict, duplicate=False, of=None) if verdict.pending else verdict


def item_text(item: Any, whose: ItemPage) -> ItemText:
    """Return what of an item is compared with others: its own text, which may be none.

    The key is the item's key field, an URL in canonical form, or else the URL that the item was made from. Further
    items of one response with the same key get "#2", "#3" … added: they are different items, not updates.
    """
    settings = whose.settings
    fields = ComparedFields.parse(settings.dedup_fields)
    field = fields.text or settings.body_field
    text = get_field(item, field)
    if not isinstance(text, str) or not text.strip():
        return ItemText(obstacle="no_text")
    if whose.is_shared(field, text):
        return ItemText(obstacle="shared")
    key = _key(item, whose)
    if not key:
        return ItemText(obstacle="no_key")
    site = site_key(whose.url or key) if settings.dedup_scope == "site" else ""
    if whose.siblings is not None:
        key = whose.siblings.numbered(key)
    return ItemText(key, text, fields.scope(item, site), fields.group(item))


def _key(item: Any, whose: ItemPage) -> str:
    key = get_field(item, whose.settings.dedup_key_field)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    if not isinstance(key, str) or not key.strip():
        key = url_in(item, whose.settings.dedup_key_field) or whose.url
    return canonicalize_url(key.strip()) if site_key(key.strip()) else key.strip()


class CopyCounts:
    """Counts near-duplicates by the item they are copies of, in bounded memory.

    Attributes:
        items: Items so far.
        dropped: Those of them that were dropped.
        in_a_row: How many of these without another between.
        most: Key of the item with the most copies, "" before the first.
        most_copies: How many it has.
        evicted: Items of which it was forgotten how many copies they have.

    Example:
        >>> counts = CopyCounts()
        >>> for key in ("a", "b", "a"):
        ...     counts.count(key)
        >>> counts.most, counts.most_copies
        ('a', 2)
    """

    def __init__(self) -> None:
        self.items = self.dropped = self.in_a_row = 0
        self.most = ""
        self.most_copies = 0
        self.evicted = 0
        self._counts: Counter[str] = Counter()

    def count(self, key: str | None) -> None:
        """Count a copy of an item."""
        if key is None:
            return
        self._counts[key] += 1
        if self._counts[key] > self.most_copies:
            self.most, self.most_copies = key, self._counts[key]
        if len(self._counts) > MOST_COUNTED:
            self.evicted += len(self._counts) - MOST_COUNTED // 2
            self._counts = Counter(dict(self._counts.most_common(MOST_COUNTED // 2)))
