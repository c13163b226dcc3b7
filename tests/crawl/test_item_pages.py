"""Which page an item is about, and that nothing is left of it at the end."""

import gc
import weakref
from typing import Any

import pytest
import scrapy
from scrapy.exceptions import DropItem

from denoise_scrapy.crawl.state import _states, state_of
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article, story


@pytest.fixture
def articles(web: Web) -> Web:
    for n in range(4):
        web.pages[f"/a/{n}"] = article(n)
    return web


def sentence(n: int) -> str:
    return story(n).split(". ")[3]


def test_an_item_finished_on_another_page_gets_the_page_its_url_names(articles: Web) -> None:
    articles.pages["/old"] = Reply(status=302, headers={"Location": "/a/2"})

    class TwoPages(scrapy.Spider):
        name = "two-pages"
        start_urls = (articles("/a/0"), articles("/old"))

        def parse(self, response: Any) -> Any:
            asked = response.meta.get("redirect_urls", [response.url])[0]
            item = {"url": f"{asked}#part"}
            next_page = "/a/1" if asked.endswith("0") else "/a/3"
            yield response.follow(next_page, self.finish, cb_kwargs={"item": item})

        def finish(self, response: Any, item: Any) -> Any:
            yield item

    bodies = crawl(TwoPages).bodies()
    assert sentence(0) in bodies[articles("/a/0#part")]
    assert sentence(2) in bodies[articles("/old#part")]


def test_an_item_whose_url_names_no_page_gets_the_page_it_came_from(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": f"https://canonical.example{response.url[-4:]}"}
        yield {"name": response.url}

    done = crawl(spider_of(articles("/a/0"), articles("/a/1"), parse=parse))
    assert len(done.items) == 4
    assert all(sentence(0) in item["body"] or sentence(1) in item["body"] for item in done.items)


def test_items_without_a_page_pass(articles: Web) -> None:
    class Early(scrapy.Spider):
        name = "early"

        async def start(self) -> Any:
            yield {"url": "https://nowhere.example/"}
            yield {"name": "no url at all"}

    done = crawl(Early)
    assert done.items == [{"url": "https://nowhere.example/"}, {"name": "no url at all"}]
    assert done.stat("body/no_page") == 2
    assert done.stat("dedup/no_text") == 2


def test_an_error_page_the_spider_handles_gets_a_body_but_is_no_example(articles: Web) -> None:
    gone = article(3, ["/a/1"]).encode()
    articles.pages["/gone"] = Reply(gone, 404)
    done = crawl(
        spider_of(articles("/gone"), handle_httpstatus_list=[404]),
        {"DENOISE_COMPARISON_FETCH": False},
    )
    assert sentence(3) in done.bodies()[articles("/gone")]
    assert len(state_of(done.crawler).memory) == 0


def test_the_answer_to_a_form_gets_a_body_but_is_no_example(articles: Web) -> None:
    class Posting(scrapy.Spider):
        name = "posting"

        async def start(self) -> Any:
            yield scrapy.Request(articles("/a/0"), method="POST", body=b"q=1")

        def parse(self, response: Any) -> Any:
            yield {"url": response.url}

    done = crawl(Posting)
    assert sentence(0) in done.bodies()[articles("/a/0")]
    assert len(state_of(done.crawler).memory) == 0
    assert articles.asked == ["/a/0"]


def test_many_items_of_a_page_share_one_computation(articles: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        for n in range(30):
            yield {"url": response.url, "n": n}

    done = crawl(spider_of(articles("/a/0"), articles("/a/1"), parse=parse))
    assert len(done.items) == 60
    assert all(item["body"] for item in done.items)
    assert done.stat("comparison/from_memory") + done.stat("comparison/waits") <= 2
    assert done.stat("dedup/same_page") == 58


class Replacing:
    def process_item(self, item: Any) -> Any:
        return {**item, "replaced": True}


class Dropping:
    def process_item(self, item: Any) -> Any:
        if item["url"].endswith("0"):
            raise DropItem("not wanted")
        if item["url"].endswith("1"):
            raise RuntimeError("a pipeline of the user failed")
        return item


@pytest.mark.parametrize("position", [50, 150, 300])
@pytest.mark.parametrize("pipeline", [Replacing, Dropping])
def test_nothing_is_left_in_the_tables(articles: Web, position: int, pipeline: type) -> None:
    done = crawl(
        spider_of(*(articles(f"/a/{n}") for n in range(4))),
        {"ITEM_PIPELINES": {pipeline: position}},
    )
    assert len(done.items) == (4 if pipeline is Replacing else 2)
    assert all(done.bodies().values())
    state = state_of(done.crawler)
    gc.collect()
    assert len(state.links) == 0
    assert len(state._crawled) == len(state._asked) == 0
    assert len(state.recent) == len(state.reuse) == 0


def test_no_state_outlives_its_crawler(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/0")))
    crawler = weakref.ref(done.crawler)
    assert done.crawler in _states
    before = len(_states)
    del done
    gc.collect()
    assert crawler() is None
    assert len(_states) < before


def test_the_same_object_yielded_twice_does_no_harm(articles: Web) -> None:
    class Reusing(scrapy.Spider):
        name = "reusing"
        start_urls = (articles("/a/0"), articles("/a/1"))
        kept: dict[str, Any] = {}  # noqa: RUF012 - the mistake under test

        def parse(self, response: Any) -> Any:
            self.kept["url"] = response.url
            yield self.kept

    done = crawl(Reusing)
    assert done.items
    assert done.stat("errors") == 0
    assert len(state_of(done.crawler).links) == 0
