"""The frontier alone, on a real server: nothing is lost and nothing is taken twice, whoever dies when."""

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup.owners import new_owner
from denoise_scrapy.several.leases import Leases, PutBack
from tests.several.worker import AT_ONCE

KEY, SEEN = "news:requests", "news:dupefilter"
WORKER = Path(__file__).with_name("worker.py")


def leases(server, seconds=15.0):
    found = Leases(server.client, KEY, SEEN, seconds)
    found.join()
    return found


def fall_silent(server, one):
    """As if the seconds of an owner were over."""
    server.client.zadd(f"{KEY}:owners", {one.owner: 1})


def test_requests_come_by_score_then_by_age_and_equal_ones_are_two(redis_server):
    ours = leases(redis_server)
    for data, score in ((b"late", 1), (b"b", 0), (b"a", 0), (b"a", 0), (b"first", -10)):
        assert ours.push(data, score)
    taken = [ours.pop()[0].data for _ in range(5)]
    assert taken == [b"first", b"b", b"a", b"a", b"late"]
    assert ours.pop() == (None, 0)


def test_any_bytes_come_back_as_they_were_with_their_place(redis_server):
    ours, other = leases(redis_server), leases(redis_server)
    data = bytes(range(256)) * 300 + b"\n \0"
    ours.push(data, -2.5)
    other.push(b"after it", -2)
    assert ours.pop()[0].data == data
    ours.leave()
    assert [other.pop()[0].data, other.pop()[0].data] == [data, b"after it"]


def test_a_fingerprint_is_added_once(redis_server):
    ours, other = leases(redis_server), leases(redis_server)
    assert ours.push(b"x", 0, "print")
    assert not other.push(b"x", 0, "print")
    assert other.push(b"x", 0) and other.push(b"y", 0, "other")
    assert ours.count() == (3, 0)


def test_what_is_in_progress_counts_until_it_is_done(redis_server):
    ours, other = leases(redis_server), leases(redis_server)
    ours.push(b"x", 0)
    taken, _ = ours.pop()
    assert other.pop() == (None, 0) and other.count() == (1, 0)
    assert ours.pop([taken.number]) == (None, 0)
    assert other.count() == (0, 0)


def test_a_silent_owner_is_dead_and_hears_of_it(redis_server):
    ours, other = leases(redis_server), leases(redis_server)
    ours.push(b"x", 0)
    first, _ = ours.pop()
    fall_silent(redis_server, ours)
    assert other.beat([]) == PutBack(1, 0)
    again, _ = other.pop()
    assert again.data == b"x"
    assert ours.pop([first.number]) == (None, 1)
    assert other.beat([again.number]) == PutBack(0, 0)  # ours lives again, and other's lease is untouched
    assert ours.count() == (1, 0)
    assert other.count([again.number]) == (0, 0)


def test_time_alone_tells_of_the_death_of_an_owner(redis_server):
    ours, other = leases(redis_server, 0.2), leases(redis_server)
    ours.push(b"x", 0)
    taken, _ = ours.pop()
    for _ in range(3):
        time.sleep(0.1)
        ours.beat([taken.number])
        assert other.beat([]).dead == 0
    time.sleep(0.3)
    assert other.beat([]).dead == 1


def test_a_lease_of_which_the_answer_was_lost_waits_again(redis_server):
    ours = leases(redis_server)
    ours.push(b"x", 0)
    ours.push(b"y", 0)
    kept, _ = ours.pop()
    ours.pop()  # the answer never came
    assert ours.beat([kept.number]) == PutBack(0, 1)
    assert ours.pop()[0].data == b"y"


def test_the_last_to_leave_deletes_the_frontier(redis_server):
    ours, other = leases(redis_server), leases(redis_server)
    ours.push(b"x", 0, "print")
    assert ours.leave(clear=True) == 1
    assert other.pop()[0].data == b"x"
    assert other.leave(clear=True) == 0
    assert redis_server.client.keys() == []


def newcomer(server, delete):
    """Give a new owner that joins, and how many others there were."""
    found = Leases(server.client, KEY, SEEN)
    return found, found.join(delete)


@pytest.mark.parametrize("delete", ["", "done", "all"])
def test_who_comes_deletes_no_frontier_at_which_others_are_at_work(redis_server, delete):
    leases(redis_server).push(b"x", 0, "print")
    ours, others = newcomer(redis_server, delete)
    assert others == 1
    assert not ours.push(b"x", 0, "print") and ours.count() == (1, 0)


@pytest.mark.parametrize(("delete", "left"), [("", 1), ("done", 1), ("all", 0)])
def test_what_dead_crawlers_left_is_gone_on_with_unless_all_is_to_be_deleted(redis_server, delete, left):
    dead = leases(redis_server)
    dead.push(b"x", 0)
    dead.pop()
    fall_silent(redis_server, dead)
    ours, others = newcomer(redis_server, delete)
    assert (others, ours.count()) == (0, (left, 0))


@pytest.mark.parametrize(("delete", "again"), [("", False), ("done", True), ("all", True)])
def test_a_frontier_that_came_to_its_end_is_begun_anew_unless_it_is_to_last(redis_server, delete, again):
    dead = leases(redis_server)
    dead.push(b"x", 0, "print")
    dead.count([dead.pop()[0].number])
    fall_silent(redis_server, dead)
    ours, _ = newcomer(redis_server, delete)
    assert ours.push(b"x", 0, "print") is again


def test_owners_have_names_of_their_own(redis_server):
    assert len({leases(redis_server).owner for _ in range(20)} | {new_owner()}) == 21


class Model:
    """What must be true of some owners, told by the plainest means."""

    def __init__(self, server, count):
        server.client.flushall()
        self.server = server
        self.owners = [leases(server) for _ in range(count)]
        self.held = [{} for _ in range(count)]
        self.pushed, self.done = set(), Counter()

    def push(self, who):
        data = str(len(self.pushed)).encode()
        self.pushed.add(data)
        self.owners[who].push(data, len(self.pushed) % 3)

    def pop(self, who):
        lease, _ = self.owners[who].pop()
        if lease is not None:
            assert lease.data not in {data for held in self.held for data in held.values()}, "taken twice"
            assert lease.data not in self.done, "taken when it was done"
            self.held[who][lease.number] = lease.data

    def finish(self, who):
        if self.held[who]:
            number = next(iter(self.held[who]))
            assert self.owners[who].count([number])[1] == 0
            self.done[self.held[who].pop(number)] += 1

    def die(self, who):
        fall_silent(self.server, self.owners[who])
        self.held[who] = {}
        self.owners[who] = leases(self.server)

    def beat(self, who):
        self.owners[who].beat(self.held[who])

    def check(self):
        left, _ = self.owners[0].count()
        assert left == len(self.pushed) - len(self.done)


@settings(max_examples=60)
@given(steps=st.lists(st.tuples(st.sampled_from(["push", "pop", "finish", "die", "beat"]), st.integers(0, 2))))
def test_whoever_dies_nothing_is_lost_and_nothing_taken_twice(shared_server, steps):
    model = Model(shared_server, 3)
    for step, who in steps:
        getattr(model, step)(who)
        model.check()
    while len(model.done) < len(model.pushed):
        model.beat(0)
        model.pop(0)
        for who in range(3):
            model.finish(who)
    assert set(model.done) == model.pushed and max(model.done.values(), default=1) == 1


def test_processes_killed_at_any_time_lose_nothing(redis_server, tmp_path):
    """Each of 400 requests makes another one, as pages do; whoever is killed, all 800 are done."""
    chance = Random(seed := time.time_ns())
    print(f"seed {seed}")
    ours = leases(redis_server)
    for number in range(400):
        ours.push(b"page %d" % number, 0, f"{number}")
    files = [tmp_path / f"done-{number}" for number in range(4)]
    command = [sys.executable, str(WORKER), redis_server.url, KEY, SEEN]
    workers = [subprocess.Popen([*command, str(file)]) for file in files]
    for victim, file in zip(workers[:2], files, strict=False):
        while not file.exists() or not file.stat().st_size:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, 0.06))
        victim.kill()
        assert victim.wait() == -signal.SIGKILL, "it was through before"
    assert [worker.wait(20) for worker in workers[2:]] == [0, 0]
    done = Counter(line for file in files for line in file.read_text().splitlines())
    assert set(done) == {f"page {n}" for n in range(400)} | {f"link {n}" for n in range(400)}
    assert sum(done.values()) - len(done) <= 2 * AT_ONCE, "more than what was in progress"
    assert ours.count() == (0, 0)
