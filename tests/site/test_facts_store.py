"""The contract of a facts store, kept by both; what each refuses; and a memory whose store fails."""

import sqlite3
import subprocess
import sys
import time

import pytest
import redis

from denoise_scrapy.page import Page
from denoise_scrapy.site import RedisFacts, SQLiteFacts, facts_store
from denoise_scrapy.site.facts_store import BATCH, PAGES_A_SITE, PAGES_A_TEMPLATE, newest_of_each
from denoise_scrapy.site.memory import MAX_PAGE_BYTES, read_facts
from denoise_scrapy.storage import BackOff
from tests.site.made_sites import NEW, page

module = sys.modules["denoise_scrapy.site.facts_store"]
SITE, OTHER = "http://a.example:80", "https://{b}.example:443"


@pytest.fixture(params=["sqlite", "redis"])
def opened(request, tmp_path):
    """Open the store of the test once more."""
    if request.param == "redis":
        server = request.getfixturevalue("redis_server")
    stores = []

    def another():
        stores.append(SQLiteFacts(tmp_path / "s.sqlite") if request.param == "sqlite" else RedisFacts(server.url))
        stores[-1].open()
        return stores[-1]

    yield another
    for one in stores:
        one.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sites.sqlite"


def facts(*numbers, **more):
    """Facts of pages, newest first."""
    return [page(n, **more).facts for n in numbers]


def numbers(pages):
    return [int(each.url.rpartition("/")[2]) for each in pages]


def distinct(n):
    """A page of a template of its own."""
    return Page.parse(f"<div class={'abcdefghij'[n % 10] * (n + 1)}><p>text", url=f"http://a.example/news/{n}")


class TestContract:
    def test_gives_back_what_it_took(self, opened):
        opened().save({SITE: facts(3, 2, 1), OTHER: facts(7, frame=NEW)})
        (found, other), two = (opened().load(site) for site in (SITE, OTHER)), page(2).facts
        assert numbers(found) == [1, 2, 3] and numbers(other) == [7]
        assert found[1].data == two.data
        assert opened().load("http://nobody.example:80") == []

    def test_a_page_is_replaced_and_becomes_the_newest(self, opened):
        one = opened()
        one.save({SITE: facts(3, 2, 1)})
        one.save({SITE: facts(1)})
        assert numbers(one.load(SITE)) == [2, 3, 1]

    def test_what_is_kept_is_listed(self, opened):
        one, begin = opened(), time.time()
        one.save({SITE: facts(2, 1), OTHER: facts(3)})
        assert [(each.site, each.pages) for each in opened().sites()] == [(SITE, 2), (OTHER, 1)]
        assert all(begin - 1 < each.newest < time.time() + 1 for each in opened().sites())
        least = sum(len(each.data) for each in facts(1, 2))
        assert least <= opened().sites()[0].nbytes < least + 200

    def test_the_record_of_a_sites_health_is_no_page(self, opened):
        one = opened()
        one.save({SITE: facts(2, 1)})
        one.save_health({SITE: b"first", OTHER: b"alone"})
        one.save_health({SITE: b"second"})
        assert [opened().health(site) for site in (SITE, OTHER, "http://nobody.example:80")] == [
            b"second",
            b"alone",
            b"",
        ]
        assert opened().health_sites() == [SITE, OTHER]
        assert numbers(opened().load(SITE)) == [1, 2] and opened().load(OTHER) == []
        assert [(each.site, each.pages) for each in opened().sites()] == [(SITE, 2)]
        one.save({SITE: [distinct(n).facts for n in range(PAGES_A_SITE + 5)]})
        assert len(one.load(SITE)) == PAGES_A_SITE and one.health(SITE) == b"second"
        one.forget(SITE)
        assert opened().health_sites() == [OTHER] and opened().load(SITE) == []

    def test_a_site_is_bounded_and_a_rare_template_stays(self, opened):
        one = opened()
        one.save({SITE: facts(0, frame=NEW)})
        for n in range(1, PAGES_A_SITE + 6):
            one.save({SITE: facts(n)})
        found = numbers(one.load(SITE))
        assert found[0] == 0 and found[-1] == PAGES_A_SITE + 5 and len(found) <= PAGES_A_SITE

    def test_the_store_is_bounded(self, opened, monkeypatch):
        monkeypatch.setattr(module, "MAX_BYTES", 40_000)
        one = opened()
        for n in range(60):
            one.save({f"http://h{n}.example:80": facts(n, n + 100, n + 200)})
        sites = [each.site for each in one.sites()]
        assert 3 < len(sites) < 60
        assert "http://h59.example:80" in sites and "http://h0.example:80" not in sites
        assert one.counts["evicted"] >= 60 - len(sites)

    def test_old_pages_are_evicted(self, opened, monkeypatch):
        one = opened()
        one.save({SITE: facts(1)})
        monkeypatch.setattr(module, "MAX_AGE", -1.0)
        one.save({OTHER: facts(2)})
        assert one.load(SITE) == []

    def test_many_sites_at_once(self, opened):
        one = opened()
        one.save({f"http://h{n}.example:80": facts(n) for n in range(BATCH + 3)})
        assert len(one.sites()) == BATCH + 3

    def test_odd_names(self, opened):
        own = Page.parse(b"<div id='\xff.x \x01'><p>text", url="http://a.example/\udcff?'; DROP TABLE facts; --")
        one = opened()
        one.save({"http://a.example\udcff": [own.facts]})
        (back,) = one.load("http://a.example\udcff")
        assert back.url == "http://a.example/??'; DROP TABLE facts; --"


def test_the_newest_few_of_each_template():
    many = [page(n) for n in range(20, 0, -1)] + [page(99, NEW)] + [distinct(n) for n in range(60)]
    kept = newest_of_each(many)
    assert numbers(kept[: PAGES_A_TEMPLATE + 1]) == [20, 19, 18, 17, 16, 99]
    assert len(kept) == PAGES_A_SITE
    large = Page.parse("<p>a" * (MAX_PAGE_BYTES // 20 + 1), url="http://a.example/0")
    assert numbers(newest_of_each([large, page(1)])) == [1]


def test_rows():
    own = page(1).facts
    assert read_facts(own.data, own.url).tokens.tolist() == own.tokens.tolist()
    with pytest.raises(ValueError, match="damaged"):
        read_facts(own.data, "http://a.example/other")


class TestFile:
    @pytest.mark.parametrize(
        "damage",
        [
            "facts = x'0102'",
            "facts = zeroblob(length(facts))",
            f"facts = zeroblob({3 * MAX_PAGE_BYTES})",
            "facts = 'text'",
            "facts = 3",
            "url = x'ff'",
            "url = 'http://a.example/other'",
        ],
    )
    def test_damaged_rows_are_skipped_and_counted(self, path, damage):
        one = SQLiteFacts(path)
        one.save({SITE: facts(1, 2)})
        with sqlite3.connect(path) as link:
            assert link.execute(f"UPDATE facts SET {damage} WHERE url LIKE '%/1'").rowcount == 1
        assert numbers(one.load(SITE)) == [2]
        assert one.counts["corrupt"] == 1

    @pytest.mark.parametrize("damage", ["site = x'ff'", "saved = 'text'"])
    def test_rows_of_other_types_are_of_no_site(self, path, damage):
        one = SQLiteFacts(path)
        one.save({SITE: facts(1, 2)})
        with sqlite3.connect(path) as link:
            assert link.execute(f"UPDATE facts SET {damage} WHERE url LIKE '%/1'").rowcount == 1
        assert [(kept.site, kept.pages) for kept in one.sites()] == [(SITE, 1)]

    def test_a_broken_file_costs_the_pages_of_earlier_crawls_only(self, path):
        one = SQLiteFacts(path)
        one.save({f"http://h{n}.example:80": facts(n) for n in range(40)})
        one.close()
        whole = bytearray(path.read_bytes())
        whole[4096:] = b"\xff" * (len(whole) - 4096)
        path.write_bytes(whole)
        with pytest.raises(ValueError, match="Move it away"):
            SQLiteFacts(path).open()
        assert path.read_bytes() == whole


class TestServer:
    def test_keys_lie_in_one_slot_under_the_name_and_bytes_are_counted(self, redis_server):
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

    @pytest.mark.parametrize("value", [b"", b"short", b"\xff" * 500])
    def test_damaged_rows_are_skipped_and_counted(self, redis_server, value):
        one = RedisFacts(redis_server.url)
        one.save({SITE: facts(1, 2)})
        redis_server.client.hset(f"{{denoise}}:site:of:{SITE}", page(1).url, value)
        assert numbers(one.load(SITE)) == [2]
        assert one.counts["corrupt"] == 1

    def test_failures_name_the_server_and_no_password(self):
        one = facts_store("redis://user:secret@localhost:1/0#news")
        assert one.place == "redis://localhost:1/0#news"
        with pytest.raises(ConnectionError, match=r"^redis://localhost:1/0: ") as caught:
            one.open()
        assert "secret" not in str(caught.value) and isinstance(caught.value.__cause__, redis.ConnectionError)
        one.close()

    def test_redis_py_is_loaded_by_whoever_needs_it(self):
        code = "import sys, denoise_scrapy.site.facts_store; sys.exit('redis' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_back_off_doubles_and_a_slow_store_rests_for_nine_times_as_long(monkeypatch):
    monkeypatch.setattr("denoise_scrapy.storage.SLOW_SECONDS", 0.2)
    now = [0.0]
    rest = BackOff(lambda: now[0])
    rest.worked(0.1)
    assert rest.ready
    rest.worked(0.5)
    assert not rest.ready
    now[0] = 4.6
    assert rest.ready
    for seconds in (1, 2, 4, 8, 16, 32, 60, 60):
        rest.failed()
        assert rest.pause == seconds
