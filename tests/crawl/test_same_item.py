"""What a spider does with an item after it has yielded it has the same effect as without the add-on."""

import asyncio
import gc
import json
import sys
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any
from weakref import WeakSet

import pytest
import scrapy
from scrapy.exceptions import DropItem

import denoise_scrapy
from denoise_scrapy.crawl.parts import LONGEST_WAIT, MOST_HELD
from denoise_scrapy.crawl.passages import objects_in
from tests.crawl.crawling import ONE_BY_ONE, crawl, spider_of
from tests.crawl.web import Web, article, sentence, story

PAGES = 6
OFF: dict[str, Any] = {"ADDONS": {}}


class Number:
    """A pipeline of a project, such as one that inserts items into a database."""

    def __init__(self) -> None:
        self._last = 0

    def process_item(self, item: Any) -> Any:
        self._last += 1
        item.setdefault("id", self._last)
        return item


@pytest.fixture
def site(web: Web) -> Web:
    web.pages |= {f"/a/{n}": article(n) for n in range(PAGES)}
    web.pages |= {f"/comment/{n}": article(PAGES + n) for n in range(PAGES)}
    return web


def fed(spider: type[scrapy.Spider], folder: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Crawl with and without the add-on; return the items of the first feed if they are the same but for the body."""
    found = []
    for name, more in (("off", OFF), ("on", {"DENOISE_DEDUP": "off"})):
        feeds = {str(folder / f"{name}.jsonl"): {"format": "jsonlines", "overwrite": True}}
        done = crawl(spider, {"ITEM_PIPELINES": {Number: 300}, **settings, **more, "FEEDS": feeds})
        assert not done.lines(" ERROR "), name
        found.append([json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()])
    without, items = found
    rows = [{name: value for name, value in item.items() if name != "body"} for item in items]
    assert sorted(map(str, rows)) == sorted(map(str, without)) and without
    return items


def in_arguments(self: Any, response: Any, post: dict[str, Any]) -> Any:
    return response.follow(f"/comment/{post['n']}", self.comments, cb_kwargs={"post": post})


def in_meta(self: Any, response: Any, post: dict[str, Any]) -> Any:
    return response.follow(f"/comment/{post['n']}", self.from_meta, meta={"posts": [post]})


def in_a_partial(self: Any, response: Any, post: dict[str, Any]) -> Any:
    return response.follow(f"/comment/{post['n']}", partial(self.comments, post=post))


def in_a_closure(self: Any, response: Any, post: dict[str, Any]) -> Any:
    return response.follow(f"/comment/{post['n']}", lambda page: self.comments(page, post))


@dataclass
class Context:
    about: Any


def in_an_object(self: Any, response: Any, post: dict[str, Any]) -> Any:
    given = {"context": Context(MappingProxyType({"posts": (post,)}))}
    return response.follow(f"/comment/{post['n']}", self.from_context, cb_kwargs=given)


def in_an_errback(self: Any, response: Any, post: dict[str, Any]) -> Any:
    return response.follow("/gone", errback=lambda _: self.comments(response, post), dont_filter=True)


@pytest.mark.parametrize("carried", [in_arguments, in_meta, in_a_partial, in_a_closure, in_an_object, in_an_errback])
@pytest.mark.parametrize("settings", [{}, {"DENOISE_ENABLED": False}, {"DENOISE_WORKERS": 1}], ids=str)
def test_an_item_that_is_handed_on_has_what_pipelines_add(
    site: Web, tmp_path: Path, carried: Any, settings: dict[str, Any]
) -> None:
    def parse(self: Any, response: Any) -> Any:
        post = {"url": response.url, "n": int(response.url.rpartition("/")[2])}
        yield post
        yield carried(self, response, post)

    def comments(self: Any, response: Any, post: dict[str, Any]) -> Any:
        assert post["id"]
        post["seen"] = True  # too late for the feed
        return [{"post": post["n"], "url": response.urljoin(f"/comment/{post['n']}")}]

    def from_meta(self: Any, response: Any) -> Any:
        return self.comments(response, response.meta["posts"][0])

    def from_context(self: Any, response: Any, context: Context) -> Any:
        return self.comments(response, context.about["posts"][0])

    callbacks = {"parse": parse, "comments": comments, "from_meta": from_meta, "from_context": from_context}
    spider = spider_of(*site.urls(range(PAGES)), **callbacks)
    settings = {"RETRY_ENABLED": False, "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter", **settings}
    items = [{**item, "id": 0} for item in fed_without_ids(spider, tmp_path, settings)]
    assert len(items) == 2 * PAGES
    if "DENOISE_ENABLED" not in settings:
        assert all(sentence(item["n"]) in item["body"] for item in items if "n" in item)


def test_a_callback_may_await_what_becomes_of_its_item(site: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.passages.TIMEOUT", 0.2)

    async def parse(self: Any, response: Any) -> Any:
        yield (item := {"url": response.url, "stored": (stored := asyncio.Event())})
        await asyncio.wait_for(stored.wait(), LONGEST_WAIT / 2)
        yield {"url": response.url, "late": item["body"]}

    class Stores:
        def process_item(self, item: Any) -> Any:
            if "stored" in item:
                item["stored"].set()
            return item

    done = crawl(spider_of(*site.urls(range(PAGES)), parse=parse), {"ITEM_PIPELINES": {Stores: 300}})
    assert not done.lines(" ERROR ") and len(done.items) == 2 * PAGES
    for first, later in zip(*(sorted(group, key=str) for group in parted(done.items, "late")), strict=True):
        assert first["body"] == later["late"] and sentence(int(first["url"].rpartition("/")[2])) in first["body"]
        assert "body" not in later


def test_a_callback_may_await_what_a_request_with_its_item_brings(site: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.passages.TIMEOUT", 0.2)

    async def parse(self: Any, response: Any) -> Any:
        yield (item := {"url": response.url})
        number, answered = response.url.rpartition("/")[2], asyncio.Event()
        given = {"item": item, "answered": answered}
        yield response.follow(f"/comment/{number}", self.comments, cb_kwargs=given)
        await asyncio.wait_for(answered.wait(), LONGEST_WAIT / 2)

    def comments(self: Any, response: Any, item: dict[str, Any], answered: asyncio.Event) -> Any:
        answered.set()
        yield {"url": response.url, "id of": item["id"]}

    spider = spider_of(*site.urls(range(PAGES)), parse=parse, comments=comments)
    done = crawl(spider, {"ITEM_PIPELINES": {Number: 300}, "DENOISE_DEDUP": "off"})
    assert not done.lines(" ERROR ") and len(done.items) == 2 * PAGES
    assert done.stats["request_depth_max"] == 1 and done.stats["downloader/request_count"] == 2 * PAGES


@pytest.mark.parametrize("closes", [False, True], ids=["ends", "closes the crawl"])
def test_what_was_sent_on_ends_before_its_crawl(site: Web, monkeypatch: pytest.MonkeyPatch, closes: bool) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.passages.TIMEOUT", 0.1)

    async def parse(self: Any, response: Any) -> Any:
        yield (item := {"url": response.url})
        for number in range(3):
            yield response.follow(f"/comment/{number}", self.comments, cb_kwargs={"item": item}, dont_filter=True)
        await asyncio.sleep(0.3)
        if closes:
            ended.append(asyncio.ensure_future(self.crawler.engine.close_spider_async(reason="enough")))

    def comments(self: Any, response: Any, item: dict[str, Any]) -> Any:
        yield {"comment": response.url}

    class Waits:
        async def process_item(self, item: Any) -> Any:
            await asyncio.sleep(0.6 * ("comment" not in item))
            return item

    ended: list[asyncio.Future[None]] = []
    spider = spider_of(*site.urls([0]), parse=parse, comments=comments)
    done = crawl(spider, {"ITEM_PIPELINES": {Waits: 300}, "DENOISE_DEDUP": "off"})
    requests = Counter(item.get("comment", "the story") for item in done.items)
    assert requests.pop("the story") == 1
    assert closes or [*requests.values()] == [1] * 3
    assert done.stats.get("finish_reason") == ("enough" if closes else "finished")


def test_a_response_is_forgotten_though_its_request_holds_it(site: Web) -> None:
    responses = WeakSet[scrapy.http.Response]()

    def parse(self: Any, response: Any) -> Any:
        responses.add(response)
        yield (item := {"url": response.url})
        given = {"item": item, "page": response}
        yield response.follow(f"/comment/{response.url[-1]}", self.comments, cb_kwargs=given)

    def comments(self: Any, response: Any, item: dict[str, Any], page: Any) -> Any:
        known.append(len(responses))
        yield {"comment": response.url}

    def closed(self: Any, reason: str) -> None:
        gc.collect()
        known.append(len(responses))

    known: list[int] = []
    crawl(spider_of(*site.urls(range(PAGES)), parse=parse, comments=comments, closed=closed))
    assert max(known) and known[-1] == 0


def parted(items: list[Any], field: str) -> tuple[list[Any], list[Any]]:
    """Return the items without a field, and those with it."""
    return [item for item in items if field not in item], [item for item in items if field in item]


class Drops:
    """A middleware behind ours."""

    async def process_spider_output(self, response: Any, result: Any) -> Any:
        async for each in result:
            if not isinstance(each, dict) or "post" in each:
                yield each


class Replaces(Drops):
    async def process_spider_output(self, response: Any, result: Any) -> Any:
        async for each in result:
            yield {**each} if isinstance(each, dict) else each


class Delays(Drops):
    """Items come after all requests."""

    async def process_spider_output(self, response: Any, result: Any) -> Any:
        items = []
        async for each in result:
            if isinstance(each, dict):
                items.append(each)
            else:
                yield each
        for each in items:
            yield each


@pytest.mark.parametrize("middleware", [Drops, Replaces, Delays])
def test_no_request_waits_for_an_item_that_does_not_come(
    site: Web, monkeypatch: pytest.MonkeyPatch, middleware: type
) -> None:
    monkeypatch.setattr("denoise_scrapy.crawl.passages.ENTERS_WITHIN", 0.05)

    def parse(self: Any, response: Any) -> Any:
        post = {"url": response.url}
        yield post
        for number in range(PAGES):
            yield response.follow(f"/comment/{number}", self.comments, cb_kwargs={"post": post})

    def comments(self: Any, response: Any, post: dict[str, Any]) -> Any:
        yield {"post": post["url"], "url": response.url}

    spider = spider_of(*site.urls(range(PAGES)), parse=parse, comments=comments)
    done = crawl(spider, {"SPIDER_MIDDLEWARES": {middleware: 5}, "DENOISE_DEDUP": "off"})
    assert len(done.items) == PAGES * (1 + (middleware is not Drops))
    assert done.stats["elapsed_time_seconds"] < LONGEST_WAIT / 2


def fed_without_ids(spider: type[scrapy.Spider], folder: Path, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """The same, whatever the order in which items are numbered."""
    return fed(spider, folder, {**settings, "ITEM_PIPELINES": {Identified: 300}})


class Identified:
    def process_item(self, item: Any) -> Any:
        item.setdefault("id", 1)
        return item


def test_a_list_that_the_spider_keeps_has_what_pipelines_add(site: Web) -> None:
    mine: list[Any] = []

    def parse(self: Any, response: Any) -> Any:
        mine.append({"url": response.url})
        yield mine[-1]

    done = crawl(spider_of(*site.urls(range(PAGES)), parse=parse), {"ITEM_PIPELINES": {Number: 300}})
    assert all(any(item is each for each in done.items) for item in mine)
    assert all(item["id"] and item["body"] for item in mine)


def changed_at_once(self: Any, response: Any) -> Any:
    item = {"url": response.url}
    yield item
    item["more"] = 1


async def changed_after_a_while(self: Any, response: Any) -> Any:
    item = {"url": response.url}
    yield item
    await asyncio.sleep(0.05)
    item["more"] = 1


async def filled_in_turn(self: Any, response: Any) -> Any:
    item = {}
    for n in range(30):
        item["n"] = n
        yield item
        await asyncio.sleep(0.01)


def filled_at_once(self: Any, response: Any) -> Any:
    item = {}
    for n in range(30):
        item["n"] = n
        yield item


@pytest.mark.parametrize("parse", [changed_at_once, changed_after_a_while, filled_in_turn, filled_at_once])
def test_an_item_that_is_changed_after_it_was_yielded(site: Web, tmp_path: Path, parse: Any) -> None:
    fed_without_ids(spider_of(*site.urls(range(PAGES)), parse=parse), tmp_path, {})


@pytest.mark.parametrize("kind", [dict, type("Row", (scrapy.Item,), {"url": scrapy.Field(), "body": scrapy.Field()})])
def test_one_item_that_all_callbacks_fill(site: Web, tmp_path: Path, kind: Any) -> None:
    """Each page arrives while the item of the last one waits for its text."""

    def parse(self: Any, response: Any) -> Any:
        self.item["url"] = response.url
        yield self.item

    spider = spider_of(*site.urls(range(PAGES)), parse=parse, item=kind())
    items = fed(spider, tmp_path, {**ONE_BY_ONE, "ITEM_PIPELINES": {}, "DENOISE_COMPARISON_WAIT": 0.3})
    assert len(items) == PAGES
    assert all(sentence(int(item["url"].rpartition("/")[2])) in item["body"] for item in items)


def test_a_request_is_searched_for_items_in_bounded_time() -> None:
    class Endless(dict[str, Any]):
        def values(self) -> Any:
            return [self] * 10_000

    class Refuses(dict[str, Any]):
        def values(self) -> Any:
            raise RuntimeError

    asked = scrapy.Request("http://a.example/", meta={"one": Endless(), "two": range(10**9), "three": Refuses()})
    assert len([*objects_in(asked)]) == MOST_HELD


def calls_of(spider: type[scrapy.Spider], settings: dict[str, Any]) -> Counter[str]:
    """Crawl, and count the calls of functions of the package once the spider is open."""
    counts: Counter[str] = Counter()
    package = str(Path(denoise_scrapy.__file__).parent)

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(package):
            counts[frame.f_code.co_qualname if sys.version_info >= (3, 11) else frame.f_code.co_name] += 1

    async def start(self: Any) -> Any:
        sys.setprofile(profile)
        for url in spider.start_urls:  # type: ignore[attr-defined]
            yield scrapy.Request(url)

    try:
        crawl(type("Profiled", (spider,), {"start": start}), settings)
    finally:
        sys.setprofile(None)
    return counts


@pytest.mark.parametrize("of", ["settings", "custom_settings", "spider"])
def test_with_the_add_on_disabled_nothing_of_ours_is_called(site: Web, of: str) -> None:
    given: dict[str, Any] = {"DENOISE_ENABLED": False}
    attributes: dict[str, Any] = {"start_urls": site.urls(range(PAGES))}
    attributes |= {"settings": {}, "custom_settings": {"custom_settings": given}, "spider": {"denoise_enabled": False}}[
        of
    ]
    spider = spider_of(**attributes)
    assert not calls_of(spider, given if of == "settings" else {})
    assert calls_of(spider_of(start_urls=attributes["start_urls"]), {})


class Table:
    """Inserts items by their keys, as into a table without our field."""

    def process_item(self, item: Any) -> Any:
        if "body" in item:
            raise RuntimeError("table stories has no column named body")
        return item


class Schema:
    def process_item(self, item: Any) -> Any:
        if item.keys() - {"url"}:
            raise DropItem("additional properties: 'body'")
        return item


class Unwanted:
    def process_item(self, item: Any) -> Any:
        if item["url"].endswith(("0", "1", "2")):
            raise DropItem("not wanted")
        return item


LATER = "has passed the later pipelines"


@pytest.mark.parametrize(
    ("pipeline", "pages", "why"),
    [
        (Table, PAGES, "no column named body"),
        (Schema, PAGES, "additional"),
        (Table, 2, "no column"),
        (Unwanted, PAGES, ""),
    ],
)
def test_later_pipelines_that_lose_all_items_with_our_fields_are_reported(
    site: Web, pipeline: type, pages: int, why: str
) -> None:
    done = crawl(spider_of(*site.urls(range(pages))), {"ITEM_PIPELINES": {pipeline: 300}, **ONE_BY_ONE})
    lines = done.lines(LATER)
    assert [" WARNING " in line and "'body'" in line and why in line for line in lines] == [True] * bool(why)
    lost = pages - len(done.items)
    assert done.stat("body/lost_later") == lost > 0
    [last] = done.lines("denoise at the end")
    assert last.endswith(f"; {lost} items with a body lost in later pipelines")


def test_copies_that_we_drop_are_not_lost_in_later_pipelines(site: Web) -> None:
    site.pages["/copy"] = article(3, text=story(3) + " Shared by a reader of ours.")
    done = crawl(spider_of(site("/a/3"), site("/copy")), ONE_BY_ONE)
    assert len(done.dropped) == done.stat("dedup/duplicates") == 1
    assert done.stat("body/lost_later") == 0 and not done.lines(LATER)


def test_a_name_without_a_value_in_a_callback_carries_nothing() -> None:
    def requests() -> Any:
        yield scrapy.Request("http://a.example/", lambda response: later(response, item), meta={"item": item})
        later = print

    item = {"n": 1}
    assert sum(each is item for each in objects_in(next(requests()))) == 2
