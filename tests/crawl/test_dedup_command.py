"""`scrapy denoise dedup …`: what it says of an index, and what it changes."""

import json
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.crawl.duplicates import INDEX_FILE
from denoise_scrapy.dedup import RULES, DuplicateIndex, Fingerprint, SQLiteStore, Store
from denoise_scrapy.dedup.rules import CONSTANTS
from denoise_scrapy.dedup.store import Name
from tests.crawl.test_commands import call
from tests.crawl.web import story
from tests.dedup.redis_server import RedisServer, redis_server, shared_server

__all__ = ["redis_server", "shared_server"]  # fixtures


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


class TestStats:
    def test_counts(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "stats", news, "--json") == 0
        found = json.loads(capsys.readouterr().out)
        lengths = sorted(fingerprint.n for _, fingerprint in records(news))
        assert found["texts"] == 12
        assert found["short"] == 1
        assert found["largest_scopes"] == {"a.example": 8, "": 4}
        assert found["units"]["5%"] == lengths[1]
        assert found["units"]["95%"] == lengths[10]
        assert found["constants"] == CONSTANTS
        assert found["bytes"] >= Path(news).stat().st_size
        assert call("dedup", "stats", news) == 0
        assert "        8  a.example\n        4  all\n" in capsys.readouterr().out

    def test_a_job_directory(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "job").mkdir()
        kept(here / "job" / INDEX_FILE)
        assert call("dedup", "stats", "job") == 0
        assert call("dedup", "stats", JOBDIR="job") == 0
        assert call("dedup", "stats", JOBDIR="none") == 1
        assert f"none/{INDEX_FILE}: there is no such file" in capsys.readouterr().err.replace("\\", "/")
        assert not (here / "none").exists()


class TestCopy:
    def test_to_a_server_and_back(
        self, here: Path, news: str, redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        url = f"{redis_server.url}#news%201"
        assert call("dedup", "stats", DENOISE_DEDUP_STORE=url) == 1
        assert "there is no such index" in capsys.readouterr().err
        assert redis_server.client.keys() == []
        assert call("dedup", "copy", news, url) == 0
        assert capsys.readouterr().err == "12 texts copied\n"
        assert call("dedup", "stats", "--json", DENOISE_DEDUP_STORE=url) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["texts"], found["bytes"]) == (12, None)
        assert call("dedup", "copy", url, "back.sqlite") == 0
        assert records("back.sqlite") == records(news)
        assert call("dedup", "forget", url, "short") == 0
        assert call("dedup", "check", url) == 0
        assert capsys.readouterr().out == "forgotten: 1\n11 texts, no problem\n"

    def test_a_key_that_is_there_is_replaced(self, news: str) -> None:
        with DuplicateIndex(store=SQLiteStore("other.db")) as index:
            index.add("short", "other words")
            index.add("more", story(99))
        for _ in range(2):
            assert call("dedup", "copy", news, "other.db") == 0
            assert len(records("other.db")) == 13
            assert {*records(news)} < {*records("other.db")}

    def test_another_rule_is_refused(self, here: Path, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        patent = kept(here / "p.db", rule="patent")
        assert call("dedup", "copy", patent, news) == 1
        assert "'rule' is None there and patent here" in capsys.readouterr().err
        assert call("dedup", "copy", patent, "new.db") == 0
        assert records("new.db", "patent") == records("p.db", "patent")


def drop(store: Store) -> None:
    """Drop a copy of one text, and 12 of another."""
    with DuplicateIndex(store=store, remember_copies=100) as index:
        for number, key in ((1, "1"), *((2, f"2?{n}") for n in range(12))):
            copy = f"https://a.example/print/{key}"
            assert index.check_and_add(copy, story(number, 3 + number), scope="a.example").duplicate


class TestGroups:
    def test_lists_them(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        drop(SQLiteStore(news))
        assert call("dedup", "groups", news) == 0
        out, err = capsys.readouterr()
        lines = out.splitlines()
        assert [lines[0], lines[11], *lines[12:]] == [
            "https://a.example/2",
            "   … and 2 more",
            "https://a.example/1",
            "   https://a.example/print/1",
        ]
        assert err == "2 groups, 13 dropped keys, 0 variants\n"
        assert call("dedup", "groups", news, "https://A.example/print/1#top", "--json") == 0
        group = {"kept": "https://a.example/1", "scope": "a.example"}
        group |= {"copies": ["https://a.example/print/1"], "variants": []}
        assert json.loads(capsys.readouterr().out) == group
        for argv in (["none"], ["https://a.example/1", "--scope", "all"]):
            assert call("dedup", "groups", news, *argv) == 1
            assert "not dropped for another text" in capsys.readouterr().err
        assert call("dedup", "stats", news, "--json") == 0
        assert json.loads(capsys.readouterr().out)["copies"] == 13

    def test_variants_are_marked(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        with DuplicateIndex(store=SQLiteStore(news), remember_copies=100) as index:
            flat = "Rooms in {} to let, see the plan below. " + story(99, 3)
            for number in range(13):
                index.check_and_add(f"https://b.example/{number}", flat.format(f"town{number}"))
            assert index.check_and_add("https://b.example/3?print=1", flat.format("town3")).duplicate
        assert call("dedup", "groups", news) == 0
        out, err = capsys.readouterr()
        lines = out.splitlines()
        assert [*lines[:2], *lines[10:]] == [
            "https://b.example/0",
            "   kept, a variant: https://b.example/1",
            "   kept, a variant: https://b.example/10",
            "   kept, a variant: … and 2 more",
            "https://b.example/3",
            "   https://b.example/3?print=1",
        ]
        assert err == "2 groups, 1 dropped key, 12 variants\n"
        assert call("dedup", "groups", news, "https://b.example/12", "--json") == 0
        group = json.loads(capsys.readouterr().out)
        assert group["kept"] == "https://b.example/0" and group["copies"] == []
        assert group["variants"] == [f"https://b.example/{number}" for number in range(1, 13)]
        assert call("dedup", "check", news) == 0


class TestForget:
    @pytest.mark.parametrize(
        ("argv", "left"),
        [
            (["https://a.example/1", "short"], 10),
            (["https://A.example/1#top"], 11),
            (["https://a.example/1", "--scope", "all"], 12),
            (["--pattern", r"/\d\b", "--scope", "a.example"], 4),
            (["none"], 12),
        ],
    )
    def test_by_key(self, news: str, argv: Sequence[str], left: int, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "forget", news, *argv, "--dry-run") == 0
        assert f"would be forgotten: {12 - left}\n" in capsys.readouterr().out
        assert len(records(news)) == 12
        assert call("dedup", "forget", news, *argv) == 0
        out, err = capsys.readouterr()
        assert (out, err) == (f"forgotten: {12 - left}\n", "not there: none\n" if "none" in argv else err)
        assert len(records(news)) == left

    def test_by_age(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        old = {1: time.time() - 40 * 86400, 9: time.time() - 20 * 86400, 12: time.time() - 30 * 3600}
        with SQLiteStore(news) as store:
            store.open(RULES["part"].constants)
            store.set_last_seen(old)
        for age, count in (("30d", 1), ("2w", 2), ("25h", 3), ("31h", 2), ("1970-01-01", 0)):
            assert call("dedup", "forget", news, "--older-than", age, "--dry-run") == 0
            assert capsys.readouterr().out.endswith(f"would be forgotten: {count}\n")
        assert call("dedup", "forget", news, "--older-than", "1d", "--scope", "all", "--pattern", "^s") == 0
        assert call("dedup", "forget", news, "https://a.example/0", "https://a.example/1", "--older-than", "1d") == 0
        out, err = capsys.readouterr()
        assert out == "forgotten: 1\nforgotten: 1\n"
        assert err == "not there, or not that old: https://a.example/1\n"
        assert call("dedup", "copy", news, "copy.sqlite") == 0
        assert call("dedup", "forget", "copy.sqlite", "--older-than", "2w") == 0
        assert capsys.readouterr().out.endswith("forgotten: 1\n"), "times are copied too"

    def test_dropped_keys_go_too(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        drop(SQLiteStore(news))
        assert call("dedup", "forget", news, "https://a.example/print/1", "--dry-run") == 0
        assert capsys.readouterr().out == (
            "a.example  https://a.example/print/1, dropped for https://a.example/1\n"
            "would be forgotten: 0, and 1 dropped key\n"
        )
        assert call("dedup", "forget", news, "--pattern", "print/1|example/2$") == 0
        assert capsys.readouterr().out == "forgotten: 1, and 1 dropped key\n"
        assert call("dedup", "groups", news) == 0
        assert capsys.readouterr().err == "0 groups, 0 dropped keys, 0 variants\n"


class TestCheck:
    def test_nothing_wrong(self, here: Path, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "check", news) == 0
        assert call("dedup", "check", kept(here / "p.db", rule="patent")) == 0
        assert capsys.readouterr().out == "12 texts, no problem\n" * 2

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ("s1 = x'01'", "it cannot be read"),
            ("s1 = x'02000100'", "s1 is out of order"),
            ("other_fields = x'02000000000000000100000000000000'", "values or s2 are out of order"),
            ("bands = x'00'", "digest, bands, t or n is damaged"),
            ("n = 'many'", "it cannot be read"),
        ],
    )
    def test_a_damaged_record(self, news: str, change: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
        with sqlite3.connect(news) as link:
            link.execute(f"UPDATE texts SET {change} WHERE id = 3")
        link.close()
        assert call("dedup", "check", news) == 1
        out, err = capsys.readouterr()
        assert out.startswith("record 3, ")
        assert said in out
        assert err == "12 texts, problems: 1\n"

    def test_a_torn_file(self, here: Path, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        content = Path(news).read_bytes()
        Path(news).write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
        assert call("dedup", "check", news) == 1
        assert call("dedup", "stats", DENOISE_DEDUP_STORE=news) == 1
        assert capsys.readouterr().err.endswith("news.sqlite: database disk image is malformed\n")
