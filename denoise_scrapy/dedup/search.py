"""The search of the kept text that a new one repeats: its own key, equal words, prefilter or tree, rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from denoise_scrapy.dedup.catalog import Catalog, Found, Keys
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.rules import Comparison, NewText, Rule
from denoise_scrapy.dedup.store import Listing, Name, Record, Store
from denoise_scrapy.dedup.tree import Forest

SEARCHES = ("prefilter", "tree")  # by MinHash bands, or exactly, by the edit-distance tree

_CHUNK = 256  # candidates judged at a time; the earliest is wanted, so that the rest need not be
_DEAD_LEAST = 1000  # dead texts in the forest before it is worth the work to build it anew
_NO_TEXT = Fingerprint.of("")  # stands for that of a text that is looked up by its key


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one item.

    Attributes:
        duplicate: True where a kept text says the same; the item was not kept then.
        of: Key of that kept text, the earliest that passes; None for no duplicate.
        score: Share of the text's runs of units found in it (c2), 0 to 1; 0 for no duplicate.
        c1: Share of the text's main units found in it, 0 to 1; 0 for no duplicate.
        new: Share of the text that is not in it, 0 to 1, as estimated from the runs; 0 for no duplicate.
        form: True for a duplicate in which other numbers stand: 4 or more, over two fifths of its own. It may be a form
            filled in anew, or an update.
        reason: One short sentence for a log.
        too_short: True for a text that similarity cannot judge.
        updated: True where the key was kept with another text, which this one replaced.
        pending: True for a duplicate of a text that is claimed, not settled: the item it came with may still be lost.
            Ask again later.
        claim: Number for `settle` and `withdraw` where the text is claimed by this index; else 0.

    Example:
        >>> Verdict().duplicate
        False

    """

    duplicate: bool = False
    of: str | None = None
    score: float = 0.0
    c1: float = 0.0
    new: float = 0.0
    form: bool = False
    reason: str = "new"
    too_short: bool = False
    updated: bool = False
    pending: bool = False
    claim: int = 0


class Item(NamedTuple):
    """A new text, and what it came with."""

    name: Name
    text: NewText
    fingerprint: Fingerprint

    @property
    def listing(self) -> Listing:
        """What is looked up; its id is 0."""
        return Record(0, self.name, self.fingerprint).listing


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict, the record it rests on, whether to keep the text, id of the record it replaces, its keys."""

    verdict: Verdict
    record: Record | None = None
    keep: bool = False
    replaced: int = 0
    keys: Keys | None = None


class Search:
    """A catalog and a forest kept in step with a store, and the way through them.

    Args:
        store: The store.
        rule: What makes two texts duplicates.
        threshold: Of the rule, in (0, 1].
        most_new: Greatest share of a duplicate that is new, 0 to 1.
        way: One of `SEARCHES`.
        candidate_limit: Most candidates of the prefilter that are looked at: those with the most bands in common.
        short: Whether the words of texts too short for similarity are looked up too.

    Attributes:
        catalog: What is remembered of all kept texts.
        forest: Their main strings, where the tree is the way.
        verified: Candidates handed to the rule.

    """

    def __init__(
        self,
        store: Store,
        rule: Rule,
        threshold: float,
        most_new: float,
        way: str,
        candidate_limit: int,
        *,
        short: bool,
    ) -> None:
        self._store = store
        self._rule = rule
        self._threshold = threshold
        self._most_new = most_new
        self._bands = way == "prefilter"
        self._short = short
        self._limit = candidate_limit
        self.catalog = Catalog(bands=self._bands, short=short or not rule.has_bands)
        self.forest = Forest(store, rule)
        self.verified = 0

    def load(self) -> None:
        """Take in what the store has."""
        for batch in self._store.newer(self.catalog.last):
            self.catalog.extend(batch)

    def forget(self, number: int) -> None:
        """Forget a text that is no longer in the store."""
        self.catalog.discard(number)

    def record_named(self, name: Name) -> Record | None:
        """Find the record of a key, whatever its text, among all that the store has now."""
        self.load()
        return self._same_item(name, self.catalog.find(Record(0, name, _NO_TEXT).listing))

    def answer(self, item: Item, *, similar: bool = True) -> Answer:
        """Judge a text against all that is remembered.

        Args:
            item: The text.
            similar: False to look for the item itself only.

        """
        found = self._find(item, similar=similar)
        return replace(self._answer(item, found, similar=similar), keys=found.keys)

    def _find(self, item: Item, *, similar: bool) -> Found:
        if not (self._bands and similar):
            return self.catalog.find(item.listing)
        text, rule, threshold = item.text, self._rule, self._threshold
        return self.catalog.find(item.listing, self._limit, lambda limit: rule.run_query(text, limit, threshold))

    def _answer(self, item: Item, found: Found, *, similar: bool) -> Answer:
        short = self._rule.too_short(item.fingerprint)
        same = self._same_item(item.name, found)
        if same is not None:
            if (same.fingerprint.digest, same.fingerprint.n) == (item.fingerprint.digest, item.fingerprint.n):
                return Answer(Verdict(reason="the same item with the same text", too_short=short), same)
            verdict = Verdict(reason="the same item with another text", too_short=short, updated=True)
            return Answer(verdict, same, keep=True, replaced=same.id)
        equal = self._same_words(item, found) if similar and (self._short or not short) else None
        if equal is not None:
            kept = equal.name.key
            return Answer(Verdict(True, kept, 1.0, 1.0, reason=f"the same words as {kept}", too_short=short), equal)
        record, proof = next(self._matches(item, found), (None, None)) if similar and not short else (None, None)
        if record is None or proof is None:
            reason = "too short to be judged" if similar and short else "new"
            return Answer(Verdict(reason=reason, too_short=short), keep=True)
        kept, form = record.name.key, self._rule.is_form(item.text, record.fingerprint)
        reason = f"near-duplicate of {kept} (c2 {proof.c2:.2f}, c1 {proof.c1:.2f}, new {proof.new:.2f})"
        return Answer(Verdict(True, kept, proof.c2, proof.c1, proof.new, form, reason), record)

    def _same_item(self, name: Name, found: Found) -> Record | None:
        """The record of a text's key."""
        return next((one for one in self._alive(found.same_name) if one.name[:2] == name[:2]), None)

    def _same_words(self, item: Item, found: Found) -> Record | None:
        """The earliest kept text of the same units in the same order; none for an empty one."""
        for start in range(0, len(found.same_words) if item.fingerprint.n else 0, _CHUNK):
            for one in self._alive(found.same_words[start : start + _CHUNK]):
                if one.fingerprint.digest == item.fingerprint.digest and not _one_group(one.name, item.name):
                    return one
        return None

    def _matches(self, item: Item, found: Found) -> Iterator[tuple[Record, Comparison]]:
        """Yield the kept texts that a new one duplicates, the earliest first."""
        ids = found.alike
        if not self._bands:
            self._catch_up()
            ids = self.forest.candidates(item.text, item.name.scope, self._threshold)
        for start in range(0, len(ids), _CHUNK):
            records = [one for one in self._alive(ids[start : start + _CHUNK]) if not _one_group(one.name, item.name)]
            self.verified += len(records)
            judged = self._rule.judge(item.text, [one.fingerprint for one in records], self._threshold, self._most_new)
            yield from (pair for pair in zip(records, judged, strict=True) if pair[1].duplicate)

    def _alive(self, ids: Sequence[int]) -> list[Record]:
        """Records that are still in the store; what another index has taken out is forgotten here too."""
        if not ids:
            return []
        records = self._store.get(ids)
        for gone in {*ids}.difference(record.id for record in records):
            self.forget(gone)
        return records

    def _catch_up(self) -> None:
        """Take what the catalog has into the forest, which is built anew when half of it is dead."""
        if len(self.forest) > 2 * len(self.catalog) + _DEAD_LEAST:
            self.forest = Forest(self._store, self._rule)
        self.forest.catch_up(self.catalog.ids_after(self.forest.last))


def _one_group(one: Name, other: Name) -> bool:
    return bool(one.group) and one.group == other.group
