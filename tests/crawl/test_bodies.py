"""Items get the text of their page, unless somebody says otherwise."""

import json
from pathlib import Path
from typing import Any

import pytest
import scrapy

from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, sentence


@pytest.fixture
def articles(web: Web) -> list[str]:
    for n in range(4):
        web.pages[f"/a/{n}"] = article(n)
    return [web(f"/a/{n}") for n in range(4)]


def test_one_line_of_settings_gives_every_item_a_body(articles: list[str]) -> None:
    done = crawl(spider_of(*articles))
    bodies = done.bodies()
    assert list(bodies) and set(bodies) == set(articles)
    for n, url in enumerate(articles):
        assert sentence(n) in bodies[url]
        assert "rights reserved" not in bodies[url]
    assert done.stat("body/items") == 4
    assert done.stat("errors") == 0
    assert "denoise at the end: 4 pages, 4 bodies (0 empty)" in done.log


def test_components_can_be_listed_by_hand(articles: list[str]) -> None:
    settings = {
        "ADDONS": {},
        "DOWNLOADER_MIDDLEWARES": {"denoise_scrapy.middlewares.ComparisonPagesMiddleware": -1000},
        "SPIDER_MIDDLEWARES": {"denoise_scrapy.middlewares.ItemPageMiddleware": 10},
        "ITEM_PIPELINES": {"denoise_scrapy.pipelines.BodyPipeline": -200},
    }
    done = crawl(spider_of(*articles), settings)
    assert all(done.bodies().values())
    assert done.stat("dedup/checked") == 0


def test_switched_off_nothing_happens(articles: list[str], tmp_path: Path) -> None:
    done = crawl(spider_of(*articles), {"DENOISE_ENABLED": "false", "JOBDIR": str(tmp_path)})
    assert done.items == [{"url": url} for url in done.bodies()]
    assert not any(name.startswith("denoise") for name in done.stats)
    assert not list(tmp_path.glob("denoise*"))


def test_a_request_may_opt_out_and_in_and_choose(articles: list[str], tmp_path: Path) -> None:
    chosen = [None, False, True, {"enabled": True, "strategy": "lcs", "comparison_pages": 2}]
    metas = [{} if meta is None else {"denoise": meta} for meta in chosen]
    choosing = spider_of(*(scrapy.Request(url, meta=meta) for url, meta in zip(articles, metas, strict=True)))
    bodies = crawl(choosing).bodies()
    assert [bool(bodies[url]) for url in articles] == [True, False, True, True]
    done = crawl(choosing, {"DENOISE_ENABLED": False, "JOBDIR": str(tmp_path)})
    assert [bool(done.bodies()[url]) for url in articles] == [False, False, True, True]
    assert {path.name for path in tmp_path.glob("denoise*.sqlite")} == {"denoise-sites.sqlite", "denoise-texts.sqlite"}


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ("no", "meta[\"denoise\"] = 'no': valid are True, False and a dict"),
        ({"memory_mb": 3}, "memory_mb = 3: no such setting"),
        ({1: 2}, "1 = 2: no such setting"),
    ],
)
def test_an_invalid_wish_of_a_request_is_said_once_and_the_crawl_goes_on(
    articles: list[str], meta: Any, said: str
) -> None:
    done = crawl(spider_of(*(scrapy.Request(url, meta={"denoise": meta}) for url in articles)))
    assert all(done.bodies().values())
    assert done.stat("invalid_meta") == 4
    assert done.log.count(said) == 1


def test_a_text_of_the_spider_is_kept(articles: list[str]) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url, "body": f"my own text of {response.url}"}

    done = crawl(spider_of(*articles, parse=parse))
    assert done.bodies()[articles[0]] == f"my own text of {articles[0]}"
    assert done.stat("body/kept") == 4
    done = crawl(spider_of(*articles, parse=parse), {"DENOISE_OVERWRITE": True})
    assert sentence(0) in done.bodies()[articles[0]]


def test_an_item_is_given_what_its_settings_ask_for(articles: list[str]) -> None:
    names = ("html", "markdown", "confidence", "comparison", "blocks")
    settings = {"DENOISE_FIELDS": {name: name for name in names}}
    done = crawl(spider_of(*articles), settings)
    item = next(item for item in done.items if item["url"] == articles[0])
    assert set(item) == {"url", "body", *names}
    assert sentence(0) in item["body"]
    assert item["html"].startswith("<") and sentence(0) in item["markdown"]
    assert 0 < item["confidence"] <= 1
    assert set(item["comparison"]) <= {*articles[1:]}
    kept = [block["text"] for block in item["blocks"] if block["kept"]]
    assert "\n".join(kept) == item["body"]
    json.dumps(item)


def test_spider_attributes_and_arguments_count_more_than_settings(articles: list[str]) -> None:
    settings = {"DENOISE_BODY_FIELD": "text"}
    done = crawl(spider_of(*articles, denoise_body_field="main"), settings)
    assert all(item["main"] for item in done.items)
    done = crawl(spider_of(*articles, denoise_body_field="main"), settings, denoise_body_field="b")
    assert all(item["b"] and "main" not in item for item in done.items)


def test_errors_of_ours_are_said_once_and_items_pass(articles: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr("denoise_scrapy.crawl.item_values.SiteModel.fit", broken)
    monkeypatch.setattr("denoise_scrapy.crawl.duplicates.DuplicateIndex.check_and_add", broken)
    done = crawl(spider_of(*articles))
    assert len(done.items) == 4
    assert done.stat("errors/body") == done.stat("errors") == 4
    assert done.log.count("RuntimeError: broken on purpose") == 1
    monkeypatch.setattr("denoise_scrapy.crawl.pages.read_page", broken)
    done = crawl(spider_of(*articles))
    assert len(done.items) == 4
    assert done.stat("errors/process_response") == 4


def test_pages_without_a_server_are_treated_without_fetches(tmp_path: Any) -> None:
    file = tmp_path / "page.html"
    file.write_text(article(1, ["http://127.0.0.1:9/never"]), encoding="utf-8")
    done = crawl(spider_of(file.as_uri(), "data:text/html,<p>A short page that is one line."))
    assert sentence(1) in done.bodies()[file.as_uri()]
    assert len(done.items) == 2
    assert done.stat("comparison/requests") == 0


def listing(*rows: dict[str, str], at: str) -> type[scrapy.Spider]:
    """Return a spider that yields these items of a page, or one that names the page."""
    return spider_of(at, parse=lambda self, response: rows or [{"url": response.url}])


NONE_HAS_ONE = "Not one item of this crawl has a text of its page: "


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([{"n": "1"}, {"n": "2"}], "2 share a page with others (DENOISE_SHARED_BODY = True"),
        ([{"url": "https://else.example/1"}] * 3, "3 name a page that the spider has not fetched (follow the link"),
        ([{"n": "1"}, {"n": "2"}, {"url": "/b"}], "2 share a page with others "),
    ],
)
def test_a_crawl_without_one_body_says_why_at_its_end(articles: list[str], rows: Any, why: str) -> None:
    done = crawl(listing(*rows, at=articles[0]), {"DENOISE_DEDUP": "off"})
    lines = [line for line in done.log.splitlines() if NONE_HAS_ONE in line]
    assert len(lines) == 1 and " WARNING " in lines[0] and NONE_HAS_ONE + why in lines[0]
    assert ("; 1 name a page" in lines[0]) == (len(rows) == 3 and "n" in rows[0])
    assert "DENOISE_ENABLED = False" in lines[0]


def test_a_crawl_is_not_complained_of_that_has_a_body_or_wants_none(articles: list[str]) -> None:
    rows = [{"n": "1"}, {"n": "2"}]
    silent: list[tuple[Any, dict[str, Any]]] = [
        (listing(*rows, at=articles[0]), {"DENOISE_SHARED_BODY": True}),
        (listing(at=articles[0]), {}),
        (listing(*({"body": "own", "n": n} for n in "12"), at=articles[0]), {"DENOISE_SHARED_BODY": True}),
        (listing(*rows, at=articles[0]), {"DENOISE_ENABLED": False}),
        (spider_of(), {}),
    ]
    for spider, settings in silent:
        assert NONE_HAS_ONE not in crawl(spider, settings | {"DENOISE_DEDUP": "off"}).log
