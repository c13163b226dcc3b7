"""Items get the text of their page, unless settings forbid it."""

import json
from pathlib import Path
from typing import Any

import pytest
import scrapy

from tests.crawl.crawling import ONE_BY_ONE, crawl, spider_of
from tests.crawl.web import Reply, Web, sentence, story

BY_HAND = {
    "ADDONS": {},
    "DOWNLOADER_MIDDLEWARES": {"denoise_scrapy.middlewares.ComparisonPagesMiddleware": -1000},
    "SPIDER_MIDDLEWARES": {"denoise_scrapy.middlewares.ItemPageMiddleware": 10},
    "ITEM_PIPELINES": {"denoise_scrapy.pipelines.BodyPipeline": -200},
}


@pytest.fixture
def four(articles: Web) -> list[str]:
    return articles.urls(range(4))


@pytest.mark.parametrize("settings", [{}, BY_HAND])
def test_one_line_of_settings_gives_every_item_a_body(four: list[str], settings: dict[str, Any]) -> None:
    done = crawl(spider_of(*four), settings)
    bodies = done.bodies()
    assert set(bodies) == set(four)
    for n, url in enumerate(four):
        assert sentence(n) in bodies[url]
        assert "rights reserved" not in bodies[url]
    assert done.stat("body/items") == 4
    assert done.stat("dedup/checked") == (0 if settings else 4)
    assert done.stat("errors") == 0


def test_switched_off_nothing_happens(four: list[str], tmp_path: Path) -> None:
    done = crawl(spider_of(*four), {"DENOISE_ENABLED": "false", "JOBDIR": str(tmp_path)})
    assert done.items == [{"url": url} for url in done.bodies()]
    assert not any(name.startswith("denoise") for name in done.stats)
    assert not list(tmp_path.glob("denoise*"))


def test_a_request_may_opt_out_and_choose(four: list[str], tmp_path: Path) -> None:
    chosen = [None, False, True, {"enabled": True, "strategy": "lcs", "comparison_pages": 2}]
    metas = [{} if meta is None else {"denoise": meta} for meta in chosen]
    choosing = spider_of(*(scrapy.Request(url, meta=meta) for url, meta in zip(four, metas, strict=True)))
    bodies = crawl(choosing).bodies()
    assert [bool(bodies[url]) for url in four] == [True, False, True, True]
    done = crawl(choosing, {"DENOISE_ENABLED": False, "JOBDIR": str(tmp_path)})
    assert not any(done.bodies().values())
    assert not [*tmp_path.glob("denoise*")]


def test_a_spider_says_what_belongs_to_a_body_and_a_request_does_for_its_page_alone(four: list[str]) -> None:
    cut = {"remove": ["#foot", "h1"]}
    wishes = [{}, {"keep": []}, cut, {"keep": "#top", "favor": "recall"}]
    requests = [scrapy.Request(url, meta={"denoise": wish}) for url, wish in zip(four, wishes, strict=True)]
    done = crawl(spider_of(*requests, denoise_keep=["#foot"], denoise_remove="//p[3]"))
    bodies = [done.bodies()[url] for url in four]
    assert ["rights reserved" in body for body in bodies] == [True, False, True, False]  # keep wins over remove
    assert ["Daily Gazette" in body for body in bodies] == [False, False, False, True]
    assert [f"Heading of {n}" in body for n, body in enumerate(bodies)] == [True, True, False, True]
    assert [story(n).split(". ")[2] in body for n, body in enumerate(bodies)] == [False, False, True, False]
    assert done.stat("invalid_meta") == 0
    done = crawl(spider_of(*four, denoise_remove="body"))
    assert set(done.bodies().values()) == {""}
    assert done.stat("body/fallback/all_removed") == done.stat("body/empty") == 4


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ("no", "meta[\"denoise\"] = 'no': valid are True, False and a dict"),
        ({1: 2}, "1 = 2: no such setting"),
        ({"url_field": "address"}, "url_field = 'address': a setting of the whole crawl, not of a request"),
    ],
)
def test_an_invalid_wish_of_a_request_is_said_once_and_the_crawl_goes_on(linked: Web, meta: Any, said: str) -> None:
    linked.pages["/data"] = Reply(b"{}", headers={"Content-Type": "application/json"})
    urls = [linked("/a/0"), linked("/data")]
    requests = [scrapy.Request(url, meta={"denoise": meta}) for url in urls]
    done = crawl(spider_of(*requests, parse=lambda self, page: [{"url": page.url}] if page.url == urls[0] else []))
    assert all(done.bodies().values())
    assert done.stat("comparison/requests") == 2
    assert done.stat("invalid_meta") == 1, "of pages of the spider only"
    assert done.log.count(said) == 1


def test_a_text_of_the_spider_is_kept(four: list[str]) -> None:
    spider = spider_of(*four, parse=lambda self, response: [{"url": response.url, "body": f"my own of {response.url}"}])
    done = crawl(spider)
    assert done.bodies()[four[0]] == f"my own of {four[0]}"
    assert done.stat("body/unset/kept") == 4
    assert any(sentence(0) in item["text"] for item in crawl(spider, {"DENOISE_FIELDS": {"body": "text"}}).items)


def test_an_item_is_given_what_its_settings_ask_for(four: list[str]) -> None:
    names = ("html", "markdown", "confidence", "comparison", "blocks")
    done = crawl(spider_of(*four), {"DENOISE_FIELDS": {name: name for name in names}})
    item = next(item for item in done.items if item["url"] == four[0])
    assert set(item) == {"url", "body", *names}
    assert item["html"].startswith("<") and sentence(0) in item["markdown"]
    assert 0 < item["confidence"] <= 1
    assert set(item["comparison"]) <= {*four[1:]}
    assert "\n".join(block["text"] for block in item["blocks"] if block["kept"]) == item["body"]
    json.dumps(item)


def test_errors_of_ours_are_said_once_and_items_pass(four: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("denoise_scrapy.worker.extractor.SiteModel.extract", broken)
    monkeypatch.setattr("denoise_scrapy.DuplicateIndex.check_and_add", broken)
    done = crawl(spider_of(*four))
    assert len(done.items) == 4
    assert done.stat("errors/body") == done.stat("errors") == 4
    assert done.log.count("RuntimeError: broken on purpose") == 1
    monkeypatch.setattr("denoise_scrapy.worker.extractor.Page.parse", broken)
    done = crawl(spider_of(*four))
    assert len(done.items) == 4
    assert done.stat("errors/process_response") == 4


def test_progress_is_logged(articles: Web) -> None:
    articles.seconds = 0.4
    done = crawl(spider_of(articles("/a/0"), articles("/a/1")), {"LOGSTATS_INTERVAL": 0.15, **ONE_BY_ONE})
    assert done.log.count(" denoise: 1 page, ") >= 2 and " denoise: 0 pages" not in done.log
    done = crawl(spider_of(articles("/a/0")))
    assert done.log.count(" denoise at the end: 1 page, 1 body (0 empty)") == 1


NONE_HAS_ONE = "Not one item of this crawl has the text of its page: "
ROWS = [{"n": "1"}, {"n": "2"}]
SHARED = "2 share a page with others (DENOISE_SHARED_BODY = True"
ELSEWHERE = " name a page that the spider has not fetched"


@pytest.mark.parametrize(
    ("rows", "settings", "why"),
    [
        (ROWS, {}, [SHARED]),
        ([*ROWS, {"url": "/b"}], {}, [SHARED, f"; 1{ELSEWHERE}"]),
        (ROWS, {"DENOISE_SHARED_BODY": True}, []),
        ([{"body": "own", **row} for row in ROWS], {"DENOISE_SHARED_BODY": True}, []),
        (ROWS, {"DENOISE_ENABLED": False}, []),
    ],
)
def test_a_crawl_that_wants_bodies_and_has_none_says_why_at_its_end(
    four: list[str], rows: Any, settings: dict[str, Any], why: list[str]
) -> None:
    done = crawl(spider_of(four[0], parse=lambda self, response: rows), settings | {"DENOISE_DEDUP": "off"})
    lines = done.lines(NONE_HAS_ONE)
    assert len(lines) == bool(why)
    assert all(part in lines[0] for part in [" WARNING ", *why, "DENOISE_ENABLED = False"] if why)
