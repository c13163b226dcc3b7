"""A text becomes final when its item is delivered; copies of undelivered items are kept."""

import asyncio
import json
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from scrapy.exceptions import DropItem
from scrapy.exporters import JsonLinesItemExporter
from scrapy.extensions.feedexport import FeedExporter, ItemFilter

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, spider_of
from tests.crawl.web import Web, article, story

PAGES, STORIES = 6, 2  # page n tells story n % STORIES
ALL = frozenset(range(PAGES))
AT_ONCE = {"CONCURRENT_REQUESTS_PER_DOMAIN": 16}
PASS, SLOW = ("pass", 0.0), ("pass", 0.15)


class Fates:
    """A pipeline of a user, in which each item has its own outcome, sometimes delayed."""

    of: ClassVar[list[tuple[str, float]]] = []

    async def process_item(self, item: Any) -> Any:
        fate, seconds = self.of[item["n"]]
        if seconds:
            await asyncio.sleep(seconds)
        if fate == "drop":
            raise DropItem("not wanted")
        if fate == "fail":
            raise RuntimeError("the database is away")
        return {"n": item["n"], "set": True} if fate == "replace" else {**item, "set": True}


class Taking(ItemFilter):
    """Accepts the items whose numbers are in the options of the feed."""

    def accepts(self, item: Any) -> bool:
        return item["n"] in self.feed_options["takes"]


class TakingLate(Taking):
    """Reads a field that a later pipeline sets."""

    def accepts(self, item: Any) -> bool:
        return bool(item["set"]) and super().accepts(item)


class TakingOne(ItemFilter):
    """Accepts one item only: a second call for it returns another answer."""

    def accepts(self, item: Any) -> bool:
        self.full, full = True, getattr(self, "full", False)
        return not full


class Broken(JsonLinesItemExporter):
    def export_item(self, item: Any) -> None:
        if item["n"] == 0:
            raise TypeError("cannot be written")
        super().export_item(item)


@pytest.fixture
def pages(web: Web) -> Web:
    web.pages = {f"/{n}": article(n % STORIES, text=story(n % STORIES) + n // STORIES * " Shared here.") for n in ALL}
    return web


def crawled(web: Web, folder: Path, fates: list[tuple[str, float]], *feeds: Any, **given: Any) -> tuple[Crawl, Any]:
    """Crawl the pages with feeds of these options; what was crawled, and the numbers of what each feed has."""
    Fates.of = fates
    files = [folder / f"{number}.jsonl" for number in range(len(feeds))]
    store: dict[str, Any] = {"DENOISE_DEDUP_STORE": str(folder / "texts.sqlite"), "DENOISE_DEDUP_FIELDS": ["-n"]}
    store["ITEM_PIPELINES"] = {Fates: 500}
    store["FEEDS"] = {str(file): {"format": "jsonlines", **feed} for file, feed in zip(files, feeds, strict=True)}
    spider = spider_of(
        *(web(f"/{n}") for n in range(len(fates))),
        parse=lambda self, response: [{"url": response.url, "n": int(response.url.rpartition("/")[2])}],
    )
    return crawl(spider, store | given), [numbers_in(file) for file in files]


def numbers_in(file: Path) -> list[int]:
    return [json.loads(line)["n"] for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def assert_final(folder: Path, stories: set[int]) -> None:
    """Assert that no claim is left, and that exactly these stories are in the index, under keys of the crawl."""
    with sqlite3.connect(folder / "texts.sqlite") as file:
        [(claims,)] = file.execute("SELECT count(*) FROM texts WHERE owner <> ''")
        scope = str((file.execute("SELECT scope FROM texts").fetchone() or [""])[0])
    assert claims == 0
    with DuplicateIndex(store=SQLiteStore(folder / "texts.sqlite")) as index:
        verdicts = {number: index.check("/asked", story(number), scope=scope) for number in range(STORIES)}
    assert {number for number, one in verdicts.items() if one.duplicate and not one.pending} == stories


class Bare:
    """A feed's file as a project may open it, with no method but `write`."""

    closed = False

    def __init__(self, uri: str, *, feed_options: Any):
        self._file = Path(uri.partition("://")[2]).open("wb")  # noqa: SIM115 - closed by `store`
        self.write = self._file.write

    def open(self, spider: Any) -> Any:
        return self

    def store(self, file: Any) -> None:
        self._file.close()


def test_a_feed_may_have_a_file_of_any_class(pages: Web, tmp_path: Path) -> None:
    feeds = {f"own://{tmp_path}/items.jsonl": {"format": "jsonlines"}}
    done, _ = crawled(pages, tmp_path, [PASS] * PAGES, FEED_STORAGES={"own": Bare}, FEEDS=feeds, **ONE_BY_ONE)
    assert "Traceback" not in done.log
    assert numbers_in(tmp_path / "items.jsonl") == [*range(STORIES)]


class FeedOfEach(FeedExporter):
    """Writes a file for each story."""

    def open_spider(self, spider: Any) -> None:
        self.slots: dict[str, Any] = {}

    def item_scraped(self, item: Any, spider: Any) -> None:
        uri = self.crawler.settings["OWN"].format(item["n"] % STORIES)
        if uri not in self.slots:
            self.slots[uri] = JsonLinesItemExporter(Path(uri).open("wb"))  # noqa: SIM115 - closed at the end
        self.slots[uri].export_item(item)

    def close_spider(self, spider: Any) -> None:
        for exporter in self.slots.values():
            exporter.file.close()


def test_feeds_may_be_written_by_an_extension_of_the_project(pages: Web, tmp_path: Path) -> None:
    given = {"OWN": str(tmp_path / "{}.jsonl"), "EXTENSIONS": {FeedOfEach: 0, FeedExporter: None}, **ONE_BY_ONE}
    done, _ = crawled(pages, tmp_path, [PASS] * PAGES, {}, **given)
    assert "Traceback" not in done.log
    assert [numbers_in(tmp_path / f"{number}.jsonl") for number in range(STORIES)] == [[0], [1]]
    assert len(done.dropped) == PAGES - STORIES


class FeedWhenNeeded(FeedExporter):
    """Opens a feed for each story, before the others, when its first item arrives."""

    def item_scraped(self, item: Any, spider: Any) -> None:
        uri = self.crawler.settings["OWN"].format(item["n"] % STORIES)
        if uri not in self.feeds:
            self.feeds[uri] = {**next(iter(self.feeds.values())), "takes": range(item["n"], PAGES, STORIES)}
            self.filters[uri] = Taking(self.feeds[uri])
            self.slots.insert(0, self._start_new_batch(1, uri, self.feeds[uri], spider, uri))
        super().item_scraped(item, spider)


def test_feeds_may_be_opened_while_items_arrive(pages: Web, tmp_path: Path) -> None:
    given = {"OWN": str(tmp_path / "own-{}.jsonl"), "EXTENSIONS": {FeedWhenNeeded: 0, FeedExporter: None}}
    done, [all_of_them] = crawled(pages, tmp_path, [PASS] * PAGES, {}, **given, **ONE_BY_ONE)
    assert "Traceback" not in done.log
    assert all_of_them == [*range(STORIES)]
    assert [numbers_in(tmp_path / f"own-{number}.jsonl") for number in range(STORIES)] == [[0], [1]]
    assert done.of() == [pages("/0"), pages("/1")] * 2


fates = st.tuples(st.sampled_from(["pass", "pass", "drop", "fail", "replace"]), st.sampled_from([0.0, 0.0, 0.15]))
takes = st.sets(st.integers(0, PAGES - 1))


@settings(
    max_examples=10,  # a crawl each, of some tenths of a second
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(
    fates=st.lists(fates, min_size=PAGES, max_size=PAGES),
    feeds=st.lists(st.tuples(st.sampled_from([Taking, TakingLate]), takes), max_size=2),
    order=st.sampled_from([ONE_BY_ONE, AT_ONCE]),
)
@example([("fail", 0.0), *[PASS] * 5], [], ONE_BY_ONE)
@example([("fail", 0.3), *[PASS] * 5], [], AT_ONCE)
@example([PASS] * PAGES, [(Taking, ALL - {0}), (Taking, set())], ONE_BY_ONE)
@example([PASS] * PAGES, [(Taking, ALL), (TakingLate, ALL - {0})], ONE_BY_ONE)
def test_each_story_is_delivered_once_whatever_becomes_of_its_items(
    pages: Web, fates: list[tuple[str, float]], feeds: list[tuple[type, set[int]]], order: dict[str, Any]
) -> None:
    """Each feed that accepts an item of a story gets one; a copy is dropped only for a delivered item."""
    left = {n for n, (fate, _) in enumerate(fates) if fate in ("pass", "replace")}
    with tempfile.TemporaryDirectory() as folder:
        options = [{"item_filter": kind, "takes": numbers} for kind, numbers in feeds]
        done, written = crawled(pages, Path(folder), fates, *options, **order)
        delivered = [{item["n"] for item in done.items}] if not feeds else [set(one) for one in written]
        for found, numbers in zip(delivered, [numbers for _, numbers in feeds] or [ALL], strict=True):
            assert found <= left & numbers
            stories = Counter(n % STORIES for n in found)
            assert set(stories) == {n % STORIES for n in left & numbers}
            assert len(feeds) > 1 or max(stories.values(), default=1) == 1
        assert_final(Path(folder), {n % STORIES for n in set.union(*delivered)})
    assert done.stat("dedup/passed/waited_in_vain") == 0


def test_nobody_waits_for_ever(pages: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.duplicates.LONGEST_WAIT", 0.05)
    done, _ = crawled(pages, tmp_path, [("pass", 0.6), PASS, PASS], DOWNLOAD_DELAY=0.1)
    assert len(done.items) == 3
    assert done.stat("dedup/passed/waited_in_vain") == 1


def test_copies_are_counted_as_they_wait_and_pass(pages: Web, tmp_path: Path) -> None:
    pages.seconds = 0.05
    done, _ = crawled(pages, tmp_path, [("fail", 0.5), PASS, PASS], **AT_ONCE, DOWNLOAD_DELAY=0.1)
    assert done.stat("dedup/withdrawn") == 1
    done, _ = crawled(pages, tmp_path / "..", [PASS] * 3, {}, {"item_filter": Taking, "takes": [2]}, **ONE_BY_ONE)
    assert done.stat("dedup/passed/other_feed") == 1


def test_what_is_final_is_in_the_feed_file(pages: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, settle = list[int](), DuplicateIndex.settle

    def counted(index: DuplicateIndex, claim: int) -> bool:
        lines.append(len(numbers_in(tmp_path / "0.jsonl")))
        return settle(index, claim)

    monkeypatch.setattr(DuplicateIndex, "settle", counted)
    _, [written] = crawled(pages, tmp_path, [PASS] * 2, {}, **ONE_BY_ONE)
    assert written == [0, 1]
    assert lines in ([1, 2], [2, 2])  # both may be written before the first is final


@pytest.mark.parametrize(
    ("feeds", "given", "expected"),
    [
        ([{"item_filter": TakingOne}, {}], {}, [[0], [0, 1]]),
        ([{"item_classes": [dict]}, {"item_classes": [list]}], {}, [[0, 1], []]),
        ([{}], {"FEED_EXPORTERS": {"jsonlines": Broken}}, [[1, 2]]),
    ],
    ids=["asked once", "of a class", "cannot be written"],
)
def test_what_a_feed_takes_is_delivered(
    pages: Web, tmp_path: Path, feeds: list[Any], given: dict[str, Any], expected: list[list[int]]
) -> None:
    done, written = crawled(pages, tmp_path, [PASS] * 3, *feeds, **ONE_BY_ONE, **given)
    assert written == expected
    assert len(done.dropped) == (2 not in expected[0])


def test_batches_count_what_a_feed_took(pages: Web, tmp_path: Path) -> None:
    feeds = {str(tmp_path / "%(batch_id)d.jsonl"): {"format": "jsonlines", "batch_item_count": 1}}
    done, _ = crawled(pages, tmp_path, [PASS] * 3, FEEDS=feeds, **ONE_BY_ONE)
    assert len(done.items) == 2
    assert done.stat("dedup/withdrawn") == done.stat("dedup/passed/other_feed") == 0


class Forgetting:
    async def process_item(self, item: Any) -> None:
        await asyncio.sleep(0.2)


class ForgettingToo(Forgetting):
    pass


def test_items_that_a_pipeline_forgets_to_return_are_lost(pages: Web, tmp_path: Path) -> None:
    pipelines = {Forgetting: 500, ForgettingToo: 600}
    done, written = crawled(pages, tmp_path, [PASS] * STORIES, {}, ITEM_PIPELINES=pipelines)
    assert written == [[]]
    assert done.stat("dedup/withdrawn") == STORIES
    assert_final(tmp_path, set())
