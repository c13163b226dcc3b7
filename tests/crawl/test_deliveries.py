"""A text is kept for good when its item was delivered; copies of items that were not are none."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scrapy.exceptions import DropItem
from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import ItemFilter

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web, article, story


def is_first(item: Any) -> bool:
    return str(item["url"]).endswith("/first")


class Dropping:
    """Drops the item of the first page."""

    def process_item(self, item: Any) -> Any:
        if is_first(item):
            raise DropItem("not wanted")
        return item


class Failing:
    """Fails for the item of the first page."""

    def process_item(self, item: Any) -> Any:
        if is_first(item):
            raise RuntimeError("the database is away")
        return item


class Slow:
    """Holds the item of the first page for a while."""

    async def process_item(self, item: Any) -> Any:
        if is_first(item):
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


def crawled(web: Web, pipeline: type, folder: Path, paths: str = "/first /second /other", **settings: Any) -> Crawl:
    given = {"ITEM_PIPELINES": {pipeline: 500}, "DENOISE_DEDUP_STORE": str(folder / "texts.sqlite")}
    return crawl(spider_of(*map(web, paths.split())), {**given, **settings})


def delivered(done: Crawl) -> list[str]:
    return sorted(item["url"].rpartition("/")[2] for item in done.items)


def query(folder: Path, question: str) -> Any:
    with sqlite3.connect(folder / "texts.sqlite") as file:
        return file.execute(question).fetchone()[0]


def assert_final(folder: Path, *numbers: int) -> None:
    """No claim is left, and these stories are in the index for good, under keys of the crawl."""
    assert query(folder, "SELECT count(*) FROM claims") == 0
    scope = str(query(folder, "SELECT scope FROM texts"))
    with DuplicateIndex(store=SQLiteStore(folder / "texts.sqlite")) as index:
        verdicts = [index.check("/asked", story(number), scope=scope) for number in numbers]
    assert all(verdict.duplicate and not verdict.pending for verdict in verdicts)


@pytest.mark.parametrize("pipeline", [Dropping, Failing])
@pytest.mark.parametrize("settings", [ONE_BY_ONE, {}])
def test_a_copy_of_an_item_that_was_lost_later_is_kept(
    pages: Web, tmp_path: Path, pipeline: type, settings: dict[str, Any]
) -> None:
    done = crawled(pages, pipeline, tmp_path, **settings)
    assert delivered(done) == ["other", "second"]
    assert_final(tmp_path, 1)


@pytest.mark.parametrize(("pipeline", "left", "withdrawn"), [(Slow, "first", 0), (SlowAndFailing, "second", 1)])
def test_a_copy_waits_for_what_becomes_of_an_item(
    pages: Web, tmp_path: Path, pipeline: type, left: str, withdrawn: int
) -> None:
    pages.pages["/second"] = Reply(pages.pages["/second"].encode(), seconds=0.2)
    done = crawled(pages, pipeline, tmp_path)
    assert delivered(done) == sorted([left, "other"])
    assert len(done.dropped) == (left == "first")
    assert done.stat("dedup/waits") >= 1
    assert done.stat("dedup/withdrawn") == withdrawn
    assert_final(tmp_path, 1)


def test_nobody_waits_for_ever(pages: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.duplicates.LONGEST_WAIT", 0.05)
    pages.pages["/second"] = Reply(pages.pages["/second"].encode(), seconds=0.2)
    done = crawled(pages, Slow, tmp_path)
    assert delivered(done) == ["first", "other", "second"]
    assert done.stat("dedup/waited_in_vain") == 1


def test_an_item_that_becomes_another_object_is_known_again(pages: Web, tmp_path: Path) -> None:
    """Also where several do so at once."""

    def parse(self: Any, response: Any) -> Any:
        for n in range(10, 16):
            yield {"url": f"{response.url}#{n}", "body": story(n)}

    store = {"ITEM_PIPELINES": {Replacing: 500}, "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")}
    done = crawl(spider_of(pages("/first"), parse=parse), {"DENOISE_DEDUP_FIELDS": "body", **store})
    assert len(done.items) == 6
    assert_final(tmp_path, *range(10, 16))


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
    assert sorted(urls_in(Looking.feed)) == sorted(item["url"] for item in done.items)


def urls_in(file: Path) -> list[str]:
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [json.loads(line)["url"] for line in lines]


class First(ItemFilter):
    """Takes one item only: the answer to a second question about it is another."""

    def accepts(self, item: Any) -> bool:
        self.full, full = True, getattr(self, "full", False)
        return not full


class NotTheFirst(ItemFilter):
    def accepts(self, item: Any) -> bool:
        return not is_first(item)


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


class Broken(JsonLinesItemExporter):
    def export_item(self, item: Any) -> None:
        if is_first(item):
            raise TypeError("cannot be written")
        super().export_item(item)


def fed(pages: Web, folder: Path, *filters: Any, **settings: Any) -> tuple[Crawl, list[list[str]]]:
    """Crawl with a feed for each filter; what was crawled, and what each feed has."""
    files = [folder / f"{number}.jsonl" for number in range(len(filters))]
    feeds = {str(file): {"format": "jsonlines", **how} for file, how in zip(files, filters, strict=True)}
    done = crawled(pages, Numbering, folder, FEEDS=feeds, **ONE_BY_ONE, **settings)
    return done, [sorted(url.rpartition("/")[2] for url in urls_in(file)) for file in files]


@pytest.mark.parametrize("refusing", [NotTheFirst, Unsure])
def test_a_copy_of_an_item_that_all_feeds_refuse_is_kept(pages: Web, tmp_path: Path, refusing: type) -> None:
    done, feeds = fed(pages, tmp_path, {"item_filter": refusing}, {"item_filter": Nothing})
    assert "second" in feeds[0]
    assert feeds[1] == []
    assert not done.dropped
    assert done.stat("dedup/withdrawn") >= 1
    assert query(tmp_path, "SELECT count(*) FROM claims") == 0


@pytest.mark.parametrize("refusing", [NotTheFirst, Unsure])
def test_a_copy_goes_to_a_feed_that_refused_the_kept_item(pages: Web, tmp_path: Path, refusing: type) -> None:
    done, feeds = fed(pages, tmp_path, {}, {"item_filter": refusing})
    assert feeds[0] == ["first", "other", "second"]
    assert "second" in feeds[1]
    assert not done.dropped
    assert done.stat("dedup/other_feed") == 1


@pytest.mark.parametrize(
    ("filters", "settings", "expected"),
    [
        ([{"item_filter": First}, {}], {}, [["first"], ["first", "other"]]),
        ([{"item_classes": [dict]}, {"item_classes": [list]}], {}, [["first", "other"], []]),
        ([{}], {"FEED_EXPORTERS": {"jsonlines": Broken}}, [["other", "second"]]),
    ],
    ids=["asked once", "of a class", "cannot be written"],
)
def test_what_a_feed_takes_is_delivered(
    pages: Web, tmp_path: Path, filters: list[Any], settings: dict[str, Any], expected: list[list[str]]
) -> None:
    done, feeds = fed(pages, tmp_path, *filters, **settings)
    assert feeds == expected
    assert len(done.dropped) == ("second" not in expected[0])


def test_batches_count_what_a_feed_took(pages: Web, tmp_path: Path) -> None:
    feeds = {str(tmp_path / "%(batch_id)d.jsonl"): {"format": "jsonlines", "batch_item_count": 1}}
    done = crawled(pages, Numbering, tmp_path, FEEDS=feeds, **ONE_BY_ONE)
    assert len(done.items) == 2
    assert done.stat("dedup/withdrawn") == done.stat("dedup/other_feed") == 0


def test_items_all_at_once_are_told_apart_by_the_feeds(web: Web, tmp_path: Path) -> None:
    paths = [f"/{number}{end}" for number in range(12) for end in ("/first", "/second")]
    web.pages |= {path: article(int(path.split("/")[1])) for path in paths}
    feeds = {str(tmp_path / "a.jsonl"): {"format": "jsonlines", "item_filter": NotTheFirst}}
    settings = {"FEEDS": feeds, "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
    crawl(spider_of(*map(web, paths)), settings)
    assert sorted(urls_in(tmp_path / "a.jsonl")) == sorted(web(path) for path in paths if path.endswith("second"))
