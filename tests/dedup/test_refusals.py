"""Foreign files and other versions are rejected and left unchanged by the stores of texts and of site facts."""

import sqlite3
import sys
import zlib
from contextlib import closing

import pytest
import redis

from denoise_scrapy.dedup import RedisStore, SQLiteStore, StoreMismatch
from denoise_scrapy.dedup.rules import CONSTANTS
from denoise_scrapy.dedup.sqlite_store import FORMAT, INDEX
from denoise_scrapy.site import RedisFacts, SQLiteFacts
from denoise_scrapy.site.memory import constants
from denoise_scrapy.support import storage


def texts_file(path):
    with SQLiteStore(path) as store:
        store.open(CONSTANTS)


def facts_file(path):
    with closing(SQLiteFacts(path)) as store:
        store.open()


def texts_server(url, name="a"):
    with RedisStore(url, name=name) as store:
        store.open(CONSTANTS)


def facts_server(url, name="a"):
    with closing(RedisFacts(url, name=name)) as store:
        store.open()


files = pytest.mark.parametrize("opened", [texts_file, facts_file])


@files
@pytest.mark.parametrize("content", [b"text", b"\x00" * 200, b"SQLite format 3\x00"])
def test_a_foreign_file(opened, content, tmp_path):
    path = tmp_path / "app.db"
    path.write_bytes(content)
    with pytest.raises(StoreMismatch, match="Give another path"):
        opened(path)
    assert path.read_bytes() == content
    assert [one.name for one in tmp_path.iterdir()] == ["app.db"]


@files
def test_a_folder_or_a_path_in_none(opened, tmp_path):
    with pytest.raises(StoreMismatch, match="Give the path of a file"):
        opened(tmp_path)
    with pytest.raises(FileNotFoundError, match="its folder does not exist"):
        opened(tmp_path / "no" / "a.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("opened", "other"), [(texts_file, facts_file), (facts_file, texts_file)])
def test_a_file_of_the_other_kind(opened, other, tmp_path):
    other(tmp_path / "a.db")
    before = (tmp_path / "a.db").read_bytes()
    with pytest.raises(StoreMismatch, match=r"this is (an index|a site memory) of denoise_scrapy"):
        opened(tmp_path / "a.db")
    assert (tmp_path / "a.db").read_bytes() == before


def test_other_tables_are_another_format():
    tables = " ".join(" ".join(INDEX.schema).split())
    assert (FORMAT, zlib.crc32(tables.encode())) == ("10", 68993727), "increase FORMAT"


@pytest.mark.parametrize(
    ("opened", "name"),
    [(texts_file, "format"), (texts_file, "run cap"), *((facts_file, name) for name in constants())],
)
def test_a_file_of_another_version(opened, name, tmp_path):
    opened(tmp_path / "a.db")
    with closing(sqlite3.connect(tmp_path / "a.db")) as link, link:
        link.execute("UPDATE meta SET value = '999' WHERE name = ?", (name,))
    before = (tmp_path / "a.db").read_bytes()
    with pytest.raises(StoreMismatch, match=f"'{name}' is 999 there and .* here") as caught:
        opened(tmp_path / "a.db")
    assert (caught.value.constant, caught.value.stored) == (name, "999")
    assert (tmp_path / "a.db").read_bytes() == before


@pytest.mark.parametrize(
    ("opened", "meta", "name"),
    [
        *((texts_server, "{a}:meta", name) for name in ("run cap", "layout")),
        *((facts_server, "{a}:site:meta", name) for name in ("layout", *constants())),
    ],
)
def test_keys_of_another_version(opened, meta, name, redis_server):
    opened(redis_server.url)
    redis_server.client.hset(meta, name, "999")
    before = redis_server.client.hgetall(meta)
    with pytest.raises(StoreMismatch, match=f"'{name}' is 999 there and .* here") as caught:
        opened(redis_server.url)
    assert (caught.value.constant, caught.value.stored) == (name, "999")
    assert redis_server.client.hgetall(meta) == before
    opened(redis_server.url, name="b")


@pytest.mark.parametrize(
    ("opened", "command"),
    [
        *((texts_server, command) for command in ("SET {a}:meta x", "SET {a}:log x", "HSET {a}:meta x y")),
        *((facts_server, f"SET {{a}}:site:{key} x") for key in ("meta", "saved", "sizes")),
    ],
)
def test_another_programs_keys(opened, command, redis_server):
    redis_server.client.execute_command(*command.split())
    with pytest.raises(StoreMismatch, match="another program's"):
        opened(redis_server.url)
    assert redis_server.client.keys() == [command.split()[1].encode()]


@pytest.mark.parametrize("opened", [texts_server, facts_server])
def test_an_absent_server_is_named_without_its_password(opened, monkeypatch):
    monkeypatch.setattr(storage, "_RETRY_PAUSE", 0.01)
    with pytest.raises((ConnectionError, redis.ConnectionError), match=r"^redis://localhost:1/0: ") as caught:
        opened("redis://me:secret@localhost:1/0?health_check_interval=1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("kind", [RedisStore, RedisFacts])
def test_arguments_of_a_server(kind, monkeypatch):
    for options in ({"name": ""}, {"name": "a{b"}, {"name": "}"}, {"name": 1}):
        with pytest.raises(ValueError, match=r"name must be .*without braces"):
            kind("redis://localhost", **options)
    for timeout in (0, float("nan")):
        with pytest.raises(ValueError, match="timeout must be"):
            kind("redis://localhost", timeout=timeout)
    with pytest.raises(ValueError, match="URL"):
        kind("localhost")
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError, match=r"pip install denoise-scrapy\[redis\]"):
        kind("redis://localhost")
