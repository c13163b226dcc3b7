"""A literal model of what an index answers, held beside indexes that share a store, through generated steps.

The model is a list of kept texts that is looked through from its start for every question. It has claims, which are
settled, withdrawn, or released when their owner died; groups of copies; scopes; groups of one crawl; short texts.
"""

import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest import mock

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from denoise_scrapy.dedup import RULES, DuplicateIndex, Group, MemoryStore, RedisStore, SQLiteStore, sqlite_store
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.store import CLAIM_SECONDS
from tests.dedup.made_texts import cut_out, english

A, WORDS = english(1, 300), english(5, 700)
# Few families of near copies, so that they meet often.
POOL = [" ".join([f"byline{copy}", *english(seed, 60)[1:]]) for copy in range(2) for seed in range(2)] * 2
POOL += [" ".join(A).upper(), *map(" ".join, (A, ["by", "somebody", *A[2:]], A[:150], A[:75], cut_out(A, 0.1)))]
POOL += [" ".join(WORDS), " ".join(WORDS[:300]), "", "  \n", "Page not found", "page NOT found!", "word " * 50]
RULE = RULES["part"]


class Place:
    """Where stores of one kind lie, and the clock by which owners of claims age."""

    def __init__(self, kind, folder, server):
        self.kind, self.server, self._path, self._ahead = kind, server, f"{folder}/a.db", 0.0
        self._clock = SimpleNamespace(time=lambda: time.time() + self._ahead)

    def index(self, **options):
        if self.kind == "memory":
            return DuplicateIndex(store=MemoryStore(), **options)
        store = SQLiteStore(self._path) if self.kind == "sqlite" else RedisStore(self.server.url, name="a")
        return DuplicateIndex(store=store, **options)

    def wait(self, seconds):
        """Let time go by: a server's clock cannot be set, so its beats are."""
        self._ahead += seconds
        if self.kind == "redis":
            for owner, beat in self.server.client.hgetall("{a}:owners").items():
                self.server.client.hset("{a}:owners", owner, int(beat) - round(seconds * 1000))

    def __enter__(self):
        self._patch = mock.patch.object(sqlite_store, "time", self._clock)
        self._patch.start()
        return self

    def __exit__(self, *_):
        self._patch.stop()


@dataclass
class Owner:
    """What one index holds in the model."""

    held: set[int] = field(default_factory=set)
    beat: float = float("-inf")


@dataclass
class Kept:
    """A kept text of the model; `owner` is None when it is settled."""

    key: str
    scope: str
    group: str
    made: Fingerprint
    owner: Owner | None
    number: int
    copies: list[str]


class Machine(RuleBasedStateMachine):
    """Indexes and their model, side by side."""

    def __init__(self, kind, server=None):
        super().__init__()
        self.kind, self.server, self.stack = kind, server, ExitStack()
        self.indexes, self.owners = {}, {}
        self.kept, self.clock, self.given = [], 0.0, 0
        self.way = []  # items on their way: index, key, scope, fingerprint, claim
        self.delivered = set()

    @initialize(short=st.booleans(), search=st.sampled_from(["prefilter", "tree"]))
    def begin(self, short, search):
        if self.server:
            self.server.client.flushall()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.place = self.stack.enter_context(Place(self.kind, folder, self.server))
        self.short, self.options = short, {"short_duplicates": short, "search": search, "remember_copies": 100}
        for who in range(1 if self.kind == "memory" else 2):
            self.open(who)

    def open(self, who):
        self.indexes[who] = self.stack.enter_context(self.place.index(**self.options))
        for one in list(self.kept):
            if one.owner is not None and self.is_dead(one.owner):
                self.release(one.owner)
        self.owners[who] = Owner()

    def is_dead(self, owner):
        return self.clock - owner.beat >= CLAIM_SECONDS

    def release(self, owner):
        self.kept = [one for one in self.kept if one.owner is not owner]

    def named(self, key, scope):
        return next((one for one in self.kept if (one.key, one.scope) == (key, scope)), None)

    def likes(self, key, scope, group, text, made):
        """What an answer may rest on, the best first: the same item, the same words, near copies."""
        yield from filter(None, [self.named(key, scope)])
        others = [one for one in self.kept if one.scope == scope and not (group and group == one.group)]
        if made.n and (self.short or not made.too_short):
            yield from (one for one in others if one.made.digest == made.digest)
        if not made.too_short:
            judged = RULE.judge(RULE.read(text), [one.made for one in others], RULE.threshold)
            yield from (one for one, verdict in zip(others, judged, strict=True) if verdict.duplicate)

    def base(self, me, *item):
        """What the answer rests on; nothing of the dead."""
        while True:
            found = next(self.likes(*item), None)
            if found is None or found.owner in (None, me) or not self.is_dead(found.owner):
                return found
            self.release(found.owner)

    def forget_copy(self, key, scope):
        for one in self.kept:
            if one.scope == scope and key in one.copies:
                one.copies.remove(key)

    def keep(self, me, base, key, scope, group, made, claim):
        """Keep a text that is no duplicate; return the number of its claim, or 0."""
        if base is not None and base.made == made:
            number = base.number if claim and base.owner is me else 0
            base.owner = base.owner if claim else None
        else:
            self.given += 1
            self.forget_copy(key, scope)
            self.kept = [one for one in self.kept if one is not base]
            copies = base.copies if base else []
            self.kept.append(Kept(key, scope, group, made, me if claim else None, self.given, copies))
            number = self.given if claim else 0
            me.beat = self.clock if claim else me.beat
        me.held |= {number} - {0}
        return number

    @rule(
        who=st.integers(0, 1),
        how=st.sampled_from(["claim", "claim", "claim", "check_and_add", "check_and_add", "check"]),
        key=st.sampled_from("abcd"),
        text=st.sampled_from(POOL),
        scope=st.sampled_from(["", "", "", "s"]),
        group=st.sampled_from(["", "", "", "g"]),
    )
    def ask(self, who, how, key, text, scope, group):
        who %= len(self.indexes)
        index, me, made = self.indexes[who], self.owners[who], Fingerprint.of(text)
        index.check("nothing", "")  # it takes in what others keep when it looks, or keeps a text of its own
        claim = {"claim": True} if how == "claim" else {}
        call = index.check if how == "check" else index.check_and_add
        verdict = call(key, text, scope=scope, group=group, **claim)
        base = self.base(me, key, scope, group, text, made)
        assert verdict.too_short == made.too_short
        if base is not None and (base.key, base.scope) != (key, scope):
            assert (verdict.of, verdict.pending, verdict.claim) == (base.key, base.owner is not None, 0)
            if base.owner is None:
                assert (base.key, scope, base.made) in self.delivered, "a copy of what nobody got"
                if how != "check":
                    self.forget_copy(key, scope)
                    base.copies.append(key)
            return
        updated = base is not None and base.made != made
        number = 0 if how == "check" else self.keep(me, base, key, scope, group, made, bool(claim))
        assert (verdict.duplicate, verdict.of, verdict.updated, verdict.claim) == (False, None, updated, number)
        if claim:
            self.way.append((who, key, scope, made, verdict.claim))
        elif how != "check":
            self.delivered.add((key, scope, made))

    @rule(place=st.integers(0, 9), arrives=st.booleans())
    def end(self, place, arrives):
        if self.way:
            who, key, scope, made, claim = self.way.pop(place % len(self.way))
            if arrives:
                self.delivered.add((key, scope, made))
            me = self.owners[who]
            mine = [one for one in self.kept if one.owner is me and one.number == claim and claim in me.held]
            assert (self.indexes[who].settle if arrives else self.indexes[who].withdraw)(claim) == bool(mine)
            me.held.discard(claim)
            for one in mine:
                one.owner = None
                if not arrives:
                    self.kept.remove(one)

    @rule(who=st.integers(0, 1), key=st.sampled_from("abcd"), scope=st.sampled_from(["", "s"]))
    def remove(self, who, key, scope):
        one = self.named(key, scope)
        assert self.indexes[who % len(self.indexes)].remove(key, scope) == (one is not None)
        self.kept = [other for other in self.kept if other is not one]
        self.forget_copy(key, scope)

    @precondition(lambda self: self.kind != "memory")
    @rule(who=st.integers(0, 1), dies=st.booleans())
    def leave(self, who, dies):
        if dies:
            self.indexes[who]._store.close()
            self.indexes[who]._known = False
        else:
            self.indexes[who].close()
            self.release(self.owners[who])
        self.way = [one for one in self.way if one[0] != who]
        self.open(who)

    @rule(who=st.integers(0, 1))
    def beat(self, who):
        who %= len(self.indexes)
        self.indexes[who].beat()
        owner = self.owners[who]
        owner.beat = self.clock if owner.held else owner.beat

    @precondition(lambda self: self.kind != "memory")
    @rule(seconds=st.sampled_from([6, 16]))
    def wait(self, seconds):
        self.place.wait(seconds)
        self.clock += seconds

    def teardown(self):
        with self.stack:
            for index in self.indexes.values():
                index.check("nothing", "")
                self.look(index)

    def look(self, index):
        store = index._store
        assert store.problems() == []
        kept = [(one.name[:3], one.fingerprint) for one in store.records()]
        assert kept == [((one.key, one.scope, one.group), one.made) for one in self.kept]
        found = store.get([record.id for record in store.records()])
        assert [bool(one.owner) for one in found] == [one.owner is not None for one in self.kept]
        groups = [Group(one.key, one.scope, tuple(one.copies)) for one in self.kept if one.copies]
        assert sorted(index.groups()) == sorted(groups)
        for group in groups:
            assert {index.group(key, group.scope) for key in group.members} == {group}
        assert index.group("none") is None


def run(kind, server=None):
    """Take generated steps with indexes of one kind."""
    slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    how = settings(max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=slow)
    run_state_machine_as_test(lambda: Machine(kind, server), settings=how)
