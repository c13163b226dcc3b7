"""The index: keeps the first of several similar texts and finds the others.

Source: patent text 'Method and system for web page de-duplication', overall method.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from typing_extensions import Self

from denoise_scrapy.core.distance_tree import DistanceTree
from denoise_scrapy.core.feature_strings import EVERY, FeatureStrings
from denoise_scrapy.dedup.prefilter import bands_of
from denoise_scrapy.dedup.rules import (
    MOST_NEW,
    Fingerprint,
    NearCopyRule,
    NewText,
    PartRule,
    PatentRule,
    Rule,
)
from denoise_scrapy.dedup.sqlite_store import MemoryStore
from denoise_scrapy.dedup.store import BATCH, MOST_FOUND, Found, Name, Record, Store, new_owner
from denoise_scrapy.dedup.variants import (
    CERTAINTY,
    HELD,
    OTHER_VALUES,
    Judged,
    Like,
    ReadText,
    holds,
    is_same_site,
    judged,
    latest,
    likest,
    lone_fields,
    read_text,
    related,
    site_of,
)
from denoise_scrapy.dedup.verdicts import COPY, UPDATE, VARIANT
from denoise_scrapy.dedup.versions import TEXT, Version, packed_ids

# All rules, by name.
RULES: Mapping[str, Rule] = {rule.name: rule for rule in (PartRule(), NearCopyRule(), PatentRule())}
# By the edit-distance tree, exactly; by MinHash bands; or by the tree up to `MOST_IN_TREE` texts, and bands for others.
SEARCHES = ("auto", "tree", "prefilter")
# Maximum texts of a scope in the tree by default: about as many as it searches in the time that bands take, .3 ms.
MOST_IN_TREE = 30_000
# Maximum retries after other processes have kept texts meanwhile; some tens at most occur in practice.
MOST_TURNS = 1000
INCONSISTENT = "the store is inconsistent: records that it lists cannot be read back"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of comparing one item with the index.

    Attributes:
        duplicate: True if the text duplicates a kept text; the item was not kept.
        of: Key of that kept text, the earliest match; None for no duplicate.
        score: Share of the text's runs of units found in it (c2), 0 to 1; 0 for no duplicate.
        c1: Share of the text's main units found in it, 0 to 1; 0 for no duplicate.
        new: Share of the text that is not in it, 0 to 1, estimated from the runs; 0 for no duplicate.
        variant_of: Key of the kept text that the text is a variant of, the first of its form: as similar as a
            duplicate, but about something else by its title, its item's values, or its filled-in words. Both are of
            one site, unless values, titles, or numbers and words differ, or three texts establish the form. None for
            no variant.
        lone_fields: Names of the fields, one or two, but for whose values a variant would be a duplicate; else empty.
        update_of: Key of the kept text that the text updates, None for no update: it is of the same site, holds nearly
            all of that text and says more. It is kept as well.
        contains: Keys of the kept texts that are parts of the text, such as chapters or posts: all of the same site.
        share: How likely a copy, an update or a variant it is, 0 to 1, by the evidence (`verdicts.Shares`); 0 for none.
        reason: One short sentence for a log.
        too_short: True for a text too short to be judged by similarity.
        updated: True if the key was kept with a different text (letter case and punctuation count) or different
            fields, which were replaced.
        since: For a key kept and settled before: when the index stored the version found there, in seconds since the
            epoch. Unless `updated`, nothing has changed since. None for a new key, or if only the text is stored.
        changed: What an update changed: "text", and names of fields.
        chunks: For a key kept before: the ids of its chunks then (`read`); empty if unknown.
        pending: True for a duplicate of a claimed text, whose item may still be lost. Check again later.
        claim: Number for `settle` and `withdraw` if the text is claimed by this index; else 0.

    Example:
        >>> Verdict().duplicate
        False
    """

    duplicate: bool = False
    of: str | None = None
    score: float = 0.0
    c1: float = 0.0
    new: float = 0.0
    variant_of: str | None = None
    lone_fields: tuple[str, ...] = ()
    update_of: str | None = None
    contains: tuple[str, ...] = ()
    share: float = 0.0
    reason: str = "new"
    too_short: bool = False
    updated: bool = False
    since: float | None = None
    changed: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()
    pending: bool = False
    claim: int = 0


class Answer(NamedTuple):
    """A verdict, the text's fingerprint, the record it is based on, and whether to keep the text in its place."""

    verdict: Verdict
    made: Fingerprint
    record: Record | None = None
    keep: bool = False
    variant_of: str = ""  # stored with a kept text


class DuplicateIndex:
    """Near-duplicate detection over a stream of texts.

    Guarantees: each text is either kept or a duplicate of a kept text. A key stands for one item, which is never its
    own duplicate, and whose changed text replaces the earlier one. Duplicates are not chained: a copy of a dropped
    text is compared with the kept texts. The rule, applied to the two fingerprints, decides on every duplicate,
    whichever search found it. A text under 20 units, or an empty one, is never a duplicate by similarity. The tree
    misses no duplicate; the prefilter, about one in three hundred. All methods are thread-safe, and several processes
    may share a store, each with its own index: of two simultaneous copies, one is kept.

    Args:
        threshold: Minimum share of a text's units and runs found in a kept text, in (0, 1]. None: the rule's default,
            0.6 (patent: 0.8).
        store: Where fingerprints are kept; None: a new `MemoryStore`. The index opens and closes it.
        rule: "part": nearly all of a duplicate is in a kept text. "near-copy": and vice versa. "patent": the literal
            rule of the source.
        search: "tree": the edit-distance tree. "prefilter": MinHash bands first, which datasketch makes (its import
            takes .5 s and 78 MB); not for the rule "patent". "auto" or None: the tree for the first 30,000 texts of a
            scope, and bands for further ones. Texts that have no bands are always in the tree.
        most_new: Maximum share of new text in a duplicate, 0 to 1: with 0.1, texts more than a tenth new are kept.
            `threshold` separates copies from similar texts by their runs, five of which break with one changed word;
            this limits, in units, how much new text is dropped with a copy. 0.29 by default; not used by "patent". A
            sentence of its own makes a text of the same site a variant or an update, however short beside the rest.
        variants: Whether to keep variants (`Verdict.variant_of`) and updates. False: all similar texts are duplicates.
        certainty: How sure a copy must be to be a duplicate, 0 to 1 (`Verdict.share`): with 0.8, fewer texts are
            dropped wrongly, and more copies are kept. Not used without `variants`.

    Raises:
        ValueError: An argument is out of range, or conflicts with another.
        StoreMismatch: The store was written by another version or another program.
        RuntimeError: From any method but `close`: the process has been forked, and the store is not in memory. SQLite
            would lose writes, and parent and child would share claims.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. "
        >>> text += "The angle of the dance is the angle to the sun, its length the distance."
        >>> with DuplicateIndex() as index:
        ...     index.check_and_add("/bees", text).duplicate
        ...     index.check("/copy", text + " Share this.").reason
        ...     index.check_and_add("/bees", text).reason
        False
        'near-duplicate of /bees (c2 0.92, c1 0.93, new 0.07)'
        'the same item with the same text'
    """

    def __init__(
        self,
        threshold: float | None = None,
        store: Store | None = None,
        *,
        rule: str = PartRule.name,
        search: str | None = None,
        most_new: float = MOST_NEW,
        variants: bool = True,
        certainty: float = CERTAINTY,
    ) -> None:
        if rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {rule!r}")
        threshold = RULES[rule].threshold if threshold is None else threshold
        for name, value, low in (
            ("threshold", threshold, "("),
            ("most_new", most_new, "["),
            ("certainty", certainty, "["),
        ):
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= 1 or (low == "(" and not value):
                raise ValueError(f"{name} must be a number in {low}0, 1], got {value!r}")
        if store is not None and not isinstance(store, Store):
            raise ValueError(f"store must be a Store or None, got {store!r}")
        self._rule = RULES[rule].at(float(threshold), float(most_new))
        search = search or SEARCHES[0]
        if search not in SEARCHES:
            raise ValueError(f"search must be one of {', '.join(SEARCHES)}, got {search!r}")
        if search == "prefilter" and not self._rule.has_runs:
            raise ValueError(f"search must be tree for the rule {rule!r}, got {search!r}")
        self._owner = new_owner()  # name of this index in the store
        self._verified = 0  # candidates compared
        self._known = False  # whether the store has recorded the owner
        self._held: set[int] = set()  # ids of texts that may still be claimed
        self._unsure: list[Name] = []  # texts that may be claimed: the store's response was lost
        self._threads = threading.RLock()
        self._variants, self._certainty = variants, float(certainty)
        way = search if self._rule.has_runs else "tree"
        self._most_in_tree = {"auto": MOST_IN_TREE, "tree": 1 << 62, "prefilter": 0}[way]
        self._store = MemoryStore() if store is None else store
        self._process = 0 if isinstance(self._store, MemoryStore) else os.getpid()  # that may use it; 0 for any
        self._forest = DistanceForest(self._rule)
        self._banded: set[str] = set()  # scopes with texts that only the prefilter finds
        self._last = self._gone = 0  # id of the newest text known, and number of those that are gone
        self._store.open(self._rule.constants)
        self._load()

    @property
    def stats(self) -> Mapping[str, int]:
        """Numbers about its work.

        'verified' counts kept texts compared with new ones since the start; 'bytes' is the memory used besides the
        store, 'store_bytes' that of a store in memory.
        """
        return {"verified": self._verified, "bytes": self._forest.nbytes, "store_bytes": self._store.nbytes}

    def read(
        self,
        text: str,
        *,
        title: str = "",
        values: Mapping[str, object] | None = None,
        fields: Mapping[str, object] | None = None,
        source: bytes = b"",
        chunks: Iterable[str] = (),
    ) -> ReadText:
        """Read a text in advance for the other methods: a large one takes a second.

        The remaining work is short, but only one thread at a time does it.

        Args:
            text: The item's text.
            title: As for `check`.
            values: As for `check`.
            fields: Fields besides text and title whose changes make an update; None: `values`.
            source: The lines that text and title were made of (`source_of`), such as those of a page: a line that both
                versions' sources have is no change, whether the text has it or not. A title among the fields is not
                made of them.
            chunks: Ids of its chunks (`Chunk.id`), which the verdict on its next version has.

        Example:
            >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. " * 2
            >>> with DuplicateIndex() as index:
            ...     for price in (9, 9, 8):
            ...         verdict = index.check_and_add("/honey", index.read(text, fields={"price": price}))
            ...         verdict.since is not None, verdict.changed
            (False, ())
            (True, ())
            (True, ('price',))
        """
        for what, given in (("text", text), ("title", title)):
            if not isinstance(given, str):
                raise ValueError(f"{what} must be a string, got {type(given).__name__}")
        shown = (values or {}) if fields is None else fields
        return read_text(self._rule, text).of_item(title, values or {}).of_version(text, title, shown, source, chunks)

    def check(
        self,
        key: str,
        text: str | ReadText,
        *,
        scope: str = "",
        group: str = "",
        site: str | None = None,
        title: str = "",
        values: Mapping[str, object] | None = None,
    ) -> Verdict:
        """Return whether a text is a duplicate of a kept text, without keeping it.

        Args:
            key: The item's key: its canonical URL, or any other stable name.
            text: The item's text, or the result of `read` for it, title and values.
            scope: Texts are compared within one scope only: the site, or "" for all.
            group: Texts of one group are not duplicates of each other; "" for none.
            site: Where the item is from: similar texts of one site may be variants. None: the host of the key if it
                is a URL; "": unknown.
            title: The item's own title; "" if unknown.
            values: Other fields of the item: similar texts with different values in a field are variants.

        Raises:
            ValueError: `key` is empty, or an argument is not a string that UTF-8 can encode.
        """
        item = self._item(_named(key, scope, group, site), text, title, values)
        with self._lock:
            return self._judge(item).verdict

    def add(
        self,
        key: str,
        text: str | ReadText,
        *,
        scope: str = "",
        group: str = "",
        site: str | None = None,
        title: str = "",
        values: Mapping[str, object] | None = None,
        claim: bool = False,
    ) -> Verdict:
        """Keep a text without comparing it, replacing any with its key; arguments and errors as for `check_and_add`.

        The verdict reports whether the key was there, and what has changed since.
        """
        item = self._item(_named(key, scope, group, site), text, title, values)
        return self._take(item, similar=False, claim=claim)

    def check_and_add(
        self,
        key: str,
        text: str | ReadText,
        *,
        scope: str = "",
        group: str = "",
        site: str | None = None,
        title: str = "",
        values: Mapping[str, object] | None = None,
        claim: bool = False,
    ) -> Verdict:
        """Return whether a text is a duplicate of a kept text, and keep it if not; arguments and errors as for `check`.

        With `claim`, the text is visible to all indexes on the store until it is withdrawn, this index is closed or its
        beats stop (`beat`), since its item may yet be lost. Follow each verdict that is not a duplicate by one call of
        `settle` or `withdraw`. An update is claimed too: the text it replaces is gone, even if the new one is lost.

        Example:
            >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. " * 2
            >>> with DuplicateIndex() as index:
            ...     bees = index.check_and_add("/bees", text, claim=True)
            ...     index.check_and_add("/copy", text, claim=True).pending
            ...     index.withdraw(bees.claim)
            ...     copy = index.check_and_add("/copy", text, claim=True)
            ...     copy.duplicate, index.settle(copy.claim)
            True
            True
            (False, True)
        """
        item = self._item(_named(key, scope, group, site), text, title, values)
        return self._take(item, similar=True, claim=claim)

    def settle(self, claim: int) -> bool:
        """Make a claimed text final, by its `Verdict.claim`, once its item is delivered.

        Return False if this index does not, or no longer, hold the claim.
        """
        with self._lock:
            done = claim in self._held and self._store.settle(claim, self._owner)
            self._held.discard(claim)
            return done

    def withdraw(self, claim: int) -> bool:
        """Forget a claimed text, by its `Verdict.claim`, if its item was lost. Later copies of it count as new.

        Return False if this index does not, or no longer, hold the claim.
        """
        with self._lock:
            done = claim in self._held and bool(self._store.release(self._owner, claim))
            self._held.discard(claim)
            if done:  # otherwise another index may have settled it
                self._forget(1)
            return done

    def beat(self) -> None:
        """Record that this index is alive; call every third of `CLAIM_SECONDS`. Does nothing without claims."""
        with self._lock:
            if self._held:
                self._store.beat(self._owner)

    def restore(self, records: Iterable[Record]) -> int:
        """Keep records of another index unjudged, replacing those with the same keys; return their number."""
        count = 0
        with self._lock:
            for record in records:
                for _ in range(MOST_TURNS):  # other processes may have kept the key meanwhile
                    same = self._record_named(record.name)
                    if self._keep(record.name, record.fingerprint, same, record.version):
                        break
                else:
                    raise OSError(INCONSISTENT)
                count += 1
        return count

    def chunks(self, key: str, scope: str = "") -> tuple[str, ...]:
        """Return the ids of the chunks of a kept item (`read`); empty if unknown."""
        name = _named(key, scope)
        with self._lock:
            same = self._record_named(name)
            version = None if same is None else Version.unpack(same.version)
            return () if version is None else version.chunk_ids

    def remove(self, key: str, scope: str = "") -> bool:
        """Forget an item and return whether it was kept. Its copies count as new."""
        name = _named(key, scope)
        with self._lock:
            same = self._record_named(name)
            if same is None:
                return False
            gone = self._store.remove(same.id)
            self._forget(1)
            return gone

    def expire(self, before: float, most: int = BATCH) -> int:
        """Forget texts last kept or seen again before a time, except claimed ones, and return their number.

        Args:
            before: The time, in seconds since the epoch.
            most: Maximum texts to forget in this call, 1 or more: others may write between two calls.
        """
        with self._lock:
            gone = self._store.expire(before, most)
            self._forget(len(gone))
            return len(gone)

    def close(self) -> None:
        """Withdraw open claims and close the store. Has no effect a second time or after a fork."""
        if self._process not in {0, os.getpid()}:
            return
        with self._lock:
            if self._known:
                self._known = False
                self._held.clear()
                with suppress(Exception):  # of any store; without it, claims expire by themselves
                    self._store.release(self._owner)
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._store)

    @property
    def _lock(self) -> threading.RLock:
        if self._process not in {0, os.getpid()}:
            raise RuntimeError("this index was opened before the process was forked; open one in each process")
        return self._threads

    def _item(self, name: Name, text: str | ReadText, title: str, values: Mapping[str, object] | None) -> ReadText:
        """Read the arguments of an item; costly, and done outside the lock."""
        read = text if isinstance(text, ReadText) else self.read(text, title=title, values=values)
        return read._replace(name=name)

    def _judge(self, item: ReadText, *, similar: bool = True) -> Answer:
        """Judge a text against all remembered texts, releasing those claimed by dead owners."""
        for _ in range(MOST_TURNS):  # each turn finds a claim that was released or settled meanwhile
            answer = self._answer(item, similar=similar)
            owner = "" if answer.record is None else answer.record.owner
            if not owner:
                return answer
            if owner == self._owner or self._store.lives(owner):
                return answer._replace(verdict=replace(answer.verdict, pending=answer.verdict.duplicate))
            self._forget(len(self._store.release(owner)))
        raise OSError(INCONSISTENT)

    def _answer(self, item: ReadText, *, similar: bool) -> Answer:
        """Judge a text against all remembered texts; without `similar`, look for the item itself only."""
        name, short = item.name, item.is_short
        said = Verdict(reason="too short to be judged" if short and similar else "new", too_short=short)
        similar = similar and not short
        made, found = self._find(item, similar=similar)
        same = self._same_item(name, found.same_name)
        if same is not None:
            return self._compared(item._replace(fingerprint=made), same)
        held: list[Record] = []
        likes = self._likes(item, found) if similar else iter(())
        for like in likes:
            kept = like.record.name
            if not like.proof.duplicate:
                held.append(like.record)
                continue
            one = judged(item, like, self._certainty) if self._variants else Judged(COPY)
            if one.kind == COPY:
                last = latest(item, like, likes, self._certainty) if self._variants else like
                return _repeated(item, made, last, one.share)
            if one.kind != VARIANT and like.own and holds(item.text, like.record.fingerprint):
                held.append(like.record)
                continue
            if said.update_of or (said.variant_of and one.kind != UPDATE):  # the first counts, and an update first
                continue
            if one.kind == UPDATE:
                reason = f"an update of {kept.key}: {one.reason}"
                said = Verdict(update_of=kept.key, share=one.share, reason=reason)
            elif one.kind == VARIANT:
                lone = lone_fields(item, like, self._certainty) if one.reason == OTHER_VALUES else ()
                reason = f"a variant of {kept.key}: {one.reason}{' of ' * bool(lone)}{', '.join(lone)}"
                form = kept.variant_of or kept.key
                said = Verdict(variant_of=form, lone_fields=lone, share=one.share, reason=reason)
        if held and not said.update_of:
            update_of, contains = related(item, held)
            reason = f"an update of {update_of}" if update_of else f"contains {', '.join(contains[:3])}"
            said = Verdict(update_of=update_of, contains=contains, reason=reason)
        return Answer(said, made, keep=True, variant_of=said.variant_of or "")

    def _compared(self, item: ReadText, same: Record) -> Answer:
        """Compare an item with its kept version."""
        mine, theirs, old = item.fingerprint, same.fingerprint, Version.unpack(same.version)
        same_text = (mine.digest, mine.n) == (theirs.digest, theirs.n)
        changed: tuple[str, ...] = () if same_text else (TEXT,)
        since, keep = None, mine != theirs or item.version is not None
        chunks = old.chunk_ids if old is not None else ()
        if item.version is not None and old is not None:
            changed = item.version.changes(old, item.field_names)
            since, keep = None if same.owner else float(old.since), bool(changed)
        reason = f"the same item with another {', '.join(changed)}" if changed else "the same item with the same text"
        verdict = Verdict(
            reason=reason, too_short=item.is_short, updated=bool(changed), since=since, changed=changed, chunks=chunks
        )
        return Answer(verdict, mine, same, keep, same.name.variant_of if same_text else "")

    def _likes(self, item: ReadText, found: Found) -> Iterator[Like]:
        """Yield the kept texts that a new one repeats, the likest first; then those of its own site that are in it."""
        site, group = item.name.site, item.name.group
        share = HELD if self._variants and site else 0.0  # of kept texts that the new one may contain
        alike = self._forest.candidates(item.text, item.name.scope, share, MOST_FOUND)
        ids = {*found.alike[:MOST_FOUND], *alike}
        if not ids:
            return
        records = self._alive(ids, item.name.scope)
        records = [one for one in records if one.name.group != group] if group else records
        self._verified += len(records)
        likes, held = list[Like](), list[Like]()
        for one in records:
            own, kept = is_same_site(site, one.name.site), one.fingerprint
            proof = self._rule.judge(item.text, kept)
            if proof.duplicate:
                likes.append(Like(one, proof, own))
            elif self._variants and own and holds(item.text, kept):
                held.append(Like(one, proof, own))
        yield from likest(item, likes)
        yield from held

    def _alive(self, ids: Collection[int], scope: str) -> list[Record]:
        """Return the records still in the store, in order of id."""
        records = self._store.get(sorted(ids))
        if len(records) < len(ids):
            for gone in {*ids}.difference(record.id for record in records):
                self._forest.drop(gone, scope)
        return records

    def _load(self) -> None:
        """Load new records from the store."""
        for batch in self._store.newer(self._last):
            self._know(batch)

    def _know(self, records: Iterable[Record]) -> None:
        """Make records findable, in order of id."""
        for record in records:
            if not self._rule.too_short(record.fingerprint):  # those of earlier versions have bands
                if record.fingerprint.bands and self._most_in_tree <= MOST_IN_TREE:
                    self._banded.add(record.name.scope)
                else:
                    self._forest.add(record)
            self._last = record.id

    def _forget(self, count: int) -> None:
        """Note that texts are gone; rebuild the trees if those are most of them."""
        self._gone += count
        if 2 * self._gone > self._forest.count + BATCH:  # from so many on it is worthwhile
            self._forest, self._last, self._gone = DistanceForest(self._rule), 0, 0
            self._load()

    def _find(self, item: ReadText, *, similar: bool) -> tuple[Fingerprint, Found]:
        """Look an item up in the current state of the store; return its fingerprint too, with bands if it needs any."""
        scope, made = item.name.scope, item.fingerprint
        is_outgrown = self._is_outgrown(scope)
        if is_outgrown and isinstance(item.text, FeatureStrings) and not item.is_short:
            made = replace(made, bands=bands_of(item.text, scope))
        found = self._store.find(item.name, made.bands if similar else b"", self._last)
        if found.newer:
            self._know(found.newer)
            if len(found.newer) >= BATCH:
                self._load()
            if self._is_outgrown(scope) != is_outgrown:  # a newer text is the first that has bands
                return self._find(item, similar=similar)
        return made, found

    def _is_outgrown(self, scope: str) -> bool:
        """Return whether the prefilter finds texts of a scope, and further ones are for it."""
        return scope in self._banded or self._forest.sizes[scope] >= self._most_in_tree

    def _record_named(self, name: Name) -> Record | None:
        """Find the record of a key, whatever its text, in the current state of the store."""
        return self._same_item(name, self._store.find(name).same_name)

    def _same_item(self, name: Name, number: int) -> Record | None:
        return next(iter(self._alive([number], name.scope)), None) if number else None

    def _take(self, item: ReadText, *, similar: bool, claim: bool) -> Verdict:
        """Judge a text and keep it unless it is a duplicate; without `similar`, keep it in any case."""
        with self._lock:
            if self._unsure:
                self._withdraw_unsure()
            version, now = item.version, int(time.time())
            for _ in range(MOST_TURNS):  # each turn loads what others have kept meanwhile
                answer = self._judge(item, similar=similar)
                if not answer.keep:
                    number = self._see_again(answer, claim=claim)
                    break
                name = item.name._replace(variant_of=answer.variant_of) if answer.variant_of else item.name
                packed = b""
                if version is not None:
                    chunks = version.chunks or packed_ids(answer.verdict.chunks)  # this crawl has none
                    packed = version._replace(since=now, chunks=chunks).pack()
                number = self._keep(name, answer.made, answer.record, packed, claim=claim)
                if number:
                    break
            else:
                raise OSError(INCONSISTENT)
            verdict = answer.verdict
            return replace(verdict, claim=number) if claim and number else verdict

    def _keep(
        self, name: Name, fingerprint: Fingerprint, replaced: Record | None, version: bytes, *, claim: bool = False
    ) -> int:
        """Keep a text and return its id, or load newer records to judge first and return 0."""
        self._known = self._known or claim
        old, owner = (replaced.id if replaced else 0), (self._owner if claim else "")
        try:
            number = self._store.put(name, fingerprint, self._last, old, owner, version)
        except Exception:
            self._unsure += [name] * claim
            raise
        if number == self._last + 1:  # memory is updated after the commit, never before
            self._know([Record(number, name, fingerprint)])
        else:  # others have kept texts meanwhile
            self._load()
        if number and old:
            self._forest.drop(old, name.scope)
            self._forget(1)
        if number and claim:
            self._held.add(number)
        return number

    def _see_again(self, answer: Answer, *, claim: bool) -> int:
        """Record that a kept text was seen again; return the claim that its key shares with an earlier item, or 0."""
        same, number = answer.record, 0
        assert same is not None
        if not answer.verdict.duplicate:
            if not claim and same.owner:  # settled by now
                self._store.settle(same.id, same.owner)
            if claim and same.owner == self._owner:
                number = same.id
                self._held.add(number)
        if not answer.verdict.pending:  # a pending verdict may still change
            self._store.note(same.id)
        return number

    def _withdraw_unsure(self) -> None:
        """Withdraw claims that the store may hold for items without a verdict."""
        while self._unsure:
            same = self._record_named(self._unsure[-1])
            if same is not None and same.owner == self._owner and same.id not in self._held:
                self._store.release(self._owner, same.id)
                self._forget(1)
            self._unsure.pop()


class DistanceForest:
    """The edit-distance trees of an index, one for each scope and frequency threshold: each text once, by ascending id.

    Attributes:
        count: Number of its texts, including dropped ones.
        sizes: The same of each scope.

    Source: patent text 'Method and system for web page de-duplication', edit-distance tree.
    """

    def __init__(self, rule: Rule) -> None:
        self.count = 0
        self.sizes: Counter[str] = Counter()
        self._rule = rule
        self._trees: dict[str, dict[int, DistanceTree]] = {}

    @property
    def nbytes(self) -> int:
        """Approximate size in bytes."""
        return sum(300 + tree.nbytes for trees in self._trees.values() for tree in trees.values())

    def add(self, record: Record) -> None:
        """Add a text."""
        kept, scope = record.fingerprint, record.name.scope
        self.count += 1
        self.sizes[scope] += 1
        tree = self._trees.setdefault(scope, defaultdict(DistanceTree))[kept.t]
        runs = (kept.s2, (EVERY // kept.limit).bit_length() - 1) if self._rule.has_runs else ()
        tree.add(record.id, kept.s1, kept.n, *runs)

    def drop(self, number: int, scope: str) -> None:
        """Leave a text out of further results, if it is there."""
        for tree in self._trees.get(scope, {}).values():
            tree.drop(number)

    def candidates(self, new: NewText, scope: str, share: float, most: int) -> list[int]:
        """Return ids of a scope, among them all duplicates of a new text: of each tree up to `most`, the likest.

        With a `share`, as many are added of which the new text may have this share, as of its parts.
        """
        found: list[int] = []
        for t, tree in self._trees.get(scope, {}).items():
            units, need, longest, runs = self._rule.query(new, t, tree.halvings)
            if need:
                found += tree.search(units, need, longest, runs, most)
            if share and isinstance(new, FeatureStrings):
                every = {halved: new.repeated_sample(EVERY >> halved) for halved in tree.halvings}
                found += tree.parts(units, new.n, share, every, most)
        return found


def _repeated(item: ReadText, made: Fingerprint, like: Like, share: float) -> Answer:
    """Return that a text repeats a kept one."""
    proof, kept = like.proof, like.record.name.key
    reason = f"near-duplicate of {kept} (c2 {proof.c2:.2f}, c1 {proof.c1:.2f}, new {proof.new:.2f})"
    if like.record.fingerprint.digest == made.digest:
        reason = f"the same words as {kept}"
    verdict = Verdict(True, kept, proof.c2, proof.c1, proof.new, share=share, reason=reason, too_short=item.is_short)
    return Answer(verdict, made, like.record)


def _named(key: str, scope: str, group: str = "", site: str | None = "") -> Name:
    """Return the name of an item; reject an empty key, or text that UTF-8 cannot encode."""
    if site is None:
        site = site_of(key) if isinstance(key, str) else ""
    name = Name(key, scope, group, site)
    for part, value in name._asdict().items():
        if not isinstance(value, str) or not (value or part != "key"):
            raise ValueError(f"{part} must be a string{' not empty' if part == 'key' else ''}, got {value!r}")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{part} must be text UTF-8 can write, got {value!r}") from None
    return name
