"""A text is kept for good when its item was delivered; copies of items that were not are none."""

import asyncio
import dataclasses
import json
import sqlite3
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scrapy.exceptions import DropItem
from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import ItemFilter

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web, article, story

ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}


class Dropping:
    """Drops the item of the first page."""

    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/first"):
            raise DropItem("not wanted")
        return item


class Failing:
    """Fails for the item of the first page."""

    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/first"):
            raise RuntimeError("the database is away")
        return item


class Slow:
    """Holds the item of the first page for a while."""

    async def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/first"):
            await asyncio.sleep(0.6)
        return item


class SlowAndFailing(Slow):
    """Holds the item of the first page for a while, then fails."""

    async def process_item(self, item: Any) -> Any:
        return Failing().process_item(await super().process_item(item))


class Replacing:
    """Hands on another object, without a key."""

    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0.01)
        return {"text": item["body"]}


@pytest.fixture
def pages(web: Web) -> Web:
    web.pages["/first"] = article(1, text=story(1))
    web.pages["/second"] = article(1, text=story(1) + " Shared by a reader of ours.")
    web.pages["/other"] = article(2)
    return web


def late(web: Web, path: str) -> None:
    web.pages[path] = Reply(web.pages[path].encode(), seconds=0.2)


def crawled(web: Web, pipeline: type, folder: Path, paths: str = "/first /second /other", **settings: Any) -> Crawl:
    given = {
        "ITEM_PIPELINES": {pipeline: 500},
        "DENOISE_DEDUP_STORE": str(folder / "texts.sqlite"),
    }
    return crawl(spider_of(*(web(path) for path in paths.split())), {**given, **settings})


def delivered(done: Crawl) -> list[str]:
    return sorted(item["url"].rpartition("/")[2] for item in done.items)


def claims(folder: Path) -> int:
    with sqlite3.connect(folder / "texts.sqlite") as file:
        [(count,)] = file.execute("SELECT count(*) FROM claims")
    return int(count)


def is_final(folder: Path, number: int) -> bool:
    """Whether the text of a story is in the index for good, under a key of the crawl."""
    with DuplicateIndex(store=SQLiteStore(folder / "texts.sqlite")) as index:
        verdict = index.check("/asked", story(number), scope=scope_of(folder))
        return verdict.duplicate and not verdict.pending


def scope_of(folder: Path) -> str:
    with sqlite3.connect(folder / "texts.sqlite") as file:
        return str(file.execute("SELECT scope FROM texts").fetchone()[0])


@pytest.mark.parametrize("pipeline", [Dropping, Failing])
@pytest.mark.parametrize("settings", [ONE_BY_ONE, {}])
def test_a_copy_of_an_item_that_was_lost_later_is_kept(
    pages: Web, tmp_path: Path, pipeline: type, settings: dict[str, Any]
) -> None:
    done = crawled(pages, pipeline, tmp_path, **settings)
    assert delivered(done) == ["other", "second"]
    assert claims(tmp_path) == 0
    assert is_final(tmp_path, 1)


def test_a_copy_waits_for_what_becomes_of_an_item(pages: Web, tmp_path: Path) -> None:
    late(pages, "/second")
    done = crawled(pages, Slow, tmp_path)
    assert delivered(done) == ["first", "other"]
    assert [item["url"] for item, _ in done.dropped] == [pages("/second")]
    assert done.stat("dedup/waits") >= 1
    assert done.stat("dedup/withdrawn") == 0


def test_a_copy_that_waited_takes_the_place_of_an_item_that_failed(pages: Web, tmp_path: Path) -> None:
    late(pages, "/second")
    done = crawled(pages, SlowAndFailing, tmp_path)
    assert delivered(done) == ["other", "second"]
    assert not done.dropped
    assert done.stat("dedup/withdrawn") == 1
    assert is_final(tmp_path, 1)


def test_nobody_waits_for_ever(pages: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.duplicates.LONGEST_WAIT", 0.05)
    late(pages, "/second")
    done = crawled(pages, Slow, tmp_path)
    assert delivered(done) == ["first", "other", "second"]
    assert done.stat("dedup/waited_in_vain") == 1


def test_an_item_that_becomes_another_object_is_known_again(pages: Web, tmp_path: Path) -> None:
    done = crawled(pages, Replacing, tmp_path)
    assert sorted(map(len, done.items)) == [1, 1]
    assert len(done.dropped) == 1
    assert claims(tmp_path) == 0
    assert is_final(tmp_path, 1)
    assert is_final(tmp_path, 2)


def test_items_that_become_others_all_at_once_are_known_again(pages: Web, tmp_path: Path) -> None:
    def parse(self: Any, response: Any) -> Any:
        for n in range(10, 16):
            yield {"url": f"{response.url}#{n}", "body": story(n)}

    done = crawl(
        spider_of(pages("/first"), parse=parse),
        {
            "ITEM_PIPELINES": {Replacing: 500},
            "DENOISE_DEDUP_FIELDS": "body",
            "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite"),
        },
    )
    assert len(done.items) == 6
    assert claims(tmp_path) == 0
    assert all(is_final(tmp_path, n) for n in range(10, 16))


@dataclasses.dataclass(frozen=True)
class Frozen:
    url: str
    body: str | None = None
    near_duplicate: Any = None


def test_frozen_items_are_followed_through_their_copies(pages: Web, tmp_path: Path) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield Frozen(response.url)

    done = crawl(
        spider_of(pages("/first"), pages("/second"), parse=parse),
        {**ONE_BY_ONE, "DENOISE_DEDUP": "mark", "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")},
    )
    assert [item.near_duplicate is None for item in done.items].count(False) == 1
    assert claims(tmp_path) == 0
    assert is_final(tmp_path, 1)


class Looking:
    """Notes, when the second item comes, how many lines the feed file has."""

    lines: ClassVar[list[int]] = []
    feed = Path()

    def process_item(self, item: Any) -> Any:
        written = self.feed.read_bytes() if self.feed.exists() else b""  # it is opened with the first item
        self.lines.append(written.count(b"\n"))
        return item


def test_what_is_final_is_in_the_feed_file(pages: Web, tmp_path: Path) -> None:
    Looking.lines, Looking.feed = [], tmp_path / "items.jsonl"
    feeds = {str(Looking.feed): {"format": "jsonlines"}}
    done = crawled(pages, Looking, tmp_path, "/first /other", FEEDS=feeds, **ONE_BY_ONE)
    assert Looking.lines == [0, 1]
    written = [json.loads(line)["url"] for line in Looking.feed.read_text("utf-8").splitlines()]
    assert sorted(written) == sorted(item["url"] for item in done.items)


class First(ItemFilter):
    """Takes one item only: the answer to a second question about it is another."""

    def accepts(self, item: Any) -> bool:
        self.full, full = True, getattr(self, "full", False)
        return not full


class NotTheFirst(ItemFilter):
    def accepts(self, item: Any) -> bool:
        return not item["url"].endswith("/first")


class Nothing(ItemFilter):
    def accepts(self, item: Any) -> bool:
        return False


class Unsure(ItemFilter):
    """Looks at a field that a later pipeline sets."""

    def accepts(self, item: Any) -> bool:
        return bool(item["number"] == 2)


class Numbering:
    numbers: ClassVar[list[str]] = ["/other", "/first", "/second"]

    def process_item(self, item: Any) -> Any:
        return {**item, "number": next(n for n, end in enumerate(self.numbers) if item["url"].endswith(end))}


def fed(pages: Web, folder: Path, *filters: Any, **settings: Any) -> tuple[Crawl, list[list[str]]]:
    """Crawl with a feed for each filter; what was crawled, and what each feed has."""
    files = [folder / f"{number}.jsonl" for number in range(len(filters))]
    feeds = {str(file): {"format": "jsonlines", **how} for file, how in zip(files, filters, strict=True)}
    done = crawled(pages, Numbering, folder, FEEDS=feeds, **ONE_BY_ONE, **settings)
    lines = [file.read_text("utf-8").splitlines() if file.exists() else [] for file in files]
    return done, [sorted(json.loads(line)["url"].rpartition("/")[2] for line in each) for each in lines]


@pytest.mark.parametrize("refusing", [{"item_filter": NotTheFirst}, {"item_filter": Unsure}])
def test_a_copy_of_an_item_that_all_feeds_refuse_is_kept(pages: Web, tmp_path: Path, refusing: Any) -> None:
    done, feeds = fed(pages, tmp_path, refusing, {"item_filter": Nothing})
    assert "second" in feeds[0]
    assert feeds[1] == []
    assert not done.dropped
    assert done.stat("dedup/withdrawn") >= 1
    assert claims(tmp_path) == 0


@pytest.mark.parametrize("refusing", [{"item_filter": NotTheFirst}, {"item_filter": Unsure}])
def test_a_copy_goes_to_a_feed_that_refused_the_kept_item(pages: Web, tmp_path: Path, refusing: Any) -> None:
    done, feeds = fed(pages, tmp_path, {}, refusing)
    assert feeds[0] == ["first", "other", "second"]
    assert "second" in feeds[1]
    assert not done.dropped
    assert done.stat("dedup/other_feed") == 1


def test_a_filter_is_not_asked_about_an_item_that_its_feed_has_taken(pages: Web, tmp_path: Path) -> None:
    done, feeds = fed(pages, tmp_path, {"item_filter": First}, {})
    assert feeds == [["first"], ["first", "other"]]
    assert [item["url"] for item, _ in done.dropped] == [pages("/second")]


def test_items_of_a_class_are_compared_for_the_feeds_of_that_class(pages: Web, tmp_path: Path) -> None:
    done, feeds = fed(pages, tmp_path, {"item_classes": [dict]}, {"item_classes": [Frozen]})
    assert feeds == [["first", "other"], []]
    assert len(done.dropped) == 1

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url} if response.url.endswith("/first") else Frozen(response.url)

    feeds = {str(tmp_path / f"{kind.__name__}.jsonl"): {"item_classes": [kind]} for kind in (dict, Frozen)}
    pages.pages["/second?again"] = pages.pages["/second"]
    settings = {**ONE_BY_ONE, "FEEDS": {file: {"format": "jsonlines", **how} for file, how in feeds.items()}}
    done = crawl(spider_of(pages("/first"), pages("/second"), pages("/second?again"), parse=parse), settings)
    assert [type(item) for item in done.items] == [dict, Frozen, Frozen]


class Broken(JsonLinesItemExporter):
    def export_item(self, item: Any) -> None:
        if item["url"].endswith("/first"):
            raise TypeError("cannot be written")
        super().export_item(item)


def test_an_item_that_a_feed_fails_to_write_is_not_delivered(pages: Web, tmp_path: Path) -> None:
    done, feeds = fed(pages, tmp_path, {}, FEED_EXPORTERS={"jsonlines": Broken})
    assert feeds == [["other", "second"]]
    assert not done.dropped


def test_batches_count_what_a_feed_took(pages: Web, tmp_path: Path) -> None:
    feeds = {str(tmp_path / "%(batch_id)d.jsonl"): {"format": "jsonlines", "batch_item_count": 1}}
    done = crawled(pages, Numbering, tmp_path, FEEDS=feeds, **ONE_BY_ONE)
    assert len(done.items) == 2
    assert done.stat("dedup/withdrawn") == done.stat("dedup/other_feed") == 0


def test_items_all_at_once_are_told_apart_by_the_feeds(web: Web, tmp_path: Path) -> None:
    paths = [f"/{number}{end}" for number in range(12) for end in ("/first", "/second")]
    web.pages |= {path: article(int(path.split("/")[1]), text=story(int(path.split("/")[1]))) for path in paths}
    feeds = {str(tmp_path / "a.jsonl"): {"format": "jsonlines", "item_filter": NotTheFirst}}
    settings = {"FEEDS": feeds, "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
    crawl(spider_of(*map(web, paths)), settings)
    written = [json.loads(line)["url"] for line in (tmp_path / "a.jsonl").read_text("utf-8").splitlines()]
    assert sorted(written) == sorted(web(path) for path in paths if path.endswith("second"))
