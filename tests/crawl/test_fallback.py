"""DENOISE_FALLBACK: a function of the project gives the text of pages whose body is in doubt, and costs no item."""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from denoise_scrapy.crawl import asking
from denoise_scrapy.exceptions import ConfigurationError
from tests.crawl import fallbacks
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web, article, sentence
from tests.docs.pages import DOCS, blocks_of

PATH = "tests.crawl.fallbacks."
ALL: dict[str, Any] = {"DENOISE_FALLBACK_BELOW": 1}
FIELDS = {"DENOISE_FIELDS": {name: name for name in ("fallback", "markdown", "html", "chunks", "confidence", "blocks")}}


def crawled(web: Web, function: str, **settings: Any) -> Crawl:
    web.pages = {f"/a/{number}": article(number) for number in range(3)}
    given = {**ALL, **FIELDS, "DENOISE_FALLBACK": PATH + function, **settings}
    return crawl(spider_of(*web.urls(range(3))), given)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_function_gives_the_text_in_all_its_forms(web: Web, workers: int) -> None:
    fallbacks.ASKED.clear()
    done = crawled(web, "told", DENOISE_WORKERS=workers)
    for item in done.items:
        assert item["body"] == f"The function's text of {item['url']}.\nIt has * two lines."
        assert item["markdown"].endswith("It has \\* two lines.")
        assert item["html"].endswith("<p>It has * two lines.</p>")
        assert [chunk["url"] for chunk in item["chunks"]] == [item["url"]]
        assert item["fallback"] == "callable"
        assert 0 < item["confidence"] < 1
        assert not any(block["kept"] for block in item["blocks"])
    assert [done.stat(f"fallback/{name}") for name in ("asked", "used", "failed", "slow")] == [3, 3, 0, 0]
    assert done.stat("body/fallback/callable") == 3
    assert not done.lines(" WARNING ") + done.lines(" ERROR ")
    body, page, site = fallbacks.ASKED[0]
    assert body.url == page.url and page.html == article(int(page.url[-1])) and site == web.url
    assert body.text and body.blocks


@pytest.mark.parametrize(
    ("function", "text"), [("told_later", r"Later, \d+ characters\."), ("model", r"Of an object\.")]
)
def test_it_may_be_async_or_an_object(web: Web, function: str, text: str) -> None:
    done = crawled(web, function, DENOISE_DEDUP="off")
    assert len(done.items) == 3 and all(re.fullmatch(text, item["body"]) for item in done.items)


def test_odd_texts_harm_nothing_and_are_in_feeds_of_all_formats(web: Web, tmp_path: Path) -> None:
    feeds = {str(tmp_path / kind): {"format": kind, "fields": ["body"]} for kind in ("csv", "xml", "jsonlines")}
    done = crawled(web, "odd", FEEDS=feeds)
    text = "A lone ? surrogate, a  , a   and &#150; in <script>alert(1)</script>"
    assert all(item["body"] == text for item in done.items)
    assert all(Path(feed).read_text("utf-8").count("A lone ? surrogate") == 3 for feed in feeds)
    assert not any("<script" in item["html"] or "<script" in item["markdown"] for item in done.items)
    assert len(done.items) == 3 and not done.lines(" ERROR ")


def test_only_doubtful_pages_are_asked_about(web: Web) -> None:
    done = crawled(web, "told", DENOISE_FALLBACK_BELOW=0)
    assert [item["fallback"] for item in done.items] != ["callable"] * 3
    assert done.stat("fallback/asked") == 0 and len(done.items) == 3


@pytest.mark.parametrize(
    ("function", "stat", "said"),
    [
        ("nothing", "asked", 0),
        ("number", "failed", 1),
        ("broken", "failed", 1),
        ("as_bytes", "failed", 1),
        ("exits", "failed", 1),
        ("exits_later", "failed", 1),
        ("times_out", "failed", 1),
        ("times_out_later", "failed", 1),
        ("stops", "failed", 1),
        ("sleeps", "slow", 1),
        ("sleeps_async", "slow", 1),
    ],
)
def test_what_goes_wrong_costs_no_item(
    web: Web, function: str, stat: str, said: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "LONGEST_WAIT", 0.2)
    start = time.monotonic()
    done = crawled(web, function)
    assert time.monotonic() - start < 20
    assert all("number" in item["body"] and item["fallback"] != "callable" for item in done.items)
    assert len(done.items) == done.stat(f"fallback/{stat}") == 3
    assert done.stat("fallback/used") == 0
    assert len(done.lines(" WARNING ")) == said
    assert not done.lines(" ERROR ")


def test_one_that_is_always_late_is_asked_no_more(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "LONGEST_WAIT", 0.05)
    web.pages = {f"/a/{number}": article(number) for number in range(30)}
    given = {**ALL, "DENOISE_FALLBACK": f"{PATH}sleeps"}
    done = crawl(spider_of(*web.urls(range(30))), given)
    assert len(done.items) == 30
    assert 20 <= done.stat("fallback/slow") < 30


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere.at_all", "ModuleNotFoundError: No module named 'nowhere'"),
        (f"{PATH}absent", "AttributeError"),
        (f"{PATH}VALUE", "it is no function"),
        ("told", "ModuleNotFoundError: No module named 'told'"),
        (f"{PATH}tol", "AttributeError: module 'tests.crawl.fallbacks' has no attribute 'tol'; did you mean told?"),
    ],
)
def test_a_wrong_path_stops_the_crawl_at_its_start(web: Web, path: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(f"DENOISE_FALLBACK = {path!r}: {said}")) as error:
        crawl(spider_of(web("/")), {"DENOISE_FALLBACK": path})
    assert "\n" not in str(error.value)
    assert web.asked == []


def model(_: Web, handler: Any) -> None:
    """A server of models."""
    asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
    found = json.dumps({"text": f"The model read {len(asked['html'])} characters of {asked['url']}"}).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(found)))
    handler.end_headers()
    handler.wfile.write(found)


def test_a_server_of_models_is_asked_over_http(web: Web) -> None:
    web.pages["/extract"] = model
    fallbacks.MODEL["url"] = web("/extract")
    web.pages["/a/1"] = page = article(1)
    done = crawl(spider_of(web("/a/1")), {**ALL, "DENOISE_FALLBACK": f"{PATH}of_server"})
    assert done.items[0]["body"] == f"The model read {len(page)} characters of {web('/a/1')}"


def test_a_page_in_another_encoding_is_decoded(web: Web) -> None:
    fallbacks.ASKED.clear()
    body = article(1, text="Мост закрыт до утра. " * 9).encode("koi8-r")
    web.pages["/a/1"] = Reply(body, headers={"Content-Type": "text/html; charset=koi8-r"})
    crawl(spider_of(web("/a/1")), {**ALL, "DENOISE_FALLBACK": f"{PATH}told"})
    assert "Мост закрыт" in fallbacks.ASKED[0][1].html


def test_of_html_in_a_field_it_gets_the_address_and_site_of_the_item(web: Web) -> None:
    fallbacks.ASKED.clear()

    def parse(self: Any, response: Any) -> Any:
        yield {"url": web("/story/1"), "html": article(1)}

    web.pages["/api"] = Reply(b"{}", headers={"Content-Type": "application/json"})
    given = {**ALL, "DENOISE_FALLBACK": f"{PATH}told", "DENOISE_HTML_FIELD": "html"}
    done = crawl(spider_of(web("/api"), parse=parse), given)
    [(body, page, site)] = fallbacks.ASKED
    assert page.url == body.url == web("/story/1") and site == web.url
    assert done.items[0]["body"].startswith(f"The function's text of {page.url}.")


def test_its_code_is_imported_for_those_that_ask() -> None:
    code = (
        "import sys; from tests.crawl.crawling import crawl, spider_of, stop_reactor;"
        "from tests.crawl.web import Web, article;"
        "web = Web(); web.pages = {f'/a/{n}': article(n) for n in range(3)};"
        "done = crawl(spider_of(*web.urls(range(3)))); stop_reactor(); assert all(done.bodies().values());"
        "print([name for name in sys.modules if name.startswith('denoise_scrapy.') and name.split('.')[-1] in"
        " {'fallback', 'paged', 'news', 'paywall', 'paging', 'live', 'structured', 'lines', 'page_metadata', 'names',"
        " 'dates', 'chunks', 'redis_store', 'lcs', 'cluster', 'style_tree', 'poet', 'remote', 'mcp'}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def recipe(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    """A module with a function that the docs show."""
    [block] = [block.text for block in blocks_of(DOCS / "recipes.md") if f"def {name}(" in block.text]
    module = ModuleType("newsroom")
    exec(block, vars(module))
    monkeypatch.setitem(sys.modules, "newsroom", module)
    return module


def test_the_other_extractor_of_the_docs(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    trafilatura = pytest.importorskip("trafilatura")
    recipe(monkeypatch, "by_trafilatura")
    web.pages["/a/1"] = page = article(1)
    done = crawl(spider_of(web("/a/1")), {**ALL, **FIELDS, "DENOISE_FALLBACK": "newsroom.by_trafilatura"})
    assert done.items[0]["body"] == trafilatura.extract(page, url=web("/a/1"))
    assert done.items[0]["fallback"] == "callable"


def test_the_server_of_the_docs(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe(monkeypatch, "by_server"), "SERVER", web("/extract"))
    web.pages["/extract"], web.pages["/a/1"] = model, article(1)
    done = crawl(spider_of(web("/a/1")), {**ALL, "DENOISE_FALLBACK": "newsroom.by_server"})
    assert done.items[0]["body"].startswith("The model read ")
    web.pages["/extract"] = Reply(b"no model", 500)
    done = crawl(spider_of(web("/a/1")), {**ALL, "DENOISE_FALLBACK": "newsroom.by_server"})
    assert sentence(1) in done.items[0]["body"] and done.stat("fallback/failed") == 1
