"""What single elements tell: images, cells and lists, declared types, references that may be followed anywhere."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import (
    MAX_URL_LENGTH,
    MIN_DATA_IMAGE_LENGTH,
    declared_url,
    largest,
    safe_image_url,
    safe_url,
)
from denoise_scrapy.page.parse import MAX_JSON, MAX_VALUE, MOST_DECLARED

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def told(markup: str) -> list[tuple[str, str, str]]:
    page = Page.parse(f"<body>{markup}")
    tags = page.tags()
    return [(tags[element], *one) for element, given in page.noted.attributes.items() for one in given.items()]


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ("<img src=/a.jpg>", ""),
        (f"<img src='{DOT}'>", ""),
        (f"<img src='{DOT}' data-src=/b.jpg>", "/b.jpg"),
        ("<amp-img srcset='/s.jpg 320w, /b.jpg 640w'></amp-img>", "/b.jpg"),
        ("<img src=/grey.gif data-src=/b.jpg>", "/b.jpg"),
        ("<img src=/grey.gif data-lazy-src=/b.jpg>", "/b.jpg"),
        (f"<img src='{DOT}' nitro-lazy-src=' /b.jpg '>", "/b.jpg"),
        ("<img :src='a + b'>", ""),
        ("<img srcset='/s.jpg 320w, /b.jpg 1024w, /m.jpg 640w'>", "/b.jpg"),
        ("<img data-src='{{ address }}' src=/a.jpg>", ""),
        (f"<img data-src='{DOT}' src=/a.jpg>", ""),
        (f"<img data-src='/{'b' * MAX_URL_LENGTH}' src=/a.jpg>", ""),
        ("<picture><source srcset='/s.jpg 320w, /b.jpg 640w'><img alt=''></picture>", "/b.jpg"),
        ("<picture><source srcset=/b.jpg><img src=/a.jpg></picture>", ""),
    ],
)
def test_an_image_has_the_address_that_is_shown_in_the_end(markup, address):
    assert [value for _, name, value in told(markup) if name == "src"] == [address] * bool(address)


def test_what_else_is_kept():
    assert told("<img src=/a alt='A fox' width=5 style='height:2px' title=no onerror=no>") == [
        ("img", "alt", "A fox"),
        ("img", "width", "5"),
        ("img", "height", "2px"),
    ]
    assert told("<table><tr><th scope=col rowspan=2 id=x>a<td colspan=3 width=9>b</table><ol start=4><li>c") == [
        ("th", "rowspan", "2"),
        ("th", "scope", "col"),
        ("td", "colspan", "3"),
        ("ol", "start", "4"),
    ]
    assert Page.parse("<html dir=rtl><body dir=ltr><div dir=rtl>x").noted.attributes == {
        0: {"dir": "rtl"},
        1: {"dir": "ltr"},
    }


def test_lengths_are_bounded_and_counted():
    page = Page.parse(f"<body><img src=/a alt='{'x' * 5000}'><table><td colspan='{'9' * 5000}'>y</table>")
    lengths = [len(value) for given in page.noted.attributes.values() for value in given.values()]
    assert lengths == [MAX_VALUE] * 2
    assert page.nbytes - Page.parse("<body><img src=/a><table><td>y</table>").nbytes > MAX_VALUE


@pytest.mark.parametrize(
    ("srcset", "url"),
    [
        ("", ""),
        ("/a.jpg", "/a.jpg"),
        ("/a.jpg, /b.jpg 1.5x, /c.jpg 1.5x", "/b.jpg"),
        ("http://a.example/x,w_3/a.jpg 1w,https://a.example/b.jpg 2w", "https://a.example/b.jpg"),
    ],
)
def test_the_largest_of_a_srcset(srcset, url):
    assert largest(srcset) == url


LD = '<script type="application/ld+json">'


def types(html):
    return sorted(Page.parse(html).declared_types)


@pytest.mark.parametrize(
    ("html", "found"),
    [
        (f'<head>{LD}{{"@type": "NewsArticle"}}</script></head><p>x', ["newsarticle"]),
        (f'<body><p>x</p>{LD}{{"@graph":[{{"@type":["Product","Thing"]}}]}}</script>', ["product", "thing"]),
        ("<div itemscope itemtype='https://schema.org/Product/ http://schema.org/Car'>x</div>", ["car", "product"]),
        ("<head><meta property='og:type' content='Article'></head><p>x", ["og:article"]),
        ("<noscript><div itemtype='http://schema.org/Thing'>" + "word " * 50 + "</div></noscript>", ["thing"]),
        ('<script>x = {"@type": "Product"}</script><p>x', []),
        ("<div itemtype='" + MAX_VALUE * " " + " Late'>x</div>", []),  # of longer values the beginning is read
        ('<!-- <meta property="og:type" content="article"> --><p>x', []),
        (f'{LD}{{"@type": 7, "@type": "", "@type": "\\u0000"}}</script><div itemtype>x</div><div itemtype="///">x', []),
        (f'{LD}{" " * MAX_JSON}{{"@type":"Late"}}</script><p>x', []),
        (f"<div itemtype='{'x' * 5_000_000}'>a</div>" + "<p itemtype='http://s.org/A1 Bc'>b</p>" * 1000, ["a1", "bc"]),
    ],
    ids=range(11),
)
def test_types_are_found_wherever_they_stand(html, found):
    assert types(html) == found


def test_types_are_bounded():
    many = "".join(f'{{"@type":"T{n}"}},' for n in range(3000))
    assert len(types(f"{LD}{many}</script><p>x")) == MOST_DECLARED


BASE = "http://a.example/dir/page.html"
PICTURE = "data:image/png;base64," + "A" * MIN_DATA_IMAGE_LENGTH


@pytest.mark.parametrize(
    ("reference", "url"),
    [
        ("x.html#y", "http://a.example/dir/x.html#y"),
        ("//b.example/x", "http://b.example/x"),
        (" ?q=a b ", "http://a.example/dir/page.html?q=a%20b"),
        ("mailto:x@a.example", "mailto:x@a.example"),
        ("/a\"b'c<d>e", "http://a.example/a%22b'c%3Cd%3Ee"),
        ("javascript:x()", ""),
        ("data:text/html,x", ""),
        ("http://[bad", ""),
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
        (PICTURE.replace("png", "svg+xml"), False),
        (PICTURE.replace("image/png", "text/html"), False),
        (PICTURE + '"', False),
    ],
)
def test_images(reference, kept):
    assert bool(safe_image_url(BASE, reference)) == kept


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("", BASE),
        ("//c.example/q/", "http://c.example/q/"),
        ("javascript:x", BASE),
        ("/" + "x" * MAX_URL_LENGTH, BASE),
    ],
)
def test_the_base_of_references(base, expected):
    page = Page.parse(f"<head><base href='{base}'></head><body><a href=x>y</a>", url=BASE)
    assert page.base_url == expected
    assert page.noted.references == [(3, "x")]


@pytest.mark.parametrize(
    ("page", "address"),
    [
        ("<link rel=canonical href=http://a.example/1><link rel=canonical href=http://a.example/2>", "1"),
        ("<script>canonical = 1 > 0</script><link rel='x canonical' href='http://a.example/3?>'>", "3?>"),
        ("<meta property=og:url content=http://a.example/4><p>canonical<p>", "4"),
        ("<link rel=canonical href=/5><p>It rained.<meta property=og:url content=http://a.example/6>", "6"),
        ("<!-- <link rel=canonical href=http://a.example/7> -->", None),
        ("<p>canonical", None),
    ],
)
def test_the_address_that_a_page_declares_is_its_first_canonical_one(page: str, address: str | None) -> None:
    expected = "" if address is None else f"http://a.example/{address}"
    assert declared_url(page) == declared_url(page.encode()) == expected
