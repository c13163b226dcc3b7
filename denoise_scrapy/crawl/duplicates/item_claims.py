"""Which items on their way through the pipelines hold a text of the index, until it is known what becomes of them."""

from __future__ import annotations

import asyncio
import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from scrapy.http import Response

if TYPE_CHECKING:
    from denoise_scrapy.crawl.duplicates.index import ItemText

_current: ContextVar[Claim | None] = ContextVar("denoise_claim", default=None)


class Claim:
    """The text of one item, kept in the index for as long as the item is on its way.

    Attributes:
        text: What of the item went to the index.
        items: The item, and copies of it that our pipelines made; held, so that no id is given to another object.
        unchecked: Whether the index could not be asked about it.
        over: Set when it is known what became of the item.
    """

    def __init__(self, text: ItemText, items: list[Any], response: Response | None):
        self.text = text
        self.items = items
        self.unchecked = False
        self.over = asyncio.Event()
        self._response = None if response is None else weakref.ref(response)

    def is_of(self, response: Response | None) -> bool:
        """Whether the item was made from a response; None: from none."""
        return (None if self._response is None else self._response()) is response


class Claims:
    """A table from items in the pipelines to their claims.

    A later pipeline may replace the item by another object, which Scrapy's signal hands over when the item was
    scraped. Such an object is known by the context in which it was processed, else as the only one that its response
    has on the way.
    """

    def __init__(self) -> None:
        self._by_item: dict[int, Claim] = {}
        self._open: dict[tuple[str, str], Claim] = {}  # by key and scope

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, text: ItemText, items: list[Any], response: Response | None) -> Claim:
        """Note that an item's text goes to the index.

        Args:
            text: What of the item goes there.
            items: The item, as it is now first, and what else it was on its way.
            response: What it was made from.
        """
        claim = Claim(text, items, response)
        for item in items:
            self._by_item[id(item)] = claim
        self._open[text.key, text.scope] = claim
        _current.set(claim)
        return claim

    def add_copy(self, claim: Claim, item: Any) -> None:
        """Let a changed copy stand for the item of a claim, beside it."""
        claim.items.append(item)
        self._by_item[id(item)] = claim

    def of(self, item: Any, response: Response | None) -> Claim | None:
        """The claim of an item that has left the pipelines, None where it has none."""
        claim = self._by_item.get(id(item))
        if claim is not None:
            return claim
        claim = _current.get()
        if claim is not None and not claim.over.is_set() and claim.is_of(response):
            return claim
        ofs = [] if response is None else [claim for claim in self._open.values() if claim.is_of(response)]
        return ofs[0] if len(ofs) == 1 else None

    def named(self, key: str, scope: str) -> Claim | None:
        """The open claim on a key."""
        return self._open.get((key, scope))

    def end(self, claim: Claim) -> None:
        """Forget a claim, and wake those that wait for it."""
        for item in claim.items:
            if self._by_item.get(id(item)) is claim:
                del self._by_item[id(item)]
        name = claim.text.key, claim.text.scope
        if self._open.get(name) is claim:
            del self._open[name]
        claim.over.set()

    def all(self) -> list[Claim]:
        """Claims of which it is not known what became of their items."""
        return list(dict.fromkeys(self._by_item.values()))
