"""`scrapy denoise dedup …`: what it prints about an index, and what it changes."""

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.crawl.duplicates import INDEX_FILE
from denoise_scrapy.dedup import RULES, DuplicateIndex, Fingerprint, SQLiteStore, open_store
from denoise_scrapy.dedup.rules import CONSTANTS
from denoise_scrapy.dedup.store import Name
from tests.crawl.conftest import Told
from tests.crawl.web import story
from tests.dedup.redis_server import RedisServer


@pytest.fixture
def news(here: Path) -> str:
    """An index of 12 texts in two scopes, one of them short."""
    return kept(here / "news.sqlite")


def kept(path: Path, **more: Any) -> str:
    with DuplicateIndex(store=SQLiteStore(path), **more) as index:
        for number in range(11):
            scope = "a.example" if number < 8 else ""
            index.add(f"https://a.example/{number}", story(number, 3 + number), scope=scope, group="g" * (number % 2))
        index.add("short", "two words")
    return path.name


def records(path: Path | str, rule: str = "part") -> list[tuple[Name, Fingerprint]]:
    with SQLiteStore(path) as store:
        store.open(RULES[rule].constants)
        return [(record.name, record.fingerprint) for record in store.records()]


def test_stats_count(news: str, told: Told) -> None:
    found = json.loads(told("dedup stats news.sqlite --json")[0])
    assert (found["texts"], found["constants"]) == (12, CONSTANTS)
    assert found["bytes"] >= Path(news).stat().st_size
    assert told("dedup stats news.sqlite")[0].startswith("news.sqlite: 12 texts, ")


def test_each_rule_opens_a_store_of_its_own(here: Path, told: Told) -> None:
    kept(here / "patent.sqlite", rule="patent")
    found = json.loads(told("dedup stats patent.sqlite --json")[0])
    assert (found["texts"], found["constants"]) == (12, RULES["patent"].constants)


def test_stats_of_a_job_directory(here: Path, told: Told) -> None:
    (here / "job").mkdir()
    kept(here / "job" / INDEX_FILE)
    told("dedup stats job")
    told("dedup stats", JOBDIR="job")
    _, err = told("dedup stats", 1, JOBDIR="none")
    assert f"none/{INDEX_FILE}: there is no such file" in err.replace("\\", "/")
    assert not (here / "none").exists()


def test_on_a_server(news: str, redis_server: RedisServer, told: Told) -> None:
    url = f"{redis_server.url}#news%201"
    assert "there is no such index" in told("dedup stats", 1, DENOISE_DEDUP_STORE=url)[1]
    assert redis_server.client.keys() == []
    with SQLiteStore(news) as store, DuplicateIndex(store=open_store(url)) as index:
        store.open(RULES["part"].constants)
        assert index.restore(store.records()) == 12
    found = json.loads(told("dedup stats --json", DENOISE_DEDUP_STORE=url)[0])
    assert (found["texts"], found["bytes"]) == (12, None)
    assert told(f"dedup forget {url} short")[0] == "forgotten: 1\n"
    assert told(f"dedup stats {url}")[0].startswith(f"{url}: 11 texts")


@pytest.mark.parametrize(
    ("meant", "left"),
    [
        ("https://a.example/1 short", 10),
        ("'https://A.example/1#top'", 11),
        ("none", 12),
    ],
)
def test_forget_by_key(news: str, meant: str, left: int, told: Told) -> None:
    assert f"would be forgotten: {12 - left}\n" in told(f"dedup forget news.sqlite {meant} --dry-run")[0]
    assert len(records(news)) == 12
    out, err = told(f"dedup forget news.sqlite {meant}")
    assert (out, err) == (f"forgotten: {12 - left}\n", "not found: none\n" if "none" in meant else err)
    assert len(records(news)) == left


def test_chunks(news: str, told: Told) -> None:
    assert told("dedup chunks news.sqlite")[0] == ""
    ids = ["00000000-0000-5000-8000-000000000001", "00000000-0000-5000-8000-000000000002"]
    with DuplicateIndex(store=SQLiteStore(news)) as index:
        index.add("https://a.example/30", index.read(story(30), fields={"price": 9}, chunks=[*ids, "no UUID"]))
        assert index.chunks("https://a.example/30") == tuple(ids) and index.chunks("https://a.example/31") == ()
        changed = index.add("https://a.example/30", index.read(story(31), fields={"price": 9}))
        assert changed.chunks == index.chunks("https://a.example/30") == tuple(ids), "they are still in a store"
    rows = [json.loads(line) for line in told("dedup chunks news.sqlite")[0].splitlines()]
    assert rows == [{"url": "https://a.example/30", "id": name} for name in ids]


def test_forget_by_age(news: str, told: Told) -> None:
    old = {1: time.time() - 40 * 86400, 9: time.time() - 20 * 86400, 12: time.time() - 30 * 3600}
    with SQLiteStore(news) as store:
        store.open(RULES["part"].constants)
        store.set_last_seen(old)
    for age, count in (("30d", 1), ("2w", 2), ("25h", 3), ("31h", 2), ("1970-01-01", 0)):
        assert told(f"dedup forget news.sqlite --older-than {age} --dry-run")[0].endswith(f"forgotten: {count}\n")
    assert told("dedup forget news.sqlite short --older-than 1d")[0] == "forgotten: 1\n"
    out, err = told("dedup forget news.sqlite https://a.example/0 https://a.example/1 --older-than 1d")
    assert (out, err) == ("forgotten: 1\n", "not found, or not that old: https://a.example/1\n")


def test_a_damaged_record_is_named(news: str, told: Told) -> None:
    with sqlite3.connect(news) as link:
        link.execute("UPDATE texts SET s1 = x'01' WHERE id = 3")
    link.close()
    _, err = told("dedup forget news.sqlite --older-than 1d", 1)
    assert "text 3 is damaged" in err


def test_a_torn_file_is_named(news: str, told: Told) -> None:
    content = Path(news).read_bytes()
    Path(news).write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    _, err = told("dedup stats", 1, DENOISE_DEDUP_STORE=news)
    assert err.endswith("news.sqlite: database disk image is malformed\n")
