"""What a comparison request is: a GET of a sibling without credentials, which no form, refresh or action brings."""

from collections.abc import Iterator
from typing import Any

import pytest
import scrapy
from scrapy import Request
from scrapy.http import Response

from denoise_scrapy.crawl.comparison import redirect_to_same_page
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.rude_web import RudeWeb
from tests.crawl.web import Reply, article

LINKS = [f"/a/{n}" for n in range(1, 6)]


@pytest.fixture
def site() -> Iterator[RudeWeb]:
    web = RudeWeb()
    web.pages |= {f"/a/{n}": article(n, LINKS) for n in range(6)}
    yield web
    web.close()


@pytest.mark.parametrize(
    "request_of_page",
    [
        {},
        {
            "headers": {
                "Authorization": "Basic eDp5",
                "Cookie": "session=1",
                "Referer": "http://b.example/",
                "X-Key": "1",
            }
        },
        {"cookies": {"session": "1"}, "meta": {"dont_merge_cookies": True}},
        {"meta": {"http_user": "user", "http_pass": "pass"}},
    ],
)
def test_it_is_a_get_without_credentials(site: RudeWeb, request_of_page: dict[str, Any]) -> None:
    crawl(spider_of(Request(site("/a/0"), **request_of_page)))
    ours = site.requests[1:]
    assert [path for _, path, _ in ours] == ["/a/1", "/a/2"]
    for method, _, headers in ours:
        assert method == "GET"
        assert not {"authorization", "cookie", "referer", "x-key", "content-length"} & set(headers)


@pytest.mark.parametrize(
    "html",
    [
        "<form action='/a/1'><input formaction='/a/2' type=submit><button formaction='/a/3'>Go</button></form>",
        "<iframe src='/a/1'></iframe><img src='/a/2'><script src='/a/3'></script><object data='/a/4'></object>",
        "<a href='/a/1/delete'>x</a><a href='/a/2?do=logout'>x</a><a href='/a/3?add-to-cart=3'>x</a>",
        "<a href='/a/1?%61ction=%44elete'>x</a><a href='/deleteItem?id=7'>x</a><a href='/%E9%80%80%E5%87%BA'>x</a>",
        "<a href='javascript:go(\"/a/1\")'>x</a><a href='data:text/html,x'>x</a><a href='/a/2\\..\\x'>x</a>",
    ],
)
def test_what_is_no_sibling_is_not_asked_for(site: RudeWeb, html: str) -> None:
    site.pages["/a/0"] = article(0).replace("</body>", f"{html}</body>")
    done = crawl(spider_of(site("/a/0")))
    assert site.asked == ["/a/0"]
    assert done.stat("body/items") == 1


def listing(self: Any, response: Any) -> Any:
    """Yield an item of a page, and requests of others."""
    yield {"url": response.url}
    for path in ("/b/1/view", "/tag/ant"):
        yield response.follow(path, self.done, priority=-9)
    yield scrapy.FormRequest(response.urljoin("/rm/1"), self.done, formdata={"a": "1"}, priority=-9)


def done(self: Any, response: Any) -> Any:
    return []


ACTING = ["/b/2/trash", "/del/2", "/a/2?rm=1", "/a/hapus", "/tag/keluar", "/keluar", "/rm/2"]


def test_links_have_the_shape_of_what_the_spider_asks_for(site: RudeWeb) -> None:
    site.pages |= {"/c/7": article(0, [*ACTING, "/b/2/view", "/b/3/view"])}
    site.pages |= {f"/b/{n}/view": article(n) for n in (2, 3)}
    crawl(spider_of(site("/c/7"), parse=listing, done=done), {"DENOISE_DEDUP": "off"})
    assert {"/b/2/view", "/b/3/view"} <= set(site.asked)
    assert not set(ACTING) & set(site.asked)


def test_what_the_spider_posts_is_no_shape_to_follow(site: RudeWeb) -> None:
    site.pages |= {"/c/7": article(0, ["/rm/2", "/rm/3"])}
    crawl(spider_of(site("/c/7"), parse=listing, done=done))
    assert ("POST", "/rm/1") in [(method, path) for method, path, _ in site.requests]
    assert not {"/rm/2", "/rm/3"} & set(site.asked)


@pytest.mark.parametrize(
    ("location", "followed"),
    [
        ("/a/2/", True),
        ("http://a.example:80/a/2/", True),
        ("/a/2/?session=1", False),
        ("/a/3", False),
        ("/login?next=/a/2", False),
        ("//b.example/a/2/", False),
        ("https://a.example/a/2/", False),
        ("http://a.example:81/a/2/", False),
        ("http://user:pw@a.example/a/2/", False),
        ("javascript:x", False),
        ("http://[a.example/a/2/", False),
        ("", False),
    ],
)
def test_redirects_lead_to_the_same_page_or_nowhere(location: str, followed: bool) -> None:
    response = Response("http://a.example/a/2", status=302, headers={"Location": location})
    assert (redirect_to_same_page(response) is not None) == followed


def test_a_refresh_is_not_followed(site: RudeWeb) -> None:
    site.pages |= dict.fromkeys(LINKS, "<meta http-equiv=refresh content='0;url=/next'><p>Wait a moment")
    done = crawl(spider_of(site("/a/0")), {"DENOISE_COMPARISON_SHARE": 20})
    assert "/next" not in site.asked
    assert done.stat("body/items") == 1


def test_spellings_of_one_page_are_asked_for_once(site: RudeWeb) -> None:
    host = site.url.partition("//")[2]
    spellings = ["/a/1", "/a/1/", "/a/1?sid=2c", f"HTTP://{host}/a/1#top", "/a/1;jsessionid=3", "/a/0?PHPSESSID=4"]
    site.pages["/a/0"] = article(0, spellings)
    crawl(spider_of(site("/a/0")))
    assert site.asked == ["/a/0", "/a/1"]


@pytest.mark.parametrize("request_of_page", [{"method": "POST"}, {"method": "GET", "body": "a=1"}])
@pytest.mark.parametrize("status", [0, 301, 303, 308])
@pytest.mark.parametrize("way", [["/item/12/rm"], ["/login", "/item/12/rm"], ["/item/12/rm", "/item/12/rm/"]])
def test_what_was_not_got_leads_nowhere(
    site: RudeWeb, request_of_page: dict[str, Any], status: int, way: list[str]
) -> None:
    moved = [Reply(b"", status, headers={"Location": path}) for path in way[1:]] if status else []
    way = way if status else way[-1:]
    siblings = [f"/item/{n}/rm" for n in range(13, 20)]
    pages = article(0, [*siblings, *(f"{path}/" for path in siblings), *way, f"{way[-1]}?x=1"])
    site.pages |= dict(zip(way, [*moved, pages], strict=True))

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        yield from response.follow_all(["/a/0", "/page"], self.item)

    def item(self: Any, response: Any) -> Any:
        yield {"url": response.url}

    site.pages["/page"] = pages.replace("'main'", "'other'").replace("'links'", "'others'")  # a page that was got
    done = crawl(spider_of(Request(site(way[0]), **request_of_page), parse=parse, item=item), {"DENOISE_DEDUP": "off"})
    assert len(done.items) == 3
    assert sorted({path for _, path, _ in site.requests} & {*siblings, *(f"{path}/" for path in siblings)}) == []
    assert [path for _, path, _ in site.requests if path in way] == way


@pytest.mark.parametrize("formdata", [None, {"a": "1"}])
def test_where_a_get_was_redirected_or_follows_a_form_siblings_are_fetched(
    site: RudeWeb, formdata: dict[str, str] | None
) -> None:
    site.pages["/in"] = "<p>Welcome" if formdata else Reply(b"", 301, headers={"Location": "/a/0"})

    def parse(self: Any, response: Any) -> Any:
        if response.url.endswith("/in"):
            yield response.follow("/a/0", meta=response.meta)
        else:
            yield {"url": response.url}

    crawl(spider_of(scrapy.FormRequest(site("/in"), formdata=formdata), parse=parse))
    assert site.asked == ["/in", "/a/0", "/a/1", "/a/2"]


def test_robots_txt_holds_for_siblings_of_a_page_that_needed_no_leave(site: RudeWeb) -> None:
    site.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /a/\n")
    done = crawl(spider_of(Request(site("/a/0"), meta={"dont_obey_robotstxt": True})), {"ROBOTSTXT_OBEY": True})
    assert sorted(site.asked) == ["/a/0", "/robots.txt"]
    assert done.stat("comparison/requests") == 0
    assert done.stat("body/items") == 1
