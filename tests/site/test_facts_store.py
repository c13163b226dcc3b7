"""The contract of a facts store, kept by both, also by three processes at a time; and what each refuses."""

import multiprocessing
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
import redis

from denoise_scrapy.core.tree import MAX_BLOCKS, MAX_ELEMENTS
from denoise_scrapy.page import Page
from denoise_scrapy.site import RedisFacts, SQLiteFacts, facts_store
from denoise_scrapy.site.facts_store import BATCH, PAGES_A_SITE, PAGES_A_TEMPLATE, newest_of_each
from denoise_scrapy.site.memory import MAX_PAGE_BYTES
from denoise_scrapy.support.storage import BackOff
from tests.site.made_sites import NEW, page

module = sys.modules["denoise_scrapy.site.facts_store"]
SITE, OTHER, NOBODY = "http://a.example:80", "https://{b}.example:443", "http://nobody.example:80"
PAGES_A_PROCESS = 40


@pytest.fixture(params=["sqlite", "redis"])
def place(request, tmp_path):
    return str(tmp_path / "s.sqlite") if request.param == "sqlite" else request.getfixturevalue("redis_server").url


@pytest.fixture
def opened(place):
    """Open the store of the test once more."""
    stores = []

    def another():
        stores.append(facts_store(place))
        stores[-1].open()
        return stores[-1]

    yield another
    for one in stores:
        one.close()


def facts(*numbers, **more):
    """Facts of pages, newest first."""
    return [page(n, **more).facts for n in numbers]


def numbers(pages):
    return [int(each.url.rpartition("/")[2]) for each in pages]


def distinct(n):
    """A page of a template of its own."""
    return Page.parse(f"<div class={'abcdefghij'[n % 10] * (n + 1)}><p>text", url=f"http://a.example/news/{n}")


def test_pages_are_given_back_replaced_and_listed(opened):
    one, begin = opened(), time.time()
    one.save({SITE: facts(3, 2, 1), OTHER: facts(7, frame=NEW)})
    one.save({SITE: facts(1)})
    found = opened().load(SITE)
    assert numbers(found) == [2, 3, 1], "one that is replaced becomes the newest"
    assert found[0].data == page(2).facts.data
    assert numbers(opened().load(OTHER)) == [7] and opened().load(NOBODY) == []
    listed = opened().sites()
    assert [(each.site, each.pages) for each in listed] == [(SITE, 3), (OTHER, 1)]
    assert all(begin - 1 < each.newest < time.time() + 1 for each in listed)
    least = sum(len(each.data) for each in found)
    assert least <= listed[0].nbytes < least + 300


def test_the_record_of_a_sites_health_is_no_page(opened):
    one = opened()
    one.save({SITE: facts(2, 1)})
    one.save_health({SITE: b"first", OTHER: b"alone"})
    one.save_health({SITE: b"second"})
    assert [opened().health(site) for site in (SITE, OTHER, NOBODY)] == [b"second", b"alone", b""]
    assert opened().health_sites() == [SITE, OTHER]
    assert numbers(opened().load(SITE)) == [1, 2] and opened().load(OTHER) == []
    assert [(each.site, each.pages) for each in opened().sites()] == [(SITE, 2)]
    one.save({SITE: [distinct(n).facts for n in range(PAGES_A_SITE + 5)]})
    assert len(one.load(SITE)) == PAGES_A_SITE and one.health(SITE) == b"second"
    one.forget(SITE)
    assert opened().health_sites() == [OTHER] and opened().load(SITE) == []


def test_a_site_is_bounded_and_a_rare_template_stays(opened):
    one = opened()
    one.save({SITE: facts(0, frame=NEW)})
    for n in range(1, PAGES_A_SITE + 6):
        one.save({SITE: facts(n)})
    found = numbers(one.load(SITE))
    assert found[0] == 0 and found[-1] == PAGES_A_SITE + 5 and len(found) <= PAGES_A_SITE


def test_the_store_is_bounded(opened, monkeypatch):
    one = opened()
    one.save({f"http://h{n}.example:80": facts(n) for n in range(BATCH + 3)})
    assert len(one.sites()) == BATCH + 3
    monkeypatch.setattr(module, "MAX_BYTES", 40_000)
    for n in range(60):
        one.save({f"http://h{n}.example:80": facts(n, n + 100, n + 200)})
    sites = [each.site for each in one.sites()]
    assert 3 < len(sites) < 60
    assert "http://h59.example:80" in sites and "http://h0.example:80" not in sites
    assert one.counts["memory/evicted/site_memory"] >= 60 - len(sites)
    monkeypatch.setattr(module, "MAX_AGE", -1.0)
    one.save({OTHER: facts(2)})
    assert one.load("http://h59.example:80") == [], "what is old leaves too"


def test_pages_that_are_replaced_evict_no_other_site(opened, monkeypatch):
    one, sites = opened(), [f"http://h{n}.example:80" for n in range(8)]
    old, new = ([distinct(n).facts for n in range(begin, begin + PAGES_A_SITE)] for begin in (0, PAGES_A_SITE))
    one.save({OTHER: old, **dict.fromkeys(sites, old)})
    query = module._USED_BYTES
    is_file = isinstance(one, SQLiteFacts)
    used = one._ready.execute(query).fetchone()[0] if is_file else sum(each.nbytes for each in one.sites())
    monkeypatch.setattr(module, "BATCH", 1)
    monkeypatch.setattr(module, "MAX_BYTES", int(1.5 * used))
    one.save(dict.fromkeys(sites, new))
    assert [each.pages for each in one.sites()] == [PAGES_A_SITE] * 9 and not one.counts["memory/evicted/site_memory"]


def test_odd_names(opened):
    own = Page.parse(b"<div id='\xff.x \x01'><p>text", url="http://a.example/\udcff?'; DROP TABLE facts; --")
    one = opened()
    one.save({"http://a.example\udcff": [own.facts]})
    (back,) = one.load("http://a.example\udcff")
    assert back.url == "http://a.example/??'; DROP TABLE facts; --"


def keep(place, first, barrier):
    """Save pages of one site, two at a time, beside other processes."""
    with closing(facts_store(place)) as store:
        store.open()
        barrier.wait(60)
        for n in range(first, first + PAGES_A_PROCESS, 2):
            store.save({SITE: facts(n + 1, n)})


def test_three_processes_keep_the_newest_pages_of_all(place, opened):
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(3)
    crawls = [context.Process(target=keep, args=(place, first, barrier)) for first in (0, 1000, 2000)]
    for each in crawls:
        each.start()
    for each in crawls:
        each.join(60)
    assert [each.exitcode for each in crawls] == [0] * 3
    kept = numbers(opened().load(SITE))
    assert PAGES_A_TEMPLATE <= len(kept) <= PAGES_A_SITE
    assert kept[-1] % 1000 == PAGES_A_PROCESS - 1


def test_the_newest_few_of_each_template():
    many = [page(n) for n in range(20, 0, -1)] + [page(99, NEW)] + [distinct(n) for n in range(60)]
    kept = newest_of_each(many)
    assert numbers(kept[: PAGES_A_TEMPLATE + 1]) == [20, 19, 18, 17, 16, 99]
    assert len(kept) == PAGES_A_SITE
    assert 8 * MAX_ELEMENTS + 20 * MAX_BLOCKS < MAX_PAGE_BYTES


DAMAGES = [
    *("facts = x'0102'", "facts = zeroblob(length(facts))", f"facts = zeroblob({3 * MAX_PAGE_BYTES})"),
    *("facts = 'text'", "facts = 3", "url = x'ff'", "url = 'http://a.example/other'"),
]


@pytest.mark.parametrize("damage", [*DAMAGES, b"", b"short", b"\xff" * 500])
def test_damaged_rows_are_skipped_and_counted(request, tmp_path, damage):
    on_server = isinstance(damage, bytes)
    server = request.getfixturevalue("redis_server") if on_server else None
    one = RedisFacts(server.url) if on_server else SQLiteFacts(tmp_path / "s.sqlite")
    one.save({SITE: facts(1, 2)})
    if on_server:
        server.client.hset(f"{{denoise}}:site:of:{SITE}", page(1).url, damage)
    else:
        with sqlite3.connect(tmp_path / "s.sqlite") as link:
            assert link.execute(f"UPDATE facts SET {damage} WHERE url LIKE '%/1'").rowcount == 1
    assert numbers(one.load(SITE)) == [2]
    assert one.counts["site_memory/corrupt"] == 1


@pytest.mark.parametrize("damage", ["site = x'ff'", "saved = 'text'"])
def test_rows_of_other_types_are_of_no_site(tmp_path, damage):
    one = SQLiteFacts(tmp_path / "s.sqlite")
    one.save({SITE: facts(1, 2)})
    with sqlite3.connect(tmp_path / "s.sqlite") as link:
        assert link.execute(f"UPDATE facts SET {damage} WHERE url LIKE '%/1'").rowcount == 1
    assert [(kept.site, kept.pages) for kept in one.sites()] == [(SITE, 1)]


def test_a_broken_file_costs_the_pages_of_earlier_crawls_only(tmp_path):
    path = tmp_path / "sites.sqlite"
    with closing(SQLiteFacts(path)) as one:
        one.save({f"http://h{n}.example:80": facts(n) for n in range(40)})
    whole = bytearray(path.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="Move it away"):
        SQLiteFacts(path).open()
    assert path.read_bytes() == whole


def test_a_save_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no space left")

    with closing(SQLiteFacts(tmp_path / "s.sqlite")) as one:
        with monkeypatch.context() as patch:
            patch.setattr(SQLiteFacts, "_make_room", fail)
            with pytest.raises(OSError, match="no space left"):
                one.save({SITE: facts(1)})
        assert one.load(SITE) == []
        one.save({SITE: facts(2)})
        assert numbers(one.load(SITE)) == [2]


def test_keys_lie_in_one_slot_under_the_name_and_bytes_are_counted(redis_server):
    one = RedisFacts(redis_server.url, name="news")
    one.save({SITE: facts(1, 2), OTHER: facts(3)})
    one.save({SITE: facts(1, 4)})
    one.forget(OTHER)
    keys = {key.decode() for key in redis_server.client.keys("*")}
    assert keys == {f"{{news}}:site:{key}" for key in ("meta", "saved", "sizes", f"of:{SITE}")}
    rows = redis_server.client.hgetall(f"{{news}}:site:of:{SITE}")
    total = sum(map(len, rows)) + sum(map(len, rows.values()))
    assert int(redis_server.client.hget("{news}:site:meta", "bytes")) == total
    assert [int(size) for size in redis_server.client.hvals("{news}:site:sizes")] == [total]
    assert RedisFacts(redis_server.url, name="other").sites() == []


def test_failures_name_the_server_and_no_password():
    one = facts_store("redis://user:secret@localhost:1/0#news")
    assert one.place == "redis://localhost:1/0#news"
    with pytest.raises(ConnectionError, match=r"^redis://localhost:1/0: ") as caught:
        one.open()
    assert "secret" not in str(caught.value) and isinstance(caught.value.__cause__, redis.ConnectionError)
    one.close()


def test_redis_py_is_loaded_where_it_is_needed():
    code = "import sys, denoise_scrapy.site.facts_store; sys.exit('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_back_off_doubles_and_a_slow_store_rests_for_nine_times_as_long(monkeypatch):
    monkeypatch.setattr("denoise_scrapy.support.storage.SLOW_SECONDS", 1.0)
    now = [0.0]
    rest = BackOff(lambda: now[0])
    rest.worked(0.9)
    assert rest.ready
    rest.worked(1.5)
    assert not rest.ready
    now[0] = 13.6
    assert rest.ready
    for seconds in (1, 2, 4, 8, 16, 32, 60, 60):
        rest.failed()
        assert rest.pause == seconds
