"""Pages that were made to break programs, in sizes that a test can afford."""

import pytest

from denoise_scrapy import Page, extract
from denoise_scrapy.body import STRATEGIES
from tests.hostile.checks import check_page, over_bounds
from tests.hostile.named import CASES, STORY, page_of

#: Of its size: a thousand elements, some ten kilobytes.
SIZE = 0.001
STORY_TEXT = STORY[3:-4]


@pytest.mark.parametrize("name", CASES)
def test_named_case(name):
    html = page_of(name, SIZE)
    found = check_page(html, [html.replace("word", "other").replace("Monday", "Friday"), "<p>Quite another page."])
    assert "the river had risen" in Page.parse(html).block_text(0)
    assert set(found) == {"alone", *STRATEGIES}


@pytest.mark.parametrize(
    "name",
    ["a million elements", "nested and closed", "a million class names", "half characters", "quotes that do not end"],
)
def test_named_case_over_its_bounds(name):
    """The story is in the text, nothing is judged."""
    html = page_of(name, 10 * SIZE)
    with over_bounds():
        body = check_page(html, strategies=["combined"])["combined"]
    assert body.fallback == "too large" and body.text.startswith(STORY_TEXT)


CHARSETS = (
    "utf-8 utf-16 utf-16-be utf-32 utf-7 latin1 windows-1252 cp1250 gb18030 big5 euc-jp shift_jis iso-2022-kr hz "
    "koi8-r hex zip bz2 base64 rot13 uu quopri idna punycode undefined unicode_escape mbcs klingon ../x \x00 é"
).split(" ")
LIE = f"<p>Zażółć gęślą jaźń 中文 😀</p>{STORY}\\x3cscript\\x3e".encode()


@pytest.mark.parametrize("charset", [*CHARSETS, "x" * 5000, ""])
def test_every_charset_lie(charset):
    name = charset.encode()
    check_page(LIE, encoding=charset, explains=False, strategies=["combined"])
    for declared in (
        b"<meta charset='%s'>" % name,
        b"<meta http-equiv=Content-Type content='text/html; charset=%s'>" % name,
        b"<?xml version='1.0' encoding='%s'?>" % name,
    ):
        for mark in (b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
            assert extract(mark + declared + LIE).text or mark
            Page.parse(mark + declared + LIE, encoding="utf-8")


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
