"""Cleaned HTML: safe, absolute, and with all its text."""

import pytest
from hypothesis import given
from lxml import html

from denoise_scrapy.page import clean_html
from tests.html_strategies import SOUP, pages

URL = "http://a.example/dir/page.html"


def one(markup: str, url: str = URL):
    """The first element of the cleaned body."""
    return html.document_fromstring(clean_html(f"<body>{markup}</body>", url)).body[0]


@pytest.mark.parametrize(
    ("markup", "attribute", "expected"),
    [
        ("<a href='x.html#y'>", "href", "http://a.example/dir/x.html#y"),
        ("<a href='//b.example/x'>", "href", "http://b.example/x"),
        ("<a href='?q=1'>", "href", "http://a.example/dir/page.html?q=1"),
        ("<a href='mailto:x@a.example'>", "href", "mailto:x@a.example"),
        ("<img src='/i.png'>", "src", "http://a.example/i.png"),
        ("<img src='data:image/png;base64,AA=='>", "src", "data:image/png;base64,AA=="),
        (
            "<img srcset='a.png 1x, /b,c.png 2x,d.png'>",
            "srcset",
            "http://a.example/dir/a.png 1x, http://a.example/b,c.png 2x, http://a.example/dir/d.png",
        ),
        ("<video poster=p.jpg></video>", "poster", "http://a.example/dir/p.jpg"),
        ("<iframe src=f.html></iframe>", "src", "http://a.example/dir/f.html"),
        ('<p style="background:url(b.png)">', "style", "background:url('http://a.example/dir/b.png')"),
        ("<form action=go></form>", "action", "http://a.example/dir/go"),
        ("<a href='http://[bad'>", "href", None),
        ("<a href='javascript:x()'>", "href", None),
        ("<a href='java\nscript:x()'>", "href", None),
        ("<a href=' JavaScript:x()'>", "href", None),
        ("<img src='data:text/html,x'>", "src", None),
        ("<p onclick='x()'>", "onclick", None),
        ("<iframe srcdoc='<script>x</script>'></iframe>", "srcdoc", None),
    ],
)
def test_references(markup, attribute, expected):
    assert one(markup).get(attribute) == expected


def test_base_counts_and_goes():
    page = "<head><base href='//c.example/q/'><link rel=stylesheet href=s.css></head><body><a href=x>y</a>"
    cleaned = clean_html(page, URL)
    assert 'href="http://c.example/q/s.css"' in cleaned
    assert 'href="http://c.example/q/x"' in cleaned
    assert "<base" not in cleaned


def test_what_shows_nothing_goes_and_text_stays():
    cleaned = clean_html(
        "<p>a<script>1</script>b<!-- c -->d<noscript>e</noscript>f<style>g</style>h<template>i</template>j"
    )
    assert html.document_fromstring(cleaned).text_content() == "abdfhj"


def test_a_page_is_not_sent_elsewhere():
    assert "b.example" not in clean_html("<meta http-equiv=refresh content='0;url=http://b.example/'><p>x")


@given(pages())
def test_no_script_and_every_reference_absolute(page):
    document = clean_html(page, URL)
    assert "<script" not in document
    for element in html.document_fromstring(document).iter("a"):
        assert (element.get("href") or "http").startswith("http")


@given(SOUP)
def test_broken_markup(page):
    for source in (page, page.encode("utf-8", "replace")):
        assert isinstance(clean_html(source, URL), str)


def test_control_characters_in_references():
    assert one("<a href='/x\x0by'>z</a>").text == "z"


def test_empty_pages():
    assert clean_html("") == clean_html(b"   ") == ""
