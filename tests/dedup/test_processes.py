"""The index across closings, kills, and processes that share a file."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from denoise_scrapy.dedup import DuplicateIndex, MemoryStore, RedisStore, SQLiteStore, StoreMismatch
from denoise_scrapy.dedup.fingerprint import CONSTANTS
from tests.dedup.made_texts import english

ROOT = Path(__file__).resolve().parents[2]

WRITER = """
import sys
from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.dedup.made_texts import english
path, name, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
texts = [" ".join(english(seed, 60)) for seed in range(first, first + count)]
with DuplicateIndex(store=SQLiteStore(path)) as index:
    print("ready", flush=True)
    for seed, text in enumerate(texts, first):
        verdict = index.check_and_add(f"{name}-{seed}", text)
        print(seed, int(verdict.duplicate), flush=True)
"""


def writer(path, name, first, count):
    command = [sys.executable, "-c", WRITER, str(path), name, str(first), str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def text_of(seed):
    return " ".join(english(seed, 60))


def opened(path, **options):
    return DuplicateIndex(store=SQLiteStore(path), **options)


@pytest.mark.parametrize("search", ["prefilter", "tree"])
def test_reopened_it_knows_all(tmp_path, search):
    with opened(tmp_path / "a.db") as index:
        for seed in range(300):
            index.check_and_add(str(seed), text_of(seed), scope=str(seed % 2))
        index.check_and_add("7", text_of(1007), scope="1")
        index.remove("8", "0")
    with opened(tmp_path / "a.db", search=search) as index:
        assert len(index) == 299
        for seed in (0, 5, 1007, 299):
            scope, of = str(seed % 2), str(seed % 1000)
            assert index.check_and_add("new", text_of(seed) + " more", scope=scope).of == of
        assert not index.check_and_add("eight", text_of(8), scope="0").duplicate
        assert not index.check_and_add("9", text_of(9), scope="1").updated


def test_a_killed_writer_loses_nothing_acknowledged(tmp_path):
    path, acknowledged = tmp_path / "a.db", set()
    for loop in range(3):
        process = writer(path, "w", loop * 10_000, 2000)
        assert process.stdout.readline() == "ready\n"
        for _ in range(20 + 13 * loop):
            acknowledged.add(int(process.stdout.readline().split()[0]))
        process.send_signal(signal.SIGKILL)
        rest, _ = process.communicate()
        acknowledged.update(int(line.split()[0]) for line in rest.splitlines() if line[-2:-1] == " ")
        with opened(path) as index:
            for seed in acknowledged:
                assert index.check_and_add(f"check-{seed}", text_of(seed)).of == f"w-{seed}"
            assert 0 <= len(index) - len(acknowledged) <= loop + 1
        link = sqlite3.connect(path)
        assert link.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        link.close()


def test_an_item_of_a_killed_crawl_passes_when_crawled_again(tmp_path):
    process = writer(tmp_path / "a.db", "w", 0, 2000)
    for _ in range(10):
        process.stdout.readline()
    process.kill()
    process.communicate()
    with opened(tmp_path / "a.db") as index:
        for seed in range(len(index) + 2):
            assert not index.check_and_add(f"w-{seed}", text_of(seed)).duplicate


def test_two_processes_keep_one_of_each(tmp_path):
    path = tmp_path / "a.db"
    both = [writer(path, name, 0, 150) for name in ("x", "y")]
    outputs = [process.communicate(timeout=30)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    kept = [line.split()[0] for out in outputs for line in out.splitlines() if line.endswith(" 0")]
    assert sorted(map(int, kept)) == list(range(150))
    with opened(path) as index:
        assert len(index) == 150


def test_an_index_written_otherwise_is_refused(tmp_path):
    opened(tmp_path / "a.db").close()
    link = sqlite3.connect(tmp_path / "a.db")
    link.execute("UPDATE meta SET value = 'legacy' WHERE name = 'minhash scheme'")
    link.commit()
    link.close()
    with pytest.raises(StoreMismatch, match="'minhash scheme' is legacy there and affine32 here"):
        opened(tmp_path / "a.db")


def test_a_failed_commit_leaves_memory_and_file_alike(tmp_path):
    """Another process holds the file longer than we wait."""
    with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db", timeout=0.05)) as index:
        link = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        link.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            index.check_and_add("a", text_of(1))
        link.execute("ROLLBACK")
        link.close()
        assert len(index) == 0
        assert not index.check_and_add("a", text_of(1)).duplicate
        assert len(index) == 1


def test_records_are_restored_though_others_keep_texts_meanwhile(tmp_path):
    with opened(tmp_path / "source.db") as source:
        for seed in range(5):
            source.check_and_add(str(seed), text_of(seed))
    with opened(tmp_path / "a.db") as one, opened(tmp_path / "a.db") as two:
        two.check_and_add("other", text_of(100))
        two.check_and_add("3", text_of(101))
        with SQLiteStore(tmp_path / "source.db") as store:
            store.open(CONSTANTS)
            assert one.restore(store.records()) == 5
        assert len(one) == 6
        for seed in range(5):
            assert two.check("new", text_of(seed)).of == str(seed)
        assert not two.check("new", text_of(101)).duplicate


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # it has threads
@pytest.mark.parametrize("kind", ["sqlite", "redis", "memory"])
def test_an_index_is_of_one_process(tmp_path, redis_server, kind):
    stores = {
        "sqlite": lambda: SQLiteStore(tmp_path / "a.db"),
        "redis": lambda: RedisStore(redis_server.url),
        "memory": MemoryStore,
    }
    with DuplicateIndex(store=stores[kind]()) as index:
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
