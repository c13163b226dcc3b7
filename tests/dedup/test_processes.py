"""An index across closings, kills of processes and servers, and processes that share it."""

import json
import os
import sqlite3
import tempfile
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from unittest import mock

import pytest

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore, open_store, sqlite_store
from tests.dedup.soundness import problems
from tests.dedup.worker import TOGETHER, near_copy_of, text_of
from tests.processes import ROOT, Forked, wait_until

COUNT = 3 * TOGETHER


class Worker:
    """A process of `worker.py`."""

    def __init__(self, place, who, **options):
        self.who, self._folder = who, tempfile.TemporaryDirectory()
        given, out, err = (Path(self._folder.name, name) for name in ("given", "out", "err"))
        os.mkfifo(given)
        os.mkfifo(out)
        command = ["-m", "tests.dedup.worker", place, who, json.dumps(options)]
        self.process = Forked(command, ROOT, {**os.environ}, given=given, out=out, err=err)
        self._given, self._out = given.open("w", buffering=1), out.open()

    def line(self):
        return json.loads(self._out.readline())

    def tell(self, *what):
        self._given.write(json.dumps(what) + "\n")

    def said(self):
        """Return its answers so far, by seed."""
        answers = {}
        for line in self._out:
            if line.endswith("\n"):  # a kill cuts a line off
                first, *rest = json.loads(line)
                if first == "done":
                    break
                answers[first] = rest
        return answers

    def do(self, *what):
        self.tell(*what)
        return self.said()

    def kill(self):
        """Kill it; it is a zombie until the test ends."""
        self.process.kill()
        stat = Path(f"/proc/{self.process.pid}/stat")
        wait_until(lambda: stat.read_text().rpartition(")")[2].split()[0] == "Z")

    def __enter__(self):
        assert self.line() == ["ready"]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self._out.close()
        with suppress(BrokenPipeError):
            self._given.close()
        self._folder.cleanup()


def in_turns(what, workers):
    """Return the answers of workers with the same work, by name; each begins with another part of it."""
    said = {worker.who: {} for worker in workers}
    for number in range(COUNT // TOGETHER):
        first, *others = (workers * 2)[number % len(workers) :][: len(workers)]
        first.tell(what, number * TOGETHER, TOGETHER)
        seed, *answer = first.line()
        said[first.who][seed] = answer
        for other in others:
            other.tell(what, number * TOGETHER, TOGETHER)
        for worker in workers:
            said[worker.who] |= worker.said()
    return said


@pytest.fixture(params=["sqlite", "redis"])
def place(request, tmp_path):
    return request.getfixturevalue("redis_server").url if request.param == "redis" else str(tmp_path / "a.db")


def opened(place, **options):
    return DuplicateIndex(store=open_store(str(place)), variants=False, **options)


@pytest.mark.parametrize(
    ("place", "options"),
    [
        ("sqlite", {"near": False, "search": "prefilter"}),
        ("redis", {}),
    ],
    indirect=["place"],
)
def test_several_processes_keep_one_of_each(place, options):
    with ExitStack() as stack:
        workers = [stack.enter_context(Worker(place, who, **options)) for who in "xyz"]
        said = in_turns("add", workers)
    kept = {seed: who for who, answers in said.items() for seed, (of, _) in answers.items() if of is None}
    assert len(kept) == sum(of is None for answers in said.values() for of, _ in answers.values()) == COUNT
    for answers in said.values():
        assert all(of in (None, f"{kept[seed]}-{seed}") for seed, (of, _) in answers.items())
    assert {*kept.values()} == {*"xyz"}
    with opened(place) as index:
        assert len(index) == COUNT and problems(index._store) == []


@pytest.mark.parametrize("search", ["prefilter", "tree"])
@pytest.mark.parametrize("statement", range(3))  # those that read: more are in a transaction
def test_a_text_that_another_process_adds_between_two_statements_is_found(tmp_path, search, statement):
    place, said = str(tmp_path / "a.db"), list[str]()
    with opened(place, search=search) as one, opened(place, search=search) as two:

        def add_once(sql):
            said.append(sql)
            if len(said) == statement + 1:
                assert not two.check_and_add("b", text_of(1)).duplicate

        one.check_and_add("a", text_of(0))
        one._store._connection.set_trace_callback(add_once)
        verdict = one.check_and_add("c", text_of(1))
        one._store._connection.set_trace_callback(None)
        assert len(said) > statement and verdict.of == "b" and len(one) == 2


def test_a_killed_process_loses_nothing_acknowledged(place):
    acknowledged = set()
    for loop in range(2):
        with Worker(place, "w") as worker:
            worker.tell("add", loop * 1000, 1000)
            acknowledged |= {worker.line()[0] for _ in range(20 + 13 * loop)}
            worker.process.kill()
            acknowledged |= {*worker.said()}
        with opened(place) as index:
            assert problems(index._store) == []
            assert 0 <= len(index) - len(acknowledged) <= loop + 1, "at most one unacknowledged of each"
            for seed in acknowledged:
                assert index.check(f"check-{seed}", text_of(seed)).of == f"w-{seed}"
                assert not index.check(f"w-{seed}", text_of(seed)).duplicate, "crawled again, it passes"


def test_of_two_near_copies_one_is_claimed_and_after_a_kill_the_other(place):
    with Worker(place, "x") as one, Worker(place, "y") as two:
        x, y = in_turns("claim", [one, two]).values()
        for seed in range(COUNT):
            assert [x[seed], y[seed]] in ([[None, False], [f"x-{seed}", True]], [[f"y-{seed}", True], [None, False]])
        assert 0 < sum(of is None for of, _ in x.values()) < COUNT
        one.kill()
        assert two.do("claim", 0, COUNT) == {seed: [None, False] for seed in range(COUNT)}
        assert two.do("settle") == {seed: [True, False] for seed in range(COUNT)}
    with opened(place) as index:
        assert len(index) == COUNT and problems(index._store) == []
        for seed in range(COUNT):
            verdict = index.check("new", near_copy_of(seed, "z"))
            assert (verdict.of, verdict.pending) == (f"y-{seed}", False)


def test_what_a_killed_process_has_settled_is_kept_and_its_claims_are_gone_at_once(place):
    with Worker(place, "x", near=False) as one:
        one.do("claim", 0, 10)
        one.do("settle")
        with Worker(place, "y", near=False) as two:
            assert not any(pending for _, pending in two.do("claim", 0, 25).values())
            two.kill()
            with opened(place) as index:
                assert len(index) == 10
                assert not index.check("y-24", text_of(24)).updated
                assert index.check("new", text_of(3)).of == "x-3"
                assert not index.check("new", text_of(20)).duplicate


def test_records_are_restored_though_others_keep_texts_meanwhile(place, tmp_path):
    with opened(tmp_path / "source.db") as source, opened(place) as one, opened(place) as two:
        for seed in range(5):
            source.check_and_add(str(seed), text_of(seed))
        two.check_and_add("3", text_of(101))
        real, late = type(one._store).put, [102]

        def put(store, *args):
            if store is one._store and late:
                two.check_and_add("0", text_of(late.pop()))
            return real(store, *args)

        with mock.patch.object(type(one._store), "put", put):
            assert one.restore(source._store.records()) == 5 and len(one) == 5
        assert [two.check("new", text_of(seed)).of for seed in range(5)] == list("01234")
        assert not two.check("new", text_of(101)).duplicate and not two.check("new", text_of(102)).duplicate


@contextmanager
def held(path):
    """Another process holds the file longer than we wait."""
    with closing(sqlite3.connect(path, isolation_level=None)) as link:
        link.execute("BEGIN IMMEDIATE")
        yield
        link.execute("ROLLBACK")


def test_where_the_file_is_held_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_store, "BUSY_SECONDS", 0)
    store = SQLiteStore(tmp_path / "a.db")
    with DuplicateIndex(store=store) as index:
        with held(tmp_path / "a.db"), pytest.raises(sqlite3.OperationalError, match="locked"):
            index.check_and_add("a", text_of(1))
        assert len(index) == 0 and not index.check_and_add("a", text_of(1)).duplicate and len(index) == 1
        with held(tmp_path / "a.db"), pytest.raises(sqlite3.OperationalError, match="locked"):
            index.check_and_add("b", text_of(2))
        assert len(index) == 1 and index.check("a1", text_of(1)).of == "a"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads
@pytest.mark.parametrize("kind", ["sqlite", "redis", "memory"])
def test_an_index_is_of_one_process(tmp_path, redis_server, kind):
    places = {"sqlite": tmp_path / "a.db", "redis": redis_server.url, "memory": "memory"}
    with opened(places[kind]) as index:
        claimed = index.check_and_add("a", text_of(1), claim=True)
        read, write = os.pipe()
        if not os.fork():  # what comes of it is all that is written
            calls = (lambda: index.check("b", text_of(1)).of, lambda: index.settle(claimed.claim), index.close)
            os.write(write, ",".join(str(said(call)) for call in calls).encode())
            os._exit(0)
        os.wait()
        os.close(write)
        refused = "this index was opened before the process was forked; open one in each process"
        expected = "a,True,None" if kind == "memory" else f"{refused},{refused},None"
        assert os.read(read, 1000).decode() == expected
        os.close(read)
        assert index.settle(claimed.claim)  # the other process has not released it


def said(call):
    try:
        return call()
    except RuntimeError as error:
        return error
