"""Sibling links lead to the page's own host, however a link spells it."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import VisitedShapes, page_identity, sibling_links, site_key

PAGE = "http://a.example/news/7"


def siblings(*hrefs: str, url: str = PAGE, head: str = "") -> list[str]:
    links = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    return sibling_links(Page.parse(head + links, url=url), 10)


@pytest.mark.parametrize(
    "href",
    [
        "http://user:pw@a.example/news/8",
        "http://user@a.example/news/8",
        "http://@a.example/news/8",
        "http://a.example@b.example/news/8",
        "http://a.example:80@b.example/news/8",
        "http://a.example\\@b.example/news/8",
        "http://b.example\\@a.example/news/8",
        "http://b.example\\.a.example/news/8",
        "\\\\b.example\\news\\8",
        "/\\b.example/news/8",
        "//b.example/news/8",
        "http://a.example.b.example/news/8",
        "http://b.example/a.example/news/8",
        "http://a.example./news/8",  # another origin to browsers, and to servers
        "http://%61.example/news/8",
        "http://a%2eexample/news/8",
        "http://a.example%00.b.example/news/8",
        "http://a.example:81/news/8",
        "http://a.example:0/news/8",
        "http://a.example:99999/news/8",
        "http://a.example:x/news/8",
        "http://[::1]/news/8",
        "http://[a.example/news/8",
        "ftp://a.example/news/8",
        "javascript:open('/news/8')",
        "java\nscript:open('//a.example/news/8')",
        "data:text/html,<a href=/news/8>",
        "file:///news/8",
        "mailto:x@a.example",
    ],
)
def test_never_elsewhere(href: str) -> None:
    assert siblings(href) == []


@pytest.mark.parametrize(
    "href",
    [
        "http://A.Example/news/8",
        "HTTP://a.example/news/8",
        "http://a.example:80/news/8",
        "//a.example:/news/8",
        "/ne\tws/\n8",
        "  /news/8\r\n",
        "/news/8#comments",
        "../news/./8",
    ],
)
def test_spellings_of_one_host_are_one(href: str) -> None:
    assert siblings(href, "/news/8") == ["http://a.example/news/8"]


def test_names_of_other_scripts_are_one_with_their_ascii_form() -> None:
    page = "http://xn--bcher-kva.example/news/7"
    assert siblings("http://bücher.example/news/8", url=page) == ["http://xn--bcher-kva.example/news/8"]
    assert siblings("http://bucher.example/news/8", url=page) == []


def test_addresses_as_hosts() -> None:
    page = "http://[2001:db8::7]:8080/news/7"
    assert siblings("/news/8", "http://[2001:DB8::7]:8080/news/9", url=page) == [
        "http://[2001:db8::7]:8080/news/8",
        "http://[2001:db8::7]:8080/news/9",
    ]
    assert siblings("http://[2001:db8::7]/news/8", "http://2001:db8::7:8080/news/8", url=page) == []


def test_a_base_of_another_host_is_believed() -> None:
    assert siblings("/news/8", head="<base href='http://b.example/'>") == []
    assert siblings("/news/8", "http://a.example/news/9", head="<base href=//b.example/>") == [
        "http://a.example/news/9"
    ]


def test_a_password_in_the_pages_own_url_goes_nowhere() -> None:
    own = "http://user:pw@a.example/news/7"
    assert siblings("/news/8", "http://a.example/news/9", url=own) == ["http://a.example/news/9"]


def test_forms_and_refreshes_are_no_links() -> None:
    html = """<meta http-equiv=refresh content="0;url=/news/8"><form action=/news/9><button formaction=/news/10>Go
    </form><link rel=next href=/news/11><iframe src=/news/12></iframe><img src=/news/13><q cite=/news/14></q>"""
    assert siblings(head=html) == []


def test_identifiers_of_a_session_tell_no_pages_apart() -> None:
    found = siblings(
        "/news/7?PHPSESSID=1", "/news/7;jsessionid=2", "/news/8?sid=3f", "/news/8?sid=4f", "/(S(1x))/news/8"
    )
    assert found == ["http://a.example/news/8?sid=3f"]
    numbered = [f"{PAGE}?{pair}" for pair in ("sid=3", "sid=4", "session=12", "session_id=20261123")]
    assert list(map(page_identity, numbered)) == numbered
    assert siblings("/news/8?id=3", "/news/8?id=4", url=f"{PAGE}?id=5") == [
        "http://a.example/news/8?id=3",
        "http://a.example/news/8?id=4",
    ]


@given(st.text(alphabet="abhtp:/\\@.[]%?#\t ü。0", max_size=30))
def test_any_reference_leads_to_the_page_s_site_or_nowhere(href: str) -> None:
    links = "".join(f"<a href='{escape(each)}'>x</a>" for each in (href, "http://a.example" + href))
    page, visited = Page.parse(links, url=PAGE), VisitedShapes()
    for link in page.links:
        visited.add(link)
    for url in sibling_links(page, 10, visited):
        assert url.startswith("http://a.example/")
        assert site_key(url) == site_key(PAGE)
        assert page_identity(page_identity(url)) == page_identity(url)
