"""Claims of several processes on one store, and of processes that are killed; files of older versions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from denoise_scrapy.dedup import DuplicateIndex, RedisStore, SQLiteStore
from denoise_scrapy.dedup import store as owners
from tests.dedup.redis_writer import near_copy_of, text_of

ROOT = Path(__file__).resolve().parents[2]
COUNT = 120


class Claimer:
    """A process of `claimer.py`."""

    def __init__(self, place, who, count=COUNT):
        command = [sys.executable, "-m", "tests.dedup.claimer", str(place), who, str(count)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def line(self):
        return json.loads(self.process.stdout.readline())

    def tell(self, what):
        self.process.stdin.write(what + "\n")

    def said(self):
        """Its answers by seed."""
        return {line[0]: line[1:] for line in iter(self.line, ["done"])}

    def kill(self):
        """Kill it, and leave it to the caller to ask for it: it is a zombie until then."""
        self.process.kill()
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)

    def __enter__(self):
        assert self.line() == ["ready"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.fixture(params=["sqlite", "redis"])
def place(request, tmp_path):
    return request.getfixturevalue("redis_server").url if request.param == "redis" else tmp_path / "a.db"


def opened(place):
    return DuplicateIndex(store=RedisStore(place) if isinstance(place, str) else SQLiteStore(place))


def test_of_two_near_copies_one_is_claimed_and_after_a_kill_the_other(place):
    with Claimer(place, "x") as one, Claimer(place, "y") as two:
        for claimer in (one, two):
            claimer.tell("claim 10")
            claimer.said()
        for claimer in (one, two):
            claimer.tell(f"claim {COUNT}")
        x, y = one.said(), two.said()
        for seed in range(COUNT):
            answers = x.get(seed, [None, False]), y.get(seed, [None, False])
            waiting = [f"y-{seed}", True], [None, False]
            assert answers in (waiting, ([None, False], [f"x-{seed}", True])), "one of two near copies, the other waits"
        assert len(x) < COUNT and len(y) < COUNT, "only one process has claimed"
        one.kill()
        two.tell(f"claim {COUNT}")
        rest = two.said()
        assert rest == {seed: [None, False] for seed in range(COUNT) if y.get(seed, [None])[0] is not None}
        two.tell("settle")
        assert two.said() == {seed: [True] for seed in range(COUNT)}
    with opened(place) as index:
        assert len(index) == COUNT and index._store.problems() == []
        for seed in range(COUNT):
            verdict = index.check("new", near_copy_of(seed, "z"))
            assert (verdict.of, verdict.pending) == (f"y-{seed}", False)


def test_what_a_killed_process_has_settled_is_kept_and_its_claims_are_gone_at_once(place):
    with Claimer(place, "x", 10) as one:
        one.tell(f"claim {COUNT}")
        one.said()
        one.tell("settle")
        one.said()
        with Claimer(place, "y", 25) as two:
            two.tell(f"claim {COUNT}")
            assert sum(pending for _, pending in two.said().values()) == 0
            two.kill()
            with opened(place) as index:
                assert len(index) == 10 and index.stats["released"] == 0
                assert not index.check("y-24", text_of(24)).updated
                assert index.check("new", text_of(3)).of == "x-3"
                assert not index.check("new", text_of(20)).duplicate


def test_claims_of_another_machine_are_left_until_they_are_old(place, monkeypatch):
    with opened(place) as one:
        one._owner = "elsewhere:999999999-1:0"
        one.check_and_add("a", text_of(1), claim=True)
        with opened(place) as two:
            assert two.check("b", near_copy_of(1, "b")).pending
        monkeypatch.setattr(owners, "CLAIM_SECONDS", 0.0)
        with opened(place) as two:
            assert len(two) == 0
