"""References that may be followed anywhere: absolute, of safe schemes, without what ends an attribute or a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.page.references import MIN_DATA_IMAGE_LENGTH, safe_image_url, safe_url

BASE = "http://a.example/dir/page.html"
PICTURE = "data:image/png;base64," + "A" * MIN_DATA_IMAGE_LENGTH


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("x.html#y", "http://a.example/dir/x.html#y"),
        ("#y", "http://a.example/dir/page.html#y"),
        ("//b.example/x", "http://b.example/x"),
        (" ?q=a b ", "http://a.example/dir/page.html?q=a%20b"),
        ("HTTPS://b.example/", "https://b.example/"),
        ("mailto:x@a.example", "mailto:x@a.example"),
        ("tel:+1", "tel:+1"),
        ("ftp://b.example/x", "ftp://b.example/x"),
        ("/a\"b'c<d>e", "http://a.example/a%22b'c%3Cd%3Ee"),
        ("javascript:x()", ""),
        ("  JavaScript:x()", ""),
        ("java\nscript:x()", ""),
        ("java\tscript\r:x()", ""),
        ("\x01javascript:x()", ""),
        ("java\x00script:x()", ""),
        ("vbscript:x", ""),
        ("data:text/html,x", ""),
        ("blob:http://a.example/x", ""),
        ("view-source:http://a.example/", ""),
        ("file:///etc/passwd", ""),
        ("http://[bad", ""),
        ("https:///x", ""),
        ("mailto:", ""),
        (" ", ""),
        ("#", ""),
        ("/" + "x" * MAX_URL_LENGTH, ""),
    ],
)
def test_references(reference, url):
    assert safe_url(BASE, reference).replace("HTTPS", "https") == url


@given(st.text("javscript:/\\ \t\n\x00\x01#?&;xmlh\u2028\ufeff<>\"'[]@", max_size=40), st.sampled_from(["", BASE]))
def test_no_reference_runs_or_breaks_out(reference, base):
    url = safe_url(base, reference)
    assert url == "" or re.match(r"(?i)(https?|ftp|mailto|tel):", url)
    assert not re.search(r"[\x00-\x20\"<>]", url)


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        ("/i.png", True),
        (PICTURE, True),
        (PICTURE.replace("base64,", "base64,\n "), True),
        ("data:image/png;base64,AAAA", False),
        (PICTURE.replace("png", "svg+xml"), False),
        (PICTURE.replace("image/png", "text/html"), False),
        (PICTURE + '"', False),
        ("mailto:x@a.example", False),
        ("javascript:x", False),
    ],
)
def test_images(reference, kept):
    assert bool(safe_image_url(BASE, reference)) == kept


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("", BASE),
        ("/q/", "http://a.example/q/"),
        ("//c.example/q/", "http://c.example/q/"),
        ("javascript:x", BASE),
        ("http://[bad", BASE),
        ("/" + "x" * MAX_URL_LENGTH, BASE),
    ],
)
def test_the_base_of_references(base, expected):
    page = Page.parse(f"<head><base href='{base}'></head><body><a href=x>y</a>", url=BASE)
    assert page.base_url == expected
    assert page.references == [(3, "x")]
