"""Claims beyond the contract of stores: threads, clocks, processes that ended, lost responses."""

import os
import subprocess
import threading
from unittest import mock

import pytest
import redis

from denoise_scrapy.dedup import DuplicateIndex, RedisStore, SQLiteStore, sqlite_store
from denoise_scrapy.dedup import store as owners
from denoise_scrapy.dedup.rules import CONSTANTS, Fingerprint
from denoise_scrapy.dedup.store import Name
from tests.dedup.made_texts import english

# Two families of two near copies: few, so that they meet often.
TEXTS = [[" ".join(english(seed, 60)) + end for end in ("", " Share this page.")] for seed in range(2)]
A, NEAR = TEXTS[0]
OTHER = TEXTS[1][0]
WAIT = owners.CLAIM_SECONDS


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


class TestCosts:
    def test_round_trips_to_a_server(self, redis_server):
        sent, counts = [], []
        real = redis.connection.AbstractConnection.send_packed_command

        def send(self, *args, **options):
            sent.append(args)
            return real(self, *args, **options)

        with DuplicateIndex(store=RedisStore(redis_server.url)) as index:
            warm = " ".join(english(77, 60))  # a server is sent each script once, with its first use
            index.settle(claimed(index, "warm", warm).claim)
            index.check_and_add("copy", warm)
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
        assert counts == [2, 2, 2, 1, 3, 0]


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
            with (
                mock.patch.object(type(index._store), "settle", side_effect=OSError("full")),
                pytest.raises(OSError, match="full"),
            ):
                index.settle(a)
            assert not index.withdraw(0) and index.settle(a) and index.check("b", NEAR).of == "a"

    @pytest.mark.parametrize("next_key", ["a", "b"])
    def test_a_claim_whose_answer_was_lost_is_withdrawn(self, shared, next_key):
        with shared.index() as index:
            real = type(index._store).put

            def put(*args):
                real(*args)
                raise OSError("full")

            with mock.patch.object(type(index._store), "put", put), pytest.raises(OSError, match="full"):
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
            assert len(store) == 0 and store.put(Name("a"), Fingerprint.of(A), 0) == 1
