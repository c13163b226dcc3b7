"""Sibling links: same site, like shape, never an action."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import sibling_links, site_key, url_likeness


def siblings(url: str, *hrefs: str, limit: int = 10) -> list[str]:
    return sibling_links(Page.parse("".join(f"<a href='{h}'>x</a>" for h in hrefs), url=url), limit)


def test_likest_urls_first():
    found = siblings(
        "http://a.example/news/2021/storm-hits-coast.html",
        "/",
        "/about",
        "/news/",
        "/sports/2021/cup-final-tonight.html",
        "/news/2022/council-votes-again.html",
    )
    assert found[:2] == [
        "http://a.example/news/2022/council-votes-again.html",
        "http://a.example/sports/2021/cup-final-tonight.html",
    ]
    assert found[-1] == "http://a.example/"


def test_query_pages():
    found = siblings(
        "http://a.example/thread.php?id=12", "/thread.php?id=99", "/user.php?name=x", "/thread.php?a=1&b=2"
    )
    assert found[0] == "http://a.example/thread.php?id=99"


@pytest.mark.parametrize(
    "href",
    [
        "http://b.example/news/1",
        "https://a.example/news/1",  # another scheme is another site
        "http://a.example:8080/news/1",
        "/style.css",
        "/paper.pdf",
        "/logout",
        "/user/logout?next=1",
        "/news/1?action=delete",
        "/cart/add/7",
        "/account/",
        "mailto:x@a.example",
        "#top",
        "/news/7",  # the page itself
        "/news/7/",
    ],
)
def test_links_that_are_never_siblings(href):
    assert siblings("http://a.example/news/7", href) == []


@given(st.sampled_from(["", "/", "/a", "/a/b.html", "?q=1", "//", "/%zz/;x"]), st.text("ab/?=.1%", max_size=8))
def test_likeness_of_any_urls(path, other):
    a, b = "http://a.example" + path, "http://a.example/" + other
    assert 0 <= url_likeness(a, b) <= 1
    assert url_likeness(a, b) == pytest.approx(url_likeness(b, a))
    assert url_likeness(a, a) == pytest.approx(1)


def test_words_inside_words_are_no_actions():
    assert siblings("http://a.example/news/7", "/news/blogging-in-editions") != []


def test_site_keys():
    assert site_key("http://a.example:80/x") == site_key("HTTP://A.example/y")
    assert site_key("http://[::1]:99/") == "http://::1:99"
    assert site_key("http://a.example:bad/") == site_key("about:blank") == site_key("") == ""


def test_no_more_links_are_looked_at_than_pages_have() -> None:
    """231,000 of them took eleven seconds; the work is counted, not timed."""
    html = "".join(f"<a href=/news/n{n}>x</a>" for n in range(9000))
    page = Page.parse(html, url="http://a.example/news/1")
    asked: list[str] = []
    absolute = page.absolute
    page.absolute = lambda url: asked.append(url) or absolute(url)  # type: ignore[method-assign]
    assert sibling_links(page, 3) == [f"http://a.example/news/n{n}" for n in range(3)]
    assert len(asked) == 4000
