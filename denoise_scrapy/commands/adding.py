"""Adding records to a store, which a crawl may be using at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from denoise_scrapy.dedup import Fingerprint, Store
from denoise_scrapy.dedup.store import Listing, Name, Record


class Adding:
    """Adds records without comparing them with those that are there.

    Args:
        store: Open.
        replace: Whether a record takes the place of one of its key and scope.

    Example:
        >>> from denoise_scrapy.dedup import MemoryStore
        >>> store = MemoryStore()
        >>> store.open({})
        >>> adding = Adding(store, replace=False)
        >>> [adding.add(Name("/a"), Fingerprint.of(text)) for text in ("a text", "another text")]
        ['added', 'there before']

    """

    def __init__(self, store: Store, *, replace: bool) -> None:
        self._store = store
        self._replace = replace
        self._ids: dict[int, int] = {}  # by the hash of key and scope, which is a fifth of what they are themselves
        self._last = 0
        store.every_newer = True  # none may be missed here
        for batch in store.newer(0):
            self._take(batch)

    def add(self, name: Name, fingerprint: Fingerprint) -> str:
        """Add a record.

        Args:
            name: Its name.
            fingerprint: Its fingerprint.

        Returns:
            "added", "replaced" or "there before".

        """
        while True:  # each turn takes in what others have kept meanwhile, so there is an end
            same = self._same(name)
            if same is not None and not (self._replace and (same.name, same.fingerprint) != (name, fingerprint)):
                return "there before"
            put = self._store.put(name, fingerprint, self._last, 0 if same is None else same.id)
            self._take(put.newer)
            if put.id:
                self._take([Record(put.id, name, fingerprint).listing])
                return "added" if same is None else "replaced"

    def _take(self, listings: Sequence[Listing]) -> None:
        for one in listings:
            self._ids[hash((one.key, one.scope))] = self._last = one.id

    def _same(self, name: Name) -> Record | None:
        """The record of the same key and scope."""
        number = self._ids.get(hash((name.key, name.scope)))
        found = [] if number is None else self._store.get([number])
        return next((record for record in found if record.name[:2] == name[:2]), None)
