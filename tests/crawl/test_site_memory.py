"""Pages of one crawl serve the next, from a file or a Redis server; a fault of the store costs nothing."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.test import get_crawler

from denoise_scrapy import storage
from denoise_scrapy.crawl.base import Beside, CrawlLog
from denoise_scrapy.crawl.sites import SiteMemory, sites_place
from denoise_scrapy.page import PageFacts
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.site import FactsStore, RedisFacts, SQLiteFacts
from denoise_scrapy.site.facts_store import PAGES_A_TEMPLATE
from denoise_scrapy.storage import BackOff, without_password
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.test_commands import call, host_of
from tests.crawl.test_process import ROOT, SPIDER
from tests.crawl.web import Web, article, story
from tests.dedup.redis_server import RedisServer
from tests.site.made_sites import page

LINKS = [f"/a/{n}" for n in range(12)]
NO_INDEX = {"DENOISE_DEDUP": "off"}  # it would refuse to start without its server
FILE_BYTES = "24576"  # what SQLite shares between processes needs more, and so does its journal
SAID = "Pages of sites cannot be kept in the site memory at present"


@pytest.fixture
def linked(web: Web) -> Web:
    for n in range(12):
        web.pages[f"/a/{n}"] = article(n, LINKS)
    return web


def pages_of(web: Web, *numbers: int) -> Any:
    return spider_of(*(web(f"/a/{n}") for n in numbers))


def kept_in(store: FactsStore) -> dict[str, int]:
    """Pages that are kept of each site in a store."""
    found = {site.site: site.pages for site in store.sites()}
    store.close()
    return found


def redesigned(number: int) -> str:
    paragraphs = story(number).replace(". ", ".</p><p>")
    return (
        "<html><body><header class='bar'><nav class='menu'>Gazette News Sport</nav></header><main class='page'>"
        f"<article class='story'><h2>Heading of {number}</h2><p>{paragraphs}</p></article></main>"
        "<footer class='end'>Our rights, all of them</footer></body></html>"
    )


@pytest.mark.parametrize("place", ["JOBDIR", "DENOISE_DEDUP_STORE", "DENOISE_SITE_MEMORY_PATH"])
def test_the_next_crawl_needs_no_comparison_page(linked: Web, tmp_path: Path, place: str) -> None:
    where = {
        "JOBDIR": tmp_path / "job",
        "DENOISE_DEDUP_STORE": tmp_path / "texts.sqlite",
        "DENOISE_SITE_MEMORY_PATH": tmp_path / "denoise-sites.sqlite",
    }
    settings = {place: str(where[place])}
    first = crawl(pages_of(linked, *range(6)), settings)
    assert first.stat("site_memory/loaded") == 0 < first.stat("site_memory/saved")
    file = (tmp_path / "job" if place == "JOBDIR" else tmp_path) / "denoise-sites.sqlite"
    kept = kept_in(SQLiteFacts(file))
    assert list(kept) == [linked.url] and kept[linked.url] >= 5

    linked.asked.clear()
    then = crawl(pages_of(linked, 9), settings)
    assert linked.asked == ["/a/9"]
    assert then.stat("comparison/requests") == then.stat("comparison/waits") == 0
    assert then.stat("body/evidence/comparison_pages") == then.stat("site_memory/loaded") == 1
    assert "rights reserved" not in then.bodies()[linked("/a/9")]


def test_without_a_file_every_crawl_begins_anew(linked: Web, tmp_path: Path) -> None:
    settings = {"JOBDIR": str(tmp_path), "DENOISE_SITE_MEMORY_PATH": ":memory:"}
    for _ in range(2):
        done = crawl(pages_of(linked, *range(6)), settings)
        assert done.stat("site_memory/loaded") == done.stat("site_memory/saved") == 0
    assert "denoise-sites.sqlite" not in {path.name for path in tmp_path.iterdir()}


def test_a_first_crawl_gives_the_same_bodies_with_a_file_and_without(linked: Web, tmp_path: Path) -> None:
    one_by_one = {"CONCURRENT_REQUESTS": 1, "DENOISE_DEDUP": "off", "DENOISE_COMPARISON_WAIT": 0}
    plain = crawl(pages_of(linked, *range(12)), one_by_one)
    kept = crawl(pages_of(linked, *range(12)), {**one_by_one, "DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite")})
    assert plain.bodies() == kept.bodies()  # in any order: bodies are made in threads


def test_a_redesign_between_crawls_costs_no_body(linked: Web, tmp_path: Path) -> None:
    settings = {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite"), "CONCURRENT_REQUESTS": 1}
    crawl(pages_of(linked, *range(8)), settings)
    for n in range(12):
        linked.pages[f"/a/{n}"] = redesigned(n)
    done = crawl(pages_of(linked, *range(12)), settings)
    assert all("rights" not in body and "number" in body for body in done.bodies().values())
    linked.asked.clear()
    crawl(pages_of(linked, 3), settings)
    assert linked.asked == ["/a/3"], "pages of the new design serve"


@pytest.mark.parametrize("method", ["open", "save"])
def test_a_file_that_cannot_be_opened_or_written_is_said_once_and_the_crawl_goes_on(
    linked: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("denoise_scrapy.crawl.sites.SAVE_EVERY", 2)
    monkeypatch.setattr(SQLiteFacts, method, full)
    done = crawl(pages_of(linked, *range(6)), {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite")})
    assert len(done.items) == 6 and all(done.bodies().values())
    assert done.stat("site_memory/failed") <= 2  # the first time, and at the end; between them it rests
    assert done.log.count("cannot be kept in the site memory") == 1
    assert done.stat("errors") == 0


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """A server to kill, stop and empty."""
    with tempfile.TemporaryDirectory(prefix="redis") as folder, RedisServer(folder) as server:
        yield server


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves after every page, and pauses that end within a test."""
    monkeypatch.setattr("denoise_scrapy.crawl.sites.SAVE_EVERY", 1)
    monkeypatch.setattr(storage, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(storage, "LONGEST_PAUSE", 0.01)


@pytest.mark.parametrize(
    ("given", "directory", "place"),
    [
        ({}, None, "None"),
        ({}, "job", "job/denoise-sites.sqlite"),
        ({"DEDUP_STORE": "a/texts.sqlite"}, "job", "a/denoise-sites.sqlite"),
        ({"DEDUP_STORE": "redis://h/1"}, "job", "redis://h/1"),
        ({"DEDUP_STORE": "redis://h/1", "DEDUP": "off"}, None, "redis://h/1"),
        ({"DEDUP_STORE": "redis://u:p@h/1?x=y#a%20b"}, None, "redis://h/1#a%20b"),
        ({"DEDUP_STORE": "redis://h/1", "SITE_MEMORY_PATH": "own.sqlite"}, None, "own.sqlite"),
        ({"DEDUP_STORE": "redis://h/1", "SITE_MEMORY_PATH": ":memory:"}, "job", "None"),
        ({"SITE_MEMORY_PATH": "rediss://h:1/2"}, "job", "rediss://h:1/2"),
        ({"SITE_MEMORY_PATH": "unix:///a/b#news"}, None, "unix:///a/b#news"),
    ],
)
def test_where_it_lies(given: dict[str, str], directory: str | None, place: str) -> None:
    settings = DenoiseSettings.from_settings({f"DENOISE_{name}": value for name, value in given.items()})
    assert without_password(str(sites_place(settings, directory))) == place


@pytest.mark.parametrize("url", ["http://localhost", "redis://localhost:x", "redis://localhost#a{b"])
def test_a_place_that_is_none_stops_the_crawl(url: str) -> None:
    with pytest.raises(ConfigurationError, match="the site memory"):
        crawl(spider_of("data:,x"), {"DENOISE_SITE_MEMORY_PATH": url})


def test_crawls_of_one_server_share_their_pages(
    linked: Web, redis_server: RedisServer, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = {"DENOISE_DEDUP_STORE": redis_server.url}
    first = crawl(pages_of(linked, *range(6)), settings)
    assert first.stat("site_memory/saved") >= 1
    linked.asked.clear()
    then = crawl(pages_of(linked, 9), settings)
    assert linked.asked == ["/a/9"]
    assert then.stat("comparison/requests") == 0
    assert then.stat("body/evidence/comparison_pages") == then.stat("site_memory/loaded") == 1

    place = f"{redis_server.url}#denoise"
    assert call("site", place) == call("site", **settings) == 0
    assert f"  {linked.url}\n" in capsys.readouterr().out
    assert call("site", host_of(linked), place, "--forget", "--yes") == 0
    assert kept_in(RedisFacts(redis_server.url)) == {}
    assert call("site", f"{redis_server.url}#nobody") == 1
    assert "there is no site memory" in capsys.readouterr().err
    assert redis_server.client.keys("{nobody}*") == []


def troubled(web: Web, numbers: range, **at: Callable[[], None]) -> Any:
    """A spider to whose store something happens at a page."""

    def parse(self: Any, response: Any) -> Any:
        at.get(f"page{response.url.rpartition('/')[2]}", lambda: None)()
        yield {"url": response.url}

    return type("Troubled", (pages_of(web, *numbers),), {"parse": parse})


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("trouble", ["silent", "restarted", "emptied", "no memory"])
def test_a_server_in_trouble_costs_no_item(
    linked: Web, own_server: RedisServer, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if trouble == "silent":
        monkeypatch.setattr(storage, "LONGEST_PAUSE", 60.0)
        monkeypatch.setattr(storage, "FIRST_PAUSE", 60.0)
    begin, end = {
        "silent": (lambda: own_server.process.send_signal(signal.SIGSTOP), lambda: None),
        "restarted": (own_server.kill, own_server.start),
        "emptied": (own_server.client.flushall, lambda: None),
        "no memory": (
            lambda: own_server.client.config_set("maxmemory", "1"),
            lambda: own_server.client.config_set("maxmemory", "0"),
        ),
    }[trouble]
    spider = troubled(linked, range(12), page4=begin, page8=end)
    done = crawl(spider, {**NO_INDEX, "DENOISE_SITE_MEMORY_PATH": own_server.url, "CONCURRENT_REQUESTS": 1})
    own_server.process.send_signal(signal.SIGCONT)
    assert len(done.items) == 12 and all(done.bodies().values())
    assert done.stat("errors") == 0
    assert done.log.count(SAID) == (trouble != "emptied")
    if trouble == "silent":
        assert done.stat("site_memory/failed") == 2, "a timeout, and one at the end"
    if trouble in {"restarted", "emptied", "no memory"}:  # it has all of it
        assert kept_in(RedisFacts(own_server.url))[linked.url] >= 5


def test_beside_a_store_of_another_version_the_crawl_has_one_of_its_own(web: Web, redis_server: RedisServer) -> None:
    RedisFacts(redis_server.url).open()
    redis_server.client.hset("{denoise}:site:meta", "format", "999")
    web.pages["/a"] = article(1)
    for _ in range(2):
        done = crawl(spider_of(web("/a")), {"DENOISE_SITE_MEMORY_PATH": redis_server.url})
        assert done.log.count("'format' is 999 there") == 1
    assert done.stat("site_memory/loaded") == 1


class Troubled(SQLiteFacts):
    """A file that fails as often as `failures` says; notes what it is to save."""

    failures = 0

    def __init__(self, path: Path):
        super().__init__(path)
        self.saved: list[list[str]] = []

    def load(self, site: str) -> list[PageFacts]:
        self.fail()
        return super().load(site)

    def save(self, sites: Mapping[str, Sequence[PageFacts]]) -> None:
        self.fail()
        self.saved.append([facts.url[-1] for pages in sites.values() for facts in pages])
        super().save(sites)

    def fail(self) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError("away")


class Memory(SiteMemory):
    """A site memory whose clock is the test's."""

    def __init__(self, store: FactsStore):
        crawler = get_crawler()
        super().__init__(crawler, DenoiseSettings(), CrawlLog(crawler), Beside(0), 10_000_000)
        self.stats = crawler.stats
        self._store = store
        self.now = 0.0
        self._back_off = BackOff(lambda: self.now)

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
    assert first.do(first.save()) == {"saved": 2}
    assert store.saved == [["2", "1", "0"], ["5"]]
    then = Memory(store)
    then.do(then.meet(SITE))
    assert then.do(then.meet(SITE)) == {"loaded": 1}
    assert [one.url[-1] for one in then.comparison_pages(page(9), 9)] == ["5", "2", "1", "0"]


def test_a_store_that_fails_rests_and_all_is_saved_later(tmp_path: Path) -> None:
    store = Troubled(tmp_path / "s.sqlite")
    one = Memory(store)
    store.failures = 2
    for n in range(9):
        one.do(one.meet(SITE))
        one.do(one.add(page(n)))
    assert one.do(one.save()) == {"failed": 1}, "left alone"
    one.now = 1.5
    assert one.do(one.save()) == {"failed": 2}
    one.now = 3.0
    assert one.do(one.save()) == {"failed": 2}, "the pause doubles"
    assert one.do(one.save(at_once=True)) == {"failed": 2, "saved": 1}
    assert len(store.load(SITE)) == PAGES_A_TEMPLATE


def test_sites_met_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.sites.MAX_MET", 3)
    one = Memory(SQLiteFacts(tmp_path / "s.sqlite"))
    for n in range(9):
        one.do(one.meet(f"http://h{n}.example:80"))
    assert len(one._met) == 3


def test_stores_are_read_and_written_in_a_thread(linked: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used = []
    for name in ("load", "save", "health", "save_health"):
        way = getattr(SQLiteFacts, name)

        def noting(self: Any, *args: Any, way: Any = way) -> Any:
            used.append(threading.current_thread().name)
            return way(self, *args)

        monkeypatch.setattr(SQLiteFacts, name, noting)
    crawl(pages_of(linked, *range(9)), {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite"), "DENOISE_THREADS": 1})
    assert len(used) >= 4 and all(name.startswith("denoise-stores") for name in used)


def made(path: Path, site: str = "http://a.example:80") -> None:
    store = SQLiteFacts(path)
    store.save({site: [page(n).facts for n in range(3)]})
    store.close()


def limited(folder: Path, urls: list[str], *limits: str) -> str:
    """Crawl in a process under limits, with its site memory in `folder`; its log. It must come to its end."""
    (folder / "spider.py").write_text(SPIDER, encoding="utf-8")
    command = [sys.executable, "-m", "tests.faults.limited", *limits]
    command += [sys.executable, "-m", "scrapy", "runspider", str(folder / "spider.py"), "-a", f"urls={' '.join(urls)}"]
    command += ["-o", "-:jsonlines", "-s", f"DENOISE_SITE_MEMORY_PATH={folder / 'disk' / 's.sqlite'}"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(' line 11."}') == len(urls), "the end of each story"
    assert "'denoise/errors'" not in done.stderr
    return done.stderr


def test_a_full_disk_costs_no_item(linked: Web, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    made(tmp_path / "disk" / "s.sqlite")
    log = limited(tmp_path, [linked(f"/a/{n}") for n in range(6)], "--file-bytes", FILE_BYTES)
    assert log.count(SAID) == 1
    assert kept_in(SQLiteFacts(tmp_path / "disk" / "s.sqlite")) == {"http://a.example:80": 3}


def test_a_file_that_cannot_be_written_is_read(linked: Web, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    crawl(pages_of(linked, *range(5)), {"DENOISE_SITE_MEMORY_PATH": str(disk / "s.sqlite")})
    for each in (*disk.iterdir(), disk):
        each.chmod(0o555 if each == disk else 0o444)
    linked.asked.clear()
    try:
        log = limited(tmp_path, [linked("/a/9")], "--obey")
    finally:
        disk.chmod(0o755)
    assert linked.asked == ["/a/9"], "pages of the earlier crawl serve"
    assert log.count(SAID) == 1
    assert "'denoise/site_memory/loaded': 1" in log and "'denoise/body/evidence/comparison_pages': 1" in log
