"""The index of a crawl whose store fails, temporarily or permanently."""

import asyncio
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from denoise_scrapy.crawl import duplicates
from denoise_scrapy.crawl.duplicates import CrawlIndex
from denoise_scrapy.crawl.passages import ItemText
from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore, StoreMismatch
from denoise_scrapy.support import storage
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, event_loop, spider_of
from tests.crawl.web import Web, story
from tests.processes import PROC

FULL = sqlite3.OperationalError("database or disk is full")
SAID = "The index of texts cannot be used now"


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 0.02)


def crawled(web: Web, place: Path | str, *paths: str, **settings: Any) -> Crawl:
    """Crawl six articles, then other pages, by default a copy of one."""
    urls = [*web.urls(range(6)), *map(web, paths or ["/copy"])]
    return crawl(spider_of(*urls), {**ONE_BY_ONE, "DOWNLOAD_DELAY": 0.05, "DENOISE_DEDUP_STORE": place, **settings})


def texts_in(file: Path) -> int:
    with DuplicateIndex(store=SQLiteStore(file)) as index:
        return len(index)


class Failing:
    """A store's method that fails in some of its calls for a page, after or instead of its work."""

    def __init__(self, method: str, calls: set[int], error: Exception, page: str = "", *, works: bool = False):
        self.calls = 0
        self._failing, self._error, self._page, self._works = calls, error, page, works
        self._method = getattr(SQLiteStore, method)

    def __get__(self, store: Any, _: Any = None) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            self.calls += self._page in str(args)
            fails = self._page in str(args) and self.calls in self._failing
            found = self._method(store, *args, **more) if self._works or not fails else None
            if fails:
                raise self._error
            return found

        return call


@pytest.mark.parametrize(
    ("method", "error"),
    [
        ("open", FULL),
        ("put", FULL),
        ("put", sqlite3.DatabaseError("database disk image is malformed")),
        ("put", OSError(5, "input/output error")),
        ("put", StoreMismatch("last id", "0", "3", "here", "Start anew.")),
    ],
)
def test_what_was_kept_while_the_store_failed_is_known_afterwards(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, error: Exception
) -> None:
    monkeypatch.setattr(SQLiteStore, method, Failing(method, {1}, error))
    done = crawled(articles, tmp_path / "t.sqlite")
    assert len(done.items) == 6  # the first one too, which could not be checked; its copy is dropped
    assert [item["url"] for item, _ in done.dropped] == [articles("/copy")]
    assert done.stat("dedup/store_failed") == 1
    assert done.log.count(SAID) == 1
    assert done.log.count("The index of texts can be used again") == 1
    assert texts_in(tmp_path / "t.sqlite") == 6


def test_a_crawl_that_ends_while_a_slow_disk_writes_keeps_all_texts(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, under_way, most = DuplicateIndex.settle, [0], [0]

    def settle(self: DuplicateIndex, claim: int) -> bool:
        under_way[0] += 1
        most[0] = max(most[0], under_way[0])
        time.sleep(0.15)
        done = real(self, claim)
        under_way[0] -= 1
        return done

    async def closed(self: Any, reason: str) -> None:
        await asyncio.sleep(duplicates.LOOK_AGAIN + 0.1)  # in the middle of the last write

    monkeypatch.setattr(DuplicateIndex, "settle", settle)
    place = tmp_path / "texts.sqlite"
    done = crawl(spider_of(*articles.urls(range(6)), closed=closed), {"DENOISE_DEDUP_STORE": place})
    assert (len(done.items), most, done.stat("errors"), done.stat("dedup/store_failed")) == (6, [1], 0, 0)
    assert texts_in(place) == 6


def test_a_store_that_stays_away_is_asked_less_and_less(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puts = Failing("put", set(range(1, 100)), FULL)
    monkeypatch.setattr(SQLiteStore, "put", puts)
    monkeypatch.setattr(duplicates, "MOST_PENDING_CHARS", 3_000)
    done = crawled(articles, tmp_path / "t.sqlite")
    assert len(done.items) == 7
    assert puts.calls < 7
    assert done.stat("memory/evicted/undelivered") > 3, "two texts fit"
    assert done.stat("dedup/unchecked") == 7
    assert done.log.count(SAID) == 1


class Loses:
    """A pipeline of a user that drops one page's item."""

    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/a/1"):
            raise DropItem("not wanted")
        return item


@pytest.mark.parametrize("works", [False, True])
@pytest.mark.parametrize(("method", "page"), [("release", ""), ("put", "/a/1")])
def test_an_item_that_is_lost_while_the_store_fails_leaves_nothing_behind(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, page: str, works: bool
) -> None:
    failing = Failing(method, {1}, OSError(110, "timed out"), page, works=works)
    monkeypatch.setattr(SQLiteStore, method, failing)
    done = crawled(articles, tmp_path / "t.sqlite", ITEM_PIPELINES={Loses: 900})
    assert failing.calls
    assert articles("/copy") in [item["url"] for item in done.items]  # nobody waits for an item that is gone
    assert done.stat("dedup/passed/waited_in_vain") == 0
    assert texts_in(tmp_path / "t.sqlite") == 6


def test_a_store_that_cannot_note_a_copy_is_left_alone_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 60)
    note = Mock(side_effect=TimeoutError("silent"))
    monkeypatch.setattr(SQLiteStore, "note", note)

    async def ask(guard: CrawlIndex) -> list[str | None]:
        answers = [await guard.use(lambda index, n=n: index.check_and_add(f"/{n}", story(0))) for n in range(4)]
        await guard.close()
        return [answer and answer.reason for answer in answers]

    guard = guarded(DENOISE_DEDUP_STORE=str(tmp_path / "t.sqlite"))
    # all pass, and only the first copy waits for the store
    assert event_loop().run_until_complete(ask(guard)) == ["new", None, None, None]
    assert note.call_count == guard._crawl.counted("dedup/store_failed") == 1


def guarded(**settings: str) -> CrawlIndex:
    event_loop()
    guard = CrawlIndex(state_of(get_crawler(settings_dict=settings)).crawl)
    guard.open()
    return guard


@pytest.mark.parametrize("spoiled", [{"key": "bad\ud800"}, {"key": ""}, {"scope": "\udfff"}, {"group": "\ud800"}])
@pytest.mark.parametrize("place", [0, 3])
def test_an_entry_that_no_store_takes_does_not_block_the_others(spoiled: dict[str, str], place: int) -> None:
    async def work() -> CrawlIndex:
        guard = guarded()
        entries = [ItemText(f"/{n}", story(n)) for n in range(5)]
        entries.insert(place, ItemText("/bad", story(9))._replace(**spoiled))
        for entry in entries:
            guard.end(entry, 0, lost=False)
        assert await guard.use(len) == 5
        assert await guard.use(len) == 5
        await guard.close()
        return guard

    guard = event_loop().run_until_complete(work())
    assert guard._crawl.counted("errors/dedup") == 1


def test_what_was_missed_near_the_end_is_written_at_the_end(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage, "FIRST_PAUSE", 60)
    monkeypatch.setattr(SQLiteStore, "put", Failing("put", {3}, FULL))
    done = crawled(articles, tmp_path / "t.sqlite", "/a/6")
    assert done.stat("dedup/unchecked") == 5
    assert texts_in(tmp_path / "t.sqlite") == done.stat("dedup/kept_texts") == 7


@pytest.mark.parametrize("error", [FULL, sqlite3.DatabaseError("database disk image is malformed"), OSError(5, "gone")])
def test_a_store_that_fails_when_its_texts_are_counted_is_closed(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    close, closed = SQLiteStore.close, list[SQLiteStore]()

    def closing(store: SQLiteStore) -> None:
        closed.append(store)
        close(store)

    monkeypatch.setattr(SQLiteStore, "__len__", Mock(side_effect=error))
    monkeypatch.setattr(SQLiteStore, "close", closing)
    done = crawled(articles, tmp_path / "t.sqlite")
    assert len(done.items) == 6
    assert done.lines("close failure") == []
    assert closed


class Moving:
    """A pipeline of a user that moves or replaces the index's file when an item arrives."""

    place = Path()
    put = False

    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/a/2"):
            self.place.rename(self.place.with_suffix(".old"))
            if self.put:
                self.place.write_bytes(b"")
        return item


@pytest.mark.parametrize("put", [False, True])
def test_an_index_that_vanishes_is_said_once(articles: Web, tmp_path: Path, put: bool) -> None:
    Moving.place, Moving.put = tmp_path / "t.sqlite", put
    done = crawled(articles, Moving.place, ITEM_PIPELINES={Moving: 900})
    assert [item["url"] for item, _ in done.dropped] == [articles("/copy")]  # this crawl goes on as if nothing were
    assert done.log.count("was moved or deleted") == 1
    assert str(Moving.place) in done.log


@PROC
def test_an_absent_index_where_no_file_can_be_made_is_said_once(articles: Web) -> None:
    done = crawled(articles, "/proc/texts.sqlite")
    assert len(done.items) == 7
    assert done.log.count(SAID) == 1
    assert "was moved or deleted" not in done.log


class FailsAtEnd:
    """A component of a user that fails when the spider is opened, or when it is closed."""

    at = ""

    def open_spider(self) -> None:
        if self.at == "open":
            raise RuntimeError("at the start")

    def close_spider(self) -> None:
        if self.at == "close":
            raise RuntimeError("at the end")


def test_a_pipeline_that_fails_when_it_is_closed_costs_no_delivered_text(articles: Web, tmp_path: Path) -> None:
    FailsAtEnd.at = "close"
    done = crawled(articles, tmp_path / "t.sqlite", "/a/6", ITEM_PIPELINES={FailsAtEnd: 900})
    assert len(done.lines("close failure")) == 1
    assert texts_in(tmp_path / "t.sqlite") == done.stat("dedup/kept_texts") == len(done.items) == 7


@pytest.mark.parametrize("at", ["open", "close", "scraper"])
def test_no_task_is_left_when_the_engine_ends_badly(articles: Web, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    FailsAtEnd.at = at
    if at == "scraper":
        monkeypatch.setattr("scrapy.core.scraper.Scraper.close_spider_async", Mock(side_effect=RuntimeError("ended")))
    loop = event_loop()
    before = asyncio.all_tasks(loop)
    with suppress(RuntimeError):
        crawl(spider_of(*articles.urls(range(3))), {"ITEM_PIPELINES": {FailsAtEnd: 900}})
    limit = loop.time() + 10

    def left() -> list[str]:
        tasks = map(str, asyncio.all_tasks(loop) - before)
        return [task for task in tasks if "CrawlIndex" in task or "Looping" in task]

    loop.run_until_complete(asyncio.sleep(0))
    while left() and loop.time() < limit:  # a call beside the reactor may be on its way
        loop.run_until_complete(asyncio.sleep(0.05))
    assert left() == []
