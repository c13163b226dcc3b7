"""An index in Redis that several processes write into, and what is left of it when they or the server are killed."""

import json
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
import redis

from denoise_scrapy import storage
from denoise_scrapy.dedup import DuplicateIndex
from denoise_scrapy.dedup.redis_store import RedisStore
from tests.dedup.redis_writer import near_copy_of, text_of

ROOT = Path(__file__).resolve().parents[2]
JOBS = {
    "equal": {"count": 400},
    "near": {"count": 200, "near": True},
    "false candidates": {"count": 200, "near": True, "bands": "alike"},
    "tree": {"count": 150, "near": True, "bands": "apart", "search": "tree"},
}


class Writer:
    """A process of `redis_writer.py`."""

    def __init__(self, url: str, who: str, *jobs: dict):
        command = [sys.executable, "-m", "tests.dedup.redis_writer", url, who, *map(json.dumps, jobs)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.who = who

    def line(self) -> list:
        return json.loads(self.process.stdout.readline())

    def begin(self) -> None:
        self.process.stdin.write("\n")

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


def opened(url: str, name: str, **options) -> DuplicateIndex:
    return DuplicateIndex(store=RedisStore(url, name=name), **options)


def test_four_processes_keep_one_of_each(redis_server):
    with ExitStack() as stack:
        writers = [stack.enter_context(Writer(redis_server.url, who, *named())) for who in "wxyz"]
        wrote = set()
        for name, job in JOBS.items():
            verdicts, verified = shared(writers, job["count"])
            kept = {seed: who for seed, who, of in verdicts if of is None}
            assert len(kept) == sum(of is None for *_, of in verdicts) == job["count"], name
            assert all(of in (None, f"{kept[seed]}-{seed}") for seed, _, of in verdicts), name
            wrote |= set(kept.values())
            assert name != "false candidates" or verified > 2 * job["count"], "no false candidates"
            with RedisStore(redis_server.url, name=name) as store:
                DuplicateIndex(store=store)
                assert (len(store), store.problems()) == (job["count"], [])
        assert len(wrote) > 1, "only one process has written"


def named() -> list[dict]:
    return [{"name": name, **job} for name, job in JOBS.items()]


def shared(writers: list[Writer], count: int) -> tuple[list, int]:
    """Let processes work on one job; what they said of each text, and how many candidates they compared."""
    assert [writer.line() for writer in writers] == [["ready"]] * len(writers)
    for writer in writers:
        writer.begin()
    verdicts, verified = [], 0
    for writer in writers:
        verdicts += [(seed, writer.who, of) for seed, of in (writer.line() for _ in range(count))]
        verified += writer.line()[1]
    return verdicts, verified


def test_a_killed_writer_loses_nothing_acknowledged(redis_server):
    acknowledged = set()
    for loop in range(5):
        with Writer(redis_server.url, "w", {"name": "a", "first": loop * 1000, "count": 200}) as writer:
            assert writer.line() == ["ready"]
            writer.begin()
            acknowledged |= {writer.line()[0] for _ in range(20 + 13 * loop)}
            writer.process.kill()
            rest = writer.process.stdout.read().splitlines(keepends=True)
            acknowledged |= {json.loads(line)[0] for line in rest if line.endswith("\n")}
        with opened(redis_server.url, "a") as index:
            assert index._store.problems() == []
            assert 0 <= len(index) - len(acknowledged) <= loop + 1, "at most one unacknowledged of each"
            for seed in acknowledged:
                assert index.check(f"check-{seed}", near_copy_of(seed, "c")).of == f"w-{seed}"


def test_a_killed_server_loses_nothing_acknowledged(durable_server, monkeypatch):
    monkeypatch.setattr(storage, "_RETRIES", 1)
    acknowledged, first = [], 0
    for loop in range(3):
        with opened(durable_server.url, "a") as index:
            killer = threading.Timer(0.03 * loop, durable_server.kill)
            with pytest.raises(redis.ConnectionError, match="unix:///"):
                for seed in range(first, first + 5000):
                    assert not index.check_and_add(str(seed), text_of(seed)).duplicate
                    acknowledged.append(seed)
                    if seed == first + 10:
                        killer.start()
        first = seed + 1
        killer.join()
        durable_server.start()
        with opened(durable_server.url, "a") as index:
            assert index._store.problems() == []
            assert 0 <= len(index) - len(acknowledged) <= loop + 1, "at most one unacknowledged of each"
            assert {int(record.name.key) for record in index._store.records()} >= set(acknowledged)
    assert len(acknowledged) > 20


def test_a_server_that_comes_back_is_used_on(durable_server):
    with opened(durable_server.url, "a") as index:
        index.check_and_add("a", text_of(1))
        durable_server.kill()
        starter = threading.Timer(0.2, durable_server.start)
        starter.start()
        try:
            assert index.check_and_add("b", near_copy_of(1, "b")).of == "a"
        finally:
            starter.join()
