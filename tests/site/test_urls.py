"""Sibling links: same site, like shape, never an action."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import VisitedShapes, sibling_links, url_likeness
from denoise_scrapy.site.urls import MAX_LENGTH, MOST_LINKS


def siblings(url: str, *hrefs: str, limit: int = 10, visited: VisitedShapes | None = None) -> list[str]:
    return sibling_links(Page.parse("".join(f"<a href='{h}'>x</a>" for h in hrefs), url=url), limit, visited)


def shapes(*urls: str) -> VisitedShapes:
    visited = VisitedShapes()
    for url in urls:
        visited.add("http://a.example" + url)
    return visited


def test_likest_urls_first():
    found = siblings(
        "http://a.example/news/2021/storm-hits-coast.html",
        "/",
        "/about",
        "/news/",
        "/sports/2021/cup-final-tonight.html",
        "/news/2022/council-votes-again.html",
        visited=shapes("/", "/about", "/sports/2019/ski-race-off-again.html", "/news/2020/frost-hits-fruit.html"),
    )
    assert found[:2] == [
        "http://a.example/news/2022/council-votes-again.html",
        "http://a.example/sports/2021/cup-final-tonight.html",
    ]
    assert found[-1] == "http://a.example/"


@pytest.mark.parametrize(
    "href",
    [
        "https://a.example/news/1",  # another scheme is another site
        "/style.css",
        "/paper.pdf",
        "/logout",
        "/user/logout?next=1",
        "/news/1?action=delete",
        "/cart/add/7",
        "/account/",
        "#top",
        "/news/7",  # the page itself
        "/news/7/",
    ],
)
def test_links_that_are_never_siblings(href):
    visited = shapes("/style.css", "/paper.pdf", "/logout", "/user/logout?next=1", "/cart/add/7", "/account/")
    assert siblings("http://a.example/news/7", href, visited=visited) == []


@given(st.sampled_from(["", "/", "/a", "/a/b.html", "?q=1", "//", "/%zz/;x"]), st.text("ab/?=.1%", max_size=8))
def test_likeness_of_any_urls(path, other):
    a, b = "http://a.example" + path, "http://a.example/" + other
    assert 0 <= url_likeness(a, b) <= 1
    assert url_likeness(a, b) == pytest.approx(url_likeness(b, a))
    assert url_likeness(a, a) == pytest.approx(1)


def test_work_is_bounded(monkeypatch):
    looked_at = []
    monkeypatch.setattr(Page, "absolute", lambda page, href: looked_at.append(href) or f"http://a.example/news/{href}")
    base = f"<base href='http://a.example/{'x' * 2000}/'>"
    html = base + "".join(f"<a href='{n}'>x</a><a href='{n}'>x</a>" for n in range(3 * MOST_LINKS))
    found = sibling_links(Page.parse(html, url="http://a.example/news/x7"), 10**9)
    assert len(looked_at) == MOST_LINKS
    assert len(found) <= MOST_LINKS


def test_long_urls_are_no_siblings():
    assert siblings("http://a.example/news/7", f"/news/{'8' * (MAX_LENGTH - 22)}") != []
    assert siblings("http://a.example/news/7", f"/news/{'8' * (MAX_LENGTH - 21)}") == []
