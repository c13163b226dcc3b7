"""The small stores between the middlewares: bounded, and never answering the wrong request."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from denoise_scrapy.crawl.comparison_request import WAY_META, ReuseStore, way_of_fetching
from denoise_scrapy.crawl.pages import BoundedDict, is_comparable, is_page, spelling
from denoise_scrapy.crawl.state import CrawlState
from tests.crawl.crawling import event_loop
from tests.crawl.web import article

URL = "http://a.example/1"


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60))), st.integers(0, 100))
def test_a_bounded_dict_keeps_the_youngest_that_fit(puts: list[tuple[int, int]], limit: int) -> None:
    kept: BoundedDict[int, int] = BoundedDict(limit)
    expected: dict[int, int] = {}
    for key, size in puts:
        kept.put(key, size, size)
        expected.pop(key, None)
        if size <= limit:
            expected[key] = size
        while sum(expected.values()) > limit:
            del expected[next(iter(expected))]
    assert kept.nbytes == sum(expected.values()) <= limit
    assert {key: kept.get(key) for key in range(6)} == {key: expected.get(key) for key in range(6)}
    assert len(kept) == len(expected)


def fetched(url: str = URL, **more: Any) -> tuple[Request, HtmlResponse]:
    request = Request(url, **more)
    request.meta[WAY_META] = way_of_fetching(request)
    return request, HtmlResponse(url, body=b"<p>text", request=request)


def test_a_fetched_page_answers_once() -> None:
    store = ReuseStore(10_000)
    store.put(b"1", *fetched())
    answer = store.pop(b"1", Request(URL, headers={"Referer": "http://a.example/"}))
    assert answer is not None
    assert answer.request is None
    assert answer.flags == ["denoise-reused"]
    assert store.pop(b"1", Request(URL)) is None


def test_what_is_too_large_is_not_kept_for_reuse() -> None:
    store = ReuseStore(1_000)
    store.put(b"1", *fetched())
    assert len(store.fetched) == 0


@pytest.mark.parametrize(
    "other",
    [
        {"headers": {"Authorization": "x"}},
        {"headers": {"Cookie": "a=1"}},
        {"cookies": {"a": "1"}},
        {"meta": {"proxy": "http://proxy.example"}},
        {"meta": {"playwright": True}},
        {"body": b"x"},
        {"method": "HEAD"},
    ],
)
def test_a_request_of_another_kind_is_not_answered(other: dict[str, Any]) -> None:
    store = ReuseStore(10_000)
    store.put(b"1", *fetched())
    assert store.pop(b"1", Request(URL, **other)) is None
    assert len(store.fetched) == 1


def test_spellings_of_one_page() -> None:
    assert spelling("http://a.example/x/") == spelling("https://www.a.example/x")
    assert len({*map(spelling, (f"http://a.example/{end}" for end in ("x", "y", "x?page=2"))), spelling(URL)}) == 4


def test_what_counts_as_a_page() -> None:
    request = Request(URL)
    assert is_page(HtmlResponse(URL, body=b"x"))
    assert not is_page(HtmlResponse(URL))
    assert not is_page(HtmlResponse("http://a.example/robots.txt", body=b"x"))
    assert is_comparable(request, HtmlResponse(URL))
    assert not is_comparable(request, HtmlResponse(URL, status=404))
    assert not is_comparable(request, HtmlResponse("file:///a.html"))
    assert not is_comparable(request.replace(method="POST"), HtmlResponse(URL))
    redirected = Request(URL, meta={"redirect_urls": ["http://a.example/log-in"]})
    assert not is_comparable(redirected, HtmlResponse(URL))
    spelled = Request(URL, meta={"redirect_urls": [URL + "/"]})
    assert is_comparable(spelled, HtmlResponse(URL))


def test_links_the_spider_asks_for_are_fetched_first() -> None:
    event_loop()
    state = CrawlState(get_crawler())
    request = Request("http://a.example/a/0")
    html = article(0, [f"/a/{n}" for n in range(1, 6)]).encode()
    crawled = state.pages.read(request, HtmlResponse(request.url, body=html, request=request))
    assert crawled is not None
    state.pages.note_request(request, Request("http://a.example/a/4"))
    candidates = state.comparison._candidates(crawled, 2)
    assert candidates[0] == "http://a.example/a/4"
    assert len(candidates) == 5
