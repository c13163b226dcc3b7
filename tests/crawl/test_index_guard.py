"""The index of a crawl, whose store fails for a while or for good."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from denoise_scrapy import storage
from denoise_scrapy.crawl.duplicates import DuplicateCheck
from denoise_scrapy.crawl.item_values import ItemText
from denoise_scrapy.crawl.state import CrawlState
from denoise_scrapy.dedup import DuplicateIndex, MemoryStore, SQLiteStore, StoreMismatch
from tests.crawl.crawling import crawl, event_loop, spider_of
from tests.crawl.web import Web, article, story

ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY": 0.05}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 0.02)


@pytest.fixture
def site(web: Web) -> Web:
    web.pages |= {f"/a/{n}": article(n) for n in range(6)}
    web.pages["/copy"] = article(0, text=story(0) + " Shared by a reader of ours.")
    return web


def urls(web: Web) -> list[str]:
    return [*(web(f"/a/{n}") for n in range(6)), web("/copy")]


class Puts:
    """The store's `put`, which fails at some calls."""

    def __init__(self, failing: set[int], error: Exception):
        self.calls = 0
        self._failing, self._error, self._put = failing, error, SQLiteStore.put

    def __get__(self, store: Any, _: Any = None) -> Any:
        def put(*args: Any, **more: Any) -> Any:
            self.calls += 1
            if self.calls in self._failing:
                raise self._error
            return self._put(store, *args, **more)

        return put


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.OperationalError("database or disk is full"),
        sqlite3.DatabaseError("database disk image is malformed"),
        OSError(5, "input/output error"),
        StoreMismatch("last id", "0", "3", "here", "Start anew."),
    ],
)
def test_what_was_kept_while_the_store_failed_is_known_afterwards(
    site: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr(SQLiteStore, "put", Puts({1}, error))
    done = crawl(spider_of(*urls(site)), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(tmp_path / "t.sqlite")})
    assert len(done.items) == 6  # the first one too, which could not be checked; its copy is dropped
    assert [item["url"] for item, _ in done.dropped] == [site("/copy")]
    assert done.stat("dedup/unchecked") >= 1
    assert done.stat("dedup/store_failed") == 1
    assert done.log.count("The index of texts cannot be used now") == 1
    assert done.log.count("The index of texts can be used again") == 1
    with DuplicateIndex(store=SQLiteStore(tmp_path / "t.sqlite")) as index:
        assert len(index) == 6


def test_a_store_that_stays_away_is_asked_less_and_less(
    site: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puts = Puts(set(range(1, 100)), sqlite3.OperationalError("database or disk is full"))
    monkeypatch.setattr(SQLiteStore, "put", puts)
    done = crawl(spider_of(*urls(site)), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(tmp_path / "t.sqlite")})
    assert len(done.items) == 7
    assert puts.calls < 7
    assert done.stat("dedup/unchecked") == 7
    assert done.log.count("The index of texts cannot be used now") == 1


class Late:
    """A store's method that fails at one call, of those about some page the first, after its work or without it."""

    def __init__(self, method: Any, page: str, *, works: bool):
        self._method, self._page, self._works, self.failed = method, page, works, False

    def __get__(self, store: Any, _: Any = None) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            fails = not self.failed and self._page in str(args)
            self.failed = self.failed or fails
            found = self._method(store, *args, **more) if self._works or not fails else None
            if fails:
                raise OSError(110, "timed out")
            return found

        return call


class LosesTheFirst:
    """A pipeline of the user's that drops one page's item."""

    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/a/0"):
            raise DropItem("not wanted")
        return item


@pytest.mark.parametrize("works", [False, True])
@pytest.mark.parametrize(("method", "page"), [("release", ""), ("put", "/a/0")])
def test_an_item_that_is_lost_while_the_store_fails_leaves_nothing_behind(
    site: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, page: str, works: bool
) -> None:
    late = Late(getattr(SQLiteStore, method), page, works=works)
    monkeypatch.setattr(SQLiteStore, method, late)
    settings = {
        **ONE_BY_ONE,
        "DENOISE_DEDUP_STORE": str(tmp_path / "t.sqlite"),
        "ITEM_PIPELINES": {LosesTheFirst: 900},
    }
    done = crawl(spider_of(*urls(site)), settings)
    assert late.failed
    assert site("/copy") in [item["url"] for item in done.items]  # nobody waits for an item that is gone
    assert done.stat("dedup/waited_in_vain") == 0
    with DuplicateIndex(store=SQLiteStore(tmp_path / "t.sqlite")) as index:
        assert len(index) == 6


def test_an_index_that_cannot_be_opened_now_is_opened_later(
    site: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, failures = SQLiteStore.open, [sqlite3.OperationalError("attempt to write a readonly database")]

    def open_(self: SQLiteStore, *args: Any) -> None:
        if failures:
            raise failures.pop()
        opened(self, *args)

    monkeypatch.setattr(SQLiteStore, "open", open_)
    done = crawl(spider_of(*urls(site)), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(tmp_path / "t.sqlite")})
    assert len(done.items) + len(done.dropped) == 7
    assert done.stat("dedup/kept_texts") >= 5
    assert done.log.count("The index of texts cannot be used now") == 1


def test_a_store_that_cannot_note_a_copy_is_left_alone_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 60)
    loop = event_loop()
    state = CrawlState(get_crawler())
    note = Mock(side_effect=TimeoutError("silent"))
    monkeypatch.setattr(MemoryStore, "note", note)

    async def ask() -> list[str | None]:
        guard = DuplicateCheck(state)
        guard.open()
        answers = [await guard.use(lambda index, n=n: index.check_and_add(f"/{n}", story(0))) for n in range(4)]
        guard.close()
        return [answer and answer.of for answer in answers]

    # the first copy has its verdict; the others do not wait for the store, each by itself
    assert loop.run_until_complete(ask()) == [None, "/0", None, None]
    assert note.call_count == 1
    assert state.crawler.stats is not None
    assert state.crawler.stats.get_value("denoise/dedup/store_failed") == 1


def guarded(**settings: Any) -> DuplicateCheck:
    state = CrawlState(get_crawler(settings_dict=settings))
    guard = DuplicateCheck(state)
    guard.open()
    return guard


@pytest.mark.parametrize("spoiled", [{"key": "bad\ud800"}, {"key": ""}, {"scope": "\udfff"}, {"group": "\ud800"}])
@pytest.mark.parametrize("first", [True, False])
def test_an_entry_that_no_store_takes_does_not_block_the_others(spoiled: dict[str, str], first: bool) -> None:
    async def work() -> DuplicateCheck:
        guard = guarded()
        entries = [ItemText(f"/{n}", story(n)) for n in range(5)]
        entries.insert(0 if first else 3, ItemText("/bad", story(9))._replace(**spoiled))
        for entry in entries:
            guard.missed(entry, 0)
        assert await guard.use(len) == 5
        assert await guard.use(len) == 5
        guard.close()
        return guard

    guard = event_loop().run_until_complete(work())
    assert guard._log.counted("errors/dedup") == 1


def test_what_no_store_can_write_is_not_compared() -> None:
    class Early(spider_of()):  # type: ignore[misc]
        async def start(self) -> Any:
            yield {"id": "bad\ud800", "url": "https://a.example/1", "text": story(1)}
            yield {"id": "2", "url": "https://a.example/2", "text": story(2) + "\udfff"}
            yield {"id": "https://a.example/\ud800", "text": story(4)}
            yield {"id": "3", "url": "https://a.example/3", "text": story(3)}

    done = crawl(Early, {"DENOISE_DEDUP_FIELDS": "text", "DENOISE_DEDUP_KEY_FIELD": "id"})
    assert len(done.items) == 4
    assert (done.stat("dedup/unwritable"), done.stat("dedup/checked"), done.stat("errors")) == (3, 1, 0)


def test_what_was_missed_near_the_end_is_written_at_the_end(
    site: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 60)
    monkeypatch.setattr(SQLiteStore, "put", Puts({3}, sqlite3.OperationalError("database or disk is full")))
    done = crawl(spider_of(*urls(site)[:6]), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(tmp_path / "t.sqlite")})
    assert done.stat("dedup/unchecked") == 4
    with DuplicateIndex(store=SQLiteStore(tmp_path / "t.sqlite")) as index:
        assert len(index) == done.stat("dedup/kept_texts") == 6


class Moving:
    """A pipeline of the user's that moves the index away, or puts another file in its place, when an item comes."""

    place = Path()
    put = False

    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/a/2"):
            self.place.rename(self.place.with_suffix(".old"))
            if self.put:
                self.place.write_bytes(b"")
        return item


@pytest.mark.parametrize("put", [False, True])
def test_an_index_that_vanishes_is_said_once(site: Web, tmp_path: Path, put: bool) -> None:
    Moving.place, Moving.put = tmp_path / "t.sqlite", put
    settings = {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(Moving.place), "ITEM_PIPELINES": {Moving: 900}}
    done = crawl(spider_of(*urls(site)), settings)
    assert [item["url"] for item, _ in done.dropped] == [site("/copy")]  # this crawl goes on as if nothing were
    assert done.log.count("was moved or deleted") == 1
    assert str(Moving.place) in done.log
    moved = {"DENOISE_DEDUP_STORE": str(tmp_path / "other.sqlite")}
    assert "was moved or deleted" not in crawl(spider_of(*urls(site)), moved).log


def test_an_absent_index_where_no_file_can_be_made_is_said_once(site: Web) -> None:
    done = crawl(spider_of(*urls(site)), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": "/proc/texts.sqlite"})
    assert len(done.items) == 7
    assert done.log.count("The index of texts cannot be used now") == 1


class FailsAtEnd:
    """A component of the user's that fails when the spider is opened, or when it is closed."""

    at = ""

    def open_spider(self) -> None:
        if self.at == "open":
            raise RuntimeError("at the start")

    def close_spider(self) -> None:
        if self.at == "close":
            raise RuntimeError("at the end")


@pytest.mark.parametrize("at", ["open", "close", "scraper"])
def test_no_task_is_left_when_the_engine_ends_badly(site: Web, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    FailsAtEnd.at = at
    if at == "scraper":
        monkeypatch.setattr("scrapy.core.scraper.Scraper.close_spider_async", Mock(side_effect=RuntimeError("ended")))
    loop = event_loop()
    before = asyncio.all_tasks(loop)
    with suppress(RuntimeError):
        crawl(spider_of(*urls(site)), {"ITEM_PIPELINES": {FailsAtEnd: 900}})
    loop.run_until_complete(asyncio.sleep(0))
    left = [
        task for task in asyncio.all_tasks(loop) - before if "DuplicateCheck" in str(task) or "Looping" in str(task)
    ]
    assert left == []
