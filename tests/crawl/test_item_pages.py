"""Which page an item is about, and that nothing is left of it at the end."""

import asyncio
import gc
import json
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.exceptions import DropItem
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from denoise_scrapy.crawl.state import state_of
from tests.crawl.crawling import ONE_BY_ONE, crawl, items_only, spider_of
from tests.crawl.web import Reply, Web, article, sentence, story

NO_OTHER = ["", "sku 7", "sku-7", 7, None, [], ["http://a.example/", "http://b.example/"]]
OWN = ["{page}/?#top", "/a/{n}?", ["{page}/?#top"]]


def test_an_item_that_names_no_page_or_its_own_gets_its_text(articles: Web) -> None:
    def named(url: Any, n: int) -> Any:
        if isinstance(url, list):
            return [named(one, n) for one in url]
        return url.format(page=articles(f"/a/{n}"), n=n) if isinstance(url, str) else url

    def parse(self: Any, response: Any) -> Any:
        n = int(response.url.rpartition("/")[2])
        yield {"n": n, "url": named([*NO_OTHER, *OWN][n], n)}

    done = crawl(spider_of(*articles.urls(range(len(NO_OTHER) + len(OWN))), parse=parse), {"DENOISE_DEDUP": "off"})
    assert sorted(item["n"] for item in done.items if sentence(item["n"]) in item["body"]) == [*range(10)]


@pytest.mark.parametrize("url", ["https://elsewhere.example/a/0", "/a/1", "a/1.html", "http://[", "mailto:a@b.example"])
def test_an_item_that_names_another_page_gets_no_text_and_the_log_says_so_once(articles: Web, url: str) -> None:
    done = crawl(
        spider_of(articles("/a/0"), articles("/a/2"), parse=lambda self, response: [{"url": url}]),
        {"DENOISE_DEDUP_KEY_FIELD": "id"},
    )
    assert done.items == [{"url": url}] * 2
    assert done.stat("body/elsewhere") == 2
    assert done.log.count("names a page that the spider has not fetched") == 1


def test_an_item_is_delivered_though_its_callback_fails_later(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        raise RuntimeError("of the spider")

    done = crawl(spider_of(*articles.urls(range(3)), parse=parse))
    assert len(done.items) == 3 and all(done.bodies().values())


def test_of_the_addresses_that_a_page_declares_the_first_count(web: Web) -> None:
    web.pages["/a"] = "".join(f"<link rel=canonical href=/{n}>" for n in range(9)) + article(1)
    for path, given in (("/0", True), ("/8", False)):
        done = crawl(spider_of(web("/a"), parse=lambda self, response, path=path: [{"url": web(path)}]))
        assert [bool(item.get("body")) for item in done.items] == [given]


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


@pytest.mark.parametrize("field", ["body", "text"])
def test_an_item_that_is_yielded_again_from_another_page_gets_the_text_of_that(articles: Web, field: str) -> None:
    def parse(self: Any, response: Any) -> Any:
        item = {"n": 1}
        yield item
        yield response.follow("/a/1", self.again, meta={"item": item})

    async def again(self: Any, response: Any) -> Any:
        await asyncio.sleep(0.3)  # until it has its first text
        yield {**response.meta["item"], "n": 2}

    done = crawl(spider_of(articles("/a/0"), parse=parse, again=again), {"DENOISE_BODY_FIELD": field})
    first, second = sorted(done.items, key=lambda item: item["n"])
    assert sentence(0) in first[field] and sentence(1) in second[field]


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
    command = [sys.executable, "-m", "scrapy", "parse", "--pipelines", "--spider=list", articles("/a/0")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert shown.stdout.count("'body'") == 1
    assert "number 0 line 3" in shown.stdout
    assert "Traceback" not in shown.stderr


def test_an_error_page_the_spider_handles_gets_a_body_but_is_no_example(articles: Web) -> None:
    articles.pages["/gone"] = Reply(article(3, ["/a/1"]).encode(), 404)
    spider = spider_of(articles("/gone"), handle_httpstatus_list=[404])
    done = crawl(spider, {"DENOISE_COMPARISON_FETCH": False})
    assert sentence(3) in done.bodies()[articles("/gone")]
    assert len(state_of(done.crawler).sites) == 0


def test_many_items_of_a_page_share_its_text_by_option_and_are_not_compared_by_it(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        for n in range(30):
            yield {"url": response.url, "n": n}

    articles.pages["/a/1"] = articles.pages["/a/0"]
    done = crawl(spider_of(articles("/a/0"), articles("/a/1"), parse=parse), {"DENOISE_SHARED_BODY": True})
    assert len(done.items) == 60
    assert all(sentence(0) in item["body"] for item in done.items)
    assert done.stat("comparison/from_memory") + done.stat("comparison/waits") <= 2
    assert done.stat("dedup/shared") == done.stat("body/several") == 60
    assert not any("body" in item for item in crawl(spider_of(articles("/a/0"), parse=parse)).items)


class Replacing:
    def process_item(self, item: Any) -> Any:
        return {**item, "replaced": True}


class Rewriting:
    def process_item(self, item: Any) -> Any:
        return {**item, "body": item["body"].upper()}


def test_a_text_that_a_pipeline_between_ours_has_changed_is_compared(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/1"), articles("/copy")), {"ITEM_PIPELINES": {Rewriting: -150}, **ONE_BY_ONE})
    assert [item["body"].isupper() for item in done.items] == [True]
    assert len(done.dropped) == 1


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
    assert len(state.items) == 0
    assert len(state.pages._crawled) == len(state.pages._asked) == 0
    assert len(state.pages.recent) == 0


def test_no_state_outlives_its_crawler(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/0")))
    crawler, state = weakref.ref(done.crawler), weakref.ref(state_of(done.crawler))
    del done
    gc.collect()
    assert crawler() is None and state() is None


def test_an_item_finished_on_another_page_gets_the_page_its_url_names(articles: Web) -> None:
    articles.pages["/old"] = Reply(status=302, headers={"Location": "/a/2"})

    def parse(self: Any, response: Any) -> Any:
        asked = response.meta.get("redirect_urls", [response.url])[0]
        item = {"url": f"{asked}#part"}
        next_page = "/a/1" if asked.endswith("0") else "/a/3"
        yield response.follow(next_page, self.finish, cb_kwargs={"item": item})

    def finish(self: Any, response: Any, item: Any) -> Any:
        yield item

    bodies = crawl(spider_of(articles("/a/0"), articles("/old"), parse=parse, finish=finish)).bodies()
    assert sentence(0) in bodies[articles("/a/0#part")]
    assert sentence(2) in bodies[articles("/old#part")]


def test_items_of_one_page_are_no_copies_of_each_other(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield from response.follow_all(["/a/1", "/a/2"], self.named, cb_kwargs={"url": response.url})

    def named(self: Any, response: Any, url: str) -> Any:
        yield {"url": url, "id": response.url[-1]}

    done = crawl(spider_of(articles("/a/0"), parse=parse, named=named), {"DENOISE_DEDUP_KEY_FIELD": "id"})
    assert [sentence(0) in item["body"] for item in done.items] == [True, True]
    assert done.stat("dedup/same_page") == 1


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


def test_items_without_a_page_pass() -> None:
    items = [{"url": "https://nowhere.example/"}, {"name": "no url at all"}]
    done = crawl(items_only(*items))
    assert done.items == items
    assert done.stat("body/no_page") == done.stat("body/elsewhere") == 1
    assert done.stat("dedup/no_text") == 2


def test_the_same_object_yielded_twice_does_no_harm(articles: Web) -> None:
    kept: dict[str, Any] = {}

    def parse(self: Any, response: Any) -> Any:
        kept["url"] = response.url
        yield kept

    done = crawl(spider_of(articles("/a/0"), articles("/a/1"), parse=parse))
    assert len(done.items) == 2
    assert done.stat("errors") == 0
    assert len(state_of(done.crawler).items) == 0
