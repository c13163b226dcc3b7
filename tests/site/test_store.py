"""The site memory's file: what comes back, what is refused, what survives damage and a full disk."""

import sqlite3

import numpy as np
import pytest

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory, store
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rows import constants
from denoise_scrapy.site.site_memory import SiteMemory
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore, _used_bytes
from denoise_scrapy.storage import StoreMismatch
from tests.site.made_sites import NEW, OLD, page, truth

SITE = "http://a.example:80"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sites.sqlite"


def opened(path):
    one = SQLiteSiteStore(path)
    one.open()
    return one


def crawl(path, pages, **more):
    """A memory that has read and learned some pages; the caller closes its store."""
    memory = SiteMemory(PageMemory(10_000_000, 32), opened(path), **more)
    for each in pages:
        memory.remember(each)
        memory.learn(each, truth(each))
    return memory


def save_and_close(memory):
    memory.save()
    memory._store._store.close()


def same(a: LearnedTemplate, b: LearnedTemplate) -> bool:
    return (
        a.signature == b.signature
        and (a.pages, a.example, a.familiarity, a.votes) == (b.pages, b.example, b.familiarity, b.votes)
        and all(np.array_equal(getattr(a.sums, n), getattr(b.sums, n)) for n in ("keys", "content", "tokens", "pages"))
    )


def test_the_next_crawl_knows_what_this_one_learned(path):
    first = crawl(path, [page(n) for n in range(9)])
    known = first.learned(page(99))
    save_and_close(first)
    then = SiteMemory(PageMemory(10_000_000, 32), opened(path))
    assert same(then.learned(page(99)), known)
    assert [p.url for p in then.pages.comparison_pages(page(99), 9)] == [page(n).url for n in (8, 7, 6, 5, 4)]
    for facts in then.pages.pages(SITE):
        own = page(int(facts.url.rpartition("/")[2])).facts
        assert facts.signature == own.signature
        assert all(np.array_equal(getattr(facts, n), getattr(own, n)) for n in ("text_hashes", "path_keys", "tokens"))
    assert then.all_counts()["loaded"] == 1


def test_sums_of_two_crawls_are_those_of_one(path):
    pages = [page(n) for n in range(8)]
    for some in (pages[:3], pages[3:]):
        save_and_close(crawl(path, some))
    both, one = SiteMemory(PageMemory(1, 1), opened(path)), SiteMemory(PageMemory(1, 1))
    for each in pages:
        one.learn(each, truth(each))
    assert same(both.learned(page(99)), one.learned(page(99)))


def test_facts_on_disk_are_the_newest_few(path):
    for begin in (0, 4, 8, 12):
        save_and_close(crawl(path, [page(n) for n in range(begin, begin + 4)]))
    with sqlite3.connect(path) as link:
        urls = [url for (url,) in link.execute("SELECT url FROM facts ORDER BY id")]
    assert urls == [page(n).url for n in range(11, 16)]


def test_a_site_that_leaves_memory_comes_back_from_the_file(path):
    memory = crawl(path, [page(n) for n in range(4)], max_bytes=20_000)
    for n in range(12):
        other = page(n, host=f"h{n}")
        memory.remember(other)
        memory.learn(other, truth(other))
    assert memory.all_counts()["evicted/sites"] > 0
    assert SITE not in memory._sites
    assert memory.learned(page(99)).pages == 4


def test_a_redesign_takes_the_old_pages_along(path):
    save_and_close(crawl(path, [page(n) for n in range(9)]))
    memory = crawl(path, [page(n, NEW) for n in range(20, 24)])
    assert memory.all_counts()["changed"] == 1
    assert {p.url for p in memory.pages.pages(SITE)} == {page(n).url for n in range(20, 24)}
    save_and_close(memory)
    with sqlite3.connect(path) as link:
        assert link.execute("SELECT count(*) FROM templates").fetchone() == (1,)
        assert link.execute("SELECT count(*) FROM facts").fetchone() == (4,)


def test_what_is_not_saved_is_lost_and_no_more(path):
    memory = crawl(path, [page(n) for n in range(5)])
    memory.save()
    memory.learn(page(6), truth(page(6)))
    again = SiteMemory(PageMemory(10_000_000, 32), opened(path))  # as after kill -9
    assert again.learned(page(99)).pages == 5


@pytest.mark.parametrize("content", [b"text", b"\x00" * 200, b"SQLite format 3\x00"])
def test_a_foreign_file_is_refused_untouched(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreMismatch, match="a site memory of denoise_scrapy"):
        opened(path)
    assert path.read_bytes() == content


def test_an_index_of_texts_is_refused_untouched(path):
    DuplicateIndex(store=SQLiteStore(path)).close()
    before = path.read_bytes()
    with pytest.raises(StoreMismatch, match="another program's database"):
        opened(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["format", "hashes"])
def test_a_file_of_another_version_is_refused(path, name):
    opened(path).close()
    with sqlite3.connect(path) as link:
        link.execute("UPDATE meta SET value = '999' WHERE name = ?", (name,))
    with pytest.raises(StoreMismatch, match=f"'{name}' is 999 there and {constants()[name]} here. Delete the file"):
        opened(path)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE templates SET keys = x'0102' WHERE rowid = 1",
        "UPDATE templates SET told = 'nonsense' WHERE rowid = 1",
        "UPDATE templates SET content = zeroblob(length(content)) WHERE rowid = 1",
        "UPDATE templates SET told = 3 WHERE rowid = 1",
        "UPDATE templates SET told = x'ff' WHERE rowid = 1",
        "UPDATE templates SET tokens = 'text' WHERE rowid = 1",
        "UPDATE facts SET tokens = x'0102' WHERE id = 1",
        "UPDATE facts SET url = 'http://a.example/other' WHERE id = 1",
    ],
)
def test_damaged_rows_are_skipped_and_counted(path, damage):
    save_and_close(crawl(path, [page(0), page(1), page(5, NEW)]))
    with sqlite3.connect(path) as link:
        assert link.execute(damage).rowcount == 1
    memory = SiteMemory(PageMemory(10_000_000, 32), opened(path))
    memory.enter(SITE)
    assert memory.all_counts()["corrupt"] == 1
    assert len(memory.enter(SITE).templates) + len(memory.pages) == 4


def test_a_broken_file_costs_the_memory_of_earlier_crawls_only(path):
    save_and_close(crawl(path, [page(n) for n in range(40)]))
    for name in ("sites.sqlite-wal", "sites.sqlite-shm"):
        (path.parent / name).unlink(missing_ok=True)
    whole = bytearray(path.read_bytes())
    whole[4096:] = b"\xff" * (len(whole) - 4096)
    path.write_bytes(whole)
    errors = []
    try:
        memory = SiteMemory(PageMemory(10_000_000, 32), opened(path), report=errors.append)
    except ValueError as error:  # noticed when it is opened
        assert "Move it away" in str(error) and path.read_bytes() == whole
        return
    memory.remember(page(1))
    memory.learn(page(1), truth(page(1)))
    memory.save()
    assert errors
    assert memory.learned(page(2)).pages == 1


def test_a_full_disk_is_reported_and_nothing_else_is_lost(path):
    errors = []
    memory = crawl(path, [page(n) for n in range(5)], report=errors.append)
    memory.save()
    memory._store._store._ready.execute("PRAGMA max_page_count = 1")  # as many as there are
    for n in range(60):
        memory.learn(page(n, host=f"h{n}"), truth(page(n)))
    memory.save()
    assert [type(error) for error in errors] == [sqlite3.OperationalError]
    fitted = len(memory._store._store.sites())  # each site is saved by itself
    assert memory.learned(page(1)).pages == 5
    memory._store._store._ready.execute("PRAGMA max_page_count = 1000000")
    memory.save()
    assert len(memory._store._store.sites()) == fitted < 61, "asked again before the pause is over"
    memory.save(at_once=True)
    assert len(errors) == 1 and len(memory._store._store.sites()) == 61


def test_the_file_is_bounded(path, monkeypatch):
    monkeypatch.setattr(store, "MAX_BYTES", 60_000)
    for n in range(30):
        save_and_close(crawl(path, [page(n, host=f"h{n}"), page(99, NEW, host=f"h{n}")]))
    one = opened(path)
    assert 3 < len(one.sites()) < 30
    assert "http://h29.example:80" in one.sites() and "http://h0.example:80" not in one.sites()
    assert _used_bytes(one._ready) <= 60_000


def test_odd_names_are_saved(path):
    html = OLD.replace("id=main", "id='m\ud83d.x \x01'").format(n=1, text="<p>" + "word " * 20)
    own = Page.parse(html.encode("utf-8", "replace"), url="http://a.example/\udcff?'; DROP TABLE facts; --")
    save_and_close(crawl(path, [own]))
    memory = SiteMemory(PageMemory(10_000_000, 32), opened(path))
    assert memory.enter(SITE).rules()[0].pages == 1
    assert len(memory.pages) == 1
