"""Ways on which items come into a crawl, and whose text each item may have.

A story is the number of a page: `/a/7` tells story 7, and no other page does.
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from itemadapter import ItemAdapter
from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, DropItem, IgnoreRequest

from tests.crawl.crawling import Crawl
from tests.crawl.names import LOCAL, Names
from tests.crawl.rude_web import closes, never
from tests.crawl.web import Reply, article

TOLD = re.compile(r"number (\d+) line")
SLOWEST = 0.15  # seconds that callbacks sleep at most, some times as long as a page takes

# Pages that end in an errback. With `Fails`, the fetch of each is ended by the middleware.
FAILURES = {
    "refused": "http://127.0.0.1:{closed}/{n}",
    "broken off": "{web}/closes/{n}",
    "timed out": "{web}/never/{n}",
    "unknown host": "http://nowhere.invalid/{n}",
    "ignored": "{web}/ignored/{n}",
    "ignored answer": "{web}/ignored-answer/{n}",
    "bad answer": "{web}/gone/{n}",
    "refused by a spider middleware": "{web}/unwanted/{n}",
}
WITH_PAGE = ("bad answer", "refused by a spider middleware")  # the errback is called for a page
ERRBACKS = ("at once", "late", "of its address", "fetching", "fetching and naming", "going on")
CALLBACKS = (
    *("naming", "silent", "late", "fetching", "fetching and naming", "handing on", "handing on in meta"),
    *("handing on and naming", "starting a task", "failing", "dropped later", "failed later"),
)
ONCE = ("engine_started", "spider_opened")
SIGNALS = (
    *("scheduler_empty", "spider_idle", "spider_error", "request_scheduled", "request_dropped"),
    *("request_reached_downloader", "request_left_downloader", "response_received", "response_downloaded"),
    *("headers_received", "bytes_received", "item_scraped", "item_dropped", "item_error"),
)
MIDDLEWARES = {"farther": 543, "just farther": 11, "just nearer": 9, "nearer": 1}  # ours is at 10
PLACES = ("before", "after", "for an error", "at the start")
WAYS = (
    *(f"errback {how}: {why}" for why in FAILURES for how in ERRBACKS),
    *(f"callback {how}" for how in CALLBACKS),
    *(f"signal {name}" for name in (*ONCE, *SIGNALS)),
    *("signal with an answer", "signal awaited"),
    *(f"spider middleware {where} {place}" for where in MIDDLEWARES for place in PLACES),
    *(f"downloader middleware {place}" for place in ("request", "answer", "failure")),
    "start",
)


@dataclass
class Handed:
    """An item as it was handed to the crawl: its way, and the stories that its text may be, None for no text."""

    way: str
    stories: set[int | None]


@dataclass
class Ways:
    """The items of a crawl, which come on some ways, each that many times."""

    web: Any
    wanted: Counter[str]
    kind: Callable[..., Any] = dict
    seed: int = 0
    handed: list[Handed] = field(default_factory=list)
    pages: int = 0
    tasks: list[asyncio.Future[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.web.pages = Pages()
        with socket.socket() as unused:
            unused.bind((LOCAL, 0))
            self.closed = unused.getsockname()[1]

    def item(self, way: str, *stories: int | None, url: str = "") -> Any:
        """Return a new item whose text may be one of these stories."""
        self.handed.append(Handed(way, set(stories)))
        return self.kind(n=len(self.handed) - 1, way=way, **({"url": url} if url else {}))

    def without(self, way: str) -> Any:
        """Return a new item that may have no text."""
        return self.item(way, None)

    def due(self, way: str) -> bool:
        """Return whether a further item is to come on a way, and count it."""
        self.wanted[way] -= 1
        return self.wanted[way] >= 0

    def new_page(self) -> int:
        self.pages += 1
        return self.pages

    def moment(self) -> float:
        return self.chance.uniform(0, SLOWEST)

    def go_on(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside the caller, in its context."""
        self.tasks.append(asyncio.ensure_future(work))

    def problems(self, done: Crawl) -> Iterator[tuple[str, str]]:
        """What is wrong about the items of a finished crawl, each with the item's way."""
        ends = Counter(ItemAdapter(item).get("n") for item in [*done.items, *(item for item, _ in done.dropped)])
        for n, handed in enumerate(self.handed):
            if ends[n] != (handed.way != "callback failed later"):
                yield handed.way, f"item {n} came to {ends[n]} ends"
        for item, why in done.dropped:
            if ItemAdapter(item).get("way") != "callback dropped later":
                yield ItemAdapter(item).get("way"), f"dropped: {why}"
        for item in done.items:
            handed = self.handed[ItemAdapter(item).get("n")]
            found: set[int | None] = set(map(int, TOLD.findall(ItemAdapter(item).get("body") or "")))
            found = found or {None}
            if len(found) > 1 or not found <= handed.stories:
                yield handed.way, f"item {ItemAdapter(item).get('n')} tells {found}, may tell {handed.stories}"


class Pages(dict[str, Any]):
    """The pages of a site without end."""

    def get(self, path: str, default: Any = None) -> Any:
        _, kind, number = path.split("/")
        html = article(int(number))
        answers = {"closes": closes, "never": never, "gone": Reply(html.encode(), 404)}
        return answers.get(kind, html)


class SomeNames(Names):
    """A resolver that knows no host under `.invalid`."""

    def resolveHostName(self, receiver: Any, name: str, *more: Any, **named: Any) -> Any:  # noqa: N802
        self.answers = [[] if name.endswith(".invalid") else [LOCAL]]
        return super().resolveHostName(receiver, name, *more, **named)


def story_of(page: Any) -> int:
    return int(page.url.rpartition("/")[2])


class Component:
    """What the spider's components share."""

    def __init__(self, crawler: Any):
        self.crawler = crawler
        self.ways: Ways = crawler.spidercls.ways

    @classmethod
    def from_crawler(cls, crawler: Any) -> Any:
        return cls(crawler)

    async def hand_in(self, item: Any, response: Any = None) -> None:
        await self.crawler.engine.scraper.start_itemproc_async(item, response=response)


class Downloads(Component):
    """A downloader middleware that ends some requests, and hands in items beside them."""

    def process_request(self, request: Any) -> None:
        if request.url.startswith(f"{self.ways.web.url}/ignored/"):
            raise IgnoreRequest("not wanted")
        self._may_hand_in("request")

    async def process_response(self, request: Any, response: Any) -> Any:
        if "/ignored-answer/" in request.url:
            raise IgnoreRequest("not wanted")
        way = "downloader middleware answer"
        if self.ways.due(way):
            await self.hand_in(self.ways.without(way))
        return response

    def process_exception(self, request: Any, exception: Exception) -> None:
        self._may_hand_in("failure")

    def _may_hand_in(self, place: str) -> None:
        way = f"downloader middleware {place}"
        if self.ways.due(way):
            self.ways.go_on(self.hand_in(self.ways.without(way)))


class Adds(Component):
    """A spider middleware that adds items before and after those of a callback, for an error, and at the start."""

    where: ClassVar[str]

    def __init_subclass__(cls, where: str) -> None:
        cls.where = f"spider middleware {where}"

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        async for each in start:
            if self.ways.due(f"{self.where} at the start"):
                yield self.ways.without(f"{self.where} at the start")
            yield each

    async def process_spider_output(self, response: Any, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        way = response.meta.get("way", "")
        if way == f"{self.where} before":
            yield self.ways.item(way, story_of(response), None)
        async for each in result:
            yield each
        if way == f"{self.where} after":
            yield self.ways.item(way, story_of(response), None)

    def process_spider_exception(self, response: Any, exception: Exception) -> list[Any] | None:
        way = response.meta.get("way", "")
        if way != f"{self.where} for an error":
            return None
        return [self.ways.item(way, story_of(response), None)]


class Farther(Adds, where="farther"):
    def process_spider_input(self, response: Any) -> None:
        if "/unwanted/" in response.url:
            raise RuntimeError("a page that the spider is not to see")


class JustFarther(Adds, where="just farther"):
    pass


class JustNearer(Adds, where="just nearer"):
    pass


class Nearer(Adds, where="nearer"):
    pass


class Picky:
    """A pipeline that drops some items and fails on others."""

    async def process_item(self, item: Any) -> Any:
        if ItemAdapter(item).get("way") == "callback dropped later":
            raise DropItem("not wanted")
        if ItemAdapter(item).get("way") == "callback failed later":
            raise RuntimeError("on purpose")
        return item


class Listens(Component):
    """Hands in items when signals arrive."""

    def __init__(self, crawler: Any):
        super().__init__(crawler)
        self._handlers = [self._handler(name) for name in (*ONCE, *SIGNALS)]  # signals hold them weakly
        for name, handler in zip((*ONCE, *SIGNALS), self._handlers, strict=True):
            crawler.signals.connect(handler, getattr(signals, name))
        crawler.signals.connect(self.answered, signals.response_received)
        crawler.signals.connect(self.scraped, signals.item_scraped)

    def _handler(self, name: str) -> Callable[..., None]:
        way = f"signal {name}"

        def handle(**_: Any) -> None:
            while self.ways.due(way):
                self.ways.go_on(self.hand_in(self.ways.without(way)))
                if name not in ONCE:
                    break
            if name == "spider_idle" and not all(task.done() for task in self.ways.tasks):
                self.crawler.engine.crawl(self.crawler.spider.page(self.crawler.spider.parse_waiting, ""))
                raise DontCloseSpider

        return handle

    def answered(self, response: Any, request: Any) -> None:
        way = "signal with an answer"
        if request.meta.get("way") == way and self.ways.due(way):
            self.ways.go_on(self.hand_in(self.ways.item(way, story_of(response), None), response))

    async def scraped(self, item: Any) -> None:
        way = "signal awaited"
        if ItemAdapter(item).get("way") != way and self.ways.due(way):
            await self.hand_in(self.ways.without(way))


class WaysSpider(Spider):
    """Requests pages in any order, so that items come on all ways at once."""

    name = "ways"
    ways: ClassVar[Ways]
    custom_settings: ClassVar[dict[str, Any]] = {
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
        "RETRY_ENABLED": False,
        "EXTENSIONS": {Listens: 0},
        "ITEM_PIPELINES": {Picky: 300},
        "DOWNLOADER_MIDDLEWARES": {Downloads: 543},
        "SPIDER_MIDDLEWARES": dict(zip((Farther, JustFarther, JustNearer, Nearer), MIDDLEWARES.values(), strict=True)),
    }

    async def start(self) -> AsyncIterator[Any]:
        plan = sorted(self.ways.wanted.elements())
        self.ways.chance.shuffle(plan)
        yield self.page(self.parse_naming, "callback naming")
        for way in plan:
            if way == "start":
                yield self.ways.without(way)
            elif request := self.request_for(way):
                yield request
            # a story, which others may take the text of
            yield self.page(self.parse_naming, "callback naming")

    def page(self, callback: Any, way: str, kind: str = "a", **more: Any) -> Request:
        """Return a request for a page with a story of its own."""
        url = f"{self.ways.web.url}/{kind}/{self.ways.new_page()}"
        return Request(url, callback, meta={"way": way, **more.pop("meta", {})}, **more)

    def request_for(self, way: str) -> Request | None:
        """Return the request that an item comes from; None if it comes from elsewhere."""
        sort, _, how = way.partition(" ")
        if sort == "errback":
            how, _, why = how.partition(": ")
            ways, n = self.ways, self.ways.new_page()
            url = FAILURES[why].format(web=ways.web.url, closed=ways.closed, n=n)
            errback = getattr(self, f"failed_{how.replace(' ', '_')}")
            return Request(url, self.parse_naming, errback=errback, meta={"way": way, "download_timeout": 0.6})
        if sort == "callback":
            return self.page(getattr(self, f"parse_{how.replace(' ', '_')}"), way)
        if way == "signal spider_error":
            return self.page(self.parse_failing, way)
        if way == "signal request_dropped":
            return Request(f"{self.ways.web.url}/a/1", self.parse_naming)  # it was requested before
        if way.endswith("for an error"):
            return self.page(self.parse_failing, way)
        if way.endswith((" before", " after", "with an answer")):
            return self.page(self.parse_naming, way)
        return None

    def own(self, response: Any, url: str = "") -> Any:
        """Return an item of a page, which has its text."""
        return self.ways.item(response.meta["way"], story_of(response), url=url)

    def parse_naming(self, response: Any) -> Iterator[Any]:
        yield self.own(response, response.url)

    def parse_silent(self, response: Any) -> Iterator[Any]:
        yield self.own(response)

    parse_dropped_later = parse_failed_later = parse_silent

    async def parse_late(self, response: Any) -> AsyncIterator[Any]:
        await asyncio.sleep(self.ways.moment())
        yield self.own(response)
        await asyncio.sleep(self.ways.moment())

    async def fetched(self) -> Any:
        """Fetch a page without a callback."""
        return await self.crawler.engine.download_async(self.page(None, ""))

    async def parse_fetching(self, response: Any) -> AsyncIterator[Any]:
        await self.fetched()
        yield self.own(response)

    async def parse_fetching_and_naming(self, response: Any) -> AsyncIterator[Any]:
        other = await self.fetched()
        yield self.ways.item(response.meta["way"], story_of(other), url=other.url)

    def parse_handing_on(self, response: Any) -> Iterator[Any]:
        yield self.page(self.parse_handed, response.meta["way"], cb_kwargs={"url": ""})

    def parse_handing_on_and_naming(self, response: Any) -> Iterator[Any]:
        yield self.page(self.parse_handed, response.meta["way"], cb_kwargs={"url": response.url})

    def parse_handed(self, response: Any, url: str) -> Iterator[Any]:
        story = int(url.rpartition("/")[2]) if url else story_of(response)
        yield self.ways.item(response.meta["way"], story, url=url)

    async def parse_handing_on_in_meta(self, response: Any) -> AsyncIterator[Any]:
        """Hand on the item itself, which its next page completes."""
        item = self.ways.item(response.meta["way"])
        yield self.page(self.parse_item, response.meta["way"], meta={"item": item})

    async def parse_item(self, response: Any) -> AsyncIterator[Any]:
        item = response.meta["item"]
        self.ways.handed[ItemAdapter(item).get("n")].stories = {story_of(response)}
        await asyncio.sleep(self.ways.moment())
        yield item

    def parse_starting_a_task(self, response: Any) -> None:
        """Hand in an item by a task that goes on after the callback."""
        item, moment = self.ways.item(response.meta["way"], story_of(response), None), self.ways.moment()

        async def go_on() -> None:
            await asyncio.sleep(moment)
            await self.crawler.engine.scraper.start_itemproc_async(item, response=None)

        self.ways.go_on(go_on())

    async def parse_waiting(self, response: Any) -> None:
        """Keep the crawl from its end while tasks go on."""
        await asyncio.wait([*self.ways.tasks])

    def parse_failing(self, response: Any) -> Iterator[Any]:
        yield self.ways.item("callback failing", story_of(response), url=response.url)
        raise RuntimeError("on purpose")

    def failure(self, failure: Any, *stories: int, url: str = "") -> Any:
        """Return an item of an errback. A page that came after all is its own; the text of others it may not have."""
        way, own = failure.request.meta["way"], story_of(failure.request)
        may = stories or ((own, None) if way.partition(": ")[2] in WITH_PAGE else (None,))
        return self.ways.item(way, *may, url=url)

    def failed_at_once(self, failure: Any) -> list[Any]:
        return [self.failure(failure)]

    async def failed_late(self, failure: Any) -> AsyncIterator[Any]:
        await asyncio.sleep(self.ways.moment())
        yield self.failure(failure)

    def failed_of_its_address(self, failure: Any) -> Iterator[Any]:
        yield self.failure(failure, url=failure.request.url)

    async def failed_fetching(self, failure: Any) -> AsyncIterator[Any]:
        await self.fetched()
        yield self.failure(failure)

    async def failed_fetching_and_naming(self, failure: Any) -> AsyncIterator[Any]:
        other = await self.fetched()
        yield self.failure(failure, story_of(other), url=other.url)

    def failed_going_on(self, failure: Any) -> Iterator[Any]:
        yield self.failure(failure)
        yield self.page(self.parse_silent, "callback silent")


def spider_of(ways: Ways) -> type[WaysSpider]:
    return type("MadeSpider", (WaysSpider,), {"ways": ways})
