"""Checking the items of a crawl for near-duplicates, and following kept items to their delivery.

The text of an item becomes final in the index when the item is delivered; otherwise it is withdrawn. An item is
delivered when it has left the last pipeline and, if Scrapy has feeds, one of them has written it. If it is dropped or
fails earlier, or its process is killed, its near-duplicates must not be dropped, so they wait for its outcome.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from itertools import count
from typing import Any

from scrapy import signals
from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available
from twisted.python.failure import Failure

from denoise_scrapy.body.fields import CHUNKS
from denoise_scrapy.crawl.crawl_index import CrawlIndex
from denoise_scrapy.crawl.feeds import Feeds
from denoise_scrapy.crawl.parts import LARGE, LONGEST_WAIT, LOOK_AGAIN, MOST_OF_ALL, Crawl, beside
from denoise_scrapy.crawl.passages import Passage, Passages, Spellings
from denoise_scrapy.dedup import DuplicateIndex, Verdict
from denoise_scrapy.dedup.variants import site_of

# Maximum items held while a feed cannot be written, some tens of KB each. Beyond, the oldest are withdrawn, so that
# their copies are kept as well.
MOST_UNWRITTEN = 1000
# Statuses of a page that is gone.
GONE = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.GONE})


class Duplicates:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end."""

    def __init__(self, crawl: Crawl, passages: Passages):
        self.index = CrawlIndex(crawl)
        self.spellings = Spellings()
        self.feeds = Feeds(crawl.crawler)
        self._crawl = crawl
        self._passages = passages
        self._open: dict[Passage, None] = {}  # items with a claim, in order
        self._unwritten: list[Passage] = []  # delivered, but a feed could not be written
        # whose chunks a feed lists if they have changed; "" without such a feed
        self.chunk_field = crawl.settings.fields.get(CHUNKS, "") if self.feeds.lists_changes else ""
        self.gone_chunks: list[tuple[str, str]] = []  # URL and id of the chunks of pages that are gone, at the end
        self._gone: dict[str, None] = {}  # URLs of pages that are gone
        # after Scrapy's feeds: extensions are created first
        connect = crawl.crawler.signals.connect
        connect(self._item_scraped, signals.item_scraped)
        connect(self._item_dropped, signals.item_dropped)
        connect(self._item_error, signals.item_error)
        if self.chunk_field:
            connect(self._note_gone, signals.response_received)

    async def check(self, passage: Passage) -> Verdict | None:
        """Check the text of an item, and keep it unless it is a copy; None if the index cannot be used now."""
        self._open[passage] = None
        try:
            verdict = await self._judged(passage)
        except BaseException:
            self._let_pass(passage)
            raise
        if verdict is None:
            passage.is_unchecked = True
            self._crawl.count("dedup/unchecked")
        elif verdict.duplicate or (verdict.since is not None and not verdict.updated and not verdict.claim):
            self._let_pass(passage)
        else:
            passage.claim = verdict.claim
        return verdict

    def old_chunks(self, item: Any) -> Sequence[str] | None:
        """Return the ids of the chunks that an item replaces; None if none of its own are new."""
        passage = self._passages.find(item)
        return () if passage is None else passage.old_chunks

    def _note_gone(self, response: Response) -> None:
        if response.status not in GONE:
            self._gone.pop(response.url, None)
        elif len(self._gone) < MOST_OF_ALL:  # others are found gone by the next crawl
            self._gone[response.url] = None

    def _forget_gone(self, index: DuplicateIndex) -> list[tuple[str, str]]:
        """Forget the items of pages that are gone; return the URL and id of each of their chunks."""
        found = []
        for url in self._gone:
            scope = site_of(url) if self._crawl.settings.dedup_scope == "site" else ""
            for number in count(1):  # items of one page have numbered keys
                key = Spellings.of(url)[1] + (f"#{number}" if number > 1 else "")
                ids = index.chunks(key, scope)
                if not ids:
                    break
                index.remove(key, scope)
                found += [(url, name) for name in ids]
        return found

    def _item_dropped(self, item: Any, response: Response | None, exception: Exception) -> None:
        self._lost(self._passages.end(item, response, exception))

    def _item_error(self, item: Any, response: Response | None, failure: Failure) -> None:
        self._lost(self._passages.end(item, response, failure.value))

    def _lost(self, passage: Passage | None) -> None:
        if passage in self._open:
            self._end(passage, lost=True)

    def _item_scraped(self, item: Any, response: Response | None) -> None:
        passage = self._passages.end(item, response)
        if item is None:  # by a pipeline that returns nothing
            self._lost(passage)
            return
        followed = passage if passage in self._open else None
        took = True
        if self.feeds.exporter is not None:  # before another item reaches the feeds
            took = self.feeds.took(None if followed is None else followed.text[:3:2])
        if followed is None:
            return
        if not took:
            self._end(followed, lost=True)
            return
        self._unwritten.append(followed)
        try:
            if self.feeds.exporter is not None:
                self.feeds.flush()
        except OSError as error:
            message = "A feed cannot be written; copies of its items wait until it can: %s"
            self._crawl.say_once("unwritten", message, error)
            while len(self._unwritten) > MOST_UNWRITTEN:
                self._crawl.count("memory/evicted/unwritten")
                self._end(self._unwritten.pop(0), lost=True)
            return
        written, self._unwritten = self._unwritten, []
        for each in written:
            self._end(each, lost=False)

    async def finish(self) -> None:
        """Settle the remaining items, whose final objects are unknown; those that failed are no longer among them."""
        for passage in list(self._open):
            self.index.end(passage.text, passage.claim, lost=False)
            self._let_pass(passage)
        if self._gone:
            self.gone_chunks = await self.index.use(self._forget_gone) or []
            if self.gone_chunks:
                self.feeds.open_changes()
        await self.index.finish()

    async def _judged(self, passage: Passage) -> Verdict | None:
        """Judge a text with the index; for a near-duplicate, wait for the outcome of the kept item."""
        text, page, rule = passage.text, passage.own_page, self._crawl.settings.dedup_rule
        if page is not None and page.whole and (whole := await self._kept(page.whole)):
            return Verdict(duplicate=True, of=whole, score=1.0, c1=1.0)
        aside = len(text.text) > LARGE
        read = await beside(lambda: text.read(rule)) if aside else text.read(rule)
        if not is_asyncio_available():  # the item passes if the kept item may still be lost
            verdict = await self.index.check(text, read)
            return replace(verdict, duplicate=False, of=None) if verdict and verdict.pending else verdict
        now = asyncio.get_running_loop().time
        until = now() + LONGEST_WAIT
        while True:
            verdict = await self.index.check(text, read, aside=aside)
            if verdict is None or not verdict.pending or (page is not None and verdict.of in page.item_keys):
                return verdict
            if now() >= until:
                self._crawl.count("dedup/passed/waited_in_vain")
                return await self.index.use(lambda index: self.index.add(index, text))
            await self._outcome(str(verdict.of), text.scope, until - now())

    async def _kept(self, keys: set[str]) -> str:
        """Return the first of some keys of one page's items once these have ended; "" if they were lost."""
        if not is_asyncio_available():
            return ""
        waiting = [one.over.wait() for one in self._open if one.text.key in keys]
        try:
            await asyncio.wait_for(asyncio.gather(*waiting), LONGEST_WAIT)
        except asyncio.TimeoutError:
            return ""
        return min(keys, default="")

    def _end(self, passage: Passage, *, lost: bool) -> None:
        """Have the text of an item made final, or withdrawn, and wake the copies waiting for its end."""
        if lost and passage.own_page is not None:
            passage.own_page.item_keys.discard(passage.text.key)
        self._let_pass(passage)
        if passage.claim or (passage.is_unchecked and not lost):
            self.index.end(passage.text, passage.claim, lost=lost)

    def _let_pass(self, passage: Passage) -> None:
        """Stop following an item, and wake the copies waiting for its end."""
        self._open.pop(passage, None)
        passage.over.set()

    async def _outcome(self, key: str, scope: str, seconds: float) -> None:
        """Wait until the item with this key has ended, or the next check of the index is due."""
        same = next((one for one in reversed(self._open) if (one.text.key, one.text.scope) == (key, scope)), None)
        with suppress(asyncio.TimeoutError):
            waiting = asyncio.sleep(LOOK_AGAIN) if same is None else same.over.wait()
            await asyncio.wait_for(waiting, seconds)
