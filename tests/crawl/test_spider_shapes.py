"""Spiders of the shapes people write: each item has its own text or none; only copies of delivered items are dropped.

More of what callbacks do is made up in `test_made_spiders.py`.
"""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
import scrapy
from itemadapter import ItemAdapter
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from tests.crawl.crawling import Crawl, crawl
from tests.crawl.web import Reply, Web, article, sentence, story

PAGES = 6
COPY = 1  # /p/5 repeats the story of this page


def site(web: Web) -> None:
    """A list of pages, the pages, a copy among them, pages with more on each, an API."""
    names = [f"/p/{n}" for n in range(PAGES)]
    entries = "".join(f"<div class=e><a href={name}>Entry {name}</a><p>Teaser of {name}.</p></div>" for name in names)
    web.pages["/"] = f"<title>All</title><body><div id=top>Daily Gazette</div>{entries}<div>All rights reserved</div>"
    for n, name in enumerate(names):
        is_copy = n == PAGES - 1
        web.pages[name] = article(COPY, names, story(COPY) + " Shared by a reader.") if is_copy else article(n, names)
        web.pages[f"/more/{n}"] = f"<title>More</title><body><p>Figures on story {n}.</p>"
    listed = json.dumps([{"url": web(name), "text": story(40 + n)} for n, name in enumerate(names)])
    web.pages["/api"] = Reply(listed.encode(), headers={"Content-Type": "application/json"})


@dataclasses.dataclass
class Shape:
    """A spider, and what must come of its items.

    `is_of` of an item is the number of the story that its body has to be, None where it must have none.
    """

    spider: Callable[[Web], type[scrapy.Spider]]
    items: int
    dropped: int = 0
    settings: dict[str, Any] = dataclasses.field(default_factory=dict)


def spider(start: Callable[[Web], list[str]], **methods: Any) -> Callable[[Web], type[scrapy.Spider]]:
    return lambda web: type("ShapeSpider", (scrapy.Spider,), {"name": "shape", "start_urls": start(web), **methods})


def home(web: Web) -> list[str]:
    return [web("/")]


def pages(web: Web) -> list[str]:
    return [web(f"/p/{n}") for n in range(PAGES)]


def number_of(url: str) -> int:
    number = int(url.rpartition("/")[2])
    return COPY if number == PAGES - 1 else number


def list_and_details(self: Any, response: Any) -> Any:
    for link in response.css(".e a"):
        yield {"url": response.urljoin(link.attrib["href"]), "name": link.css("::text").get(), "is_of": None}
    yield from response.follow_all(css=".e a", callback=self.detail)


def detail(self: Any, response: Any) -> Any:
    yield {"url": response.url, "is_of": number_of(response.url)}


def shop(self: Any, response: Any) -> Any:
    yield from response.follow_all(css=".e a", callback=self.product)


def product_and_reviews(self: Any, response: Any) -> Any:
    yield {"review": "Not bad at all", "is_of": None}
    yield {"url": response.url, "is_of": number_of(response.url)}
    for n in range(3):
        yield {"url": f"{response.url}#review-{n}", "review": f"Bought it {n} times", "is_of": None}


def api(self: Any, response: Any) -> Any:
    for entry in response.json():
        yield {"url": entry["url"], "text": entry["text"], "is_of": None}


async def started(self: Any) -> Any:
    for n in range(PAGES):
        yield {"url": f"{self.base}/p/{n}", "is_of": None}
    yield {"name": "no page at all", "is_of": None}
    for url in self.pages:
        yield scrapy.Request(url, self.detail)


def crawl_spider(web: Web) -> type[scrapy.Spider]:
    rules = (Rule(LinkExtractor(allow=r"/p/\d"), callback="detail", follow=True),)
    return type("Rules", (CrawlSpider,), {"name": "rules", "start_urls": home(web), "rules": rules, "detail": detail})


def fails(self: Any, response: Any) -> Any:
    yield {"url": response.url, "is_of": number_of(response.url)}
    raise RuntimeError("on purpose")


async def async_callback(self: Any, response: Any) -> Any:
    more = await self.crawler.engine.download_async(scrapy.Request(response.url.replace("/p/", "/more/")))
    yield {"url": response.url, "is_of": number_of(response.url), "more": more.css("p::text").get()}


OWN_TEXT = {"DENOISE_DEDUP_FIELDS": "text"}
ONE_COPY = {"items": PAGES, "dropped": 1}


def starting(web: Web) -> type[scrapy.Spider]:
    found = {"name": "starting", "start": started, "base": web.url, "pages": pages(web), "detail": detail}
    return type("Starting", (scrapy.Spider,), found)


SHAPES: dict[str, Shape] = {
    "list, details followed": Shape(spider(home, parse=list_and_details, detail=detail), 2 * PAGES, 1),
    "shop, a product and its reviews": Shape(spider(home, parse=shop, product=product_and_reviews), 5 * PAGES, 1),
    "JSON API": Shape(spider(lambda web: [web("/api")], parse=api), PAGES),
    "JSON API, compared by a field": Shape(spider(lambda web: [web("/api")], parse=api), PAGES, settings=OWN_TEXT),
    "items of start()": Shape(starting, 2 * PAGES + 1, 1),
    "CrawlSpider": Shape(crawl_spider, **ONE_COPY),
    "an async callback": Shape(spider(pages, parse=async_callback), **ONE_COPY),
    "a callback that fails": Shape(spider(pages, parse=fails), **ONE_COPY),
}


def run(shape: Shape, web: Web, milliseconds: int) -> Crawl:
    site(web)
    web.seconds, web.in_any_order = milliseconds / 1000, True
    settings = {"DENOISE_DEDUP_VARIANTS": "drop", **shape.settings}  # what items bring here is a number of the page
    return crawl(shape.spider(web), settings)


def stories_in(item: Any) -> list[int]:
    body = ItemAdapter(item).get("body") or ""
    return [number for number in range(PAGES) if sentence(number) in body]


@pytest.mark.parametrize("milliseconds", [0, 50])
@pytest.mark.parametrize("name", SHAPES)
def test_each_item_has_its_own_text(web: Web, name: str, milliseconds: int) -> None:
    shape = SHAPES[name]
    done = run(shape, web, milliseconds)
    assert len(done.items) + len(done.dropped) == shape.items
    for item in done.items:
        is_of = ItemAdapter(item)["is_of"]
        assert stories_in(item) == ([] if is_of is None else [is_of]), item
        assert is_of is not None or not ItemAdapter(item).get("body"), item
    assert len(done.dropped) == shape.dropped
    delivered = {ItemAdapter(item)["is_of"] for item in done.items}
    assert all(ItemAdapter(item)["is_of"] in delivered for item, _ in done.dropped)
    assert done.stat("errors") == 0
