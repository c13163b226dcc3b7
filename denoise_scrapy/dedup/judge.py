"""What an index answers about one text, by what its search finds."""

from __future__ import annotations

from dataclasses import dataclass, replace

from denoise_scrapy.dedup.catalog import Found
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.lookup import Keys
from denoise_scrapy.dedup.rule import NewText, Rule
from denoise_scrapy.dedup.search import Search
from denoise_scrapy.dedup.store import Listing, Name, Record
from denoise_scrapy.dedup.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Item:
    """What is asked about."""

    name: Name
    text: NewText
    fingerprint: Fingerprint
    listing: Listing


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict, the record it rests on, whether to keep the text, id of the record it replaces, its keys."""

    verdict: Verdict
    record: Record | None = None
    keep: bool = False
    replaced: int = 0
    keys: Keys | None = None

    @property
    def owner(self) -> str:
        """Who has claimed the record it rests on; "" for nobody."""
        return "" if self.record is None else self.record.owner

    @property
    def pending(self) -> Answer:
        """The same answer, as long as that record is claimed."""
        return replace(self, verdict=replace(self.verdict, pending=self.verdict.duplicate))


class Judge:
    """Judges texts.

    Args:
        search: What is kept.
        rule: What makes two texts duplicates.
        extends: Whether to look for kept texts that are part of a new one.
        short: Whether to report equal short texts.

    """

    def __init__(self, search: Search, rule: Rule, *, extends: bool, short: bool) -> None:
        self._search = search
        self._rule = rule
        self._extends = extends
        self._short = short

    def answer(self, item: Item, *, similar: bool = True) -> Answer:
        """Judge a text against all that is remembered.

        Args:
            item: What is asked about.
            similar: False to look for the item itself only.

        """
        found = self._search.found(item.listing)
        return replace(self._answer(item, found, similar=similar), keys=found.keys)

    def _answer(self, item: Item, found: Found, *, similar: bool) -> Answer:
        """Judge a text against what was found for it."""
        short = self._rule.too_short(item.fingerprint)
        same = self._search.same_item(item.name, found)
        if same is not None:
            return _same_item(item, same, short=short)
        if not similar:
            return Answer(Verdict(too_short=short), keep=True)
        equal = self._search.same_words(item.name, item.listing, found) if self._short or not short else None
        if equal is not None:
            reason = f"the same words as {equal.name.key}"
            verdict = Verdict(True, equal.name.key, 1.0, 1.0, reason=reason, too_short=short)
            return Answer(verdict, equal)
        if short:
            return Answer(Verdict(reason="too short to be judged", too_short=True), keep=True)
        return self._similar(item, found)

    def _similar(self, item: Item, found: Found) -> Answer:
        """Judge a text by similarity."""
        match = next(self._search.matches(item.name, item.text, found), None)
        if match is not None:
            record, proof = match
            kept, form = record.name.key, self._rule.is_form(item.text, record.fingerprint)
            reason = f"near-duplicate of {kept} (c2 {proof.c2:.2f}, c1 {proof.c1:.2f}, new {proof.new:.2f})"
            return Answer(Verdict(True, kept, proof.c2, proof.c1, proof.new, form, reason), record)
        part = self._search.extended(item.text, found) if self._extends else None
        if part is not None:
            kept, proof = part.record.name.key, part.comparison
            reason = f"new; extends {kept} (c2 {proof.c2:.2f}, c1 {proof.c1:.2f})"
            return Answer(Verdict(False, None, proof.c2, proof.c1, reason=reason, extends=kept), keep=True)
        return Answer(Verdict(), keep=True)


def _same_item(item: Item, same: Record, *, short: bool) -> Answer:
    """The answer for a key that is kept."""
    if (same.fingerprint.digest, same.fingerprint.n) == (item.fingerprint.digest, item.fingerprint.n):
        return Answer(Verdict(reason="the same item with the same text", too_short=short), same)
    verdict = Verdict(reason="the same item with another text", too_short=short, updated=True)
    return Answer(verdict, same, keep=True, replaced=same.id)
