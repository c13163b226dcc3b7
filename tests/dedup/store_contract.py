"""The contract of a store: indexes that share it answer as a literal model does, through generated steps.

The model is a list of kept texts that is looked through from its start for every question. What two texts are to each
other it takes from the rule and from `judged`, which have tests of their own.
"""

import inspect
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from denoise_scrapy.dedup import (
    RULES,
    SEARCHES,
    DuplicateIndex,
    Fingerprint,
    MemoryStore,
    RedisStore,
    SQLiteStore,
    sqlite_store,
)
from denoise_scrapy.dedup import index as index_module
from denoise_scrapy.dedup.rules import Comparison
from denoise_scrapy.dedup.store import CLAIM_SECONDS, Name, Record, Store
from denoise_scrapy.dedup.variants import Like, is_same_site, judged, likest, site_of
from denoise_scrapy.dedup.verdicts import COPY, UPDATE, VARIANT
from tests.dedup.made_texts import english
from tests.dedup.soundness import problems

LONG = Fingerprint.of(" ".join(english(1, 3000)))
SHORT = Fingerprint.of("a few words")
OLD = 1000.0  # seconds since the epoch
A, B = english(1, 60), english(5, 200)
# Few near copies under few keys, so that they meet often; some short texts.
POOL = [*map(" ".join, (A, A, A, ["by", "somebody", *A[2:]], ["by", "others", *A[2:]], A[:40], B)), " ".join(A).upper()]
POOL += ["", "Page not found", "page NOT  found!", "page NOT found!"]
KEYS = ["a", "b", "c", "https://a.example/1", "https://b.example/1"]
RULE = RULES["part"]
WHO, SCOPE = st.integers(0, 1), st.sampled_from([""] * 5 + ["s"])
ITEM = {"who": WHO, "key": st.sampled_from(KEYS), "text": st.sampled_from(POOL), "price": st.sampled_from([0, 1, 2, 3])}
ITEM |= {"scope": SCOPE, "group": st.sampled_from([""] * 5 + ["g"])}
HOW = st.sampled_from(["claim", "claim", "check_and_add"])


def put(store, key, fingerprint, scope="", group="", replaced=0, owner=""):
    """Keep a text like an index that has seen all others."""
    last = max((one.id for batch in store.newer(0) for one in batch), default=0)
    return store.put(Name(key, scope, group), fingerprint, last, replaced, owner)


class Place:
    """Where stores of one kind lie, and the clock by which versions and claims age: it goes on by `wait` alone.

    Attributes:
        shared: Whether several stores have the same texts.
        examples: Runs of the machine: of a server each takes a fifth of a second.
    """

    shared = True
    examples = 10

    def __init__(self):
        self.now = time.time()
        self._clock = SimpleNamespace(time=lambda: self.now)

    def empty(self):
        """Remove everything that stores have left."""
        raise NotImplementedError

    def store(self):
        """Return a new store there, not open."""
        raise NotImplementedError

    def index(self, **options):
        return DuplicateIndex(store=self.store(), **options)

    def wait(self, seconds):
        self.now += seconds

    def __enter__(self):
        self._patches = ExitStack()
        for module in (sqlite_store, index_module):
            self._patches.enter_context(mock.patch.object(module, "time", self._clock))
        return self

    def __exit__(self, *_):
        self._patches.close()


class MemoryPlace(Place):
    """A memory, which each store has for itself."""

    shared = False

    def empty(self):
        pass

    def store(self):
        return MemoryStore()


class FilePlace(Place):
    """A file of SQLite in a folder."""

    def __init__(self, folder):
        super().__init__()
        self.path = Path(folder, "a.db")

    def empty(self):
        for file in self.path.parent.glob("a.db*"):
            file.unlink()

    def store(self):
        return SQLiteStore(self.path)


class ServerPlace(Place):
    """A server of Redis, whose clock cannot be set: beats of owners are, instead."""

    examples = 4

    def __init__(self, server):
        super().__init__()
        self.server = server

    def empty(self):
        self.server.client.flushall()

    def store(self):
        return RedisStore(self.server.url, name="a")

    def wait(self, seconds):
        super().wait(seconds)
        for owner, beat in self.server.client.hgetall("{a}:owners").items():
            self.server.client.hset("{a}:owners", owner, int(beat) - round(seconds * 1000))


@dataclass
class Owner:
    """An index in the model: the claims it may hold, and its last beat."""

    held: set[int] = field(default_factory=set)
    beat: float = float("-inf")


@dataclass
class Kept:
    """A kept text of the model; `owner` is None where it is settled, `since` where its version is not known."""

    number: int
    name: Name
    text: str
    price: int
    made: Fingerprint
    owner: Owner | None
    since: int | None
    old: bool = False

    @property
    def named(self):
        return self.name[:2]


class Machine(RuleBasedStateMachine):
    """Indexes and their model, side by side."""

    def __init__(self, place):
        super().__init__()
        self.place, self.stack = place, ExitStack()
        self.indexes, self.owners = {}, {}
        self.kept, self.given = [], 0
        self.way = []  # items on their way: index, named, text, price, claim
        self.delivered = set()

    @initialize(search=st.sampled_from(SEARCHES))
    def begin(self, search):
        self.place.empty()
        self.options = {"search": search}
        for who in range(1 + self.place.shared):
            self.open(who)

    def teardown(self):
        self.stack.close()

    def open(self, who):
        self.indexes[who] = self.stack.enter_context(self.place.index(**self.options))
        for owner in [one.owner for one in self.kept if one.owner is not None]:
            if self.is_dead(owner):
                self.release(owner)
        self.owners[who] = Owner()

    def is_dead(self, owner):
        return self.place.now - owner.beat >= CLAIM_SECONDS

    def release(self, owner):
        self.kept = [one for one in self.kept if one.owner is not owner]

    def find(self, name):
        return next((one for one in self.kept if one.named == name[:2]), None)

    def alike(self, item, seen):
        """Yield the texts that the item repeats, the likest first."""
        name, made = item.name, item.fingerprint
        if made.too_short:
            return
        others = [
            one for one in seen if one.name.scope == name.scope and not (name.group and name.group == one.name.group)
        ]
        found = []
        for one in others:
            same = made.n > 0 and one.made.digest == made.digest
            proof = Comparison(same, 1.0, 1.0) if same else RULE.judge(item.text, one.made)
            if proof.duplicate:
                record = Record(one.number, one.name, one.made)
                found.append(Like(record, proof, is_same_site(name.site, one.name.site)))
        yield from likest(item, found)

    def judged(self, me, item, seen, *, similar):
        """Return the text that the verdict is based on, and the name of the form that the item is a variant of."""
        while True:
            base, variant_of, update = next((one for one in seen if one.named == item.name[:2]), None), "", False
            for like in self.alike(item, seen) if base is None and similar else ():
                kind = judged(item, like).kind
                if kind == COPY:
                    base = next(one for one in seen if one.number == like.record.id)
                    break
                update = update or kind == UPDATE
                if kind == VARIANT:
                    variant_of = variant_of or like.record.name.variant_of or like.record.name.key
            variant_of *= not update
            if base is None or base.owner in (None, me) or not self.is_dead(base.owner):
                return base, variant_of * (base is None)
            self.release(base.owner)
            seen = [one for one in seen if one in self.kept]

    def keep(self, me, base, name, text, price, made, since, *, claim):
        """Keep a text, replacing that of its key."""
        self.given += 1
        self.kept = [one for one in self.kept if one is not base]
        self.kept.append(Kept(self.given, name, text, price, made, me if claim else None, since))
        if claim:
            me.beat = self.place.now
            me.held.add(self.given)
        return self.given * claim

    @rule(how=HOW, **ITEM)
    def keep_one(self, **item):
        self.ask(**item)

    @rule(items=st.lists(st.fixed_dictionaries({"how": HOW, **ITEM}), min_size=1, max_size=6))
    def keep_some(self, items):
        for item in items:
            self.ask(**item)

    @rule(how=st.sampled_from(["check", "check", "add", "add claim"]), **ITEM)
    def check_or_add(self, **item):
        self.ask(**item)

    def ask(self, how, who, key, text, price, scope, group):
        who %= len(self.indexes)
        index, me, claim = self.indexes[who], self.owners[who], "claim" in how
        call = index.check if how == "check" else index.add if "add" in how.split() else index.check_and_add
        values = {"price": price} if price else {}
        verdict = call(key, text, values=values, scope=scope, group=group, **({"claim": True} if claim else {}))

        read = index.read(text, values=values)
        item, similar = read._replace(name=Name(key, scope, group, site_of(key))), "add" not in how.split()
        text = " ".join(text.split())
        base, variant_of = self.judged(me, item, self.kept, similar=similar)
        duplicate = base is not None and base.named != (key, scope)
        own, number = (None if duplicate else base), 0
        changed = self.changed(own, read, text, price) if own else ()
        since = None if own is None or own.since is None or own.owner is not None else float(own.since)
        pending = duplicate and base.owner is not None
        if how != "check":
            keeps = self.is_kept(base, item, text, price)
            if keeps:
                same_form = own.name.variant_of if own and own.made.digest == read.fingerprint.digest else ""
                name = item.name._replace(variant_of=variant_of or same_form)
                at = int(self.place.now)
                number = self.keep(me, base, name, text, price, read.fingerprint, at, claim=claim)
            elif own:
                number = own.number if claim and own.owner is me else 0
                own.owner = own.owner if claim else None
                me.held |= {number} - {0}
            if not keeps and not pending:
                base.old = False
                if duplicate:
                    assert (*base.named, base.text, base.price) in self.delivered, "a copy of what nobody got"
        expected = (duplicate, base.name.key if duplicate else None, variant_of or None, pending, number)
        assert (verdict.duplicate, verdict.of, verdict.variant_of, verdict.pending, verdict.claim) == expected
        assert (verdict.updated, verdict.changed, verdict.since) == (changed != (), changed, since)
        assert verdict.too_short == read.fingerprint.too_short
        if claim and not duplicate:
            self.way.append((who, (key, scope), text, price, verdict.claim))
        elif how != "check" and not duplicate:
            self.delivered.add((key, scope, text, price))

    def changed(self, own, read, text, price):
        """What has changed: letters count, for the text too; of a text without a version only its words are known."""
        if own.since is None:
            return ("text",) * (own.made.digest != read.fingerprint.digest)
        prices = ("price",) * (price not in (0, own.price)) + ("(gone)",) * (not price and own.price != 0)
        return ("text",) * (text != own.text) + prices

    def is_kept(self, base, item, text, price):
        if base is None or base.named != item.name[:2]:
            return base is None
        return base.since is None or self.changed(base, item, text, price) != ()

    @precondition(lambda self: self.way)
    @rule(place=st.integers(0, 9), arrives=st.sampled_from([True, True, False]))
    def end(self, place, arrives):
        who, named, text, price, claim = self.way.pop(place % len(self.way))
        if arrives:
            self.delivered.add((*named, text, price))
        me = self.owners[who]
        mine = [one for one in self.kept if one.owner is me and one.number == claim and claim in me.held]
        assert (self.indexes[who].settle if arrives else self.indexes[who].withdraw)(claim) == bool(mine)
        me.held.discard(claim)
        for one in mine:
            one.owner = None
            if not arrives:
                self.kept.remove(one)

    @rule(who=WHO, key=st.sampled_from(KEYS), text=st.sampled_from([*POOL, None, None]), scope=SCOPE)
    def remove_or_restore(self, who, key, text, scope):
        who %= len(self.indexes)
        if text is not None:
            self.restore(who, key, text, scope)
            return
        one = self.find((key, scope))
        assert self.indexes[who].remove(key, scope) == (one is not None)
        self.kept = [other for other in self.kept if other is not one]

    def restore(self, who, key, text, scope):
        """Restore a text from an index of an earlier release, without a version."""
        name, made = Name(key, scope, "", site_of(key)), Fingerprint.of(text)
        assert self.indexes[who].restore([Record(9, name, made)]) == 1
        text = " ".join(text.split())
        self.keep(self.owners[who], self.find(name), name, text, 0, made, None, claim=False)
        self.delivered.add((key, scope, text, 0))

    @rule(place=st.integers(0, 3), expires=st.sampled_from([True, False, False, False]))
    def age(self, place, expires):
        if place < len(self.kept):
            self.kept[-1 - place].old = True
            self.indexes[0]._store.set_last_seen({self.kept[-1 - place].number: OLD, self.given + 1: OLD})
        if expires:
            assert self.indexes[0].expire(OLD - 1) == 0
            gone = [one for one in self.kept if one.old and one.owner is None]
            assert self.indexes[0].expire(OLD + 1) == len(gone)
            self.kept = [one for one in self.kept if one not in gone]

    @precondition(lambda self: self.place.shared)
    @rule(who=WHO, dies=st.booleans(), seconds=st.sampled_from([0, 16]))
    def leave(self, who, dies, seconds):
        if dies:
            self.indexes[who]._store.close()
            self.indexes[who]._known = False
        else:
            self.indexes[who].close()
            self.release(self.owners[who])
        self.way = [one for one in self.way if one[0] != who]
        self.open(who)
        self.place.wait(seconds)

    @rule(who=WHO, seconds=st.sampled_from([6, 16]))
    def wait(self, who, seconds):
        """One index beats, then time passes."""
        who %= len(self.indexes)
        self.indexes[who].beat()
        owner = self.owners[who]
        owner.beat = self.place.now if owner.held else owner.beat
        self.place.wait(seconds)

    @invariant()
    def the_store_has_what_the_model_has(self):
        if not self.indexes:
            return
        store = self.indexes[0]._store
        records = store.get([one.number for one in reversed(self.kept)])
        expected = [(one.number, one.name, one.made, one.owner is not None) for one in self.kept]
        assert [(one.id, one.name, one.fingerprint, bool(one.owner)) for one in records] == expected
        assert list(store.records()) == [one._replace(owner="") for one in records]
        seen = max(0, self.given - 2)
        assert [one for batch in store.newer(seen) for one in batch] == [
            one._replace(owner="") for one in records if one.id > seen
        ]
        times = store.last_seen(range(1, self.given + 2))
        assert {number: at == OLD for number, at in times.items()} == {one.number: one.old for one in self.kept}
        assert len(store) == len(records) and problems(store) == []


class StoreContract:
    """The contract of every store. A subclass has a fixture `place`, an empty `Place`."""

    @pytest.fixture
    def store(self, place):
        with place.store() as store:
            store.open({})
            yield store

    def test_indexes_on_it_answer_as_the_model_does(self, place, monkeypatch):
        monkeypatch.setattr(index_module, "MOST_IN_TREE", 2)  # some texts are in the tree, others have bands
        slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
        how = settings(max_examples=place.examples, stateful_step_count=50, deadline=None, suppress_health_check=slow)
        run_machine(lambda: Machine(place), settings=how)

    def test_gives_back_all_of_a_name_and_a_fingerprint(self, store: Store):
        name = Name("ключ", "s", "g", "a.example", "первый")
        full = replace(LONG, title=b"\x01\x00\x02\x00", values=b"\x00" * 16)
        full = replace(full, bands=bytes(range(128)))
        assert all(field not in {b"", ""} for field in (*name, *(getattr(full, one.name) for one in fields(full))))
        number = store.put(name, full, 0, 0, "", bytes(range(256)))
        assert store.get([number])[0].fingerprint.bands == full.bands
        assert store.get([number]) == list(store.records()) == [Record(number, name, full, "", bytes(range(256)))]
        assert store.get([]) == [] and store.get([999]) == [] and store.get([0]) == []

    def test_finds_by_key_and_by_bands(self, store: Store, monkeypatch):
        module = inspect.getmodule(type(store).find)
        monkeypatch.setattr(module, "MOST_FOUND", 3)
        bands = [b"aaaabbbbcccc", b"aaaabbbbdddd", b"aaaaeeee", b"aaaa", b"", b"eeee"]
        for number, one in enumerate(bands):
            put(store, f"/{number}", replace(LONG, bands=one), "s")
        assert store.find(Name("/2", "s")) == (3, [], []) and store.find(Name("/2")) == (0, [], [])
        assert [one.id for one in store.find(Name("/2"), seen=4).newer] == [5, 6]
        found = store.find(Name("/9", "s"), b"aaaabbbb")
        assert found.same_name == 0 and found.alike[:2] == [1, 2] and {*found.alike} == {1, 2, 3}
        assert {*store.find(Name("/9", "s"), b"eeeeffff").alike} == {3, 6}
        assert store.remove(1) and store.remove(3) and {*store.find(Name("/9"), b"aaaaeeee").alike} == {2, 4, 6}
        put(store, "/1", replace(LONG, bands=b"ffff"), "s", replaced=2)
        assert store.find(Name("/1", "s"), b"aaaabbbb") == (7, [4], []) and store.find(Name("/9"), b"ffff").alike == [7]

    @pytest.mark.parametrize(
        "damage",
        [{"s1": b"x"}, {"s2": b"xyz"}, {"bands": b"xy"}, {"rare": b"x"}, {"values": b"x" * 7},
         {"title": b"x"}, {"limit": 3}, {"limit": 0}, {"t": 4}, {"s1": bytes(1 << 18)}],
    )  # fmt: skip
    def test_what_others_have_damaged_is_not_used(self, store: Store, damage):
        put(store, "a", SHORT)
        number = put(store, "b", replace(LONG, **damage))
        assert store.get([1])
        for read in (lambda: store.get([number]), lambda: list(store.newer(0)), lambda: list(store.records())):
            with pytest.raises(ValueError, match=f"{number}.* is damaged"):
                read()
        assert len(store) == 2

    def test_odd_names(self, store: Store):
        names = ["ключ", "'; DROP TABLE texts; --", "a\x00b", "x" * 5000]
        for name in names:
            put(store, name, SHORT, name, name)
        assert [record.name for record in store.records()] == [Name(name, name, name) for name in names]

    def test_a_time_is_written_once_an_hour_at_most(self, store: Store):
        number, recent = put(store, "b", SHORT), int(time.time()) - 600
        store.set_last_seen({number: recent})
        store.note(number)
        assert store.last_seen([number]) == {number: recent}
