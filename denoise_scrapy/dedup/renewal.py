"""Building anew what is remembered, a little at a time, once much of it is dead.

A text removed or replaced leaves a tombstone in the catalog and its bits in the exact search: they cost time and memory
and no match. With a tenth dead, both are built anew beside the old ones from what the store still has, some texts with
each answer, and take their place when they are complete. A crawl never waits for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from denoise_scrapy.dedup.catalog import Catalog
from denoise_scrapy.dedup.exact import Forest
from denoise_scrapy.dedup.store import Listing, Store

DEAD_LEAST = 1000  # tombstones before it is worth the work
_DEAD_SHARE = 10
_STEP = 256  # texts with each answer: 5 ms; a tenth of these answers make a tombstone at most, so there is an end


def is_due(catalog: Catalog) -> bool:
    """Whether a tenth of a catalog is dead, and enough to be worth the work."""
    return catalog.dead > max(DEAD_LEAST, len(catalog) // _DEAD_SHARE)


class Renewal:
    """A catalog, and a forest where there was one, on their way to replace the old ones.

    Args:
        store: What they are built from.
        catalog: An empty catalog.
        forest: An empty forest, or None.

    """

    def __init__(self, store: Store, catalog: Catalog, forest: Forest | None) -> None:
        self.catalog = catalog
        self.forest = forest
        self._listings: Iterator[Listing] = (one for batch in store.newer(0) for one in batch)

    def step(self, last: int) -> bool:
        """Take in some more texts.

        Args:
            last: The highest id of the old catalog.

        Returns:
            Whether everything up to `last` is in.

        """
        found = list(islice(self._listings, _STEP))
        part = [one for one in found if one.id <= last]
        self.catalog.extend(part)
        if self.forest is not None:
            self.forest.catch_up([one.id for one in part])
        return len(part) < _STEP
