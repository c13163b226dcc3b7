"""The index: keeps the first of several like texts and tells of the others.

Source: patent text 'Method and system for web page de-duplication', overall method.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from types import TracebackType

from denoise_scrapy.dedup.catalog import Catalog
from denoise_scrapy.dedup.decision import THRESHOLD, Comparison, compare, too_short
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import CONSTANTS, Fingerprint
from denoise_scrapy.dedup.memory_store import MemoryStore
from denoise_scrapy.dedup.prefilter import SHINGLE
from denoise_scrapy.dedup.screen import duplicates
from denoise_scrapy.dedup.store import Record, Store
from denoise_scrapy.dedup.verdict import Verdict

CANDIDATE_LIMIT = 64
"""More texts than this sharing a band: the tree is asked, which costs the same for many and few."""

_BATCH = 4096  # records taken in at a time: 5 MB

STATS = ("checked", "kept", "duplicates", "too_short", "updated", "verified", "tree_answers")


class DuplicateIndex:
    """Near-duplicate detection over a stream of texts.

    A text is kept, or found to be a duplicate of a kept one. A key is one item: seen again it is
    never its own duplicate, and with another text it replaces the text it had. Duplicates are not
    chained: a copy of a dropped text is compared with the kept one. All methods may be called from
    any thread; a check and the keeping that follows are one step.

    Args:
        threshold: Least share of a text's units and pairs found in a kept one, in (0, 1].
        store: Where fingerprints are kept; a new `MemoryStore` where None is given. The index
            opens it and closes it.
        exact: Ask the tree for every text, which finds all duplicates. Otherwise the prefilter
            comes first: it finds over 99% of them in less time.
        short_duplicates: Also report a text under 20 units as a duplicate where its words are
            exactly those of a kept one. Never by similarity.
        candidate_limit: Candidates of the prefilter, above which the tree is asked, 1 or more.

    Raises:
        ValueError: An argument is out of range.
        StoreMismatch: The store was written by another version, or is none of ours.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. "
        >>> text += "The angle of the dance is the angle to the sun, its length the distance."
        >>> with DuplicateIndex() as index:
        ...     index.check_and_add("/bees", text).duplicate
        ...     index.check_and_add("/copy", text + " Share this.").reason
        ...     index.check_and_add("/bees", text).reason
        False
        'near-duplicate of /bees (c2 0.93, c1 0.93)'
        'the same item with the same text'

    """

    def __init__(
        self,
        threshold: float = THRESHOLD,
        store: Store | None = None,
        *,
        exact: bool = False,
        short_duplicates: bool = False,
        candidate_limit: int = CANDIDATE_LIMIT,
    ) -> None:
        if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
            raise ValueError(f"threshold must be a number in (0, 1], got {threshold!r}")
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold must be in (0, 1], got {threshold!r}")
        if store is not None and not isinstance(store, Store):
            raise ValueError(f"store must be a Store or None, got {store!r}")
        if not isinstance(candidate_limit, int) or candidate_limit < 1:
            raise ValueError(f"candidate_limit must be 1 or more, got {candidate_limit!r}")
        self._threshold = float(threshold)
        self._exact = exact
        self._short_duplicates = short_duplicates
        self._limit = candidate_limit
        self._store = MemoryStore() if store is None else store
        self._catalog = Catalog()
        self._last = 0  # the highest store id in the catalog
        self._stats: Counter[str] = Counter(dict.fromkeys(STATS, 0))
        self._lock = threading.RLock()
        self._store.open(CONSTANTS)
        with self._store.transaction():
            self._catch_up()

    @property
    def stats(self) -> Mapping[str, int]:
        """Counts since the start: see `STATS`; 'verified' counts the candidates compared."""
        return dict(self._stats)

    def check_and_add(self, key: str, text: str, *, scope: str = "") -> Verdict:
        """Tell whether a text is a duplicate of a kept one, and keep it if not.

        Args:
            key: The item's key: its canonical URL, or any other name it will have again.
            text: The item's text.
            scope: Texts are compared within one scope only: the site, or "" for all.

        Returns:
            The verdict.

        Raises:
            ValueError: `key` is empty, or an argument is not a string UTF-8 can write.

        """
        _check_name("key", key)
        _check_name("scope", scope, empty=True)
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, got {type(text).__name__}")
        new = Features.read(text)
        fingerprint = Fingerprint.of(new)
        with self._lock:
            with self._store.transaction():
                self._catch_up()
                verdict, keep = self._judge(key, scope, new, fingerprint)
                record = self._store.put(key, scope, fingerprint) if keep else None
            if record is not None:  # memory follows the commit, never runs ahead of it
                self._catalog.extend([record])
                self._last = record.id
            self._count(verdict, keep)
        return verdict

    def remove(self, key: str, scope: str = "") -> bool:
        """Forget an item. Its copies count as new from then on.

        Args:
            key: The item's key.
            scope: Its scope.

        Returns:
            Whether it was kept.

        """
        with self._lock:
            with self._store.transaction():
                self._catch_up()
                found = self._store.remove(key, scope)
            self._catalog.discard(key, scope)
        return found

    def close(self) -> None:
        """Close the store. A second call does nothing."""
        with self._lock:
            self._store.close()

    def __len__(self) -> int:
        return len(self._catalog)

    def __enter__(self) -> DuplicateIndex:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _catch_up(self) -> None:
        """Take in what other indexes have put into the store."""
        fresh = self._store.newer(self._last)
        while batch := list(islice(fresh, _BATCH)):
            self._catalog.extend(batch)
            self._last = batch[-1].id

    def _judge(self, key: str, scope: str, new: Features, fingerprint: Fingerprint) -> tuple[Verdict, bool]:
        """Give the verdict, and whether the text is to be kept."""
        short = too_short(fingerprint)
        same = self._still_there(self._catalog.by_key(key, scope))
        if same is not None:
            if same.fingerprint == fingerprint:
                reason = "the same item with the same text"
                return Verdict(reason=reason, too_short=short), False
            reason = "the same item with another text"
            return Verdict(reason=reason, too_short=short, updated=True), True
        found = self._find(scope, new, short)
        if found is not None:
            return _duplicate(new, *found, short), False
        return Verdict(reason="too short to be judged" if short else "new", too_short=short), True

    def _find(self, scope: str, new: Features, short: bool) -> tuple[Record, Comparison] | None:
        """Find the kept text that a new one repeats, and the proof."""
        if new.n and (self._short_duplicates or not short):
            while (row := self._catalog.by_words(new.digest, scope)) is not None:
                kept = self._still_there(row)
                if kept is not None:
                    return kept, Comparison(True, 1.0, 1.0)
        if short:
            return None
        rows = self._rows(scope, new)
        prints = [self._catalog.fingerprint(row) for row in rows]
        self._stats["verified"] += len(rows)
        for place in duplicates(new, prints, self._threshold):
            record = self._still_there(rows[place])
            if record is not None:
                return record, compare(new, record.fingerprint, self._threshold)
        return None

    def _rows(self, scope: str, new: Features) -> list[int]:
        """Rows that may hold a duplicate, the earliest first."""
        if not self._exact and new.n >= SHINGLE:
            rows = self._catalog.by_bands(new, scope)
            if len(rows) <= self._limit:
                return rows
        self._stats["tree_answers"] += 1
        return self._catalog.by_trees(new, scope, self._threshold)

    def _still_there(self, row: int | None) -> Record | None:
        """Give a row's record, unless another index has taken it out of the store."""
        record = self._catalog.record(row)
        if record is None or self._store.contains(record.id):
            return record
        self._catalog.discard(record.key, record.scope)
        return None

    def _count(self, verdict: Verdict, keep: bool) -> None:
        self._stats["checked"] += 1
        self._stats["kept"] += keep and not verdict.updated
        self._stats["duplicates"] += verdict.duplicate
        self._stats["too_short"] += verdict.too_short
        self._stats["updated"] += verdict.updated


def _duplicate(new: Features, kept: Record, proof: Comparison, short: bool) -> Verdict:
    if kept.fingerprint.digest == new.digest:
        reason = f"the same words as {kept.key}"
    else:
        reason = f"near-duplicate of {kept.key} (c2 {proof.c2:.2f}, c1 {proof.c1:.2f})"
    return Verdict(True, kept.key, proof.c2, proof.c1, reason, too_short=short)


def _check_name(name: str, value: object, *, empty: bool = False) -> None:
    """Refuse what no store could write."""
    if not isinstance(value, str) or not (value or empty):
        raise ValueError(f"{name} must be a string{'' if empty else ' not empty'}, got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be text UTF-8 can write, got {value!r}") from None
