"""Which kept item has the most copies, and how many items are dropped for it."""

from __future__ import annotations

from collections import Counter

# Kept items counted at a time: a megabyte of keys. When there are more, the half with the fewest copies is forgotten.
_MOST = 10_000


class CopyCounts:
    """Counts near-duplicates by the item they are copies of, in bounded memory.

    Example:
        >>> counts = CopyCounts()
        >>> for key in ("a", "b", "a"):
        ...     counts.count(key)
        >>> counts.most, counts.most_copies
        ('a', 2)
    """

    def __init__(self) -> None:
        self.items = self.dropped = self.in_a_row = 0
        """Items so far, those of them that were dropped, and how many of these without another between."""
        self._counts: Counter[str] = Counter()
        self.most = ""
        """Key of the item with the most copies, "" before the first."""
        self.most_copies = 0
        """How many it has."""
        self.evicted = 0
        """Items of which it was forgotten how many copies they have."""

    def count(self, key: str | None) -> None:
        """Count a copy of an item."""
        if key is None:
            return
        self._counts[key] += 1
        if self._counts[key] > self.most_copies:
            self.most, self.most_copies = key, self._counts[key]
        if len(self._counts) > _MOST:
            self.evicted += len(self._counts) - _MOST // 2
            self._counts = Counter(dict(self._counts.most_common(_MOST // 2)))
