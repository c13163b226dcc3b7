"""The index of a crawl, whose store fails for a while or for good."""

import sqlite3
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.test import get_crawler

from denoise_scrapy import storage
from denoise_scrapy.crawl.index_guard import IndexGuard
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
@pytest.mark.parametrize(("method", "page"), [("withdraw", ""), ("put", "/a/0")])
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
        guard = IndexGuard(state.crawler, state.settings, state.log)
        guard.open()
        answers = [await guard.ask(lambda index, n=n: index.check_and_add(f"/{n}", story(0))) for n in range(4)]
        guard.close()
        return [answer and answer.of for answer in answers]

    # the first copy has its verdict; the others do not wait for the store, each by itself
    assert loop.run_until_complete(ask()) == [None, "/0", None, None]
    assert note.call_count == 1
    assert state.crawler.stats is not None
    assert state.crawler.stats.get_value("denoise/dedup/store_failed") == 1
