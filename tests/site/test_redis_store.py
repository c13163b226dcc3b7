"""The contract of a site store, kept by both; what the one in Redis agrees on, refuses and says when it cannot."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import redis

from denoise_scrapy.site import LearnedRule, PageMemory, store
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.merging import merge
from denoise_scrapy.site.pauses import Pauses
from denoise_scrapy.site.redis_store import BATCH, RedisSiteStore
from denoise_scrapy.site.rows import constants, pack, unpack
from denoise_scrapy.site.rules import Rule
from denoise_scrapy.site.site_memory import SiteMemory
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore
from denoise_scrapy.site.stored_site import StoredSite, Unsaved
from denoise_scrapy.storage import StoreMismatch
from tests.site.made_sites import NEW, page, truth

SITE, OTHER = "http://a.example:80", "https://{b}.example:443"


@pytest.fixture(params=["sqlite", "redis"])
def opened(request, tmp_path):
    """Open the store of the test once more."""
    if request.param == "redis":
        server = request.getfixturevalue("redis_server")
    stores = []

    def another():
        one = SQLiteSiteStore(tmp_path / "s.sqlite") if request.param == "sqlite" else RedisSiteStore(server.url)
        one.open()
        stores.append(one)
        return one

    yield another
    for one in stores:
        one.close()


@pytest.fixture
def server(redis_server):
    return redis_server


def learned(count, frame="main", first=0):
    template = LearnedTemplate(page(0).signature if frame == "main" else page(0, NEW).signature)
    for n in range(first, first + count):
        own = page(n) if frame == "main" else page(n, NEW)
        template = template.learn(own, truth(own))
    return template


def saved(one, site, *templates, **more):
    ((_, merged),) = one.save({site: Unsaved(templates, **more)})
    return merged


def memory(one, **more):
    return SiteMemory(PageMemory(10_000_000, 32), one, **more)


class TestContract:
    def test_gives_back_what_it_took(self, opened):
        one, facts = opened(), tuple(("?", page(n).facts) for n in range(8))
        template = learned(8)
        facts = tuple((template.name, each) for _, each in facts)
        merged = saved(one, SITE, template, learned(2, "new"), facts=facts)
        stored, found = opened().read(SITE)
        assert [t.name for t in stored.templates] == [template.name, learned(1, "new").name]
        assert (stored.version, stored.writers, stored.forgotten) == (merged.site.version, merged.site.writers, {})
        (back, _), (names, kept) = stored.templates, zip(*found, strict=True)
        assert (back.pages, back.example, back.votes) == (8, template.example, template.votes)
        assert back.familiarity == template.familiarity and dict(back.names) == dict(template.names)
        assert np.array_equal(back.sums.content, template.sums.content)
        assert [each.url for each in kept] == [page(n).url for n in range(3, 8)] and set(names) == {template.name}
        assert np.array_equal(kept[0].path_keys, page(3).facts.path_keys)
        assert opened().read("http://nobody.example:80") == (StoredSite(), [])

    def test_the_newest_facts_stay(self, opened):
        one, name = opened(), learned(1).name
        for n in (0, 1, 2, 3, 1, 4, 5, 6):  # one of a page again
            saved(one, SITE, learned(1, first=n), facts=((name, page(n).facts),))
        assert [each.url[-1] for _, each in one.load(SITE)[1]] == ["3", "1", "4", "5", "6"]

    def test_sites_and_rules(self, opened):
        one, rule = opened(), LearnedRule(Rule.parse("#x"), pinned=True)
        saved(one, OTHER, learned(1))
        one.pin(SITE, lambda old: [*old, rule])
        one.pin(SITE, lambda old: [LearnedRule(Rule.parse(".y"), pinned=True), *old])
        other = opened()
        assert other.sites() == [SITE, OTHER]
        assert [str(each.rule) for each in other.pinned()[SITE]] == [".y", "#x"]
        one.forget(SITE)
        assert len(other.pinned()[SITE]) == 2, "pinned rules stay"
        other.pin(SITE, lambda _: [])
        other.forget(OTHER)
        assert one.pinned() == {} and one.sites() == []
        assert one.read(OTHER)[0].templates == ()

    def test_one_template_is_forgotten_with_its_facts(self, opened):
        one, main, new = opened(), learned(3), learned(2, "new")
        facts = ((main.name, page(1).facts), (new.name, page(2, NEW).facts))
        saved(one, SITE, main, new, facts=facts)
        one.forget(SITE, main.name)
        templates, facts = one.load(SITE)
        assert [t.name for t in templates] == [new.name] == [name for name, _ in facts]

    def test_what_others_saved_in_between_is_merged(self, opened):
        one, other = memory(opened()), memory(opened())
        for n in range(10):
            (one, other)[n % 2].learn(page(n), truth(page(n)))
        one.save()
        other.save()
        one.learn(page(11), truth(page(11)))
        one.save()
        assert [t.pages for t in opened().load(SITE)[0]] == [11]
        assert one.learned(page(1)).pages == 11

    def test_many_sites_at_once(self, opened):
        one = memory(opened())
        sites = BATCH + 3
        for n in range(sites):
            one.learn(page(n, host=f"h{n}"), truth(page(n)))
        one.save()
        assert len(opened().sites()) == sites == one.all_counts()["saved"]

    def test_odd_names(self, opened):
        one = opened()
        hostile = LearnedTemplate(frozenset({2}), pages=1, example="http://a.example/\x1b\n\ud800\x00")
        saved(one, SITE, hostile)
        one.pin(SITE, lambda _: [LearnedRule(Rule(id="\ud800'; --"), pinned=True)])
        assert one.load(SITE)[0][0].example == hostile.example
        assert len(one.pinned()[SITE]) == 1

    def test_whether_it_is_there(self, opened):
        assert opened().exists()


def test_a_store_is_bounded(opened, monkeypatch):
    monkeypatch.setattr(store, "MAX_BYTES", 80_000)
    one = opened()
    main, new = learned(2), learned(1, "new")
    for n in range(80):
        saved(one, f"http://h{n}.example:80", main, new)
    sites = one.sites()
    assert 3 < len(sites) < 80
    assert "http://h79.example:80" in sites and "http://h0.example:80" not in sites
    assert one.counts["evicted/saved_sites"] == 80 - len(sites)


class TestRedis:
    def test_keys_lie_in_one_slot_under_the_name(self, server):
        one = RedisSiteStore(server.url, name="news")
        saved(one, SITE, learned(1))
        one.pin(SITE, lambda _: [LearnedRule(Rule.parse("#x"), pinned=True)])
        keys = {key.decode() for key in server.client.keys("*")}
        assert keys == {f"{{news}}:site:{key}" for key in ("meta", "saved", "sizes", "pins", f"of:{SITE}")}
        assert RedisSiteStore(server.url, name="other").sites() == []

    def test_bytes_are_counted(self, server):
        one = RedisSiteStore(server.url)
        for n in range(3):
            saved(one, SITE, learned(2, first=n), facts=((learned(1).name, page(n).facts),))
            saved(one, OTHER, learned(1, first=n))
        one.forget(OTHER)
        total = sum(
            len(field) + len(value)
            for key in server.client.keys("*:of:*")
            for field, value in server.client.hgetall(key).items()
        )
        assert int(server.client.hget("{denoise}:site:meta", "bytes")) == total
        assert sum(map(int, server.client.hvals("{denoise}:site:sizes"))) == total

    def test_what_is_written_between_reading_and_writing_is_not_lost(self, server):
        one, other = RedisSiteStore(server.url), RedisSiteStore(server.url)
        write, times = one._write, []

        def slow(*args):
            if len(times) < 3:
                times.append(saved(other, SITE, learned(1, first=len(times))))
            write(*args)

        one._write = slow
        saved(one, SITE, learned(4))
        assert [t.pages for t in one.load(SITE)[0]] == [7]

    def test_a_site_that_others_save_to_all_the_time_is_saved_later(self, server):
        one, other = RedisSiteStore(server.url), RedisSiteStore(server.url)
        write = one._write

        def slow(*args):
            saved(other, SITE, learned(1))
            write(*args)

        kept = memory(one)
        for n in range(4):
            kept.learn(page(n), truth(page(n)))
        one._write = slow
        kept.save()
        assert kept.all_counts().get("saved", 0) == 0
        one._write = write
        kept.save(at_once=True)
        assert [t.pages for t in one.load(SITE)[0]] == [4 + store.TRIES]

    def test_other_versions_are_refused_untouched(self, server):
        RedisSiteStore(server.url).open()
        for name, ours in {"layout": "1", **constants()}.items():
            server.client.hset("{denoise}:site:meta", name, "999")
            before = server.client.hgetall("{denoise}:site:meta")
            one = RedisSiteStore(server.url)
            with pytest.raises(StoreMismatch, match=f"'{name}' is 999 there and {ours} here. Delete these keys to"):
                one.open()
            with pytest.raises(StoreMismatch):
                saved(one, SITE, learned(1))
            with pytest.raises(StoreMismatch):
                one.pin(SITE, lambda _: [LearnedRule(Rule.parse("#x"), pinned=True)])
            assert server.client.hgetall("{denoise}:site:meta") == before
            assert len(server.client.keys()) == 1
            server.client.hset("{denoise}:site:meta", name, ours)

    @pytest.mark.parametrize("key", ["meta", "saved", "sizes", "pins"])
    def test_keys_of_others_are_refused_untouched(self, server, key):
        server.client.set(f"{{denoise}}:site:{key}", "theirs")
        with pytest.raises(StoreMismatch, match="another program's"):
            RedisSiteStore(server.url).open()
        assert server.client.keys() == [f"{{denoise}}:site:{key}".encode()]

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("t:{name}", b"short"),
            ("t:{name}", pack([b"x"] * 5, "{}")),
            ("t:{name}", None),
            ("head", b"nonsense"),
            ("head", b"[3]"),
            ("head", b'{"order": 3}'),
        ],
    )
    def test_damaged_fields_are_skipped_and_counted(self, server, field, value):
        saved(RedisSiteStore(server.url), SITE, learned(2))
        key, field = f"{{denoise}}:site:of:{SITE}", field.format(name=learned(1).name)
        server.client.hdel(key, field) if value is None else server.client.hset(key, field, value)
        one = RedisSiteStore(server.url)
        assert one.load(SITE)[0] == []
        assert one.counts["corrupt"] >= 1
        saved(one, SITE, learned(3))
        assert [t.pages for t in one.load(SITE)[0]] == [3]

    def test_a_damaged_version_is_another_version(self, server):
        one = RedisSiteStore(server.url)
        saved(one, SITE, learned(2))
        server.client.hset(f"{{denoise}}:site:of:{SITE}", "version", b"\xff\xfe")
        saved(one, SITE, learned(2))
        assert one.counts["corrupt"] == 1
        assert [t.pages for t in one.load(SITE)[0]] == [4]

    def test_a_server_without_room_changes_nothing(self, server):
        one, errors = RedisSiteStore(server.url), []
        kept = memory(one, report=errors.append)
        kept.learn(page(1), truth(page(1)))
        kept.save()
        server.client.config_set("maxmemory", "1")
        try:
            kept.learn(page(2), truth(page(2)))
            kept.save()
            assert [type(error) for error in errors] == [ConnectionError]
            assert "used memory > 'maxmemory'" in str(errors[0]) and one._link.place in str(errors[0])
            assert [t.pages for t in one.load(SITE)[0]] == [1]
        finally:
            server.client.config_set("maxmemory", "0")
        kept.save(at_once=True)
        assert [t.pages for t in one.load(SITE)[0]] == [2]

    def test_a_server_that_was_emptied_gets_all_that_is_known(self, server):
        one = memory(RedisSiteStore(server.url))
        other = memory(RedisSiteStore(server.url))
        for each in (one, other):
            each.learn(page(1), truth(page(1)))
            each.save()
        server.client.flushall()
        for each in (other, one):
            each.learn(page(2), truth(page(2)))
            each.save()
        assert [t.pages for t in RedisSiteStore(server.url).load(SITE)[0]] == [4]

    def test_a_silent_server_costs_one_timeout_a_pause_and_a_late_answer_counts_once(self, server):
        now, errors = [0.0], []
        pauses = Pauses(lambda: now[0])
        one = memory(RedisSiteStore(server.url, timeout=0.2), report=errors.append, pauses=pauses)
        one.learn(page(1), truth(page(1)))
        one.save()
        one.learn(page(2), truth(page(2)))
        server.process.send_signal(signal.SIGSTOP)
        try:
            begin = time.monotonic()
            for n in range(50):
                one.save()
                one.learn(page(n, host=f"h{n}"), truth(page(n)))  # a site that would be read
            assert time.monotonic() - begin < 2
            assert len(errors) == 1 and one._store._store._link.place in str(errors[0])
            now[0] += 1.5
            one.save()
            one.save()
            assert len(errors) == 2 and pauses.seconds == 2.0
        finally:
            server.process.send_signal(signal.SIGCONT)
        now[0] += 5
        one.save()
        found = RedisSiteStore(server.url)
        assert [t.pages for t in found.load(SITE)[0]] == [2]
        assert len(found.sites()) == 51 and pauses.seconds == 0.0

    def test_a_write_that_arrives_after_its_timeout_counts_once(self, server):
        one = memory(RedisSiteStore(server.url, timeout=0.2))
        one.learn(page(1), truth(page(1)))
        one.save()
        one.learn(page(2), truth(page(2)))
        write = one._store._store._write

        def stopped(*args):
            server.process.send_signal(signal.SIGSTOP)
            write(*args)

        one._store._store._write = stopped
        try:
            one.save()
        finally:
            server.process.send_signal(signal.SIGCONT)
        one._store._store._write = write
        until = time.monotonic() + 5
        while [t.pages for t in RedisSiteStore(server.url).load(SITE)[0]] != [2] and time.monotonic() < until:
            time.sleep(0.01)  # the server gets to what waited for it
        one.learn(page(3), truth(page(3)))
        one.save(at_once=True)
        assert [t.pages for t in RedisSiteStore(server.url).load(SITE)[0]] == [3]

    def test_failures_name_the_server_and_no_password(self):
        one = RedisSiteStore("redis://user:secret@localhost:1/0")
        with pytest.raises(ConnectionError, match=r"^redis://localhost:1/0: ") as caught:
            one.open()
        assert "secret" not in str(caught.value) and isinstance(caught.value.__cause__, redis.ConnectionError)
        one.close()

    @pytest.mark.parametrize("name", ["", "a{b", "}", 3])
    def test_names_without_braces(self, name):
        with pytest.raises(ValueError, match="without braces"):
            RedisSiteStore("redis://localhost", name=name)

    def test_redis_py_is_loaded_by_whoever_needs_it(self):
        code = "import sys, denoise_scrapy.site.redis_store; sys.exit('redis' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_slow_store_rests_for_nine_times_as_long(monkeypatch):
    monkeypatch.setattr("denoise_scrapy.site.pauses.SLOW_SECONDS", 0.2)
    now = [0.0]
    rest = Pauses(lambda: now[0])
    rest.worked(1.0, sites=10)
    assert rest.over
    rest.worked(0.5)
    assert not rest.over
    now[0] = 4.6
    assert rest.over
    for seconds in (1, 2, 4, 8, 16, 32, 60, 60):
        rest.failed()
        assert rest.seconds == seconds


def test_rows_of_one_piece():
    row = pack([b"abc", b"", b"\x00"], "text \ud800")
    text, _, blobs = unpack(row, 3)
    assert (text, blobs) == ("text \ud800", [b"abc", b"", b"\x00"])
    for damaged in (b"", row[:7], row[:-1], row + b"x"):
        with pytest.raises(ValueError, match="damaged"):
            unpack(damaged, 3)


def test_the_head_tells_what_a_merge_needs(redis_server):
    one = RedisSiteStore(redis_server.url)
    merged = saved(one, SITE, learned(2))
    told = json.loads(redis_server.client.hget(f"{{denoise}}:site:of:{SITE}", "head"))
    assert told["order"] == [learned(1).name]
    again = merge(Unsaved((learned(1),)), one.read(SITE)[0])
    assert [t.pages for t in again.site.templates] == [3] and merged.site.version != again.site.version
