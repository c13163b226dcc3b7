"""With other middlewares, pipelines and hooks: we see the pages they produce, and change nothing."""

import asyncio
from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import urljoin

import pytest
import scrapy
from scrapy.http import HtmlResponse, TextResponse
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.defer import ensure_awaitable

from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article, sentence

LINKS = [f"/a/{n}" for n in range(1, 6)]
# Numbers of Scrapy's own middlewares, of its template, and beyond.
NUMBERS = [0, 1, 49, 543, 546, 900, 999]


@pytest.fixture
def late(other_web: Web) -> str:
    """A page requested when siblings of others have been fetched."""
    other_web.pages["/late"] = Reply(b"<p>late", seconds=0.7)
    return other_web("/late").replace("127.0.0.1", "localhost")  # else its server would be the crawl's


def following(
    url: str, late: str, links: Sequence[str] = LINKS, cls: type[scrapy.Request] = scrapy.Request, **request: Any
) -> type[scrapy.Spider]:
    """A spider that yields a page's item, and then requests the page's links, whose siblings were fetched for it."""

    def follow(self: Any, response: Any) -> Any:
        for link in links:
            yield cls(urljoin(url, link), **request)

    async def start(self: Any) -> Any:
        yield cls(url, **request)
        yield scrapy.Request(late, self.follow)

    return spider_of(
        start=start,
        parse=lambda self, response: [{"url": response.url, "said": response.css("h1::text").get()}],
        follow=follow,
    )


class Subclass(scrapy.Request):
    """A response class like those of plugins for rendered pages."""


def rendering(asked: list[scrapy.Request]) -> type:
    """A middleware that renders marked requests, like those for browsers."""

    class Rendering:
        def process_request(self, request: Any) -> Any:
            if request.meta.get("render") or isinstance(request, Subclass):
                asked.append(request)
                number = int(request.url.rpartition("/")[2])
                html = article(number, LINKS).replace("Heading", "Rendered")
                return HtmlResponse(request.url, body=html, encoding="utf-8", request=request)
            return None

    return Rendering


class Timing:
    """Stores its data in the meta of a request, and removes it again."""

    def process_request(self, request: Any) -> None:
        request.meta["began"] = 1

    def process_response(self, request: Any, response: Any) -> Any:
        assert request.meta.pop("began") == 1
        return response


@pytest.mark.parametrize("asked", [{"meta": {"render": True}}, {"cls": Subclass}])
@pytest.mark.parametrize(("number", "other"), [(None, 900), (None, 999), (800, 546), (800, 0), (100, 1), (100, 49)])
def test_each_request_of_the_spider_is_answered_as_it_asks_and_seen_at_both_ends(
    linked: Web, late: str, asked: dict[str, Any], number: int | None, other: int
) -> None:
    rendered: list[scrapy.Request] = []
    middlewares = {rendering(rendered): number, Timing: other}  # None: not in use
    done = crawl(following(linked("/a/0"), late, **asked), {"DOWNLOADER_MIDDLEWARES": middlewares})
    assert (done.stat("comparison/requests"), len(done.items), len(rendered)) == (2, 6, 6 if number else 0)
    assert {item["said"].split()[0] for item in done.items} == {"Rendered" if number else "Heading"}
    assert "AssertionError" not in done.log and "KeyError" not in done.log


def renewing(web: Web, number: int) -> Any:
    """A page that renews the session with each response, and rejects old sessions."""

    def behave(self: Web, handler: Any) -> None:
        sent = handler.headers.get("Cookie", "")
        if sent and sent != web.valid:
            handler.send_error(403)
            return
        token = f"session={len(web.asked)}"
        if sent or not web.valid:
            web.valid = token
        body = article(number, LINKS).encode()
        head = f"Content-Type: text/html\r\nSet-Cookie: {token}; Path=/\r\nContent-Length: {len(body)}\r\n\r\n"
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + body)

    return behave


@pytest.mark.parametrize("meta", [{}, {"cookiejar": 3}])
def test_the_spider_s_session_is_its_own(web: Web, late: str, meta: dict[str, Any]) -> None:
    web.pages |= {f"/a/{n}": renewing(web, n) for n in range(6)}
    done = crawl(following(web("/a/0"), late, meta=meta), {"CONCURRENT_REQUESTS": 1})
    assert done.stat("comparison/requests") == 2
    assert len(done.items) == 6
    ours = [headers for _, path, headers in web.requests[1:3]]
    assert all("cookie" not in headers for headers in ours)
    assert all("cookie" in headers for _, _, headers in web.requests[3:])


class Decrypts:
    """Reverses the body of a page."""

    def process_response(self, request: Any, response: Any) -> Any:
        return response.replace(body=response.body[::-1], cls=HtmlResponse) if "/a/" in response.url else response


class Answers:
    """Answers requests itself."""

    cls: type[TextResponse] = HtmlResponse

    def process_request(self, request: Any) -> Any:
        path = request.url.rpartition("/")[2]
        return self.cls(request.url, body=article(int(path)).encode()) if path.isdigit() else None


class AnswersInText(Answers):
    """Does so with a class that does not say that they are HTML."""

    cls = type("Rendered", (TextResponse,), {})


class Elsewhere:
    """Requests a page under another address, and returns its response to the spider."""

    crawler: Any

    @classmethod
    def from_crawler(cls, crawler: Any) -> Any:
        made = cls()
        made.crawler = crawler
        return made

    async def process_request(self, request: Any) -> Any:
        if "/b/" not in request.url:
            return None
        return await self.crawler.engine.download_async(scrapy.Request(request.url.replace("/b/", "/a/")))


@pytest.mark.parametrize(
    ("middleware", "number"),
    [
        *((one, number) for one in (Decrypts, Answers) for number in NUMBERS),
        *((Elsewhere, number) for number in (1, 543)),
        (AnswersInText, 543),
    ],
)
def test_the_page_is_the_one_that_the_spider_receives(web: Web, middleware: type, number: int) -> None:
    if not issubclass(middleware, Answers):
        web.pages |= {f"/a/{n}": article(n)[:: -1 if middleware is Decrypts else 1] for n in range(4)}
    urls = [web(f"/{'b' if middleware is Elsewhere else 'a'}/{n}") for n in range(4)]
    done = crawl(spider_of(*urls), {"DOWNLOADER_MIDDLEWARES": {middleware: number}, "COMPRESSION_ENABLED": False})
    for n in range(4):
        body = done.bodies()[web(f"/a/{n}")]
        assert sentence(n) in body and "rights reserved" not in body
    assert done.stat("pages/parsed") == 4
    assert bool(web.asked) != issubclass(middleware, Answers)


class First:
    seen: ClassVar[list[Any]] = []

    def process_item(self, item: Any) -> Any:
        self.seen.append(item.get("body"))
        return item


class Second(First):
    pass


OURS = {"denoise_scrapy.pipelines.BodyPipeline": 300}


@pytest.mark.parametrize(
    ("pipelines", "own", "passed", "last"),
    [
        *(({First: number}, own, [], "") for number in (0, 1, 1000) for own in ({}, {"body": "of its own"})),
        *(({First: number}, {"body": "of its own"}, [], "") for number in (-900, -150)),
        ({First: -900}, {}, [First], "NearDuplicatePipeline (-100)"),
        ({First: -150}, {}, [], ""),
        ({First: -900, Second: -201}, {}, [First, Second], "NearDuplicatePipeline (-100)"),
        ({First: 1, Second: 2, **OURS}, {}, [First, Second], "BodyPipeline (300)"),
    ],
)
def test_the_log_names_once_each_pipeline_that_items_have_passed_without_a_body(
    linked: Web, pipelines: dict[Any, int], own: dict[str, str], passed: list[type], last: str
) -> None:
    First.seen.clear()
    spider = spider_of(*linked.urls(range(3)), parse=lambda self, response: [{"url": response.url, **own}])
    done = crawl(spider, {"ITEM_PIPELINES": pipelines})
    names = {one: f"{__name__}.{one.__name__} ({number})" for one, number in pipelines.items() if one not in OURS}
    lines = done.lines("receives items without 'body'")
    assert [" ".join(line.split()[2:4]) for line in lines] == [names[one] for one in passed]
    assert all(" WARNING " in line and line.endswith(f"than {last}") for line in lines)
    assert [bool(body) for body in First.seen] == [not passed] * 3 * len(names)
    assert all(item["body"] for item in done.items)


def first() -> First:
    return First()


class MakesFirst:
    @classmethod
    def from_crawler(cls, _: Any) -> First:
        return First()


@pytest.mark.parametrize("entry", [first, MakesFirst])
def test_the_log_names_pipelines_by_their_entries(linked: Web, entry: Any) -> None:
    done = crawl(spider_of(linked("/a/0")), {"ITEM_PIPELINES": {entry: -900}})
    [line] = done.lines("receives items without 'body'")
    assert f"{__name__}.{entry.__name__} (-900)" in line
    assert done.stat("errors") == 0


class InTasks(ItemPipelineManager):
    """Runs pipelines in a task for each item, which leaves nothing in the context of the signals."""

    async def process_item_async(self, item: Any) -> Any:
        return await asyncio.create_task(super().process_item_async(item))


class Plain:
    """Has no more of a usual manager than Scrapy calls, and the methods of pipelines."""

    def __init__(self, crawler: Any):
        self._usual = ItemPipelineManager.from_crawler(crawler)
        self.methods: Any = self._usual.methods
        self.open_spider_async, self.close_spider_async = self._usual.open_spider_async, self._usual.close_spider_async

    from_crawler = classmethod(lambda cls, crawler: cls(crawler))

    async def process_item_async(self, item: Any) -> Any:
        for method in self.methods["process_item"]:
            item = await ensure_awaitable(method(item))
        return item


class Renews:
    def process_item(self, item: Any) -> Any:
        return {**item}


@pytest.mark.parametrize("manager", [InTasks, Plain])
def test_an_item_that_was_replaced_in_another_task_is_delivered_at_once(linked: Web, manager: type) -> None:
    linked.pages["/a/2"] = linked.pages["/a/1"]
    done = crawl(spider_of(*linked.urls((1, 2))), {"ITEM_PROCESSOR": manager, "ITEM_PIPELINES": {Renews: 1000}})
    assert len(done.items) == done.stat("dedup/duplicates") == 1
