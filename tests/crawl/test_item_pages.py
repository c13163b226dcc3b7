"""Each item has the text of its page, whatever kind of item it is, and nothing is left of it at the end.

Whose text it is, `test_made_spiders.py` checks for any spider; here are the spellings of addresses, and other code.
"""

import asyncio
import dataclasses
import gc
import json
import sqlite3
import weakref
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote_plus

import attrs
import pydantic
import pytest
import scrapy
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from denoise_scrapy.crawl.items import values_of, with_field
from denoise_scrapy.crawl.state import state_of
from tests.crawl.crawling import ONE_BY_ONE, crawl, items_only, spider_of
from tests.crawl.web import Reply, Web, article, sentence, story
from tests.processes import run_python


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    body = scrapy.Field()


class OwnDict(dict[str, Any]):
    """An item class with its own state, such as DottedDict."""


class OwnItem(ScrapyItem):
    def __init__(self, url: str):  # no copy is made by calling it with an item
        super().__init__(url=url)


class Uncopied(dict[str, Any]):
    def __copy__(self) -> None:
        raise TypeError("not to be copied")


class CopiedAsDict(dict[str, Any]):
    def __copy__(self) -> Any:
        return {**self}


class OwnAttributes(dict[str, Any]):
    def __init__(self, **values: Any):
        super().__init__(values)
        self.__dict__ = self


class Ending(OwnDict):
    """Does something at its end, as to remove a file."""

    def __del__(self) -> None:
        pass


@dataclasses.dataclass
class Attached:
    """Known to another object, as a row of SQLAlchemy to its session."""

    url: str
    body: str = ""

    def __post_init__(self) -> None:
        self.me = weakref.ref(self)


class Slot:
    __slots__ = ("me",)


@attrs.define
class Slotted(Slot):
    """With a slot that copies lack, as items of zyte-common-items."""

    url: str
    body: str = ""

    def __attrs_post_init__(self) -> None:
        self.me = "slotted"


@dataclasses.dataclass
class Private:
    """With an attribute that is no field, and that no pickle has, as a lock."""

    url: str
    body: str = ""

    def __post_init__(self) -> None:
        self.me = "private"

    def __getstate__(self) -> dict[str, Any]:
        return {"url": self.url, "body": self.body}


@dataclasses.dataclass
class Bare:
    url: str


FIELDS = [("url", str), ("body", str, "")]
ATTRS = {"url": attrs.field(), "body": attrs.field(default="")}
TYPES: dict[str, Any] = {"url": (str, ...), "body": (str, "")}
KINDS: list[Any] = [
    dict,
    ScrapyItem,
    OwnDict,
    OwnItem,
    Uncopied,
    CopiedAsDict,
    OwnAttributes,
    Ending,
    Attached,
    Slotted,
    Private,
    dataclasses.make_dataclass("DataItem", FIELDS),
    dataclasses.make_dataclass("FrozenItem", FIELDS, frozen=True),
    attrs.make_class("AttrsItem", ATTRS),
    attrs.make_class("AttrsFrozenItem", ATTRS, frozen=True),
    pydantic.create_model("PydanticItem", **TYPES),
    pydantic.create_model("PydanticFrozenItem", __config__=pydantic.ConfigDict(frozen=True), **TYPES),
]


FROZEN = {kind for kind in KINDS if "Frozen" in kind.__name__}


def test_pipelines_get_the_object_that_was_yielded(web: Web, tmp_path: Path) -> None:
    """Of frozen classes, which promise that their objects never change, they get a changed copy."""
    mine: list[Any] = []

    def parse(self: Any, response: Any) -> Any:
        mine.append(KINDS[int(response.url.rpartition("/")[2])](url=response.url))
        yield mine[-1]

    web.pages = {f"/a/{n}": article(n) for n in range(len(KINDS))}
    settings = {"DENOISE_DEDUP": "mark", "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")}
    done = crawl(spider_of(*web.urls(range(len(KINDS))), parse=parse), settings)
    assert {type(item) for item in done.items} == set(KINDS)
    assert all(values_of(item).get("body") for item in done.items)
    assert all(item.me() is item for item in done.items if isinstance(item, Attached))
    assert {item.me for item in done.items if isinstance(item, (Slotted, Private))} == {"slotted", "private"}
    assert {type(item) for item in mine if not any(item is each for each in done.items)} == FROZEN
    assert all(bool(values_of(item).get("body")) is (type(item) not in FROZEN) for item in mine)
    assert done.stat("dedup/checked") == len(KINDS)
    assert done.stat("errors") == 0
    assert len(state_of(done.crawler).passages._open) == 0
    with closing(sqlite3.connect(tmp_path / "texts.sqlite")) as link:
        [counts] = link.execute("SELECT count(*), count(nullif(owner, '')) FROM texts")
    assert counts == (len(KINDS), 0), "each was known again when it was delivered"


def test_what_has_no_field_or_page_or_is_no_item_passes(articles: Web) -> None:
    spider = spider_of(*articles.urls(range(3)), parse=lambda self, response: [Bare(response.url), 5, "text"])
    done = crawl(spider)
    assert [type(item) for item in done.items].count(Bare) == 3
    assert done.stat("body/unset/no_field") == 3
    assert done.log.count("Bare has no field 'body'") == 1
    assert done.stat("errors") == 0
    items = [{"url": "https://nowhere.example/"}, {"name": "no url at all"}]
    done = crawl(items_only(items[0], defaultdict(dict, items[1])))
    assert done.items == items, "a look at it adds nothing"
    assert done.stat("body/none/no_page") == done.stat("body/none/elsewhere") == 1
    assert done.stat("dedup/not_compared/no_text") == 2


def test_a_validator_of_the_item_is_not_circumvented() -> None:
    class Strict(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(validate_assignment=True)
        body: int = 0

    with pytest.raises(pydantic.ValidationError):
        with_field(Strict(), "body", "text")


NO_PAGE = ["", "sku 7", "sku-7", 7, None, [], ["http://a.example/", "http://b.example/"]]
OWN = ["{page}/?#top", "/a/{n}?", ["{page}/?#top"]]
OTHER = ["https://elsewhere.example/a/0", "/a/99", "a/99.html", "http://[", "mailto:a@b.example"]


def test_an_item_has_the_text_of_its_page_unless_it_names_another(web: Web) -> None:
    names = [*NO_PAGE, *OWN, *OTHER]
    web.pages = {f"/a/{n}": article(n) for n in range(len(names))}

    def named(url: Any, n: int) -> Any:
        if isinstance(url, list):
            return [named(one, n) for one in url]
        return url.format(page=web(f"/a/{n}"), n=n) if isinstance(url, str) else url

    def parse(self: Any, response: Any) -> Any:
        n = int(response.url.rpartition("/")[2])
        yield {"n": n, "url": named(names[n], n)}

    done = crawl(spider_of(*web.urls(range(len(names))), parse=parse), {"DENOISE_DEDUP_KEY_FIELD": "n"})
    found = {item["n"]: item.get("body", "") for item in done.items}
    own = len(NO_PAGE) + len(OWN)
    assert all(sentence(n) in found[n] for n in range(own)) and not any(found[n] for n in range(own, len(names)))
    assert done.stat("body/none/elsewhere") == len(OTHER)
    assert done.log.count("names a page that the spider has not fetched") == 1


@dataclasses.dataclass
class Visit:
    """An item about a page that can have no text."""

    url: str


@pytest.mark.parametrize("place", [0, 1, 3])
def test_items_that_can_have_no_text_take_it_from_no_other(articles: Web, place: int) -> None:
    def parse(self: Any, response: Any) -> Any:
        items: list[Any] = [Visit(response.url) for _ in range(3)]
        yield from [*items[:place], ScrapyItem(url=response.url), *items[place:]]

    done = crawl(spider_of(*articles.urls(range(2)), parse=parse))
    assert len(done.items) == 8
    stories = [item for item in done.items if isinstance(item, ScrapyItem)]
    assert sorted(sentence(n) in item["body"] for item in stories for n in range(2)) == [False, False, True, True]


def test_a_page_may_be_named_without_some_parameters_unless_that_page_was_fetched(web: Web) -> None:
    paths = {
        "/a?id=1&ref=top": ("/a?id=1", 0),
        "/b?ref=top": ("/b", 1),
        "/c?id=1": ("/c?id=2", None),
        "/d?id=1": ("/d#part", None),
        "/d?id=2": ("/d/more", None),
        "/e": ("/e", 5),
        "/e?tab=2": ("/e", 5),
    }
    web.pages = {path: article(n) for n, path in enumerate(paths)}

    def parse(self: Any, response: Any) -> Any:
        path = response.url.removeprefix(web.url)
        yield {"url": paths[path][0], "asked": path}

    done = crawl(spider_of(*map(web, paths), parse=parse), ONE_BY_ONE | {"DENOISE_DEDUP": "off"})
    for item in done.items:
        number = paths[item["asked"]][1]
        assert bool(item.get("body")) == (number is not None)
        assert number is None or sentence(number) in item["body"]


def test_a_page_may_be_named_by_the_address_for_which_a_service_fetched_it(web: Web) -> None:
    asked = {
        "/get?key=1&url=https%3A%2F%2Fa.example%2F0%3Fid%3D1&js=1": "https://a.example/0?id=1",
        "/web/2026/http://a.example/1": "http://www.a.example/1/",
        "/share?u=https%3A%2F%2Fa.example%2F2": "https://a.example/3",
        f"/log-in?next={quote_plus(web('/3'))}": web("/3"),
    }
    web.pages = {path: article(n) for n, path in enumerate(asked)}

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.meta["named"]}

    requests = [scrapy.Request(web(path), meta={"named": named}) for path, named in asked.items()]
    done = crawl(spider_of(*requests, parse=parse))
    assert [bool(done.bodies()[name]) for name in asked.values()] == [True, True, False, False]


class Driven(HtmlResponse):
    """A response of another program, whose class has arguments of its own, and no selectors."""

    def __init__(self, page: Any):
        super().__init__(page.url, body=page.body, encoding="utf-8", request=page.request)

    def css(self, query: str) -> Any:
        raise NotImplementedError


class Drives:
    def process_response(self, request: Any, response: Any) -> Any:
        return Driven(response)


@pytest.mark.parametrize("middlewares", [{}, {Drives: 10}], ids=["usual", "driven"])
def test_of_the_addresses_that_a_page_declares_the_first_count(web: Web, middlewares: dict[type, int]) -> None:
    web.pages["/a"] = "".join(f"<link rel=canonical href=/{n}>" for n in range(9)) + article(1)
    for path, given in (("/0", True), ("/8", False)):
        spider = spider_of(web("/a"), parse=lambda self, response, path=path: [{"url": web(path)}])
        done = crawl(spider, {"DOWNLOADER_MIDDLEWARES": middlewares})
        assert [bool(item.get("body")) for item in done.items] == [given]


def test_items_of_one_page_are_no_copies_of_each_other(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield from response.follow_all(["/a/1", "/a/2"], self.named, cb_kwargs={"url": response.url})

    def named(self: Any, response: Any, url: str) -> Any:
        yield {"url": url, "id": response.url[-1]}

    done = crawl(spider_of(articles("/a/0"), parse=parse, named=named), {"DENOISE_DEDUP_KEY_FIELD": "id"})
    assert [sentence(0) in item["body"] for item in done.items] == [True, True]
    assert done.stat("dedup/passed/same_page") == 1


def test_a_page_fetched_for_comparison_is_no_page_of_an_item(linked: Web, other_web: Web) -> None:
    other_web.pages["/late"] = Reply(b"<p>late", seconds=0.6)

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url if response.url.endswith("0") else linked("/a/1")}

    done = crawl(spider_of(linked("/a/0"), other_web("/late"), parse=parse))
    assert done.stat("comparison/requests") == 2
    assert done.bodies()[linked("/a/1")] is None
    assert sentence(0) in done.bodies()[linked("/a/0")]


def test_an_item_keeps_its_page_through_pipelines_that_replace_it(articles: Web) -> None:
    settings = {**ONE_BY_ONE, "ITEM_PIPELINES": {Replacing: -250, Nameless: -150}}
    done = crawl(spider_of(articles("/a/0"), articles("/a/1"), articles("/copy")), settings)
    assert [sentence(0) in item["body"] for item in done.items] == [True, False]
    assert done.of() == [articles("/a/1")]


class Wrapping:
    def process_item(self, item: Any) -> Any:
        return {"wrapped": item}


class Unwrapping:
    def process_item(self, item: Any) -> Any:
        return item["wrapped"]


def test_an_item_that_was_wrapped_meanwhile_is_the_one_that_goes_on(articles: Web) -> None:
    settings = {"ITEM_PIPELINES": {Wrapping: -180, Unwrapping: -150}}
    done = crawl(spider_of(articles("/a/0")), settings)
    assert sentence(0) in done.bodies()[articles("/a/0")]


class Swapping:
    """Returns each of two items for the other, as those that hold items back do."""

    def __init__(self) -> None:
        self._held: Any = None

    async def process_item(self, item: Any) -> Any:
        if self._held is None:
            self._held = item, asyncio.get_running_loop().create_future()
            return await self._held[1]
        self._held[1].set_result(item)
        return self._held[0]


@pytest.mark.parametrize("number", [-250, -150, 900])
def test_an_item_keeps_its_page_through_pipelines_that_return_another_item(articles: Web, number: int) -> None:
    done = crawl(spider_of(articles("/a/0"), articles("/a/1")), {"ITEM_PIPELINES": {Swapping: number}})
    assert all(sentence(n) in done.bodies()[articles(f"/a/{n}")] for n in range(2))
    assert done.stat("dedup/checked") == 2
    assert len(state_of(done.crawler).passages._open) == 0


def test_a_text_that_a_pipeline_between_ours_has_changed_is_compared(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/1"), articles("/copy")), {"ITEM_PIPELINES": {Rewriting: -150}, **ONE_BY_ONE})
    assert [item["body"].isupper() for item in done.items] == [True]
    assert len(done.dropped) == 1


def test_an_item_that_is_yielded_again_from_another_page_gets_the_text_of_that(articles: Web, tmp_path: Path) -> None:
    """This includes the same object, and one passed from a page to the next."""
    articles.pages["/old"] = Reply(status=302, headers={"Location": "/a/2"})
    kept: dict[str, Any] = {"n": 0}

    def parse(self: Any, response: Any) -> Any:
        asked = response.meta.get("redirect_urls", [response.url])[0]
        if asked.endswith(("/a/0", "/old")):
            item = {"n": 1, "url": f"{asked}#part"}
            yield response.follow("/a/1" if asked.endswith("0") else "/a/3", self.finish, cb_kwargs={"item": item})
        else:
            yield kept
            yield response.follow("/a/5", self.again, cb_kwargs={"item": kept})

    def finish(self: Any, response: Any, item: Any) -> Any:
        yield item

    async def again(self: Any, response: Any, item: Any) -> Any:
        await asyncio.sleep(0.3)  # until it has its first text
        yield item

    started = (articles("/a/0"), articles("/old"), articles("/a/4"))
    feed = tmp_path / "items.jsonl"
    spider = spider_of(*started, parse=parse, finish=finish, again=again)
    done = crawl(spider, {"FEEDS": {str(feed): {"format": "jsonlines"}}})
    items = [json.loads(line) for line in feed.read_text("utf-8").splitlines()]
    found = {item.get("url", item["body"]): item["body"] for item in items}
    assert sentence(0) in found.pop(articles("/a/0#part"))
    assert sentence(2) in found.pop(articles("/old#part"))
    assert [n for n in (4, 5) for body in found if sentence(n) in body] == [4, 5] and len(found) == 2
    assert done.stat("errors") == 0
    assert len(state_of(done.crawler).passages._open) == 0


def test_a_request_that_is_sent_again_brings_another_page(web: Web) -> None:
    """The same object: the first answer was a wall."""

    def wall_first(site: Web, handler: Any) -> None:
        is_first = site.count(handler.path) == 1
        reply = article(9, text="Prove that you are no robot. " * 9) if is_first else article(int(handler.path[-1]))
        handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + reply.encode())

    def parse(self: Any, response: Any) -> Any:
        yield response.request if "robot" in response.text else {"url": response.url}

    web.pages = {f"/a/{n}": wall_first for n in range(3)}
    done = crawl(spider_of(*web.urls(range(3)), parse=parse))
    assert all(sentence(n) in done.bodies()[web(f"/a/{n}")] for n in range(3))


def test_of_sessions_that_get_different_pages_at_one_url_each_item_has_its_own(web: Web) -> None:
    """The item comes last, from an answer that is no page and names that URL."""

    def profile(site: Web, handler: Any) -> None:
        reply = article(int(handler.headers["Cookie"][-1]))
        handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + reply.encode())

    async def start(self: Any) -> Any:
        for n in range(4):
            yield scrapy.Request(web("/me"), cookies={"user": n}, meta={"cookiejar": n}, dont_filter=True)

    def parse(self: Any, response: Any) -> Any:
        yield scrapy.Request(web("/more"), self.more, meta=response.meta, dont_filter=True, priority=-5)

    def more(self: Any, response: Any) -> Any:
        yield scrapy.Request(web("/more"), self.last, meta=response.meta, dont_filter=True, priority=-9)

    def last(self: Any, response: Any) -> Any:
        yield {"url": web("/me"), "n": response.meta["cookiejar"]}

    web.pages = {"/me": profile, "/more": Reply(b"{}", headers={"Content-Type": "application/json"})}
    done = crawl(spider_of(start=start, parse=parse, more=more, last=last), {"DENOISE_DEDUP": "off"})
    assert len(done.items) == 4
    assert all(sentence(item["n"]) in item["body"] for item in done.items)


class OfNumber(scrapy.Request):
    """A request whose class takes other arguments."""

    def __init__(self, web: Web, number: int):
        super().__init__(web(f"/a/{number}"), dont_filter=True)


def test_a_request_may_be_sent_again_while_the_item_of_its_answer_waits(articles: Web) -> None:
    async def start(self: Any) -> Any:
        for number in range(3):
            yield OfNumber(articles, number)

    def parse(self: Any, response: Any) -> Any:
        count = response.meta.get("count", 0)
        yield {"url": response.url, "count": count}
        if count < 2:
            response.request.meta["count"] = count + 1
            yield response.request

    settings = {"DENOISE_DEDUP": "off", "DENOISE_COMPARISON_WAIT": 0.5}
    done = crawl(spider_of(start=start, parse=parse), settings)
    assert sorted((item["count"], item["url"]) for item in done.items) == [
        (count, url) for count in range(3) for url in articles.urls(range(3))
    ]
    assert all(sentence(int(item["url"][-1])) in item["body"] for item in done.items)
    assert not done.lines(" ERROR ")


class Keeping:
    """Answers with the response that it kept."""

    kept: ClassVar[dict[str, Any]] = {}

    def process_request(self, request: Any) -> Any:
        return self.kept.get(request.url)

    def process_response(self, request: Any, response: Any) -> Any:
        return self.kept.setdefault(request.url, response)


def test_items_of_a_response_that_comes_again_have_their_texts(articles: Web) -> None:
    Keeping.kept.clear()
    settings = {"DOWNLOADER_MIDDLEWARES": {Keeping: 900}, "DENOISE_DEDUP": "off", **ONE_BY_ONE}
    done = crawl(spider_of(*articles.urls([1, 2, 1, 2])), settings)
    assert [sentence(n) in item["body"] for n, item in zip([1, 2, 1, 2], done.items, strict=True)] == [True] * 4
    assert len(articles.asked) == 2


def test_scrapy_parse_shows_bodies(articles: Web, here: Path) -> None:
    spider = """
import scrapy
class List(scrapy.Spider):
    name = "list"
    def parse(self, response):
        yield {"url": response.url}
        yield {"url": response.url + "#part"}
    """
    (here / "scrapy.cfg").write_text("[settings]\ndefault = settings\n")
    (here / "settings.py").write_text("SPIDER_MODULES = ['spiders']\nADDONS = {'denoise_scrapy.DenoiseAddon': 500}\n")
    (here / "spiders.py").write_text(spider)
    command = ["-m", "scrapy", "parse", "--pipelines", "--spider=list", articles("/a/0")]
    shown = run_python(here, command, apart=True)
    assert shown.returncode == 0 and shown.stdout.count("'body'") == 1
    assert "number 0 line 3" in shown.stdout
    assert "Traceback" not in shown.stderr


def test_an_error_page_the_spider_handles_gets_a_body_but_is_no_example(articles: Web) -> None:
    articles.pages["/gone"] = Reply(article(3, ["/a/1"]).encode(), 404)
    spider = spider_of(articles("/gone"), handle_httpstatus_list=[404])
    done = crawl(spider, {"DENOISE_COMPARISON_SHARE": 0})
    assert sentence(3) in done.bodies()[articles("/gone")]
    assert done.stat("memory/bytes/pages") == 0


def test_pages_that_were_posted_for_are_compared_with_each_other(articles: Web) -> None:
    spider = spider_of(*(scrapy.Request(url, method="POST") for url in articles.urls(range(4))))
    done = crawl(spider)
    assert done.stat("body/evidence/comparison_pages") == 4
    assert done.stat("comparison/requests") == 0


def test_many_items_of_a_page_share_its_text_by_option_and_are_not_compared_by_it(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        for n in range(30):
            yield {"url": response.url, "n": n}

    articles.pages["/a/1"] = articles.pages["/a/0"]
    done = crawl(spider_of(articles("/a/0"), articles("/a/1"), parse=parse), {"DENOISE_SHARED_BODY": True})
    assert len(done.items) == 60
    assert all(sentence(0) in item["body"] for item in done.items)
    assert done.stat("comparison/waits") <= 2
    assert done.stat("dedup/not_compared/shared") == done.stat("body/none/several") == 60
    assert not any("body" in item for item in crawl(spider_of(articles("/a/0"), parse=parse)).items)


class Replacing:
    def process_item(self, item: Any) -> Any:
        return {**item, "replaced": True}


class Rewriting:
    def process_item(self, item: Any) -> Any:
        return {**item, "body": item["body"].upper()}


class Nameless:
    async def process_item(self, item: Any) -> Any:
        await asyncio.sleep(0.01)
        return {"body": item["body"], "n": 1}


class Dropping:
    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("0"):
            raise DropItem("not wanted")
        if item["url"].endswith("1"):
            raise RuntimeError("a pipeline of the user failed")
        return item


@pytest.mark.parametrize("position", [-300, 300])
@pytest.mark.parametrize("pipeline", [Replacing, Dropping])
def test_nothing_is_left_in_the_tables(articles: Web, position: int, pipeline: type) -> None:
    done = crawl(spider_of(*articles.urls(range(4))), {"ITEM_PIPELINES": {pipeline: position}})
    assert len(done.items) == (4 if pipeline is Replacing else 2)
    assert all(done.bodies().values())
    state = state_of(done.crawler)
    gc.collect()
    assert len(state.passages._open) == 0
    assert len(state.pages.crawled) == len(state.pages._asked) == 0
    assert len(state.pages.recent._pages) == 0


def test_no_state_outlives_its_crawler(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/0")))
    crawler, state = weakref.ref(done.crawler), weakref.ref(state_of(done.crawler))
    del done
    gc.collect()
    assert crawler() is None and state() is None


class Rules(CrawlSpider):
    name = "rules"
    rules = (Rule(LinkExtractor(allow=r"/a/\d$"), callback="item", follow=True),)

    async def item(self, response: Any) -> Any:
        request = scrapy.Request(f"{response.url}?more", dont_filter=True)
        more = await self.crawler.engine.download_async(request)
        yield {"url": response.url, "more": len(more.body)}


def test_items_of_rules_and_of_callbacks_that_fetch_themselves_have_their_texts(articles: Web) -> None:
    links = [f"/a/{n}" for n in range(4)]
    articles.pages |= {"/": article(9, links)} | {f"{link}?more": "<p>More" for link in links}
    bodies = crawl(type("Started", (Rules,), {"start_urls": [articles("/")]})).bodies()
    assert len(bodies) == 4
    assert all(sentence(n) in bodies[articles(f"/a/{n}")] for n in range(4))


def test_items_of_an_answer_that_is_no_page_are_compared_by_their_own_text(web: Web) -> None:
    listed = json.dumps([{"url": web(f"/p/{n}"), "text": story(n % 2)} for n in range(4)])
    web.pages["/api"] = Reply(listed.encode(), headers={"Content-Type": "application/json"})
    spider = spider_of(web("/api"), parse=lambda self, response: response.json())
    done = crawl(spider, {"DENOISE_DEDUP_FIELDS": "text"})
    assert len(done.items) == len(done.dropped) == 2 and not any("body" in item for item in done.items)
    assert len(crawl(spider).items) == 4
