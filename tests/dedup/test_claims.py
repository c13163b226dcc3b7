"""Texts that are claimed, then settled or withdrawn, or released because their owner died; on every store."""

import itertools
import os
import subprocess
import tempfile
import threading
import time
from contextlib import ExitStack
from types import SimpleNamespace
from unittest import mock

import pytest
import redis
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import DuplicateIndex, MemoryStore, RedisStore, SQLiteStore, owners, sqlite_store
from denoise_scrapy.dedup.fingerprint import CONSTANTS, Fingerprint
from denoise_scrapy.dedup.store import Name
from tests.dedup.claim_model import COPIES, FAMILIES, TEXTS, Model
from tests.dedup.made_texts import english

A, NEAR = TEXTS[0][0], TEXTS[0][1]
OTHER = TEXTS[1][0]
KINDS = ["memory", "sqlite", "redis"]


class Place:
    """Where stores of one kind lie, and the clock by which owners of claims age."""

    def __init__(self, kind, folder, server):
        self.kind = kind
        self._path = f"{folder}/a.db"
        self._server = server
        self._ahead = 0.0
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


@pytest.fixture(params=KINDS)
def place(request, tmp_path):
    server = request.getfixturevalue("redis_server") if request.param == "redis" else None
    with Place(request.param, tmp_path, server) as one:
        yield one


@pytest.fixture(params=KINDS[1:])
def shared(request, tmp_path):
    server = request.getfixturevalue("redis_server") if request.param == "redis" else None
    with Place(request.param, tmp_path, server) as one:
        yield one


def claimed(index, key, text, **options):
    return index.check_and_add(key, text, claim=True, **options)


class TestOneIndex:
    @pytest.mark.parametrize("search", ["prefilter", "tree"])
    def test_settled_withdrawn_and_pending(self, place, search):
        with place.index(search=search) as index:
            assert not claimed(index, "a", A).duplicate
            near = claimed(index, "b", NEAR)
            assert near.duplicate and near.of == "a" and near.pending and index.check("b", A).pending
            assert index.withdraw("a") and not index.withdraw("a") and not index.settle("a")
            assert len(index) == 0
            assert not claimed(index, "b", NEAR).duplicate
            assert index.settle("b") and not index.settle("b") and not index.withdraw("b")
            again = claimed(index, "c", A)
            assert again.of == "b" and not again.pending and len(index) == 1
            counts = ("claimed", "settled", "withdrawn", "released", "pending")
            assert [index.stats[name] for name in counts] == [2, 1, 1, 0, 1]
            assert index._store.problems() == []

    def test_scopes_are_apart(self, place):
        with place.index() as index:
            claimed(index, "a", A, scope="x")
            claimed(index, "a", A, scope="y")
            assert not index.settle("a") and index.settle("a", scope="x") and index.withdraw("a", scope="y")
            assert index.check("b", NEAR, scope="x").duplicate and not index.check("b", NEAR, scope="y").duplicate

    def test_what_was_never_claimed(self, place):
        with place.index() as index:
            index.check_and_add("a", A)
            assert not index.settle("a") and not index.withdraw("a") and not index.settle("b")
            assert index.check("b", NEAR).of == "a" and not index.check("b", NEAR).pending
            for wrong in ("", 3, "\ud800"):
                with pytest.raises(ValueError, match="key must be"):
                    index.settle(wrong)
                with pytest.raises(ValueError, match="key must be"):
                    index.withdraw(wrong)

    def test_an_update_is_claimed_and_the_old_text_gone(self, place):
        with place.index() as index:
            index.check_and_add("a", A)
            assert claimed(index, "a", OTHER).updated
            assert index.check("b", OTHER).pending and not index.check("b", NEAR).duplicate
            assert index.withdraw("a") and len(index) == 0

    def test_two_items_of_one_key_and_one_text(self, place):
        with place.index() as index:
            for _ in range(2):
                assert not claimed(index, "a", A).duplicate
            assert index.settle("a") and not index.withdraw("a")
            assert index.check("b", NEAR).of == "a"

    @pytest.mark.parametrize("ends", [*itertools.product(["settle", "withdraw"], repeat=2)])
    def test_two_items_of_one_key_and_two_texts(self, place, ends):
        """The end of one does not tell which it was: the later text is final only if both were delivered."""
        with place.index() as index:
            claimed(index, "a", A)
            assert claimed(index, "a", OTHER).updated
            for end in ends:
                verdict = index.check("b", OTHER)
                assert not verdict.duplicate or verdict.pending
                getattr(index, end)("a")
            verdict = index.check("b", OTHER)
            assert (verdict.duplicate, verdict.pending) == (ends == ("settle", "settle"), False)

    @pytest.mark.parametrize("how", ["check_and_add", "add"])
    def test_kept_for_good_after_a_claim(self, place, how):
        with place.index() as index:
            claimed(index, "a", A)
            getattr(index, how)("a", A)
            assert not index.check("b", NEAR).pending and index.check("b", NEAR).of == "a"
            assert not index.withdraw("a") and len(index) == 1

    def test_removed_and_restored_texts_are_not_claimed(self, place):
        with place.index() as index:
            claimed(index, "a", A)
            assert index.remove("a") and not index.settle("a") and len(index) == 0
            claimed(index, "a", A)
            assert index.restore([next(index._store.records())._replace(fingerprint=Fingerprint.of(OTHER))]) == 1
            assert not index.withdraw("a") and index.check("b", OTHER).of == "a"
            assert index._store.problems() == []

    def test_short_texts_are_claimed(self, place):
        with place.index(short_duplicates=True) as index:
            claimed(index, "a", "Page not found")
            assert claimed(index, "b", "page not found").pending and index.withdraw("a")
            assert not claimed(index, "b", "page not found").duplicate

    def test_threads(self, place):
        """Each text is kept once, by an item that was delivered."""
        texts = [" ".join(english(seed, 60)) for seed in range(12)]
        errors, delivered = [], []

        def work(who):
            try:
                for number, text in enumerate(texts):
                    key = f"{who}-{number}"
                    for turn in range(1000):
                        verdict = claimed(index, key, text)
                        if verdict.duplicate and not verdict.pending:
                            break
                        if not verdict.duplicate and (turn + who) % 3:
                            assert index.withdraw(key)
                        elif not verdict.duplicate:
                            assert index.settle(key)
                            delivered.append(key)
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
            assert sorted(key.split("-")[1] for key in delivered) == sorted(map(str, range(12)))
            assert {index.check("new", text).of for text in texts} == set(delivered) and len(index) == 12


class TestSeveralIndexes:
    def test_a_claim_is_seen_and_only_its_owners(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            assert claimed(two, "b", NEAR).pending
            assert not two.settle("a") and not two.withdraw("a")
            assert one.settle("a")
            assert two.check("b", NEAR).of == "a" and not two.check("b", NEAR).pending

    def test_withdrawn_by_one_it_is_new_for_the_other(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            assert claimed(two, "b", NEAR).pending and one.withdraw("a")
            assert not claimed(two, "b", NEAR).duplicate and claimed(one, "a", A).of == "b"

    def test_an_index_that_closes_withdraws_its_claims(self, shared):
        with shared.index() as two:
            with shared.index() as one:
                claimed(one, "a", A)
                claimed(one, "b", OTHER)
                assert one.settle("b") and two.check("c", NEAR).pending
            assert not two.check("c", NEAR).duplicate and two.check("c", OTHER).of == "b"
            assert one.stats["withdrawn"] == 1
            one.close()

    def test_an_owner_that_stops_beating(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            claimed(one, "c", OTHER)
            shared.wait(owners.CLAIM_SECONDS - 1)
            assert claimed(two, "b", NEAR).pending
            shared.wait(1.1)
            assert not claimed(two, "b", NEAR).duplicate and two.stats["released"] == 2
            one.beat()  # too late
            assert not one.settle("a") and not one.withdraw("c") and len(two) == len(two._store) == 1
            assert claimed(one, "a", A).of == "b" and not one.check("c", OTHER).duplicate
            assert two._store.problems() == []

    def test_an_owner_that_beats(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            for _ in range(4):
                shared.wait(owners.CLAIM_SECONDS - 1)
                one.beat()
                assert claimed(two, "b", NEAR).pending
            assert one.settle("a")
            shared.wait(owners.CLAIM_SECONDS + 1)
            assert claimed(two, "b", NEAR).of == "a"

    def test_an_item_of_a_dead_owner_is_judged_as_new(self, shared):
        with shared.index() as one, shared.index() as two:
            two.check_and_add("b", OTHER)
            claimed(one, "a", A)
            shared.wait(owners.CLAIM_SECONDS + 1)
            assert claimed(two, "a", OTHER).of == "b", "an update of a text that nobody got"
            assert len(two) == 1

    def test_the_same_text_of_a_living_owner_may_be_kept_for_good(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            assert two.check_and_add("a", A).reason == "the same item with the same text"
            assert not one.withdraw("a") and two.check("b", NEAR).of == "a"

    def test_what_another_index_made_final_cannot_be_withdrawn(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            two.check_and_add("a", A)
            assert not one.withdraw("a") and one.check_and_add("b", NEAR).of == "a" and len(one) == 1

    def test_a_clock_that_was_set_back(self, shared):
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            shared.wait(-1000)
            assert claimed(two, "b", NEAR).pending
            shared.wait(owners.CLAIM_SECONDS - 1)
            assert claimed(two, "b", NEAR).pending
            shared.wait(1.1)
            assert not claimed(two, "b", NEAR).duplicate

    def test_claims_of_the_dead_are_gone_at_the_next_opening(self, shared):
        with shared.index() as one:
            claimed(one, "a", A)
            one.check_and_add("b", OTHER)
            with shared.index() as two:
                assert len(two) == 2, "a living owner keeps them"
            shared.wait(owners.CLAIM_SECONDS + 1)
            with shared.index() as two:
                assert len(two) == 1 and not two.check("c", NEAR).duplicate

    def test_seconds_by_the_real_clock(self, shared, monkeypatch):
        monkeypatch.setattr(owners, "CLAIM_SECONDS", 0.1)
        with shared.index() as one, shared.index() as two:
            claimed(one, "a", A)
            time.sleep(0.15)
            assert not claimed(two, "b", NEAR).duplicate and two.stats["released"] == 1


class TestModel:
    """The index does what the literal model does, and takes no text for delivered that was not."""

    STEPS = st.lists(
        st.one_of(
            st.tuples(
                st.sampled_from(["claim", "claim", "claim", "add", "check"]),
                st.integers(0, 1),
                st.sampled_from("abc"),
                st.tuples(st.integers(0, FAMILIES - 1), st.integers(0, COPIES - 1)),
            ),
            st.tuples(st.sampled_from(["deliver", "deliver", "lose"]), st.integers(0, 9)),
            st.tuples(st.sampled_from(["settle", "withdraw", "remove"]), st.integers(0, 1), st.sampled_from("abc")),
            st.tuples(st.sampled_from(["beat", "beat", "die", "close"]), st.integers(0, 1)),
            st.tuples(st.just("wait"), st.sampled_from([6, 16])),
        ),
        max_size=40,
    )

    def test_copies_are_copies(self):
        for family in TEXTS:
            for one, other in itertools.permutations(family, 2):
                with DuplicateIndex() as index:
                    index.add("a", one)
                    assert index.check("b", other).duplicate

    @settings(max_examples=150)
    @given(STEPS)
    def test_memory(self, steps):
        run(Place("memory", "", None), steps)

    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None)
    @given(STEPS)
    @example([("claim", 0, "a", (0, 0)), ("die", 0), ("wait", 16), ("claim", 1, "a", (0, 1)), ("deliver", 0)])
    def test_sqlite(self, steps):
        with tempfile.TemporaryDirectory() as folder:
            run(Place("sqlite", folder, None), steps)

    @settings(
        max_examples=30,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
        deadline=None,
    )
    @given(STEPS)
    def test_redis(self, redis_server, steps):
        redis_server.client.flushall()
        run(Place("redis", "", redis_server), steps)


class Run:
    """Indexes and their model, side by side."""

    def __init__(self, place, stack):
        self.place = place
        self.stack = stack
        self.model = Model(alone=place.kind == "memory")
        self.indexes, self.owners = {}, {}
        self.way = []  # items on their way: index, key, text
        self.delivered = set()
        self.exact = True  # nothing was kept for good, settled or withdrawn past its items
        for who in range(1 if self.model.alone else 2):
            self.open(who)

    def open(self, who):
        self.indexes[who] = self.stack.enter_context(self.place.index())
        self.owners[who] = self.model.open()

    def ask(self, step, who, key, text):
        who %= len(self.indexes)
        index, (family, copy) = self.indexes[who], text
        index.check("nothing", "")  # it takes in what others keep when it looks, or keeps a text of its own
        options = {"check": {}, "add": {}, "claim": {"claim": True}}[step]
        call = index.check if step == "check" else index.check_and_add
        verdict = call(key, TEXTS[family][copy], **options)
        expected = self.model.check_and_add(self.owners[who], key, text, step == "claim", step != "check")
        assert (verdict.duplicate, verdict.of, verdict.pending, verdict.updated) == expected
        if verdict.duplicate and not verdict.pending:
            kept = next(one for one in self.model.kept if one.key == verdict.of)
            assert not self.exact or (kept.key, kept.text) in self.delivered, "a copy of what nobody got"
        if step == "claim" and not verdict.duplicate:
            self.way.append((who, key, text))
        elif step == "add" and not verdict.duplicate:
            self.delivered.add((key, text))

    def arrive(self, step, place):
        if self.way:
            who, key, text = self.way.pop(place % len(self.way))
            if step == "deliver":
                self.delivered.add((key, text))
            self.end("settle" if step == "deliver" else "withdraw", who, key)

    def end(self, step, who, key):
        who %= len(self.indexes)
        assert getattr(self.indexes[who], step)(key) == getattr(self.model, step)(self.owners[who], key)

    def leave(self, step, who):
        who %= len(self.indexes)
        if self.model.alone:
            return
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
        elif step in ("settle", "withdraw", "remove"):
            who, key = args
            self.exact = self.exact and (step == "remove" or not any(one[1] == key for one in self.way))
            self.end(step, who, key)
        elif step in ("die", "close"):
            self.leave(step, *args)
        elif step == "beat":
            who = args[0] % len(self.indexes)
            self.indexes[who].beat()
            self.model.beat(self.owners[who])
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


class TestStore:
    """The contract of a store, as to claims."""

    @pytest.fixture
    def store(self, place):
        with place.store() as one:
            one.open(CONSTANTS)
            yield one

    def put(self, store, key, text, owner, replaced=0):
        last = max((one.id for one in store.records()), default=0)
        return store.put(Name(key), Fingerprint.of(text), last, replaced, owner).id

    def owners(self, store, *ids):
        return {one.id: one.owner for one in store.get(ids)}

    def test_a_claimed_text_is_there_with_its_owner(self, store):
        a, b = self.put(store, "a", A, "me"), self.put(store, "b", OTHER, "")
        assert self.owners(store, a, b) == {a: "me", b: ""} and store.lives("me") and len(store) == 2
        assert [one.owner for one in store.records()] == ["", ""]

    def test_only_its_owner_settles_and_withdraws_it(self, store):
        a, b, c = (self.put(store, key, A, owner) for key, owner in [("a", "me"), ("b", "me"), ("c", "")])
        for number in (a, c, 99):
            assert not store.settle(number, "you") and not store.withdraw(number, "you")
        assert not store.settle(c, "me") and not store.withdraw(c, "me") and not store.withdraw(c, "")
        assert store.settle(a, "me") and not store.settle(a, "me") and not store.withdraw(a, "me")
        assert store.withdraw(b, "me") and not store.withdraw(b, "me") and not store.settle(b, "me")
        assert self.owners(store, a, b, c) == {a: "", c: ""} and len(store) == 2 and store.problems() == []

    def test_release_takes_all_of_one_owner(self, store):
        ids = [self.put(store, key, A, owner) for key, owner in [("a", "me"), ("b", "you"), ("c", ""), ("d", "me")]]
        assert sorted(store.release("me")) == [ids[0], ids[3]] and store.release("me") == []
        assert self.owners(store, *ids) == {ids[1]: "you", ids[2]: ""} and store.problems() == []
        assert self.put(store, "a", A, "") > ids[3], "an id came back"

    def test_a_text_that_is_replaced_or_removed_is_not_claimed(self, store):
        a = self.put(store, "a", A, "me")
        b = self.put(store, "a", OTHER, "you", replaced=a)
        assert not store.settle(a, "me") and store.release("me") == []
        assert store.remove(b) and not store.settle(b, "you") and store.release("you") == []
        c = self.put(store, "a", A, "me")
        d = self.put(store, "a", OTHER, "", replaced=c)
        assert self.owners(store, c, d) == {d: ""} and store.release("me") == [] and store.problems() == []

    def test_owners_live_as_long_as_they_are_heard_of(self, shared):
        with shared.store() as store:
            store.open(CONSTANTS)
            assert not store.lives("me")
            store.beat("me")
            shared.wait(owners.CLAIM_SECONDS - 1)
            assert store.lives("me")
            shared.wait(1.1)
            assert not store.lives("me")
            store.beat("me")
            assert store.lives("me") and store.release("me") == [] and not store.lives("me")


class TestCosts:
    def test_statements_of_a_file(self, tmp_path):
        said = []
        with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db")) as index:
            index._store._connection.set_trace_callback(
                lambda one: one in said[-1:] or said.append(one)
            )  # triggers repeat it
            index.check_and_add("a", A)
            assert len(said) == 1 and "INTO texts" in said[0]
            said.clear()
            claimed(index, "b", OTHER)
            assert [line.split()[0] for line in said] == ["BEGIN", "INSERT", "INSERT", "INSERT", "COMMIT"]
            said.clear()
            assert index.settle("b")
            assert len(said) == 1 and said[0].startswith("DELETE FROM claims")
            said.clear()
            assert index.check_and_add("c", NEAR).duplicate
            assert len(said) == 2 and all("FROM texts" in one for one in said)
            said.clear()
            index.beat()
            assert said == []

    def test_round_trips_to_a_server(self, redis_server):
        sent = []
        real = redis.connection.AbstractConnection.send_packed_command

        def send(self, *args, **options):
            sent.append(args)
            return real(self, *args, **options)

        with DuplicateIndex(store=RedisStore(redis_server.url)) as index:
            claimed(index, "warm", " ".join(english(77, 60)))
            index.settle("warm")
            with mock.patch.object(redis.connection.AbstractConnection, "send_packed_command", send):
                counts = []
                for call in (
                    lambda: index.check_and_add("a", A),
                    lambda: claimed(index, "b", OTHER),
                    lambda: claimed(index, "c", OTHER),
                    lambda: index.settle("b"),
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
    def test_where_only_age_can_tell(self, name):
        assert not owners.has_ended(name.replace("{host}", owners.new_owner().split(":")[0]))

    def test_names_are_unlike(self):
        assert len({owners.new_owner() for _ in range(100)}) == 100

    def test_a_process_of_another_user(self):
        name = f"{owners.new_owner().split(':')[0]}:1-1:0"
        with mock.patch("os.kill", side_effect=PermissionError):
            assert not owners.has_ended(name)


class TestFailures:
    def test_a_server_that_is_gone_at_the_end(self, durable_server):
        index = DuplicateIndex(store=RedisStore(durable_server.url, timeout=0.1))
        claimed(index, "a", A)
        durable_server.kill()
        index.close()

    def test_a_claim_that_could_not_be_settled_is_settled_later(self, shared):
        with shared.index() as index:
            claimed(index, "a", A)
            with (
                mock.patch.object(type(index._store), "settle", side_effect=OSError),
                pytest.raises(OSError),
            ):
                index.settle("a")
            assert index.settle("a") and index.check("b", NEAR).of == "a"

    def test_a_claim_whose_answer_was_lost(self, shared):
        """The text is there, and ours."""
        with shared.index() as index:
            real = type(index._store).put

            def put(*args):
                real(*args)
                raise OSError

            with mock.patch.object(type(index._store), "put", put), pytest.raises(OSError):
                claimed(index, "a", A)
            assert claimed(index, "a", A).reason == "the same item with the same text"
            assert index.check("b", NEAR).pending and index.withdraw("a") and len(index) == 0

    def test_text_and_claim_are_one_step(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            store._connection.execute("DROP TABLE owners")
            with pytest.raises(sqlite_store.sqlite3.OperationalError, match="owners"):
                store.put(Name("a"), Fingerprint.of(A), 0, 0, "someone")
            assert len(store) == 0 and store.put(Name("a"), Fingerprint.of(A), 0).id == 1

    def test_a_claim_without_a_record_is_told_of(self, shared, redis_server):
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
