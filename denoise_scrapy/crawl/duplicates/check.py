"""Whether an item repeats another: asks the index, and waits for what becomes of the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.crawl.duplicates.deliveries import Deliveries
from denoise_scrapy.crawl.duplicates.index_guard import IndexGuard

if TYPE_CHECKING:
    from denoise_scrapy.crawl.duplicates.index import ItemText
    from denoise_scrapy.crawl.duplicates.item_claims import Claim
    from denoise_scrapy.crawl.pages import CrawledPage
    from denoise_scrapy.crawl.state import CrawlState
    from denoise_scrapy.dedup import DuplicateIndex, Verdict

# Seconds that a near-duplicate waits while the item that it repeats is in the pipelines still, where it may be dropped
# or fail: what a slow pipeline takes. Then it passes.
LONGEST_WAIT = 60.0


class DuplicateCheck:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end.

    Args:
        state: The crawl.
    """

    def __init__(self, state: CrawlState):
        self._state = state
        self._guard = IndexGuard(state)
        self.deliveries = Deliveries(state, self._guard)

    @property
    def nbytes(self) -> int:
        """Bytes that the index holds beside its store, or held when it was closed."""
        return self._guard.nbytes

    def open(self) -> None:
        """Open the index.

        Raises:
            ConfigurationError: It is refused.
        """
        self._guard.open()

    async def finish(self) -> DuplicateIndex | None:
        """Make final what is left, and give the index for the last time; None where it cannot be used."""
        await self.deliveries.finish()
        return self._guard.index

    def close(self) -> None:
        """Close the index."""
        self._guard.close()

    async def check(self, item: Any, text: ItemText, page: CrawledPage | None) -> tuple[Claim, Verdict | None]:
        """Check an item, and keep its text if it repeats none.

        Args:
            item: The item.
            text: What of it is compared.
            page: The page whose text is its own, if it is one's: other items of that text are no copies.

        Returns:
            Its claim, and the verdict; None where the index cannot be used now.

        Raises:
            ValueError: Its text or key cannot be written as UTF-8.
        """
        claim = self.deliveries.begin(item, text)
        try:
            verdict = await self._judge(text, page)
        except BaseException:
            self.deliveries.cancel(claim)
            raise
        if verdict is None:
            claim.unchecked = True
            self._state.count("dedup/unchecked")
        elif verdict.duplicate:
            self.deliveries.cancel(claim)
        return claim, verdict

    async def _judge(self, text: ItemText, page: CrawledPage | None) -> Verdict | None:
        """Ask the index, and wait while it is not known what becomes of the item that this one repeats."""
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
                self._state.count("dedup/waited_in_vain")
                return await guard.ask(lambda index: _kept(index, text))
            self._state.count("dedup/waits")
            await self.deliveries.outcome(str(verdict.of), text.scope, until - now())


def _check(index: DuplicateIndex, text: ItemText) -> Verdict:
    return index.check_and_add(text.key, text.text, scope=text.scope, group=text.group, claim=True)


def _kept(index: DuplicateIndex, text: ItemText) -> Verdict:
    """Keep a text whatever it is like."""
    return index.add(text.key, text.text, scope=text.scope, group=text.group)


def _passing(verdict: Verdict) -> Verdict:
    """A verdict after which the item passes, if it repeats an item that may be lost yet."""
    return replace(verdict, duplicate=False, of=None) if verdict.pending else verdict
