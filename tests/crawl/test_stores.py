"""The small stores between the middlewares: bounded, and never answering the wrong request."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse

from denoise_scrapy.crawl.pages import RecentPages, is_comparable, is_page

URL = "http://a.example/1"


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60))), st.integers(0, 100))
def test_recent_pages_are_the_youngest_that_fit(puts: list[tuple[int, int]], limit: int) -> None:
    kept: Any = RecentPages(limit)
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
