"""Pages of one crawl are reused by the next, from a file or a Redis server; failures of the store cost nothing."""

import asyncio
import sqlite3
import threading
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from denoise_scrapy.crawl.parts import Crawl
from denoise_scrapy.crawl.sites import SiteMemory, sites_place
from denoise_scrapy.crawl.workers import Workers
from denoise_scrapy.page import PageFacts
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import FactsStore, RedisFacts, SQLiteFacts
from denoise_scrapy.site.facts_store import PAGES_A_TEMPLATE
from denoise_scrapy.support.storage import BackOff, without_password
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.test_health import redesigned
from tests.crawl.web import Web, article
from tests.dedup.redis_server import RedisServer
from tests.site.made_sites import page


@pytest.fixture
def linked(web: Web) -> Web:
    web.pages |= {f"/a/{n}": article(n, [f"/a/{m}" for m in range(12)]) for n in range(12)}
    return web


def pages_of(web: Web, *numbers: int) -> Any:
    return spider_of(*web.urls(numbers))


@pytest.mark.parametrize("setting", ["JOBDIR", "DENOISE_DEDUP_STORE", "DENOISE_SITE_MEMORY_PATH", "a server"])
def test_the_next_crawl_needs_no_comparison_page(
    linked: Web, tmp_path: Path, redis_server: RedisServer, setting: str
) -> None:
    file = tmp_path / "denoise-sites.sqlite"
    places = {"JOBDIR": tmp_path, "DENOISE_DEDUP_STORE": tmp_path / "texts.sqlite", "DENOISE_SITE_MEMORY_PATH": file}
    settings: dict[str, Any] = {"CONCURRENT_REQUESTS": 1, "DENOISE_DEDUP": "off", "DENOISE_COMPARISON_WAIT": 0}
    settings |= {setting: str(places[setting])} if setting in places else {"DENOISE_DEDUP_STORE": redis_server.url}
    first = crawl(pages_of(linked, *range(6)), settings)
    assert first.stat("site_memory/loaded") == 0
    store: FactsStore = SQLiteFacts(file) if setting in places else RedisFacts(redis_server.url)
    assert [(site.site, site.pages >= 5) for site in store.sites()] == [(linked.url, True)]
    store.close()

    linked.asked.clear()
    then = crawl(pages_of(linked, 9), settings)
    assert linked.asked == ["/a/9"]
    assert then.stat("comparison/requests") == then.stat("comparison/waits") == 0
    assert then.stat("body/evidence/comparison_pages") == then.stat("site_memory/loaded") == 1
    assert "rights reserved" not in then.bodies()[linked("/a/9")]
    without = crawl(pages_of(linked, *range(6)), {**settings, "DENOISE_SITE_MEMORY_PATH": ":memory:"})
    assert without.stat("site_memory/loaded") == 0
    assert without.bodies() == first.bodies()


@pytest.mark.parametrize("method", ["open", "save"])
def test_a_file_that_cannot_be_opened_or_written_is_said_once_and_the_crawl_goes_on(
    linked: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("denoise_scrapy.crawl.sites.SAVE_EVERY", 2)
    monkeypatch.setattr("denoise_scrapy.support.storage.FIRST_PAUSE", 60)
    monkeypatch.setattr("denoise_scrapy.support.storage.LONGEST_PAUSE", 60)
    monkeypatch.setattr(SQLiteFacts, method, full)
    done = crawl(pages_of(linked, *range(6)), {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite")})
    assert len(done.items) == 6 and all(done.bodies().values())
    assert done.stat("site_memory/failed") <= 2  # the first time, and at the end; between them it rests
    assert done.log.count("cannot be used now") == 1
    assert done.stat("errors") == 0


@pytest.mark.parametrize(
    ("given", "directory", "place"),
    [
        ({}, None, "None"),
        ({"DEDUP_STORE": "a/texts.sqlite"}, "job", "a/denoise-sites.sqlite"),
        ({"DEDUP_STORE": "redis://h/1"}, "job", "redis://h/1"),
        ({"DEDUP_STORE": "redis://u:p@h/1?x=y#a%20b"}, None, "redis://h/1#a%20b"),
        ({"DEDUP_STORE": "redis://h/1", "SITE_MEMORY_PATH": "own.sqlite"}, None, "own.sqlite"),
        ({"DEDUP_STORE": "redis://h/1", "SITE_MEMORY_PATH": ":memory:"}, "job", "None"),
        ({"SITE_MEMORY_PATH": "unix:///a/b#news"}, None, "unix:///a/b#news"),
    ],
)
def test_where_it_lies(given: dict[str, str], directory: str | None, place: str) -> None:
    settings = DenoiseSettings.from_settings({f"DENOISE_{name}": value for name, value in given.items()})
    assert without_password(str(sites_place(settings, directory))) == place


class Troubled(SQLiteFacts):
    """A file that fails `failures` times, and records what it should save."""

    failures = 0

    def __init__(self, path: Path):
        super().__init__(path)
        self.saved: list[list[str]] = []

    def load(self, site: str) -> list[PageFacts]:
        self.fail()
        return super().load(site)

    def save(self, sites: Mapping[str, Sequence[PageFacts]]) -> int:
        self.fail()
        self.saved.append([facts.url[-1] for pages in sites.values() for facts in pages])
        return super().save(sites)

    def fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("away")


class Memory(SiteMemory):
    """A site memory whose clock is the test's."""

    def __init__(self, store: FactsStore):
        crawler = get_crawler()
        crawl = Crawl(crawler)
        super().__init__(crawl, Workers(crawl))
        self.stats = crawler.stats
        self._store = store
        self.now = 0.0
        self._calls._back_off = BackOff(lambda: self.now)

    async def add(self, facts: PageFacts) -> None:
        """Read a page."""
        self._workers.remember([facts])
        await self.note(facts.url)

    def do(self, work: Coroutine[Any, Any, Any]) -> dict[str, int]:
        """Run work of ours; return the stats."""
        asyncio.run(work)
        return {name.rpartition("/")[2]: count for name, count in self.stats.get_stats().items()}


SITE = "http://a.example:80"


def test_pages_are_loaded_with_the_first_of_a_site_and_only_new_ones_are_saved(tmp_path: Path) -> None:
    store = Troubled(tmp_path / "s.sqlite")
    first = Memory(store)
    for n in range(3):
        first.do(first.add(page(n)))
    first.do(first.save())
    first.do(first.add(page(5)))
    first.do(first.save())
    assert first.do(first.save()) == {}
    assert store.saved == [["2", "1", "0"], ["5"]]
    then = Memory(store)
    then.do(then.meet(SITE))
    assert then.do(then.meet(SITE)) == {"loaded": 1}
    assert [one.url[-1] for one in then._workers._own.handed_over(bool)] == ["0", "1", "2", "5"]


def test_a_store_that_fails_rests_and_all_is_saved_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Troubled(tmp_path / "s.sqlite")
    one = Memory(store)
    store.failures = 2
    for n in range(9):
        one.do(one.meet(SITE))
        one.do(one.add(page(n)))
    with monkeypatch.context() as patched:
        patched.setattr(Workers, "newest", None)
        assert one.do(one.save()) == {"failed": 1}, "left alone, and nothing is chosen for it"
    one.now = 1.5
    assert one.do(one.save()) == {"failed": 2}
    one.now = 3.0
    assert one.do(one.save()) == {"failed": 2}, "the pause doubles"
    assert one.do(one.close()) == {"failed": 2}
    assert len(store.saved) == 1, "at the end it is tried all the same"
    assert len(store.load(SITE)) == PAGES_A_TEMPLATE


def test_after_a_failure_the_calls_that_waited_are_not_made(tmp_path: Path) -> None:
    store = Troubled(tmp_path / "s.sqlite")
    one, store.failures = Memory(store), 9

    async def meet_and_use() -> None:
        await asyncio.gather(one.meet(SITE), *(one.use(lambda store: store.load(SITE), 1) for _ in range(3)))

    assert one.do(meet_and_use()) == {"failed": 1}
    assert store.failures == 8


def test_stores_are_read_and_written_in_a_thread(linked: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []

    def noting(way: Any) -> Any:
        def noted(self: Any, *given: Any) -> Any:
            used.append(threading.current_thread().name)
            return way(self, *given)

        return noted

    for name in ("load", "save", "health", "save_health"):
        monkeypatch.setattr(SQLiteFacts, name, noting(getattr(SQLiteFacts, name)))
    crawl(pages_of(linked, *range(9)), {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite")})
    assert len(used) >= 4 and threading.main_thread().name not in used


def test_a_redesign_between_crawls_costs_no_body(linked: Web, tmp_path: Path) -> None:
    settings = {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite"), "CONCURRENT_REQUESTS": 1}
    crawl(pages_of(linked, *range(8)), settings)
    linked.pages = {f"/a/{n}": redesigned(n) for n in range(12)}
    done = crawl(pages_of(linked, *range(12)), settings)
    assert all("News" not in body and "number" in body for body in done.bodies().values())
    linked.asked.clear()
    crawl(pages_of(linked, 3), settings)
    assert linked.asked == ["/a/3"], "pages of the new design serve"
