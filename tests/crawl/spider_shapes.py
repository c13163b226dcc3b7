"""Spiders of the shapes people write, each with what has to come of its items."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import attrs
import scrapy
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from tests.crawl.web import Reply, Web, article, story

PAGES = 6
COPY = 1  # /p/5 repeats the story of this page


def sentence(number: int) -> str:
    """A sentence that only the story of this number has."""
    return story(number).split(". ")[3]


def site(web: Web) -> None:
    """A list of pages, the pages, a copy among them, lists of quotes that are nearly alike, an API, redirects."""
    names = [f"/p/{n}" for n in range(PAGES)]
    entries = "".join(f"<div class=e><a href={name}>Entry {name}</a><p>Teaser of {name}.</p></div>" for name in names)
    web.pages["/"] = f"<title>All</title><body><div id=top>Daily Gazette</div>{entries}<div>All rights reserved</div>"
    for n, name in enumerate(names):
        links = [*names, "/quotes/0"]
        text = story(COPY) + " Shared by a reader." if n == PAGES - 1 else None
        page = article(n, links, text)
        web.pages[name] = page.replace("<head>", f"<head><link rel=canonical href=/c/{n}>")
        web.pages[f"/r/{n}"] = Reply(status=301, headers={"Location": name})
        web.pages[f"/more/{n}"] = f"<title>More</title><body><p>Figures on story {n}.</p>"
    for n in range(5):
        quotes = "".join(f"<div class=q><p>{quote(n, m)}</p><b>by somebody</b></div>" for m in range(5))
        web.pages[f"/quotes/{n}"] = f"<title>Quotes</title><body><h1>Quotes</h1>{quotes}<p>{story(77)}</p>"
    listed = json.dumps([{"url": web(name), "text": story(40 + n)} for n, name in enumerate(names)])
    web.pages["/api"] = Reply(listed.encode(), headers={"Content-Type": "application/json"})


def quote(page: int, number: int) -> str:
    return story(1000 + 10 * page + number, 3)


@dataclasses.dataclass
class DataItem:
    url: str
    is_of: int | None = None
    body: str | None = None


@attrs.frozen
class FrozenItem:
    url: str
    is_of: int | None = None
    body: str | None = None


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


def list_of_urls(self: Any, response: Any) -> Any:
    for link in response.css(".e a"):
        yield {"url": response.urljoin(link.attrib["href"]), "name": link.css("::text").get(), "is_of": None}


def list_and_details(self: Any, response: Any) -> Any:
    yield from list_of_urls(self, response)
    yield from response.follow_all(css=".e a", callback=self.detail)


def detail(self: Any, response: Any) -> Any:
    yield {"url": response.url, "is_of": number_of(response.url)}


def detail_without_url(self: Any, response: Any) -> Any:
    yield {"title": response.css("h1::text").get(), "is_of": number_of(response.url)}


def quotes(self: Any, response: Any) -> Any:
    for each in response.css(".q"):
        yield {"text": each.css("p::text").get(), "is_of": None}


def quotes_with_url(self: Any, response: Any) -> Any:
    for each in quotes(self, response):
        yield {"url": response.url, **each}


def quotes_as_parts(self: Any, response: Any) -> Any:
    for n, each in enumerate(quotes(self, response)):
        yield {"url": f"{response.url}#q{n}", **each}


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


def through_meta(self: Any, response: Any) -> Any:
    for link in response.css(".e a"):
        url = response.urljoin(link.attrib["href"])
        yield scrapy.Request(url, self.finish, meta={"item": {"url": url, "is_of": number_of(url)}})


def finish(self: Any, response: Any) -> Any:
    yield response.meta["item"]


def begun_here(self: Any, response: Any) -> Any:
    item = {"url": response.url, "is_of": number_of(response.url)}
    more = response.url.replace("/p/", "/more/")
    yield scrapy.Request(more, self.finish, meta={"item": item}, dont_filter=True)


def yielded_again(self: Any, response: Any) -> Any:
    item = {"url": response.url, "is_of": number_of(response.url)}
    yield item
    yield scrapy.Request(response.url.replace("/p/", "/more/"), self.finish, meta={"item": item})


def list_yielded_again(self: Any, response: Any) -> Any:
    for link in response.css(".e a"):
        url = response.urljoin(link.attrib["href"])
        item = {"url": url, "is_of": None}
        yield item
        yield scrapy.Request(url, self.again, meta={"item": item})


def again(self: Any, response: Any) -> Any:
    item = response.meta["item"]
    item["is_of"] = number_of(response.url)
    yield item


def two_of_one_page(self: Any, response: Any) -> Any:
    for half in (1, 2):
        yield {"url": response.url, "half": half, "is_of": None}


async def started(self: Any) -> Any:
    for n in range(PAGES):
        yield {"url": f"{self.base}/p/{n}", "is_of": None}
    yield {"name": "no page at all", "is_of": None}
    for url in self.pages:
        yield scrapy.Request(url, self.detail)


def crawl_spider(web: Web) -> type[scrapy.Spider]:
    rules = (Rule(LinkExtractor(allow=r"/p/\d"), callback="detail", follow=True),)
    return type("Rules", (CrawlSpider,), {"name": "rules", "start_urls": home(web), "rules": rules, "detail": detail})


def of_class(kind: type) -> Callable[..., Any]:
    def parse(self: Any, response: Any) -> Any:
        yield kind(url=response.url, is_of=number_of(response.url))
        yield kind(url=response.urljoin("/never/fetched"))

    return parse


def redirected(self: Any, response: Any) -> Any:
    yield {"url": response.request.meta["redirect_urls"][0], "is_of": number_of(response.url)}


def canonical(self: Any, response: Any) -> Any:
    link = response.css("link[rel=canonical]::attr(href)").get()
    yield {"url": response.urljoin(link), "is_of": number_of(response.url)}


def fails(self: Any, response: Any) -> Any:
    yield {"url": response.url, "is_of": number_of(response.url)}
    raise RuntimeError("on purpose")


async def async_callback(self: Any, response: Any) -> Any:
    more = await self.crawler.engine.download_async(scrapy.Request(response.url.replace("/p/", "/more/")))
    yield {"url": response.url, "is_of": number_of(response.url), "more": more.css("p::text").get()}


def relative(self: Any, response: Any) -> Any:
    for link in response.css(".e a"):
        yield {"url": link.attrib["href"], "is_of": None}


OWN_TEXT = {"DENOISE_DEDUP_FIELDS": "text"}
ONE_COPY = {"items": PAGES, "dropped": 1}
QUOTES: Any = {"items": 25}


def quote_pages(web: Web) -> list[str]:
    return [web(f"/quotes/{n}") for n in range(5)]


def starting(web: Web) -> type[scrapy.Spider]:
    found = {"name": "starting", "start": started, "base": web.url, "pages": pages(web), "detail": detail}
    return type("Starting", (scrapy.Spider,), found)


SHAPES: dict[str, Shape] = {
    "list, details not followed": Shape(spider(home, parse=list_of_urls), PAGES),
    "list, relative URLs": Shape(spider(home, parse=relative), PAGES),
    "list, details followed": Shape(spider(home, parse=list_and_details, detail=detail), 2 * PAGES, 1),
    "details, without a URL": Shape(spider(pages, parse=detail_without_url), **ONE_COPY),
    "quotes, several a page": Shape(spider(quote_pages, parse=quotes), **QUOTES),
    "quotes, with the page's URL": Shape(spider(quote_pages, parse=quotes_with_url), **QUOTES),
    "quotes, with URLs of parts": Shape(spider(quote_pages, parse=quotes_as_parts), **QUOTES),
    "quotes, compared by a field": Shape(spider(quote_pages, parse=quotes_with_url), **QUOTES, settings=OWN_TEXT),
    "shop, a product and its reviews": Shape(spider(home, parse=shop, product=product_and_reviews), 5 * PAGES, 1),
    "JSON API": Shape(spider(lambda web: [web("/api")], parse=api), PAGES),
    "JSON API, compared by a field": Shape(spider(lambda web: [web("/api")], parse=api), PAGES, settings=OWN_TEXT),
    "items through meta": Shape(spider(home, parse=through_meta, finish=finish), **ONE_COPY),
    "items finished on another page": Shape(spider(pages, parse=begun_here, finish=finish), **ONE_COPY),
    "an item yielded again": Shape(spider(pages, parse=yielded_again, finish=finish), 2 * PAGES, 2),
    "an item of a list yielded again": Shape(spider(home, parse=list_yielded_again, again=again), 2 * PAGES, 1),
    "two items naming one page": Shape(spider(pages, parse=two_of_one_page), 2 * PAGES),
    "items of start()": Shape(starting, 2 * PAGES + 1, 1),
    "CrawlSpider": Shape(crawl_spider, **ONE_COPY),
    "dataclass items": Shape(spider(pages, parse=of_class(DataItem)), 2 * PAGES, 1),
    "frozen attrs items": Shape(spider(pages, parse=of_class(FrozenItem)), 2 * PAGES, 1),
    "redirects": Shape(spider(lambda web: [web(f"/r/{n}") for n in range(PAGES)], parse=redirected), **ONE_COPY),
    "canonical URLs": Shape(spider(pages, parse=canonical), **ONE_COPY),
    "a callback that fails": Shape(spider(pages, parse=fails), **ONE_COPY),
    "an async callback": Shape(spider(pages, parse=async_callback), **ONE_COPY),
}
