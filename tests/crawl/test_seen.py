"""The same pages crawled again: what is unchanged since it was delivered, what has changed, what is a copy."""

import json
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem

from denoise_scrapy.crawl.items import DAY
from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from denoise_scrapy.exceptions import ConfigurationError
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web, article, story

PAGES = 6
MARK = {"DENOISE_DEDUP": "mark"}
CHUNKED = {"DENOISE_FIELDS": {"chunks": "chunks"}, "DENOISE_CHUNK_TOKENS": 60}


def shop(web: Web, extra: str = "", number: int = 0, pages: int = PAGES) -> None:
    """Serve the articles, one of them with an addition at its end."""
    web.pages = {f"/a/{n}": article(n) for n in range(pages)} | web.pages
    web.pages[f"/a/{number}"] = article(number).replace("</p></div>", f"</p>{extra}</div>")


def crawled(
    web: Web, folder: Path, items: list[dict[str, Any]] | None = None, pages: int = PAGES, **settings: Any
) -> Crawl:
    """Crawl the articles and a copy of the last of them; the items have some more fields."""

    def parse(self: Spider, response: Any) -> Any:
        number = response.url.rpartition("/")[2]
        more = items[int(number)] if items and number.isdigit() else {}
        yield {"url": response.url, "crawled_at": time.time_ns() // 10**9, **more}

    web.pages["/copy"] = article(PAGES - 1, text=story(PAGES - 1) + " Shared by a reader of ours.")
    store = {"DENOISE_DEDUP_STORE": str(folder / "texts.sqlite")}
    spider = spider_of(*web.urls(range(pages)), web("/copy"), parse=parse)
    return crawl(spider, {**store, **ONE_BY_ONE, **settings})


def states(done: Crawl, web: Web) -> dict[str, Any]:
    """Return the state, or what has changed, by path."""
    marks = {item["url"].removeprefix(web.url): item.get("seen") for item in done.items}
    return {path: mark and (mark.get("changed") or mark["state"]) for path, mark in marks.items()}


def test_unchanged_changed_and_a_copy_are_three_things(web: Web, tmp_path: Path) -> None:
    shop(web)
    first = crawled(web, tmp_path, **MARK)
    assert set(states(first, web).values()) == {None}
    web.pages["/a/2"] = article(2, text=story(2) + " " + story(90, sentences=2))
    web.pages["/a/new"] = web.pages["/a/1"]
    again = crawled(web, tmp_path, **MARK)
    assert states(again, web) == {**{f"/a/{n}": "unchanged" for n in range(PAGES)}, "/a/2": ["text"], "/copy": None}
    copies = {item["url"]: item["near_duplicate"]["of"] for item in again.items if "near_duplicate" in item}
    assert copies == {web("/copy"): web(f"/a/{PAGES - 1}")}
    assert (again.stat("dedup/unchanged"), again.stat("dedup/updated")) == (PAGES - 1, 1)
    assert {item["seen"]["since"] for item in again.items if "seen" in item} <= {
        item["seen"]["since"] for item in crawled(web, tmp_path, **MARK).items if "seen" in item
    }, "the moment of the first crawl stays, but for what has changed"


def compared(web: Web, folder: Path, befores: list[Any], afters: list[Any], serve: Any) -> dict[str, Any]:
    """Crawl a site twice, with one case per page; return the states of the second crawl."""
    for cases in (befores, afters):
        done = crawled(web, folder, serve(cases), len(cases), DENOISE_SEEN="mark")
    return {path: state for path, state in states(done, web).items() if path != "/copy"}


ROW = "<table><tr><th>Size</th><th>In stock</th></tr><tr><td>Small</td><td>{}</td></tr></table>"
ROWS = ROW.replace("<tr><td>", "".join(f"<tr><td>Size {n}</td><td>{n} left</td></tr>" for n in range(5)) + "<tr><td>")
MENU = "".join(f"<a href='/{n}'>Offer {n}</a> " for n in range(9))
CELLS = [("9.50", "9.05"), ("✓", "✗"), ("-3", "3"), ("Yes", "yes"), ("1.250 €", "12.50 €")]
SHOWN = [
    *((table.format(before), table.format(after), True) for table in (ROW, ROWS) for before, after in CELLS),
    ("<div class='price'><span>9.50 €</span></div>", "<div class='price'><span>9.80 €</span></div>", True),
    ("<p>Price: $ 9.50</p>", "<p>Price: $ 9.80</p>", True),
    ("<p>Now 9.50 EUR</p><p>12 EUR</p>", "<p>Now 9.50 EUR</p><p>11 EUR</p>", True),
    # what a shop shows beside it
    (f"</div><aside>{MENU}<b>9.50 €</b></aside><div>", f"</div><aside>{MENU}<b>3.20 €</b></aside><div>", False),
    (
        f"<div>{MENU}<a href='/k'>Kettle <b>9.50 €</b></a></div>",
        f"<div>{MENU}<a href='/l'>Ladle <b>3 €</b></a></div>",
        False,
    ),
]


def test_a_price_on_the_page_is_a_change(web: Web, tmp_path: Path) -> None:
    """So is a cell of a table, also where the body lacks the table."""

    def serve(extras: list[str]) -> None:
        for number, extra in enumerate(extras):
            shop(web, extra, number)

    befores, afters, changed = zip(*SHOWN, strict=True)
    found = compared(web, tmp_path, [*befores], [*afters], serve)
    assert [found[f"/a/{n}"] for n, change in enumerate(changed) if not change] == ["unchanged"] * 2
    assert [n for n, change in enumerate(changed) if change and "(prices and tables)" not in found[f"/a/{n}"]] == []


FOX = ["fox"]
VALUES: list[tuple[dict[str, Any], dict[str, Any], Any]] = [
    ({"price": 9.5}, {"price": 9.0}, ["price"]),
    ({"price": "9.50 €"}, {"price": "9.50 $"}, ["price"]),
    ({"offers": [{"price": 9}, {"price": 8}]}, {"offers": [{"price": 9}, {"price": 7}]}, ["offers"]),
    ({"note": "word " * 500}, {"note": "word " * 500 + "more"}, ["note"]),
    ({"title": "Foxes"}, {"title": "Foxes and owls"}, ["title"]),
    ({"pdf": "https://a.example/1.pdf"}, {"pdf": "https://a.example/2.pdf"}, ["pdf"]),
    ({}, {"price": 9}, ["price"]),
    (dict.fromkeys("dcbae", 1), dict.fromkeys("dcbae", 2), ["d", "c", "b", "a", "e"]),
    ({"price": 9}, {}, ["(gone)"]),
    ({"tags": FOX, "words": FOX}, {"tags": FOX}, ["(gone)"]),
    ({"price": 9.5}, {"price": 9.5}, "unchanged"),
    ({"at": "2026-01-31 12:00"}, {"at": "2026-02-01 12:00"}, "unchanged"),
    ({"image": "https://a.example/1.png?v=1"}, {"image": "https://a.example/1.png?v=2"}, "unchanged"),
    ({"raw": "<html><p>1</p></html>"}, {"raw": "<html><p>2</p></html>"}, "unchanged"),
    ({"colours": {"red", "blue", "green"}}, {"colours": {"green", "red", "blue"}}, "unchanged"),
]


def test_another_value_is_a_change(web: Web, tmp_path: Path) -> None:
    shop(web, pages=len(VALUES))
    befores, afters, changed = zip(*VALUES, strict=True)
    found = compared(web, tmp_path, [*befores], [*afters], lambda values: values)
    assert found == {f"/a/{n}": state for n, state in enumerate(changed)}


@pytest.mark.parametrize(
    ("settings", "copies"), [({"DENOISE_DEDUP_FIELDS": ["-rank"]}, 1), ({"DENOISE_DEDUP": "off"}, 0)]
)
def test_what_settings_leave_out_shows_no_change(
    web: Web, tmp_path: Path, settings: dict[str, Any], copies: int
) -> None:
    """A field named by the user; if texts are not compared, copies pass, but delivered items are recognised."""
    shop(web)
    for rank in (1, 2 if copies else 1):
        done = crawled(web, tmp_path, [{"rank": rank}] * PAGES, DENOISE_SEEN="mark", **settings)
    assert set(states(done, web).values()) == {"unchanged"}
    assert done.of() == [web(f"/a/{PAGES - 1}")] * copies


def test_a_body_that_differs_for_its_comparison_pages_is_no_change(web: Web, tmp_path: Path) -> None:
    """The page and the settings are the same; only the comparison pages differ."""
    shop(web)
    repeated = "".join(f"<p>{story(70 + n, sentences=8)}</p>" for n in range(3))
    for n in range(PAGES):
        page = web.pages[f"/a/{n}"].replace("</p></div>", f"</p></div><section><h2>Background</h2>{repeated}</section>")
        web.pages[f"/a/{n}"] = page.replace("</title>", " | Daily Gazette</title>")  # of the site, as others show
    fields = {"title": "title", "chunks": "chunks", "markdown": "md"}
    settings = {"DENOISE_SEEN": "mark", "DENOISE_SITE_MEMORY_PATH": ":memory:", **MARK, "DENOISE_FIELDS": fields}
    alone = crawled(web, tmp_path, **settings, DENOISE_COMPARISON_PAGES=0)
    again = crawled(web, tmp_path, **settings)
    differ = [url for url, body in again.bodies().items() if alone.bodies()[url] != body]
    assert differ, "this test shows nothing"
    assert {states(again, web)[url.removeprefix(web.url)] for url in differ} <= {"unchanged", None}
    web.pages["/a/0"] = web.pages["/a/0"].replace("number 0 line 3", "number 9 line 3")
    assert states(crawled(web, tmp_path, **settings), web)["/a/0"] == ["text"], "a digit is a change"


def test_only_what_was_delivered_is_dropped_as_unchanged(web: Web, tmp_path: Path) -> None:
    class Lose:
        def process_item(self, item: Any) -> Any:
            if item["url"].endswith("/a/1"):
                raise DropItem
            return item

    shop(web)
    crawled(web, tmp_path, DENOISE_SEEN="drop-unchanged", ITEM_PIPELINES={Lose: 950})
    again = crawled(web, tmp_path, DENOISE_SEEN="drop-unchanged")
    assert states(again, web) == {"/a/1": None}
    assert crawled(web, tmp_path, DENOISE_SEEN="drop-unchanged").items == []


def test_an_index_that_ends_with_the_crawl_is_said(web: Web) -> None:
    shop(web)
    done = crawl(spider_of(web("/a/0")), {"DENOISE_SEEN": "mark"})
    assert len(done.items) == 1
    assert done.log.count("DENOISE_SEEN = 'mark', but the index ends with the crawl") == 1


def test_texts_that_no_crawl_has_met_for_long_are_forgotten(web: Web, tmp_path: Path, monkeypatch: Any) -> None:
    """Those that grow old during a crawl too."""
    shop(web)
    file = tmp_path / "texts.sqlite"
    crawled(web, tmp_path)
    with closing(sqlite3.connect(file)) as link, link:
        link.execute("UPDATE texts SET seen = ? WHERE key NOT LIKE '%/a/0'", (int(time.time() - 31 * DAY),))
    settings = {"DENOISE_DEDUP_DAYS": 30, "DENOISE_SEEN": "mark"}
    done = crawled(web, tmp_path, **settings)
    assert done.stat("dedup/expired") == PAGES - 1
    assert states(done, web) == {"/a/0": "unchanged", **{f"/a/{n}": None for n in range(1, PAGES)}}
    assert set(states(crawled(web, tmp_path, **settings), web).values()) == {"unchanged"}, "they were met again"
    monkeypatch.setattr("denoise_scrapy.crawl.duplicates.CLAIM_SECONDS", 0.3)
    with DuplicateIndex(store=SQLiteStore(tmp_path / "young.sqlite")) as index:
        index.add("old", "A text that no crawl meets again.")
    web.seconds = 0.4
    young = {"DENOISE_DEDUP_STORE": str(tmp_path / "young.sqlite"), "DENOISE_DEDUP_DAYS": 2 / DAY}
    assert crawled(web, tmp_path, **young).stat("dedup/expired") >= 1


@pytest.mark.parametrize("name", ["texts.sqlite", "denoise-sites.sqlite"])
def test_an_index_of_another_version_stops_the_crawl_and_stays_as_it_is(web: Web, tmp_path: Path, name: str) -> None:
    shop(web)
    crawled(web, tmp_path)
    with closing(sqlite3.connect(tmp_path / name)) as link, link:
        link.execute("UPDATE meta SET value = '999' WHERE name = 'format'")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ConfigurationError, match="'format' is 999 there"):
        crawled(web, tmp_path)
    assert {path: path.read_bytes() for path in before} == before


def test_a_store_of_chunks_follows_the_site_by_the_changes_alone(web: Web, tmp_path: Path) -> None:
    """Pages that are new, changed, unchanged, copies, gone and back; also after a crawl that writes no such feed."""
    stored: dict[str, dict[str, Any]] = {}
    feed = tmp_path / "changes.jsonl"

    def follow(**more: Any) -> tuple[int, int]:
        feeds = {"FEEDS": {str(feed): {"format": "chunk-changes", "overwrite": True}}}
        done = crawled(web, tmp_path, **{**settings, **feeds, **more})
        assert done.stat("errors") == 0
        if not feed.exists():
            return 0, 0
        rows = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
        added = [row for row in rows if row.pop("op") == "add"]
        deleted = [row for row in rows if row not in added]
        assert all([*row] == ["id", "url"] and row["url"].startswith(web.url) for row in deleted)
        assert [stored.pop(row["id"])["url"] for row in deleted] == [row["url"] for row in deleted]
        assert not stored.keys() & {row["id"] for row in added}
        stored.update({row["id"]: row for row in added})
        feed.unlink()
        return len({row["url"] for row in added}), len({row["url"] for row in deleted})

    def whole() -> dict[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            done = crawled(web, Path(folder), **{**settings, "DENOISE_SEEN": "keep"})
        assert len(done.dropped) == 1
        return {chunk["id"]: chunk["text"] for item in done.items for chunk in item["chunks"]}

    settings = {**CHUNKED, "DENOISE_SEEN": "drop-unchanged", "DENOISE_COMPARISON_PAGES": 0}
    shop(web)
    assert follow() == (PAGES, 0)
    assert {name: row["text"] for name, row in stored.items()} == whole()
    assert follow() == (0, 0)
    web.pages["/a/2"] = article(2, text=story(2).replace("number 2 line 5", "number 2 line 50"))
    web.pages["/a/3"] = Reply(b"<p>gone</p>", 410)
    assert follow() == (1, 2)
    assert {name: row["text"] for name, row in stored.items()} == whole()
    assert sum(row["url"] == web("/a/2") for row in stored.values()) > 1, "the others of its chunks stay"
    web.pages["/a/3"] = article(3)
    assert follow(DENOISE_SEEN="mark") == (1, 0)
    web.pages["/a/4"] = article(4, text=story(91))
    assert follow(FEEDS={}) == (0, 0)
    web.pages["/a/4"] = article(4, text=story(92))
    assert follow(DENOISE_SEEN="keep") == (1, 1)
    assert {name: row["text"] for name, row in stored.items()} == whole()


def test_chunks_of_an_index_that_knew_none_are_new(web: Web, tmp_path: Path) -> None:
    shop(web)
    crawled(web, tmp_path)
    feeds = {"FEEDS": {str(tmp_path / "changes.jsonl"): {"format": "chunk-changes"}}}
    settings = {**CHUNKED, **feeds, "DENOISE_SEEN": "drop-unchanged"}
    done = crawled(web, tmp_path, **settings)
    assert [item["seen"]["changed"] for item in done.items] == [["(chunks)"]] * PAGES
    assert crawled(web, tmp_path, **settings).items == []


def test_changes_of_chunks_need_chunks_and_an_index(web: Web, tmp_path: Path) -> None:
    feeds = {"FEEDS": {str(tmp_path / "changes.jsonl"): {"format": "chunk-changes"}}}
    with pytest.raises(ConfigurationError, match="'chunk-changes' needs a field with chunks"):
        crawled(web, tmp_path, **feeds)
    with pytest.raises(ConfigurationError, match="'chunk-changes' needs an index that remembers earlier crawls"):
        crawl(spider_of(web("/a/0")), {**feeds, **CHUNKED})


@pytest.mark.parametrize("options", [{"batch_item_count": 1}, {"store_empty": False}], ids=str)
def test_chunks_of_gone_pages_are_listed_where_no_item_is_left_for_the_feed(
    web: Web, tmp_path: Path, options: dict[str, Any]
) -> None:
    shop(web)

    def changes(name: str) -> list[dict[str, Any]]:
        feed = {str(tmp_path / f"{name}-%(batch_id)d.jsonl"): {"format": "chunk-changes", **options}}
        crawled(web, tmp_path, DENOISE_SEEN="drop-unchanged", DENOISE_FIELDS={"chunks": "chunks"}, FEEDS=feed)
        files = sorted(tmp_path.glob(f"{name}-*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]

    added = {row["id"]: row["url"] for row in changes("first")}
    web.pages["/a/2"] = Reply(b"gone", 410)
    if "batch_item_count" in options:
        web.pages["/a/1"] = article(99)
    gone = {row["id"] for row in changes("second") if row["op"] == "delete"}
    assert {name for name, url in added.items() if url == web("/a/2")} <= gone
