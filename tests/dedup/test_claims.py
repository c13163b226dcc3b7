"""Texts that are claimed, then settled or withdrawn, or released because their owner died; on every store."""

import os
import subprocess
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest import mock

import pytest
import redis
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import DuplicateIndex, MemoryStore, RedisStore, SQLiteStore, sqlite_store
from denoise_scrapy.dedup import store as owners
from denoise_scrapy.dedup.fingerprint import CONSTANTS, Fingerprint
from denoise_scrapy.dedup.store import Name
from tests.dedup.made_texts import english

# Two families of two near copies: few, so that they meet often.
TEXTS = [[" ".join([f"byline{copy}", *english(seed, 60)[1:]]) for copy in range(2)] for seed in range(2)]
A, NEAR = TEXTS[0]
OTHER = TEXTS[1][0]
WAIT = owners.CLAIM_SECONDS


class Place:
    """Where stores of one kind lie, and the clock by which owners of claims age."""

    def __init__(self, kind, folder, server):
        self.kind, self._path, self._server, self._ahead = kind, f"{folder}/a.db", server, 0.0
        self._clock = SimpleNamespace(time=lambda: time.time() + self._ahead)

    def store(self):
        if self.kind == "memory":
            return MemoryStore()
        return SQLiteStore(self._path) if self.kind == "sqlite" else RedisStore(self._server.url, name="a")

    def index(self, **options):
        return DuplicateIndex(store=self.store(), **options)

    def wait(self, seconds):
        """Let time go by: a server's clock cannot be set, so its beats are."""
        self._ahead += seconds
        if self.kind == "redis":
            for owner, beat in self._server.client.hgetall("{a}:owners").items():
                self._server.client.hset("{a}:owners", owner, int(beat) - round(seconds * 1000))

    def __enter__(self):
        self._patch = mock.patch.object(sqlite_store, "time", self._clock)
        self._patch.start()
        return self

    def __exit__(self, *_):
        self._patch.stop()


def placed(request, tmp_path):
    server = request.getfixturevalue("redis_server") if request.param == "redis" else None
    with Place(request.param, tmp_path, server) as one:
        yield one


place = pytest.fixture(params=["memory", "sqlite", "redis"])(placed)
shared = pytest.fixture(params=["sqlite", "redis"])(placed)


def claimed(index, key, text, **options):
    return index.check_and_add(key, text, claim=True, **options)


class TestOneIndex:
    def test_threads(self, place):
        """Each text is kept once, by an item that was delivered."""
        texts = [" ".join(english(seed, 60)) for seed in range(8)]
        errors, delivered = [], []

        def work(who):
            try:
                for number, text in enumerate(texts):
                    for turn in range(1000):
                        verdict = claimed(index, f"{who}-{number}", text)
                        if verdict.duplicate and not verdict.pending:
                            break
                        if not verdict.duplicate and (turn + who) % 3:
                            assert index.withdraw(verdict.claim)
                        elif not verdict.duplicate:
                            assert index.settle(verdict.claim)
                            delivered.append(f"{who}-{number}")
                            break
                        index.beat()
                    else:
                        raise AssertionError("it waits for good")
            except BaseException as error:
                errors.append(error)

        with place.index() as index:
            threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not errors
            assert sorted(key.split("-")[1] for key in delivered) == [*map(str, range(8))]
            assert {index.check("new", text).of for text in texts} == set(delivered) and len(index) == 8


class TestSeveralIndexes:
    def test_a_clock_that_was_set_back(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            shared.wait(-1000)
            assert claimed(two, "b", NEAR).pending
            shared.wait(WAIT - 1)
            assert claimed(two, "b", NEAR).pending
            shared.wait(1.1)
            assert not claimed(two, "b", NEAR).duplicate


@dataclass
class Owner:
    """What one index holds in the model."""

    held: set[int] = field(default_factory=set)
    beat: float = float("-inf")


@dataclass
class Kept:
    """A kept text of the model; `owner` is None when it is settled."""

    key: str
    text: tuple[int, int]
    owner: Owner | None
    number: int


class Model:
    """The literal model of claims: a list of records, looked through from its start for every question."""

    def __init__(self):
        self.kept, self.clock, self.given = [], 0.0, 0

    def is_dead(self, owner):
        return self.clock - owner.beat >= WAIT

    def release(self, owner):
        self.kept = [one for one in self.kept if one.owner is not owner]

    def open(self):
        for one in list(self.kept):
            if one.owner is not None and self.is_dead(one.owner):
                self.release(one.owner)
        return Owner()

    def base(self, me, key, text):
        """What the answer rests on: the same item, the same words, a near copy; nothing of the dead."""
        tests = (lambda one: one.key == key, lambda one: one.text == text, lambda one: one.text[0] == text[0])
        while True:
            found = next((one for test in tests for one in self.kept if test(one)), None)
            if found is None or found.owner in (None, me) or not self.is_dead(found.owner):
                return found
            self.release(found.owner)

    def check_and_add(self, me, key, text, claim, keep=True):
        """Duplicate, of, pending, updated, claim."""
        base = self.base(me, key, text)
        if base is not None and base.key != key:
            return True, base.key, base.owner is not None, False, 0
        same = base is not None and base.text == text
        number = 0
        if keep and same:
            if claim and base.owner is me:
                number = base.number
            base.owner = base.owner if claim else None
        elif keep:
            self.given += 1
            self.kept = [one for one in self.kept if one.key != key]
            self.kept.append(Kept(key, text, me if claim else None, self.given))
            number = self.given if claim else 0
            me.beat = self.clock if claim else me.beat
        me.held |= {number} - {0}
        return False, None, False, base is not None and not same, number

    def end(self, me, number, delivered):
        mine = [one for one in self.kept if one.owner is me and one.number == number and number in me.held]
        me.held.discard(number)
        for one in mine:
            one.owner = None
            if not delivered:
                self.kept.remove(one)
        return bool(mine)


STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["claim", "claim", "claim", "add", "check"]),
            st.integers(0, 1),
            st.sampled_from("abc"),
            st.tuples(st.integers(0, 1), st.integers(0, 1)),
        ),
        st.tuples(st.sampled_from(["deliver", "deliver", "lose"]), st.integers(0, 9)),
        st.tuples(st.just("remove"), st.integers(0, 1), st.sampled_from("abc")),
        st.tuples(st.sampled_from(["beat", "beat", "die", "close"]), st.integers(0, 1)),
        st.tuples(st.just("wait"), st.sampled_from([6, 16])),
    ),
    max_size=40,
)
SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


class TestModel:
    """The index does what the literal model does, and takes no text for delivered that was not."""

    @settings(max_examples=60, suppress_health_check=SLOW, deadline=None)
    @given(STEPS)
    @example([("claim", 0, "a", (0, 0)), ("die", 0), ("wait", 16), ("claim", 1, "a", (0, 1)), ("deliver", 0)])
    def test_sqlite(self, steps):
        with tempfile.TemporaryDirectory() as folder:
            run(Place("sqlite", folder, None), steps)

    @settings(max_examples=30, suppress_health_check=SLOW, deadline=None)
    @given(STEPS)
    def test_redis(self, redis_server, steps):
        redis_server.client.flushall()
        run(Place("redis", "", redis_server), steps)


class Run:
    """Indexes and their model, side by side."""

    def __init__(self, place, stack):
        self.place, self.stack, self.model = place, stack, Model()
        self.indexes, self.owners = {}, {}
        self.way = []  # items on their way: index, key, text, claim
        self.delivered = set()
        for who in range(2):
            self.open(who)

    def open(self, who):
        self.indexes[who] = self.stack.enter_context(self.place.index())
        self.owners[who] = self.model.open()

    def ask(self, step, who, key, text):
        index, (family, copy) = self.indexes[who], text
        index.check("nothing", "")  # it takes in what others keep when it looks, or keeps a text of its own
        call = index.check if step == "check" else index.check_and_add
        verdict = call(key, TEXTS[family][copy], **({"claim": True} if step == "claim" else {}))
        expected = self.model.check_and_add(self.owners[who], key, text, step == "claim", step != "check")
        assert (verdict.duplicate, verdict.of, verdict.pending, verdict.updated, verdict.claim) == expected
        if verdict.duplicate and not verdict.pending:
            kept = next(one for one in self.model.kept if one.key == verdict.of)
            assert (kept.key, kept.text) in self.delivered, "a copy of what nobody got"
        if step == "claim" and not verdict.duplicate:
            self.way.append((who, key, text, verdict.claim))
        elif step == "add" and not verdict.duplicate:
            self.delivered.add((key, text))

    def arrive(self, step, place):
        if self.way:
            who, key, text, claim = self.way.pop(place % len(self.way))
            end = self.indexes[who].settle if step == "deliver" else self.indexes[who].withdraw
            if step == "deliver":
                self.delivered.add((key, text))
            assert end(claim) == self.model.end(self.owners[who], claim, step == "deliver")

    def leave(self, step, who):
        if step == "die":
            self.indexes[who]._store.close()
            self.indexes[who]._known = False
        else:
            self.indexes[who].close()
            self.model.release(self.owners[who])
        self.way = [one for one in self.way if one[0] != who]
        self.open(who)

    def step(self, step, *args):
        if step in ("claim", "add", "check"):
            self.ask(step, *args)
        elif step in ("deliver", "lose"):
            self.arrive(step, *args)
        elif step == "remove":
            there = any(one.key == args[1] for one in self.model.kept)
            self.model.kept = [one for one in self.model.kept if one.key != args[1]]
            assert self.indexes[args[0]].remove(args[1]) == there
        elif step in ("die", "close"):
            self.leave(step, *args)
        elif step == "beat":
            self.indexes[args[0]].beat()
            owner = self.owners[args[0]]
            owner.beat = self.model.clock if owner.held else owner.beat
        else:
            self.place.wait(*args)
            self.model.clock += args[0]


def run(place, steps):
    with place, ExitStack() as stack:
        both = Run(place, stack)
        for step in steps:
            both.step(*step)
        store = both.indexes[0]._store
        assert store.problems() == []
        kept = [(one.name.key, one.fingerprint.digest) for one in store.records()]
        digests = [[Fingerprint.of(text).digest for text in family] for family in TEXTS]
        assert kept == [(one.key, digests[one.text[0]][one.text[1]]) for one in both.model.kept]
        found = store.get([record.id for record in store.records()])
        assert [bool(one.owner) for one in found] == [one.owner is not None for one in both.model.kept]


class TestCosts:
    def test_round_trips_to_a_server(self, redis_server):
        sent, counts = [], []
        real = redis.connection.AbstractConnection.send_packed_command

        def send(self, *args, **options):
            sent.append(args)
            return real(self, *args, **options)

        with DuplicateIndex(store=RedisStore(redis_server.url)) as index:
            index.settle(claimed(index, "warm", " ".join(english(77, 60))).claim)
            with mock.patch.object(redis.connection.AbstractConnection, "send_packed_command", send):
                for call in (
                    lambda: index.check_and_add("a", A),
                    lambda: claimed(index, "b", OTHER),
                    lambda: claimed(index, "c", OTHER),
                    lambda: index.settle(3),
                    lambda: index.check_and_add("c", NEAR),
                    index.beat,
                ):
                    call()
                    counts.append(len(sent))
                    sent.clear()
        assert counts == [1, 1, 1, 1, 2, 0]


class TestOwners:
    def test_a_process_that_has_ended(self):
        child = subprocess.Popen(["sleep", "100"])
        host, mine, rest = owners.new_owner().split(":")
        name = f"{host}:{owners._process(child.pid)}:{rest}"
        try:
            assert not owners.has_ended(name) and not owners.has_ended(f"{host}:{child.pid}:{rest}")
            assert owners.has_ended(f"{host}:{child.pid}-1:{rest}"), "its number came back"
        finally:
            child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert owners.has_ended(name), "though nobody has waited for it"
        child.wait()
        assert owners.has_ended(name) and not owners.has_ended(f"{host}:{mine}:{rest}")

    @pytest.mark.parametrize(
        "name", ["", "x", "other:999999999:1", "{host}:x:1", "{host}", "{host}:" + "9" * 30 + ":1"]
    )
    def test_where_only_age_can_say(self, name):
        assert not owners.has_ended(name.replace("{host}", owners.new_owner().split(":")[0]))

    def test_a_process_of_another_user(self):
        name = f"{owners.new_owner().split(':')[0]}:1-1:0"
        with mock.patch("os.kill", side_effect=PermissionError):
            assert not owners.has_ended(name)


class TestFailures:
    def test_a_claim_that_could_not_be_settled_is_settled_later(self, shared):
        with shared.index() as index:
            a = claimed(index, "a", A).claim
            with mock.patch.object(type(index._store), "settle", side_effect=OSError), pytest.raises(OSError):
                index.settle(a)
            assert index.settle(a) and index.check("b", NEAR).of == "a"

    @pytest.mark.parametrize("next_key", ["a", "b"])
    def test_a_claim_whose_answer_was_lost_is_withdrawn(self, shared, next_key):
        with shared.index() as index:
            real = type(index._store).put

            def put(*args):
                real(*args)
                raise OSError

            with mock.patch.object(type(index._store), "put", put), pytest.raises(OSError):
                claimed(index, "a", A)
            assert len(index._store) == 1
            again = claimed(index, next_key, NEAR)
            assert not again.duplicate and not again.updated and index.settle(again.claim) and len(index._store) == 1

    def test_text_and_claim_are_one_step(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            store._connection.execute("DROP TABLE owners")
            with pytest.raises(sqlite_store.sqlite3.OperationalError, match="owners"):
                store.put(Name("a"), Fingerprint.of(A), 0, 0, "someone")
            assert len(store) == 0 and store.put(Name("a"), Fingerprint.of(A), 0).id == 1

    def test_a_claim_without_a_record_is_a_problem(self, shared, redis_server):
        with shared.index() as index:
            claimed(index, "a", A)
            if shared.kind == "sqlite":
                index._store._connection.execute("DELETE FROM texts")
            else:
                redis_server.client.xdel("{a}:log", "1-0")
                redis_server.client.delete("{a}:keys")
            assert "claim on" in "".join(index._store.problems())
            if shared.kind == "sqlite":
                shared.index().close()
                assert index._store.problems() == []
