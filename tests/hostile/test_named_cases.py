"""Pages that were made to break programs, in sizes that a test can afford."""

from functools import partial

import pytest

from denoise_scrapy import DuplicateIndex, Page
from denoise_scrapy.body import STRATEGIES
from tests.hostile.checks import check_page
from tests.hostile.named import BOUNDED, CASES, STORY, page_of
from tests.hostile.styles import problem, seconds

#: Of its size: a thousand elements, some ten kilobytes.
SIZE = 0.001
#: What a crawl makes of a body; and seconds of it for a tag, however few bytes it has: up to 8 µs were measured.
CRAWLED = {
    "title": lambda body: body.title,
    "kind": lambda body: body.kind,
    "hidden": lambda body: body.hidden,
    "fingerprint": lambda body: DuplicateIndex().check_and_add("it", body.text),
}
EACH, SLACK = 12e-6, 0.06


@pytest.mark.parametrize("name", BOUNDED)
def test_time_is_in_proportion_to_the_size(name):
    seconds(STORY, CRAWLED)  # modules are imported
    wrong = partial(problem, lambda size: page_of(name, size / 1e7), 100_000, SLACK, CRAWLED, EACH)
    assert not (wrong() and (why := wrong())), why  # what is seen twice is no accident


def test_a_text_that_begins_like_an_address_takes_no_longer():
    seconds(STORY, {})
    wrong = partial(problem, lambda size: ".htm" * (size // 4) + " x", 20_000, SLACK, {})
    assert not (wrong() and (why := wrong())), why


@pytest.mark.parametrize("name", CASES)
def test_named_case(name):
    html = page_of(name, SIZE)
    found = check_page(html, [html.replace("word", "other").replace("Monday", "Friday"), "<p>Quite another page."])
    assert "the river had risen" in Page.parse(html).block_text(0)
    assert set(found) == {"alone", *STRATEGIES}


def test_a_base_on_another_host():
    for base in ("http://evil.example/x/", "//evil.example", "javascript:alert(1)//", "data:text/html,", "http://[::1"):
        html = f"<base href='{base}'>{STORY}<a href=a.html>More</a><img src=b.png>"
        page = Page.parse(html, url="http://a.example/")
        assert all(link.startswith(("http://evil.example/", "http://a.example/")) for link in page.links)
        check_page(html)


@pytest.mark.parametrize("html", ["", " ", "\x00", "<", "<!--", "<!DOCTYPE html>", "<p", "</p>", "<html>", "&", "]]>"])
@pytest.mark.parametrize("kind", [str, bytes])
def test_pages_of_nothing(html, kind):
    check_page(html if kind is str else html.encode(), [html, STORY])
