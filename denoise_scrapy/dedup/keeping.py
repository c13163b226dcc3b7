"""What an index does with a text under its lock: judge it, keep it, claim it, settle or withdraw the claim."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

from denoise_scrapy.dedup.claims import Claims
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.judge import Answer, Item, Judge
from denoise_scrapy.dedup.lookup import Keys
from denoise_scrapy.dedup.owners import new_owner
from denoise_scrapy.dedup.search import Search
from denoise_scrapy.dedup.store import Listing, Name, Record, Store, turns
from denoise_scrapy.dedup.verdict import Verdict

_VERDICTS = ("checked", "kept", "duplicates", "pending", "too_short", "updated", "extended")
_COUNTED = (*_VERDICTS, "claimed", "settled", "withdrawn", "released", "unnoted")


class Keeping:
    """Brings together what a store keeps, what is remembered of it, and what this index has claimed.

    Serves one thread at a time: the index has the lock.

    Args:
        store: Where texts are kept; open.
        search: What is remembered of it.
        judge: What tells whether a text is to be kept.
        copies: Most dropped keys for the store to remember.

    Attributes:
        owner: What the store calls this index.
        counts: See `DuplicateIndex.stats`.

    """

    def __init__(self, store: Store, search: Search, judge: Judge, copies: int = 0) -> None:
        self.owner = new_owner()
        self.counts: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
        self._store = store
        self._search = search
        self._judging = judge
        self._copies = copies
        self._known = False  # whether the store has heard of the owner
        self._claims = Claims()

    def judge(self, item: Item, *, similar: bool = True) -> Answer:
        """Judge a text against all that is remembered, but for what was claimed by the dead."""
        for _ in turns():  # each finds a claim that was released, or one that was settled meanwhile
            answer = self._judging.answer(item, similar=similar)
            owner = answer.owner
            if not owner:
                return answer
            if owner == self.owner or self._store.lives(owner):
                return answer.pending
            gone = self._store.release(owner)
            for number in gone:
                self._search.forget(number)
            self.counts["released"] += len(gone)
        raise AssertionError

    def take(self, item: Item, *, similar: bool, claim: bool) -> Verdict:
        """Judge a text and keep it if it is to be kept.

        Args:
            item: The text.
            similar: Whether likeness is looked for; else it is kept in any case.
            claim: Whether to claim it.

        """
        for _ in turns():  # each takes in what others have kept meanwhile
            answer = self.judge(item, similar=similar)
            if not answer.keep:
                self._repeat(item.name, answer, claim=claim)
                break
            if self._keep(item.name, item.fingerprint, item.listing, answer.replaced, answer.keys, claim=claim):
                break
        self._note(item.name, answer)
        self._search.renew()
        self._count(answer)
        return answer.verdict

    def restore(self, record: Record) -> None:
        """Keep a record as it is, in place of what its key had."""
        for _ in turns():  # as for `take`; the key may be among what others have kept
            found = self._search.catalog.find(record.listing)
            same = self._search.same_item(record.name, found)
            replaced = same.id if same else 0
            if self._keep(record.name, record.fingerprint, record.listing, replaced, found.keys):
                break

    def end(self, name: Name, *, delivered: bool) -> bool:
        """Settle or withdraw the claim on an item that is no longer on its way; tell whether there was one."""
        number, done = self._claims.number(name, delivered=delivered), False
        if not number and not delivered:
            number = self._unheard(name)
        if number and delivered:
            done = self._store.settle(number, self.owner)
            self.counts["settled"] += done
        elif number:
            done = self._store.withdraw(number, self.owner)
            self._search.forget(number if done else 0)  # another index may have made it final
            self.counts["withdrawn"] += done
        self._claims.end(name)
        return done

    def _unheard(self, name: Name) -> int:
        """The id of a claim that the store took, though its answer was lost; 0 for none."""
        if not self._known:
            return 0
        same = self._search.record_named(name)
        return same.id if same is not None and same.owner == self.owner else 0

    def beat(self) -> None:
        """Tell the store that this index lives, if it has claims."""
        if self._claims.held:
            self._store.beat(self.owner)

    def withdraw_all(self) -> None:
        """Withdraw what is claimed still."""
        if self._known:
            self._known = False
            with suppress(Exception):  # of any store; where it does not answer, they vanish by themselves
                self.counts["withdrawn"] += len(self._store.release(self.owner))

    def _keep(
        self,
        name: Name,
        fingerprint: Fingerprint,
        listing: Listing,
        replaced: int,
        keys: Keys | None,
        *,
        claim: bool = False,
    ) -> bool:
        """Keep a text, or take in what is to be judged first."""
        self._known = self._known or claim
        put = self._store.put(name, fingerprint, self._search.catalog.last, replaced, self.owner if claim else "")
        self._search.take(put.newer)
        if put.id:  # memory follows the commit, never runs ahead of it
            self._search.forget(replaced)
            self._search.catalog.extend([listing._replace(id=put.id)], keys)
            self.counts["claimed"] += claim
            if claim:
                self._claims.pass_on(name, put.id, new=True)
        return put.id > 0

    def _repeat(self, name: Name, answer: Answer, *, claim: bool) -> None:
        """An item passes that is kept with the same text: it may be on its way for a second time."""
        same = answer.record
        if same is None or answer.verdict.duplicate:
            return
        if claim:
            self._claims.pass_on(name, same.id if same.owner == self.owner else 0, new=False)
        elif same.owner:
            self._store.settle(same.id, same.owner)

    def _note(self, name: Name, answer: Answer) -> None:
        """The text that an answer rests on was seen again, if it stays. A copy that may still change is none yet.

        What is noted serves people: where it fails, as on a full disk, the verdict stands, and the failure is counted.
        """
        same = answer.record
        if same is not None and not answer.keep and not answer.verdict.pending:
            copy = name if answer.verdict.duplicate and self._copies else None
            try:
                self._store.note(same.id, copy, self._copies)
            except Exception:  # of any store; one that is gone fails with the next text
                self.counts["unnoted"] += 1

    def _count(self, answer: Answer) -> None:
        verdict = answer.verdict
        self.counts["checked"] += 1
        self.counts["kept"] += answer.keep and not verdict.updated
        self.counts["duplicates"] += verdict.duplicate
        self.counts["pending"] += verdict.pending
        self.counts["too_short"] += verdict.too_short
        self.counts["updated"] += verdict.updated
        self.counts["extended"] += verdict.extends is not None
