"""Callbacks and page objects of scrapy-poet that ask for the body of their page."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
import scrapy
from scrapy_poet import DummyResponse
from web_poet import WebPage, field
from web_poet.serialization import SerializedDataFileStorage, deserialize, serialize
from web_poet.testing import Fixture

from denoise_scrapy import Body, extract
from denoise_scrapy import poet as ours
from denoise_scrapy.crawl.workers import Workers
from tests.crawl.crawling import ADDON, Crawl, crawl, spider_of
from tests.crawl.test_meta import german
from tests.crawl.test_paged import numbers, part
from tests.crawl.web import Reply, Web, article, sentence
from tests.docs.pages import DOCS, blocks_of

POET = {"ADDONS": {"scrapy_poet.Addon": 300, **ADDON}}


@attrs.define
class Story:
    url: str
    lead: str
    compared: int
    body: str = ""


@attrs.define
class StoryPage(WebPage[Story]):
    page_body: Body

    @field
    def url(self) -> str:
        return str(self.response.url)

    @field
    def lead(self) -> str:
        return self.page_body.text.partition("\n")[0]

    @field
    def compared(self) -> int:
        return len(self.page_body.comparison)


def asked(spider: type[scrapy.Spider], **settings: Any) -> Crawl:
    done = crawl(spider, {**POET, **settings})
    assert done.stat("errors") == 0 and "Traceback" not in done.log
    return done


def in_callback(self: Any, response: Any, body: Body) -> Any:
    said = [body.text, body.evidence, body.markdown, body.title]
    yield {"url": response.url, "said": said, "compared": [*body.comparison]}


@pytest.mark.parametrize("settings", [{}, {"DENOISE_WORKERS": 1}, {"CONCURRENT_REQUESTS": 1}], ids=str)
def test_a_callback_asks_for_the_body_and_its_item_has_the_same(articles: Web, settings: dict[str, Any]) -> None:
    done = asked(spider_of(*articles.urls(range(8)), parse=in_callback), **settings)
    assert len(done.items) == 8
    for item in done.items:
        text, _, markdown, title = item["said"]
        number = int(item["url"].rpartition("/")[2])
        assert sentence(number) in text and "rights reserved" not in text
        assert sentence(number) in markdown and title
        assert item["body"] == text
    compared = [bool(item["compared"]) and item["said"][1] == "comparison pages" for item in done.items]
    assert sum(compared) >= 6
    # each was parsed and extracted once
    assert done.stat("pages/parsed") - done.stat("comparison/requests") == 8
    assert sum(number for name, number in done.stats.items() if "denoise/body/confidence" in name) == 8


def test_a_later_page_of_an_article_is_extracted_once_for_the_first_and_its_own_callback(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The item of the first page may need its text while it is still being read for its callback."""
    read, bodies = Workers.read, list[Body]()

    async def read_slowly(self: Workers, source: Any, *given: Any) -> int:
        found = await read(self, source, *given)
        await asyncio.sleep(0.6 if source.url.endswith("page=2") else 0)
        return found

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        yield response.follow("/river?page=2", self.later)

    def later(self: Any, response: Any, body: Body) -> None:
        bodies.append(body)

    monkeypatch.setattr(Workers, "read", read_slowly)
    web.pages = {"/river": part(1, numbers("", "/river?page=2")), "/river?page=2": part(2, numbers("/river", ""))}
    done = asked(spider_of(web("/river"), parse=parse, later=later), DENOISE_FIELDS={"pages": "pages"})
    assert [page["joined"] for page in done.items[0]["pages"]] == [True] * 2
    [body] = bodies
    assert body.comparison == (web("/river"),)


def test_a_page_object_asks_for_the_body(articles: Web) -> None:
    async def parse_item(self: Any, response: DummyResponse, page: StoryPage) -> Any:
        yield await page.to_item()

    done = asked(spider_of(*articles.urls(range(6)), parse=parse_item))
    assert len(done.items) == 6
    assert all(item.body.startswith(item.lead) and item.lead for item in done.items)
    assert sum(item.compared > 0 for item in done.items) >= 4


def test_the_page_object_of_the_docs(articles: Web) -> None:
    shown: dict[str, Any] = {"scrapy": scrapy}
    for block in blocks_of(DOCS / "existing-project.md"):
        is_file = block.text.startswith("# ")  # of the project with a table
        if not is_file and re.search(r"^(class (Story|StoryPage)\(|from denoise_scrapy.poet )", block.text, re.M):
            exec(block.text, shown)
    spider = shown["PagesSpider"]
    spider.start_urls = articles.urls(range(3))
    items = asked(spider).items
    assert [item["body"].partition("\n")[0] for item in items] == [item["lead"] for item in items] and len(items) == 3


def test_metadata_of_a_body(web: Web) -> None:
    web.pages["/a"] = german(1, "<meta name=author content='Ann Reed'>")

    def parse(self: Any, response: Any, body: Body) -> Any:
        yield {"url": response.url, "by": body.meta.authors, "at": body.meta.published}

    [item] = asked(spider_of(web("/a"), parse=parse)).items
    assert (item["by"], item["at"]) == (("Ann Reed",), "2024-05-01")


def test_pages_that_the_crawl_leaves_alone_and_what_is_no_page(articles: Web) -> None:
    articles.pages["/api"] = Reply(b"{}", headers={"Content-Type": "application/json"})

    def parse(self: Any, response: Any, body: Body) -> Any:
        yield {"url": response.url, "text": body.text, "evidence": body.evidence}

    spider = spider_of(articles("/a/1"), articles("/api"), parse=parse)
    done = asked(spider, DENOISE_ENABLED=False)
    texts = {item["url"]: (item["text"], item["evidence"]) for item in done.items}
    assert sentence(1) in texts[articles("/a/1")][0] and texts[articles("/a/1")][1] == "page alone"
    assert texts[articles("/api")][0] == ""
    assert not any("body" in item for item in done.items)


def test_a_callback_that_may_do_without(articles: Web) -> None:
    def parse(self: Any, response: Any, body: Body | None = None) -> Any:
        yield {"url": response.url, "text": body and body.text}

    [item] = asked(spider_of(articles("/a/1"), parse=parse)).items
    assert item["text"] == item["body"]


@pytest.mark.parametrize("order", [300, 700])
def test_the_add_on_enables_it_in_any_order_and_an_entry_of_the_project_counts(articles: Web, order: int) -> None:
    addons = {"ADDONS": {**POET["ADDONS"], "scrapy_poet.Addon": order}}
    spider = spider_of(*articles.urls(range(2)), parse=in_callback)
    assert len(asked(spider, **addons).items) == 2
    own = {"SCRAPY_POET_PROVIDERS": {"denoise_scrapy.poet.BodyProvider": None}}
    done = crawl(spider, {**POET, **addons, **own})
    assert not done.items and "BodyProvider" not in done.log


def test_a_crawl_without_scrapy_poet_does_not_import_it() -> None:
    code = (
        "import sys\nfrom scrapy.crawler import Crawler\nfrom scrapy import Spider\n"
        f"crawler = Crawler(type('S', (Spider,), {{'name': 's'}}), {{'ADDONS': {ADDON}}})\n"
        "crawler.addons.load_settings(crawler.settings)\n"
        "print(sorted({'scrapy_poet', 'web_poet', 'denoise_scrapy.poet', 'zyte_common_items'} & {*sys.modules}))\n"
        "print(dict(crawler.settings.getdict('SCRAPY_POET_PROVIDERS')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["[]", "{}"], done.stderr


def test_a_body_is_saved_and_loaded_by_web_poet(tmp_path: Path) -> None:
    body = extract(article(1) + "<p hidden>gone", "http://a.example/1", [article(2), article(3)])
    SerializedDataFileStorage(tmp_path).write(serialize([body]))
    [file] = tmp_path.iterdir()
    assert file.suffix == ".json" and sentence(1) in file.read_text("utf-8")

    @attrs.define
    class Holder(WebPage[Story]):
        page_body: Body

    html = {
        "HttpResponse": {
            "info.json": b'{"url": "http://a.example/1", "status": 200, "headers": [], \
"_encoding": null}',
            "body.html": b"",
        }
    }
    again = deserialize(Holder, {**SerializedDataFileStorage(tmp_path).read(), **html}).page_body
    names = "text html markdown title kind blocks hidden url comparison fallback evidence confidence strategy meta"
    for name in names.split():
        assert getattr(again, name) == getattr(body, name), name
    assert [str(chunk) for chunk in again.chunks(50)] == [str(chunk) for chunk in body.chunks(50)]
    assert again.probability.tolist() == body.probability.tolist()


def test_fixtures_of_page_objects(articles: Web, tmp_path: Path) -> None:
    kept: list[Any] = []

    async def parse(self: Any, response: Any, page: StoryPage) -> Any:
        kept.append((page, await page.to_item()))
        yield kept[0][1]

    asked(spider_of(articles("/a/1"), parse=parse), _SCRAPY_POET_SAVEFIXTURE=True)  # as `scrapy savefixture` sets it
    page, item = kept[0]
    fixture = Fixture.save(tmp_path, inputs=[page.response, page.page_body], item=item, meta={})
    page_again = fixture.get_page(StoryPage)
    assert page_again.page_body.text == page.page_body.text  # type: ignore[attr-defined]
    fixture.assert_full_item_correct(StoryPage)


def test_the_cache_of_scrapy_poet(articles: Web, tmp_path: Path) -> None:
    spider = spider_of(*articles.urls(range(3)), parse=in_callback)
    cache = {"SCRAPY_POET_CACHE": str(tmp_path / "cache")}
    first, second = (asked(spider, **cache) for _ in range(2))
    assert second.stats["poet/cache/hit"] == 3
    texts = [{item["url"]: item["said"] for item in done.items} for done in (first, second)]
    assert texts[0] == texts[1]


assert ours.Body is Body and "scrapy_poet" in sys.modules
