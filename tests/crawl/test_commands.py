"""`scrapy denoise …`: what it prints, what it returns, and that it harms nothing."""

import io
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.settings import Settings

from denoise_scrapy.commands import run
from denoise_scrapy.commands.dedup import problems
from denoise_scrapy.commands.indexes import Opened
from denoise_scrapy.crawl.duplicates.index import INDEX_FILE
from denoise_scrapy.dedup import RULES, DuplicateIndex, Fingerprint, MemoryStore, SQLiteStore, Store
from denoise_scrapy.dedup.fingerprint import CONSTANTS
from denoise_scrapy.dedup.redis_store import RedisStore
from denoise_scrapy.dedup.store import Name, Record
from tests.crawl.web import Reply, Web, article, story
from tests.dedup.redis_server import RedisServer, redis_server, shared_server

__all__ = ["redis_server", "shared_server"]  # fixtures

SCRAPY = [sys.executable, "-m", "scrapy", "denoise"]


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


def call(*argv: str, **given: Any) -> int:
    return run(argv, Settings({"JOBDIR": None, **given}))


def scrapy(*argv: str, cwd: Path, **more: Any) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*SCRAPY, *argv], cwd=cwd, capture_output=True, encoding="utf-8", timeout=60, check=False, **more
    )
    assert "Traceback" not in done.stderr
    return done


class TestProcess:
    """A few for real, as a start of Scrapy takes most of a second."""

    def test_in_a_project_its_settings_name_the_store(self, here: Path, news: str) -> None:
        (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
        (here / "conf.py").write_text(
            f"DENOISE_DEDUP_PATH = {news!r}\nADDONS = {{'denoise_scrapy.DenoiseAddon': 500}}\n"
        )
        done = scrapy("dedup", "stats", "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["texts"] == 12

    def test_help_is_that_of_the_subcommand(self, here: Path) -> None:
        done = scrapy("dedup", "forget", "-h", cwd=here)
        assert done.returncode == 0
        assert "--pattern" in done.stdout

    def test_outside_of_one_through_a_pipe_with_options_of_scrapy_anywhere(
        self, here: Path, news: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        exported = scrapy("-s", "A=b", "dedup", "export", "-L", "ERROR", news, "-s", "C=d", cwd=here).stdout
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(exported.encode()), encoding="latin-1"))
        assert call("dedup", "import", "copy.sqlite", "-") == 0
        assert records(here / "copy.sqlite") == records(here / news)

    def test_pages_of_the_web(self, here: Path, web: Web) -> None:
        web.pages["/a"] = article(1)
        web.pages["/moved"] = Reply(status=301, headers={"Location": "/a"})
        (here / "b.txt").write_text(story(1))
        done = scrapy("compare", web("/moved"), "b.txt", "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["comparisons"][0]["duplicate"]
        assert web.asked == ["/moved", "/a"]

    def test_a_page_that_is_not_there_and_one_that_robots_txt_forbids(self, here: Path, web: Web) -> None:
        web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"})
        web.pages["/secret"] = article(1)
        done = scrapy("-s", "ROBOTSTXT_OBEY=1", "compare", web("/none"), web("/secret"), cwd=here)
        assert done.returncode == 1
        assert f"{web('/none')}: status 404; {web('/secret')}: Forbidden by robots.txt\n" in done.stderr
        assert web.count("/secret") == 0


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

    def test_the_scope_without_a_name_is_shown_as_all(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "stats", news) == 0
        assert "        8  a.example\n        4  all\n" in capsys.readouterr().out

    def test_of_the_patent_rule(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "stats", kept(here / "p.sqlite", rule="patent"), "--json") == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["texts"], found["short"], found["constants"]["rule"]) == (12, 1, "patent")

    def test_an_empty_index(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        with DuplicateIndex(store=SQLiteStore("a.db")):
            pass
        assert call("dedup", "stats", "a.db") == 0
        assert "a.db: 0 texts" in capsys.readouterr().out

    def test_a_job_directory(self, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (here / "job").mkdir()
        kept(here / "job" / INDEX_FILE)
        assert call("dedup", "stats", "job") == 0
        assert call("dedup", "stats", JOBDIR="job") == 0
        assert call("dedup", "stats", JOBDIR="none") == 1
        assert f"none/{INDEX_FILE}: there is no such file" in capsys.readouterr().err.replace("\\", "/")
        assert not (here / "none").exists()

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("none.db", None, "there is no such file"),
            ("empty.db", b"", "the file is empty"),
            ("notes.txt", b"text", "no SQLite database"),
            ("folder", None, "there is no such file"),
        ],
    )
    def test_what_is_no_index_is_refused_untouched(
        self, here: Path, name: str, content: bytes | None, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        if content is not None:
            (here / name).write_bytes(content)
        elif name == "folder":
            (here / name).mkdir()
        before = [(path.name, path.stat().st_size) for path in here.rglob("*")]
        for subcommand in (["stats"], ["export"], ["check"], ["forget"]):
            assert call("dedup", *subcommand, name, *(["key"] if subcommand == ["forget"] else [])) == 1
            out, err = capsys.readouterr()
            assert out == ""
            assert said in err
        assert [(path.name, path.stat().st_size) for path in here.rglob("*")] == before

    def test_another_version_is_refused(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        with sqlite3.connect(news) as link:
            link.execute("UPDATE meta SET value = '1' WHERE name = 'run cap'")
        link.close()
        assert call("dedup", "stats", news) == 1
        assert f"'run cap' is 1 there and {CONSTANTS['run cap']} here" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "url", ["redis://user:secret@localhost:1/0", "mysql://localhost/0", "redis://localhost:x/"]
    )
    def test_a_server_that_is_none(self, url: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "stats", url) == 1
        assert "secret" not in capsys.readouterr().err

    def test_wrong_settings(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "stats", DENOISE_DEDUP_STORE="postgres") == 1
        assert "DENOISE_DEDUP_STORE" in capsys.readouterr().err


BYTES = st.binary(max_size=40)
NAMES = st.builds(Name, st.text(min_size=1), st.sampled_from(["", "a.example", "\x85\u2028"]), st.text(max_size=3))
TEXTS = st.one_of(st.text(), st.integers(0, 3).map(story))


@st.composite
def contents(draw: st.DrawFn) -> list[tuple[Name, Fingerprint]]:
    named = draw(st.lists(st.tuples(NAMES, TEXTS), max_size=6, unique_by=lambda one: one[0][:2]))
    return [(name, Fingerprint.of(text)) for name, text in named]


class TestTransfer:
    @given(contents(), contents(), st.booleans())
    @settings(max_examples=25)
    def test_a_round_trip_gives_equal_records(
        self,
        tmp_path_factory: pytest.TempPathFactory,
        ours: list[tuple[Name, Fingerprint]],
        theirs: list[tuple[Name, Fingerprint]],
        replace: bool,
    ) -> None:
        folder = tmp_path_factory.mktemp("transfer")
        for path, content in ((folder / "a.db", ours), (folder / "b.db", theirs)):
            with SQLiteStore(path) as store:
                store.open(CONSTANTS)
                for seen, one in enumerate(content):
                    assert store.put(*one, seen=seen).id
        files = [str(folder / name) for name in ("a.db", "a.jsonl", "new.db", "b.db")]
        assert call("dedup", "export", *files[:2]) == 0
        assert call("dedup", "import", files[2], files[1]) == 0
        assert records(files[2]) == ours
        assert call("dedup", "import", files[3], files[1], *(["--replace"] if replace else [])) == 0
        expected = {one[0][:2]: one for one in (theirs + ours if replace else ours + theirs)}
        assert {one[0][:2]: one for one in records(files[3])} == expected

    def test_keys_that_are_there_stay_unless_replaced(
        self, here: Path, news: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("dedup", "export", news, "all.jsonl") == 0
        with DuplicateIndex(store=SQLiteStore("other.db")) as index:
            index.add("short", "other words")
        capsys.readouterr()
        assert call("dedup", "import", "other.db", "all.jsonl") == 0
        assert call("dedup", "import", "other.db", "all.jsonl", "--replace") == 0
        assert call("dedup", "import", "other.db", "all.jsonl", "--replace") == 0
        assert capsys.readouterr().out.splitlines() == [
            "11 added, 0 replaced, 1 there before, 0 refused",
            "0 added, 1 replaced, 11 there before, 0 refused",
            "0 added, 0 replaced, 12 there before, 0 refused",
        ]
        assert sorted(records("other.db"), key=str) == sorted(records(news), key=str)

    def test_damaged_lines_are_refused_and_the_others_added(
        self, news: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert call("dedup", "export", news, "all.jsonl") == 0
        header, first, second, *rest = Path("all.jsonl").read_bytes().splitlines(keepends=True)
        record = json.loads(second)
        bad: list[Any] = [
            {**record, "n": True},
            {**record, "n": 1 << 70},
            {**record, "t": 6},
            {**record, "s1": "AQ=="},
            {**record, "s2": "!"},
            {**record, "bands": ""},
            {**record, "digest": None},
            {**record, "key": ""},
            {"key": "a"},
            [],
        ]
        lines = [json.dumps(one).encode() + b"\n" for one in bad]
        lines += [b"[" * 5000 + b"\n", b"\n", first.replace(b'"group": "', b'"group": "\xff'), b'{"key": "\\ud800"}\n']
        Path("all.jsonl").write_bytes(b"".join([header, first, *lines, *rest]))
        capsys.readouterr()
        assert call("dedup", "import", "new.db", "all.jsonl") == 1
        out, err = capsys.readouterr()
        assert out == f"11 added, 0 replaced, 0 there before, {len(lines)} refused\n"
        assert "line 3 is refused: 'n' is of a wrong type" in err
        assert "line 6 is refused: s1 is damaged" in err
        assert call("dedup", "check", "new.db") == 0

    def test_another_rule_is_refused(self, here: Path, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "export", kept(here / "p.db", rule="patent"), "p.jsonl") == 0
        assert call("dedup", "import", news, "p.jsonl") == 1
        assert "'rule' is None there and patent here" in capsys.readouterr().err
        assert call("dedup", "import", "new.db", "p.jsonl") == 0
        assert records("new.db", "patent") == records("p.db", "patent")

    @pytest.mark.parametrize(
        ("header", "said"),
        [
            ("", "no header"),
            ("{}", "no header"),
            ('{"denoise_scrapy": "texts", "format": 9, "constants": {}}', "'format' is 9 there and 1 here"),
            ('{"denoise_scrapy": "texts", "format": 1, "constants": {}}', "'token rule' is None there and 1 here"),
        ],
    )
    def test_other_files_are_refused_and_no_store_is_made(
        self, here: Path, header: str, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        Path("a.jsonl").write_text(header + "\n")
        assert call("dedup", "import", "new.db", "a.jsonl") == 1
        assert said in capsys.readouterr().err
        assert not Path("new.db").exists()

    def test_an_index_is_not_written_over_itself(self, news: str) -> None:
        before = records(news)
        assert call("dedup", "export", news, f"./{news}") == 1
        assert call("dedup", "export", news, "no/folder.jsonl") == 1
        assert records(news) == before


class TestRedis:
    def test_an_index_on_a_server(
        self, here: Path, news: str, redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        url = f"{redis_server.url}#news%201"
        asked = {
            "DENOISE_DEDUP_STORE": "redis",
            "DENOISE_DEDUP_REDIS_URL": redis_server.url,
            "DENOISE_DEDUP_REDIS_NAME": "news 1",
        }
        assert call("dedup", "stats", **asked) == 1
        assert "there is no index named 'news 1'" in capsys.readouterr().err
        assert redis_server.client.keys() == []
        assert call("dedup", "export", news, "all.jsonl") == 0
        assert call("dedup", "import", url, "all.jsonl") == 0
        capsys.readouterr()
        assert call("dedup", "stats", "--json", **asked) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["texts"], found["bytes"]) == (12, None)
        assert call("dedup", "export", url, "back.jsonl") == 0
        assert Path("back.jsonl").read_bytes() == Path("all.jsonl").read_bytes()
        assert call("dedup", "forget", url, "short") == 0
        assert call("dedup", "check", url) == 0
        assert capsys.readouterr().out == "forgotten: 1\n11 texts, no problem\n"

    def test_a_damaged_one(self, redis_server: RedisServer, capsys: pytest.CaptureFixture[str]) -> None:
        with DuplicateIndex(store=RedisStore(redis_server.url)) as index:
            index.add("a", "some text")
        redis_server.client.xadd("{denoise}:log", {"r": b"abc"}, id="900-0")
        assert call("dedup", "check", redis_server.url) == 1
        assert "record 900: " in capsys.readouterr().out
        assert call("dedup", "stats", redis_server.url) == 1


def drop(store: Store) -> None:
    """Drop a copy of one text, and 12 of another."""
    with DuplicateIndex(store=store, remember_copies=100) as index:
        for number in (1, *[2] * 12):
            key = f"https://a.example/print/{number}"
            key += (
                f"?{len(index.groups()[0].copies)}"
                if number == 2 and index.group("https://a.example/2", "a.example")
                else ""
            )
            assert index.check_and_add(key, story(number, 3 + number), scope="a.example").duplicate


class TestGroups:
    @pytest.mark.parametrize("place", ["file", "server"])
    def test_lists_them(
        self, here: Path, news: str, place: str, redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
    ) -> None:
        if place == "server":
            assert call("dedup", "export", news, "all.jsonl") == 0
            assert call("dedup", "import", redis_server.url, "all.jsonl") == 0
            drop(RedisStore(redis_server.url))
            news = redis_server.url
        else:
            drop(SQLiteStore(news))
        capsys.readouterr()
        assert call("dedup", "groups", news) == 0
        out, err = capsys.readouterr()
        lines = out.splitlines()
        assert [lines[0], lines[11], *lines[12:]] == [
            "https://a.example/2",
            "   … and 2 more",
            "https://a.example/1",
            "   https://a.example/print/1",
        ]
        assert err == "2 groups, 13 dropped keys\n"
        assert call("dedup", "groups", news, "https://A.example/print/1#top", "--json") == 0
        group = {"kept": "https://a.example/1", "scope": "a.example", "copies": ["https://a.example/print/1"]}
        assert json.loads(capsys.readouterr().out) == group
        for argv in (["none"], ["https://a.example/1", "--scope", "all"]):
            assert call("dedup", "groups", news, *argv) == 1
            assert "not dropped for another text" in capsys.readouterr().err
        assert call("dedup", "stats", news, "--json") == 0
        assert json.loads(capsys.readouterr().out)["copies"] == 13


class TestForget:
    @pytest.mark.parametrize(
        ("argv", "left"),
        [
            (["https://a.example/1", "short"], 10),
            (["https://A.example/1#top"], 11),
            (["https://a.example/1", "--scope", "all"], 12),
            (["short", "--scope", "all"], 11),
            (["--pattern", r"/\d\b"], 2),
            (["--pattern", r"/\d\b", "--scope", "a.example"], 4),
            (["none"], 12),
        ],
    )
    def test_by_key(self, news: str, argv: Sequence[str], left: int, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "forget", news, *argv, "--dry-run") == 0
        assert f"would be forgotten: {12 - left}\n" in capsys.readouterr().out
        assert len(records(news)) == 12
        assert call("dedup", "forget", news, *argv) == 0
        assert capsys.readouterr().out == f"forgotten: {12 - left}\n"
        assert len(records(news)) == left

    def test_a_key_that_is_not_there_is_told(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "forget", news, "none", "short") == 0
        assert capsys.readouterr().err == "not there: none\n"

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
        assert call("dedup", "export", news, "all.jsonl") == 0
        assert call("dedup", "import", "copy.sqlite", "all.jsonl") == 0
        assert call("dedup", "forget", "copy.sqlite", "--older-than", "2w") == 0
        assert capsys.readouterr().out.endswith("forgotten: 1\n"), "times are carried over"

    @pytest.mark.parametrize("age", ["30", "d", "-", "1y", "nand", "2026-13-01", "9" * 20 + "w"])
    def test_what_is_no_age(self, news: str, age: str, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            call("dedup", "forget", news, f"--older-than={age}")
        assert "is no age as 12h, 30d, 2w, and no date as 2026-01-31" in capsys.readouterr().err

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
        assert capsys.readouterr().err == "0 groups, 0 dropped keys\n"

    def test_wrong_usage(self, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "forget", news) == 2
        assert call("dedup", "forget", news, "--pattern", "(") == 2
        assert "no regular expression" in capsys.readouterr().err
        assert len(records(news)) == 12


class TestCheck:
    def test_nothing_wrong(self, here: Path, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "check", news) == 0
        assert call("dedup", "check", kept(here / "p.db", rule="patent")) == 0
        assert capsys.readouterr().out == "12 texts, no problem\n" * 2

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ("s1 = x'01'", "s1 is damaged"),
            ("s2 = x'02000100'", "s2 is damaged"),
            ("bands = x''", "has none and should"),
            ("bands = x'00'", "the bands have 1 bytes"),
            ("digest = x''", "the digest has 0 bytes"),
            ("t = 6", "t = 6"),
            ("n = 'many'", "n is no whole number"),
            ("key = ''", "the key is empty"),
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

    def test_a_name_that_is_there_twice(self) -> None:
        """As only a damaged store can have it."""

        class Twice(MemoryStore):
            def get(self, numbers: Sequence[int]) -> list[Record]:
                name, text = Name("https://a.example/1", "a.example"), "some text of five words at least"
                return [Record(number, name, Fingerprint.of(text)) for number in numbers]

            def records(self) -> Iterator[Record]:
                return iter(self.get([2, 5]))

        found = list(problems(Opened(Twice(), RULES["part"], None)))
        assert "records 2 and 5 are both 'https://a.example/1' of scope 'a.example'" in found

    def test_a_torn_file(self, here: Path, news: str, capsys: pytest.CaptureFixture[str]) -> None:
        content = Path(news).read_bytes()
        Path(news).write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
        assert call("dedup", "check", news) == 1
        assert call("dedup", "stats", DENOISE_DEDUP_PATH=news) == 1
        assert capsys.readouterr().err.endswith("news.sqlite: database disk image is malformed\n")

    def test_what_is_no_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("dedup", "check", os.devnull) == 1
        assert capsys.readouterr().err.endswith("this is no file\n")
