"""The contract of a store for Redis; the consistency of its scripts; its error messages."""

import signal
import time
from dataclasses import replace

import pytest
import redis

from denoise_scrapy.dedup import DuplicateIndex, Fingerprint, StoreMismatch, redis_store
from denoise_scrapy.dedup.redis_store import MOST_FOUND, RedisStore
from denoise_scrapy.dedup.rules import CONSTANTS
from denoise_scrapy.dedup.store import Name
from denoise_scrapy.support import storage
from tests.dedup.made_texts import english
from tests.dedup.soundness import problems

LONG = Fingerprint.of(" ".join(english(1, 3000)))
OTHER = Fingerprint.of(" ".join(english(2, 300)))
SHORT = Fingerprint.of("a few words")


@pytest.fixture
def store(redis_server):
    with RedisStore(redis_server.url, name="a") as one:
        one.open(CONSTANTS)
        yield one


def text_of(seed):
    return " ".join(english(seed, 60))


def listed(store, after=0):
    return [listing for batch in store.newer(after) for listing in batch]


class TestContract:
    def test_is_opened_and_closed_twice(self, store, redis_server):
        store.put(Name("a"), LONG, 0)
        store.open(CONSTANTS)
        store.close()
        store.close()
        with pytest.raises(ValueError, match="is not open"):
            len(store)
        store.open(CONSTANTS)
        assert len(store) == 1

    def test_keys_are_in_one_slot_of_a_cluster(self, store, redis_server):
        store.put(Name("a"), LONG, 0)
        keys = sorted(redis_server.client.keys())
        assert keys == [b"{a}:keys", b"{a}:last", b"{a}:log", b"{a}:meta", b"{a}:seen"]
        assert redis_server.client.xrange("{a}:log")[0][0] == b"1-0"

    def test_many_are_forgotten_in_portions(self, store, redis_server, monkeypatch):
        """Others are served between two portions."""
        monkeypatch.setattr(redis_store, "BATCH", 2)
        for n in range(5):
            store.put(Name(str(n)), SHORT, n)
        redis_server.client.config_resetstat()
        assert len(store.expire(time.time() + 100, 5)) == 5 and not len(store)
        assert redis_server.client.info("commandstats")["cmdstat_evalsha"]["calls"] >= 3

    def test_only_the_old_are_read_to_forget_them(self, store, redis_server):
        for n in range(9):
            store.put(Name(str(n)), SHORT, n)
        store.set_last_seen({3: 1000})
        redis_server.client.config_resetstat()
        assert store.expire(2000, 5) == [3] and len(store) == 8
        calls = redis_server.client.info("commandstats")
        assert calls["cmdstat_xrange"]["calls"] <= 2 and "cmdstat_zscore" not in calls


class TestAgreement:
    def test_a_claim_without_a_record_is_a_problem(self, store, redis_server):
        store.put(Name("a"), LONG, 0, owner="someone")
        redis_server.client.xdel("{a}:log", "1-0")
        redis_server.client.delete("{a}:keys")
        assert "claim refers to" in "".join(problems(store))

    def test_a_text_is_kept_beside_newer_ones_of_other_scopes_only(self, store):
        store.put(Name("a"), LONG, 0)
        assert store.put(Name("b"), OTHER, 0) == 0
        assert store.put(Name("b", "another scope"), OTHER, 0) == 2

    def test_none_is_kept_beside_more_newer_ones_than_are_examined(self, store):
        for number in range(MOST_FOUND + 1):
            store.put(Name(str(number)), replace(SHORT, digest=number.to_bytes(16, "little")), number)
        assert store.put(Name("last", "another scope"), OTHER, 0) == 0
        assert store.put(Name("last", "another scope"), OTHER, 1) == len(store) == MOST_FOUND + 2


def test_a_request_whose_answer_was_lost_is_sent_again_and_kept_once(redis_server):
    with DuplicateIndex(store=RedisStore(redis_server.url)) as index:
        item = index._item(Name("a"), text_of(1), "", None)
        index._store.put(item.name, item.fingerprint, 0)  # the index does not see it
        assert not index.check_and_add("a", text_of(1)).duplicate
        assert len(index) == len(index._store) == 1


class TestRefusals:
    def test_a_server_that_was_emptied_in_use(self, store, redis_server):
        store.put(Name("a"), LONG, 0)
        redis_server.client.flushall()
        with pytest.raises(StoreMismatch, match="lost records in use"):
            store.put(Name("b"), OTHER, 0)
        store.open(CONSTANTS)
        with pytest.raises(StoreMismatch, match="'last id' is 0 there and 1 here"):
            store.put(Name("b"), OTHER, 1)
        assert len(store) == 0

    def test_a_full_server_changes_nothing(self, store, redis_server):
        store.put(Name("a"), LONG, 0)
        redis_server.client.config_set("maxmemory", "1")
        try:
            with pytest.raises(redis.RedisError, match="maxmemory"):
                store.put(Name("a"), OTHER, 1)
        finally:
            redis_server.client.config_set("maxmemory", "0")
        assert store.get([1])[0].fingerprint == LONG and problems(store) == []
        assert store.put(Name("a"), OTHER, 1) == 2

    def test_problems_are_told(self, store, redis_server):
        for seen, name in enumerate("abcd"):
            store.put(Name(name), SHORT, seen)
        redis_server.client.xadd("{a}:log", {"r": b"short"}, id="7-0")
        redis_server.client.xadd("{a}:log", {"other": b""}, id="8-0")
        redis_server.client.xdel("{a}:log", "2-0")
        redis_server.client.delete("{a}:last")
        fields = redis_server.client.hgetall("{a}:keys")
        redis_server.client.hset("{a}:keys", next(field for field in fields if fields[field] == b"3"), "1")
        found = "\n".join(problems(store))
        parts = ("last id is gone", "record 7: no record", "record 8: no", "record 3 is not", "to record 2, which")
        for part in parts:
            assert part in found
        with pytest.raises(ValueError, match=r"{a}:.*, record 7: no record"):
            listed(store)


def test_a_record_that_is_cut_is_none():
    whole = redis_store._pack(Name("a", "b"), LONG)
    for size in (9, 99, len(whole) - 2):
        with pytest.raises(ValueError, match="no record"):
            redis_store._unpack(whole[:size])


def test_a_silent_server_is_given_up(redis_server, monkeypatch):
    monkeypatch.setattr(storage, "_RETRY_PAUSE", 0.01)
    with RedisStore(redis_server.url, timeout=0.05) as store:
        store.open(CONSTANTS)
        redis_server.process.send_signal(signal.SIGSTOP)
        try:
            with pytest.raises(redis.TimeoutError, match="unix:///"):
                store.put(Name("a"), LONG, 0)
        finally:
            redis_server.process.send_signal(signal.SIGCONT)
