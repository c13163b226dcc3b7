"""Pages that were made to break programs, in sizes that a test can afford."""

import pytest

from denoise_scrapy import Page
from denoise_scrapy.body import STRATEGIES
from tests.hostile.checks import check_page
from tests.hostile.named import CASES, STORY, page_of

#: Of its size: a thousand elements, some ten kilobytes.
SIZE = 0.001


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
