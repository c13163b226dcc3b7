"""Scrapy's feeds of a crawl, which may reject items (`item_filter`, `item_classes`), and may fail to be written."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Any

from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.utils.datatypes import LocalCache

from denoise_scrapy.crawl.parts import MOST_OF_ALL
from denoise_scrapy.support.shown import logger_of

logger = logger_of(__name__)

#: The format of feeds that list changed chunks.
CHANGES = "chunk-changes"


class Feeds:
    """The feeds, and which of them rejected a kept item."""

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._counts: dict[str, tuple[int, int]] = {}  # by feed; an extension of the project may add and remove some
        # feeds, by the hash of an item's name; copies of forgotten items are dropped
        self._rejected: LocalCache[int, list[str]] = LocalCache(MOST_OF_ALL)
        feeds = crawler.settings.getdict("FEEDS").values()
        self.lists_changes = any(isinstance(one, Mapping) and one.get("format") == CHANGES for one in feeds)

    @cached_property
    def exporter(self) -> FeedExporter | None:
        """Scrapy's extension that writes them; None if there are none."""
        found: FeedExporter | None = self._crawler.get_extension(FeedExporter)
        return found

    @property
    def _slots(self) -> list[Any]:
        # an extension of the project may have others
        return [slot for slot in getattr(self.exporter, "slots", ()) if isinstance(slot, FeedSlot)]

    def took(self, name: Hashable | None) -> bool:
        """Return whether any feed has accepted the last scraped item, or there is none; call after each item.

        Args:
            name: The item's name if its text is kept, None for other items.
        """
        # filters called again may decide differently, such as one that accepts only a hundred items
        counts = {slot.uri_template: (slot.batch_id, slot.itemcount) for slot in self._slots}
        rejecting = [feed for feed, one in counts.items() if one == self._counts.get(feed, (1, 0))]
        self._counts = counts
        if name is not None:
            self._rejected.pop(hash(name), None)
            if rejecting:
                self._rejected[hash(name)] = rejecting
        return not counts or len(rejecting) < len(counts)

    def may_take(self, item: Any, name: Hashable) -> bool:
        """Return whether a feed that rejected a kept item would accept a copy as it is now; True if a filter fails."""
        rejecting = self._rejected.get(hash(name), ())
        try:
            return any(slot.filter.accepts(item) for slot in self._slots if slot.uri_template in rejecting)
        except Exception as error:  # it may need a field that a later pipeline sets
            logger.debug("A feed's filter failed on an item that is still in the pipelines: %r", error)
            return True

    def open_changes(self) -> None:
        """Have Scrapy write feeds of changed chunks at the end even if they, or their last batches, have no items."""
        for slot in self._slots:
            if slot.format == CHANGES and not slot.itemcount:
                slot.start_exporting()
                slot.itemcount = 1  # others are not stored

    def flush(self) -> None:
        """Flush the feeds' buffers to the operating system, so that their content survives the process."""
        # feeds that are compressed, or stored only at the end, are lost with the process in any case
        for slot in self._slots:
            is_open = hasattr(slot.file, "flush") and not getattr(slot.file, "closed", True)
            if is_open and "postprocessing" not in slot.feed_options:
                slot.file.flush()
