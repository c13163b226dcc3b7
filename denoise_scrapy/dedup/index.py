"""The index: keeps the first of several like texts and tells of the others.

Source: patent text 'Method and system for web page de-duplication', overall method.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from denoise_scrapy.dedup.arguments import RULES, check_names, check_shares, rule_named, way_of
from denoise_scrapy.dedup.closing import Closing
from denoise_scrapy.dedup.decision import MOST_NEW
from denoise_scrapy.dedup.groups import Group, all_groups, group_of
from denoise_scrapy.dedup.judge import Item, Judge
from denoise_scrapy.dedup.keeping import Keeping
from denoise_scrapy.dedup.memory_store import MemoryStore
from denoise_scrapy.dedup.rule import PartRule
from denoise_scrapy.dedup.search import Search
from denoise_scrapy.dedup.store import Name, Record, Store
from denoise_scrapy.dedup.verdict import Verdict

__all__ = ["RULES", "DuplicateIndex"]

CANDIDATE_LIMIT = 256
"""Most texts sharing a band that are looked at, those with the most bands in common first: a sentence that thousands
of texts share makes strangers of one band in common, copies have ten and more."""


class DuplicateIndex(Closing):
    """Near-duplicate detection over a stream of texts.

    What it promises: of the texts it was given, each is either kept, or a duplicate of one that is
    kept; a key is one item, which is never its own duplicate and which takes the place of what it
    was when its text has changed; duplicates are not chained: a copy of a dropped text is compared with
    the kept ones; a text is only called a duplicate where the rule, applied to the two fingerprints,
    says so, whichever search found it; an empty text, or one under 20 units, is never called one by
    similarity. With `search="tree"` no duplicate is missed; with the prefilter about one in
    three hundred. All methods may be called from any thread, and several processes may share a store:
    of two copies that come at the same moment one is kept.

    Args:
        threshold: Least share of a text's units and runs found in a kept one, in (0, 1]; the rule's
            own (0.6, of "patent" 0.8) where None is given.
        store: Where fingerprints are kept; a new `MemoryStore` where None is given. The index
            opens it and closes it.
        rule: "part": nearly all of a duplicate is in a kept text. "near-copy": and the other way round.
            "patent": the literal rule of the source.
        search: "prefilter": MinHash bands first. "tree": every text, by the edit-distance tree. The rule's
            own (the tree of "patent", else the prefilter) where None is given.
        most_new: How much of a duplicate may be new, 0 to 1: 0.1 keeps what has more than a tenth of new text.
            `threshold` tells copies from other texts of one kind, by their runs, of which one changed word breaks
            five; this says what of a copy may be lost, in units. 0.3 by default; not asked by "patent".
        extends: Also tell of a new text that a kept one is a part of it. Needs the prefilter.
        short_duplicates: Also report a text under 20 units as a duplicate where its words are
            exactly those of a kept one. Never by similarity.
        candidate_limit: Most candidates of the prefilter that are looked at, 1 or more.
        remember_copies: Dropped keys that the store remembers with the kept one that stands for them, for `group`: so
            many of the latest. 0: none.

    Raises:
        ValueError: An argument is out of range, or does not go with the others.
        StoreMismatch: The store was written by another version, or is none of ours.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. "
        >>> text += "The angle of the dance is the angle to the sun, its length the distance."
        >>> with DuplicateIndex() as index:
        ...     index.check_and_add("/bees", text).duplicate
        ...     index.check("/copy", text + " Share this.").reason
        ...     index.check_and_add("/bees", text).reason
        False
        'near-duplicate of /bees (c2 0.92, c1 0.93, new 0.02)'
        'the same item with the same text'

    """

    def __init__(  # noqa: PLR0913 - what a user may choose, by name
        self,
        threshold: float | None = None,
        store: Store | None = None,
        *,
        rule: str = PartRule.name,
        search: str | None = None,
        most_new: float = MOST_NEW,
        extends: bool = False,
        short_duplicates: bool = False,
        candidate_limit: int = CANDIDATE_LIMIT,
        remember_copies: int = 0,
    ) -> None:
        self._rule = rule_named(rule)
        threshold = self._rule.threshold if threshold is None else threshold
        check_shares(threshold, most_new)
        if store is not None and not isinstance(store, Store):
            raise ValueError(f"store must be a Store or None, got {store!r}")
        if not isinstance(candidate_limit, int) or candidate_limit < 1:
            raise ValueError(f"candidate_limit must be 1 or more, got {candidate_limit!r}")
        if not isinstance(remember_copies, int) or isinstance(remember_copies, bool) or remember_copies < 0:
            raise ValueError(f"remember_copies must be 0 or more, got {remember_copies!r}")
        way = way_of(self._rule, search, extends=extends)
        self._store = MemoryStore() if store is None else store
        self._search = Search(
            *(self._store, self._rule, float(threshold), float(most_new), way, candidate_limit), short=short_duplicates
        )
        judge = Judge(self._search, self._rule, extends=extends, short=short_duplicates)
        self._keeping = Keeping(self._store, self._search, judge, remember_copies)
        self._lock = threading.RLock()
        self._store.every_newer = way != "prefilter"
        self._store.open(self._rule.constants)
        self._search.load()

    @property
    def stats(self) -> Mapping[str, int]:
        """Counts since the start.

        'checked', 'kept', 'duplicates', 'pending', 'too_short', 'updated' and 'extended' count verdicts, 'claimed',
        'settled' and 'withdrawn' the claims of this index, 'released' the claims of dead owners that it came upon,
        'unnoted' the times and copies that the store failed to write, 'verified' the candidates compared, 'visited'
        the kept texts that the tree read one by one, 'bytes' the memory of what is remembered besides the store.
        """
        search = self._search
        found = {"verified": search.verified}
        return {**self._keeping.counts, **found, "visited": search.forest.visited, "bytes": search.catalog.nbytes}

    def check(self, key: str, text: str, *, scope: str = "", group: str = "") -> Verdict:
        """Tell whether a text is a duplicate of a kept one, and keep nothing.

        Args:
            key: The item's key: its canonical URL, or any other name it will have again.
            text: The item's text.
            scope: Texts are compared within one scope only: the site, or "" for all.
            group: Texts of one group are no duplicates of each other; "" for none.

        Returns:
            The verdict: what `check_and_add` would have said.

        Raises:
            ValueError: `key` is empty, or an argument is not a string UTF-8 can write.

        """
        item = self._read(text, Name(key, scope, group))
        with self._lock:
            self._search.load()
            return self._keeping.judge(item).verdict

    def add(self, key: str, text: str, *, scope: str = "", group: str = "") -> Verdict:
        """Keep a text, whatever it is like, in place of what its key had.

        Args:
            key: The item's key.
            text: The item's text.
            scope: Its scope.
            group: Its group.

        Returns:
            A verdict that tells whether the key was there with another text (`updated`).

        Raises:
            ValueError: As for `check`.

        """
        return self._take(self._read(text, Name(key, scope, group)), similar=False)

    def check_and_add(self, key: str, text: str, *, scope: str = "", group: str = "", claim: bool = False) -> Verdict:
        """Tell whether a text is a duplicate of a kept one, and keep it if not, in one step.

        A claimed text is there for all indexes on the store, and vanishes if it is withdrawn, if this index is
        closed, or if it is not heard of any more (`beat`): its item may be lost on its way. So for each verdict that is
        no duplicate there must be one call of `settle` or `withdraw`. An update is claimed too: the text it replaces is
        gone, whatever becomes of the new one.

        Args:
            key: As for `check`.
            text: As for `check`.
            scope: As for `check`.
            group: As for `check`.
            claim: Whether to claim the text rather than to keep it for good.

        Returns:
            The verdict. `pending` where it may still change.

        Raises:
            ValueError: As for `check`.

        Example:
            >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. " * 2
            >>> with DuplicateIndex() as index:
            ...     index.check_and_add("/bees", text, claim=True).duplicate
            ...     index.check_and_add("/copy", text, claim=True).pending
            ...     index.withdraw("/bees")
            ...     index.check_and_add("/copy", text, claim=True).duplicate
            ...     index.settle("/copy")
            False
            True
            True
            False
            True

        """
        return self._take(self._read(text, Name(key, scope, group)), similar=True, claim=claim)

    def settle(self, key: str, *, scope: str = "") -> bool:
        """Keep a claimed text for good: its item was delivered.

        Args:
            key: The item's key.
            scope: Its scope.

        Returns:
            Whether a claim of this index is final now. False where there is none, or none any more; and where
            another item of that key, of another text, is still on its way.

        Raises:
            ValueError: As for `check`.

        """
        return self._end(Name(key, scope), delivered=True)

    def withdraw(self, key: str, *, scope: str = "") -> bool:
        """Forget a claimed text: its item was dropped, or failed. Its copies count as new from then on.

        Args:
            key: The item's key.
            scope: Its scope.

        Returns:
            Whether a claim of this index was withdrawn. False where there is none, or none any more.

        Raises:
            ValueError: As for `check`.

        """
        return self._end(Name(key, scope), delivered=False)

    def beat(self) -> None:
        """Tell the store that this index lives, each third of `CLAIM_SECONDS`. Does nothing where it has no claims."""
        with self._lock:
            self._keeping.beat()

    def restore(self, records: Iterable[Record]) -> int:
        """Keep records of another index as they are, without judging them.

        Args:
            records: Records with their bands, as `SQLiteStore.records()` gives them. Those of a key that is kept
                replace it.

        Returns:
            How many there were.

        """
        count = 0
        with self._lock:
            for record in records:
                self._keeping.restore(record)
                count += 1
        return count

    def group(self, key: str, scope: str = "") -> Group | None:
        """Return the group of a key: the kept key, and those dropped for it that are remembered.

        A group ends when its kept text is removed or withdrawn. It stays when that text is updated: these items were
        dropped for that key. A dropped key leaves it when it is kept itself, or dropped for another text.

        Args:
            key: A kept key or a dropped one.
            scope: Its scope.

        Returns:
            The group; None where no copy of the key is remembered.

        Raises:
            ValueError: As for `check`.

        Example:
            >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. " * 2
            >>> with DuplicateIndex(remember_copies=1000) as index:
            ...     for key in ("/bees", "/print/bees", "/bees?page=1"):
            ...         verdict = index.check_and_add(key, text)
            ...     index.group("/print/bees").members
            ('/bees', '/print/bees', '/bees?page=1')

        """
        name = Name(key, scope)
        check_names(name)
        with self._lock:
            return group_of(self._store, key, scope)

    def groups(self) -> list[Group]:
        """Return all groups that are remembered, the largest first; they take some 200 bytes a dropped key."""
        with self._lock:
            return all_groups(self._store)

    def remove(self, key: str, scope: str = "") -> bool:
        """Forget an item. Its copies count as new from then on, and the item is no copy of another any more.

        Args:
            key: The item's key.
            scope: Its scope.

        Returns:
            Whether it was kept.

        """
        name = Name(key, scope)
        check_names(name)
        with self._lock:
            self._store.remove_copy(name)
            same = self._search.record_named(name)
            if same is None:
                return False
            self._search.forget(same.id)
            return self._store.remove(same.id)

    def close(self) -> None:
        """Withdraw what is claimed still, and close the store. A second call does nothing."""
        with self._lock:
            self._keeping.withdraw_all()
            self._store.close()

    def __len__(self) -> int:
        return len(self._search.catalog)

    def _read(self, text: str, name: Name) -> Item:
        """Check and read what is given; costly, and done outside the lock."""
        check_names(name)
        if not isinstance(text, str):
            raise ValueError(f"text must be a string, got {type(text).__name__}")
        new = self._rule.read(text)
        fingerprint = self._rule.fingerprint(new)
        return Item(name, new, fingerprint, Record(0, name, fingerprint).listing)

    def _take(self, item: Item, *, similar: bool, claim: bool = False) -> Verdict:
        with self._lock:
            return self._keeping.take(item, similar=similar, claim=claim)

    def _end(self, name: Name, *, delivered: bool) -> bool:
        check_names(name)
        with self._lock:
            return self._keeping.end(name, delivered=delivered)
