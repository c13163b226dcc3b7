"""The index: keeps the first of several like texts and tells of the others.

Source: patent text 'Method and system for web page de-duplication', overall method.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping

from denoise_scrapy.dedup.closing import Closing
from denoise_scrapy.dedup.decision import THRESHOLD, Comparison, too_short
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import CONSTANTS, Fingerprint
from denoise_scrapy.dedup.memory_store import MemoryStore
from denoise_scrapy.dedup.search import Search
from denoise_scrapy.dedup.store import Record, Store
from denoise_scrapy.dedup.verdict import Verdict

CANDIDATE_LIMIT = 64
"""More texts than this sharing a band: the tree is asked, which costs the same for many and few."""

_COUNTED = ("checked", "kept", "duplicates", "too_short", "updated")


class DuplicateIndex(Closing):
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
        _check_threshold(threshold)
        if store is not None and not isinstance(store, Store):
            raise ValueError(f"store must be a Store or None, got {store!r}")
        if not isinstance(candidate_limit, int) or candidate_limit < 1:
            raise ValueError(f"candidate_limit must be 1 or more, got {candidate_limit!r}")
        self._short_duplicates = short_duplicates
        self._store = MemoryStore() if store is None else store
        self._search = Search(self._store, float(threshold), -1 if exact else candidate_limit)
        self._counts: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
        self._lock = threading.RLock()
        self._store.open(CONSTANTS)
        with self._store.transaction():
            self._search.catch_up()

    @property
    def stats(self) -> Mapping[str, int]:
        """Counts since the start.

        'checked', 'kept', 'duplicates', 'too_short' and 'updated' count verdicts, 'verified' the
        candidates compared, 'tree_answers' the searches in the tree.
        """
        found = {"verified": self._search.verified, "tree_answers": self._search.tree_answers}
        return {**self._counts, **found}

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
                self._search.catch_up()
                verdict, keep = self._judge(key, scope, new, fingerprint)
                record = self._store.put(key, scope, fingerprint) if keep else None
            if record is not None:  # memory follows the commit, never runs ahead of it
                self._search.add([record])
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
                self._search.catch_up()
                found = self._store.remove(key, scope)
            self._search.catalog.discard(key, scope)
        return found

    def close(self) -> None:
        """Close the store. A second call does nothing."""
        with self._lock:
            self._store.close()

    def __len__(self) -> int:
        return len(self._search.catalog)

    def _judge(self, key: str, scope: str, new: Features, fingerprint: Fingerprint) -> tuple[Verdict, bool]:
        """Give the verdict, and whether the text is to be kept."""
        short = too_short(fingerprint)
        same = self._search.same_item(key, scope)
        if same is not None:
            if same.fingerprint == fingerprint:
                reason = "the same item with the same text"
                return Verdict(reason=reason, too_short=short), False
            reason = "the same item with another text"
            return Verdict(reason=reason, too_short=short, updated=True), True
        found = None
        if self._short_duplicates or not short:
            found = self._search.same_words(new, scope)
        if found is None and not short:
            found = self._search.similar(new, scope)
        if found is not None:
            return _duplicate(new, *found, short), False
        return Verdict(reason="too short to be judged" if short else "new", too_short=short), True

    def _count(self, verdict: Verdict, keep: bool) -> None:
        self._counts["checked"] += 1
        self._counts["kept"] += keep and not verdict.updated
        self._counts["duplicates"] += verdict.duplicate
        self._counts["too_short"] += verdict.too_short
        self._counts["updated"] += verdict.updated


def _duplicate(new: Features, kept: Record, proof: Comparison, short: bool) -> Verdict:
    if kept.fingerprint.digest == new.digest:
        reason = f"the same words as {kept.key}"
    else:
        reason = f"near-duplicate of {kept.key} (c2 {proof.c2:.2f}, c1 {proof.c1:.2f})"
    return Verdict(True, kept.key, proof.c2, proof.c1, reason, too_short=short)


def _check_threshold(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
        raise ValueError(f"threshold must be a number in (0, 1], got {value!r}")


def _check_name(name: str, value: object, *, empty: bool = False) -> None:
    """Refuse what no store could write."""
    if not isinstance(value, str) or not (value or empty):
        raise ValueError(f"{name} must be a string{'' if empty else ' not empty'}, got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be text UTF-8 can write, got {value!r}") from None
