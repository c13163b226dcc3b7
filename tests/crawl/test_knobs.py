"""What a spider, a request or the command line says of a body."""

from typing import Any

import pytest
import scrapy

from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, story

TITLE, FOOT = "Heading of 1", "All rights reserved, the usual notes"
CAPTION = "The harbour in winter of year 1"


@pytest.fixture
def articles(web: Web) -> list[str]:
    for n in range(4):
        figure = f"<figure><img src=x><figcaption>{CAPTION[:-1]}{n}</figcaption></figure><p>"
        web.pages[f"/a/{n}"] = article(n).replace("<p>", figure, 1)
    return [web(f"/a/{n}") for n in range(4)]


def lines(bodies: dict[str, Any], url: str) -> list[str]:
    return list(bodies[url].splitlines())


@pytest.mark.parametrize(
    "remove",
    ["#foot, figcaption", ["#foot", "//figcaption"], ("css:#foot", "figcaption"), '["#foot", "//figcaption"]'],
)
def test_selectors_are_given_as_one_or_several(articles: list[str], remove: Any) -> None:
    settings = {"DENOISE_STRATEGY": "style-tree", "DENOISE_REMOVE": remove}
    body = lines(crawl(spider_of(articles[1]), settings).bodies(), articles[1])
    assert TITLE in body
    assert not {FOOT, CAPTION} & set(body)


def test_a_spider_says_what_belongs_to_a_body(articles: list[str]) -> None:
    done = crawl(spider_of(*articles, denoise_keep=["#foot"], denoise_remove="//p", denoise_parts={"captions": "keep"}))
    body = lines(done.bodies(), articles[1])
    assert {FOOT, CAPTION} <= set(body)
    assert story(1).split(". ")[3] not in done.bodies()[articles[1]]


def test_a_request_does_for_its_page_alone(articles: list[str]) -> None:
    cut = {"remove": ["#foot", "h1"], "parts": {"captions": "drop"}}
    wishes = [{}, {"keep": []}, cut, {"keep": "#top", "favor": "recall"}]
    requests = [scrapy.Request(url, meta={"denoise": wish}) for url, wish in zip(articles, wishes, strict=True)]
    done = crawl(spider_of(*requests, denoise_keep="#foot"))
    bodies = [lines(done.bodies(), url) for url in articles]
    assert [FOOT in body for body in bodies] == [True, False, True, False]  # keep wins over remove
    assert ["Daily Gazette" in " ".join(body) for body in bodies] == [False, False, False, True]
    assert "Heading of 2" not in bodies[2]
    assert f"{CAPTION[:-1]}2" not in bodies[2]
    assert done.stat("invalid_meta") == 0


def test_what_was_done_where_nothing_is_left_is_counted(articles: list[str]) -> None:
    done = crawl(spider_of(*articles, denoise_remove="body"))
    assert set(done.bodies().values()) == {""}
    assert done.stat("body/fallback/all_removed") == done.stat("body/empty") == 4
