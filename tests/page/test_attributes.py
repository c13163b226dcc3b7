"""Attributes of images, cells and lists, as a rendering needs them: real addresses, bounded lengths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import MAX_ALT_LENGTH, MAX_SRCSET_LENGTH, MAX_URL_LENGTH, largest

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def told(markup: str) -> list[tuple[str, str, str]]:
    page = Page.parse(f"<body>{markup}")
    return [(page.path_table.tags[page.elements.paths[i]], name, value) for i, name, value in page.attributes]


@pytest.mark.parametrize(
    ("markup", "address"),
    [
        ("<img src=/a.jpg>", ""),
        ("<img src=/a.jpg srcset='/b.jpg 2x'>", ""),
        (f"<img src='{DOT}'>", ""),
        (f"<img src='{DOT}' data-src=/b.jpg>", "/b.jpg"),
        ("<img src=/grey.gif data-src=/b.jpg>", "/b.jpg"),
        ("<img src=/grey.gif data-original=/b.jpg>", "/b.jpg"),
        ("<img data-src=/b.jpg>", "/b.jpg"),
        (f"<img src='{DOT}' nitro-lazy-src=' /b.jpg '>", "/b.jpg"),
        ("<img srcset='/s.jpg 320w, /b.jpg 1024w, /m.jpg 640w'>", "/b.jpg"),
        (f"<img src='{DOT}' data-lazy-srcset='/s.jpg, /b.jpg 2x'>", "/b.jpg"),
        ("<img :src='a + b'>", ""),
        ("<img data-src='{{ address }}' src=/a.jpg>", ""),
        (f"<img data-src='{DOT}' src=/a.jpg>", ""),
        (f"<img data-src='/{'b' * MAX_URL_LENGTH}' src=/a.jpg>", ""),
        ("<picture><source srcset='/s.jpg 320w, /b.jpg 640w'><img alt=''></picture>", "/b.jpg"),
        (f"<picture><source data-srcset=/b.jpg><img src='{DOT}'></picture>", "/b.jpg"),
        ("<picture><source srcset=/b.jpg><img src=/a.jpg></picture>", ""),
        ("<picture><source srcset=/b.jpg></picture><p><img></p>", ""),
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
    assert Page.parse("<html dir=rtl><body dir=ltr><div dir=rtl>x").attributes == [(0, "dir", "rtl"), (1, "dir", "ltr")]


def test_lengths_are_bounded_and_counted():
    page = Page.parse(f"<body><img src=/a alt='{'x' * 5000}'><table><td colspan='{'9' * 5000}'>y</table>")
    assert [len(value) for _, _, value in page.attributes] == [MAX_ALT_LENGTH, 32]
    assert page.nbytes - Page.parse("<body><img src=/a><table><td>y</table>").nbytes > MAX_ALT_LENGTH


@pytest.mark.parametrize(
    ("srcset", "url"),
    [
        ("", ""),
        ("/a.jpg", "/a.jpg"),
        ("/a.jpg, /b.jpg 1.5x, /c.jpg 1.5x", "/b.jpg"),
        ("http://a.example/x,w_3/a.jpg 1w,https://a.example/b.jpg 2w", "https://a.example/b.jpg"),
        ("data:image/gif;base64,R0 9w, /b.jpg 2w", "/b.jpg"),
        (", , ,", ","),
    ],
)
def test_the_largest_of_a_srcset(srcset, url):
    assert largest(srcset) == url


@given(st.text(" ,wx1/a\n", max_size=50))
def test_any_srcset(srcset):
    assert largest(srcset) in srcset


def test_a_srcset_is_cut():
    assert largest("/a.jpg 1w, " * MAX_SRCSET_LENGTH + "/b.jpg 2w") == "/a.jpg"
