"""Pages that break parsers: the crawl continues, and their items are intact."""

from typing import Any

from scrapy import Request
from scrapy.http import HtmlResponse, JsonResponse, Response, TextResponse, XmlResponse

from denoise_scrapy.crawl.pages import is_comparable, is_page
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article, story

POLISH = "Zażółć gęślą jaźń, powiedział ktoś z daleka, i poszedł dalej przez most nad rzeką. " * 3

REPLIES = {
    "empty": Reply(b""),
    "spaces": Reply(b" \n "),
    "binary": Reply(bytes(range(256)) * 400),
    "zeros": Reply(b"\0" * 5000),
    "nested": Reply(b"<div>" * 5000 + b"deep" + b"</div>" * 5000),
    "cut": Reply(article(7).encode()[:-700]),
    "cut in a tag": Reply(article(7).encode().partition(b"</h1>")[0] + b"<p class='a"),
    "wrong charset": Reply(f"<p>{POLISH}".encode("cp1250"), headers={"Content-Type": "text/html; charset=utf-8"}),
    "no charset": Reply(f"<p>{POLISH}".encode()),
    "unknown charset": Reply(f"<p>{POLISH}".encode(), headers={"Content-Type": "text/html; charset=klingon"}),
    "utf-16": Reply(f"<html><p>{POLISH}".encode("utf-16")),
    "no content type": Reply(b"<html><p>Some words of text here", headers={}),
    "json": Reply(b'{"a": 1}', headers={"Content-Type": "application/json"}),
    "xml": Reply(b"<?xml version='1.0'?><a>b</a>", headers={"Content-Type": "text/xml"}),
    "plain": Reply(b"just text", headers={"Content-Type": "text/plain"}),
    "no element": Reply(b"just text, no tag"),
    "frames": Reply(b"<frameset><frame src=a><frame src=b></frameset>"),
    "entities": Reply(b"<p>&#0; &#xD800; &#99999999; &amp;&lt;" + b"&" * 5000),
    "attributes": Reply(b"<p " + b" ".join(b"a%d=1" % n for n in range(20_000)) + b">text"),
    "links": Reply(b"".join(b"<a href='http://[bad%d'>x</a>" % n for n in range(500))),
    "204": Reply(b"", 204),
}


def test_the_crawl_runs_on_over_hostile_pages(web: Web) -> None:
    paths = {f"/{number}": name for number, name in enumerate(REPLIES)}
    web.pages |= {path: REPLIES[name] for path, name in paths.items()}
    web.pages["/good"] = article(1)
    settings = {"DENOISE_COMPARISON_SHARE": 0, "DENOISE_DEDUP": "mark"}
    done = crawl(spider_of(*map(web, paths), web("/good")), settings)
    bodies = {paths.get(url.removeprefix(web.url), "good"): done.bodies()[url] for url in done.bodies()}
    assert set(bodies) == {*REPLIES, "good"}
    assert done.stat("errors") == 0, done.log
    assert story(1).split(". ")[3] in bodies["good"]
    assert story(7).split(". ")[0] in bodies["cut"]
    assert POLISH[:40] in bodies["no charset"]
    for name in ("empty", "json", "xml", "plain", "204"):
        assert bodies[name] is None


def test_a_page_of_ten_megabytes_passes_untreated(web: Web) -> None:
    web.pages["/big"] = Reply(b"<p>" + b"many words in it " * 600_000)
    web.pages["/small"] = article(2)
    done = crawl(spider_of(web("/big"), web("/small")))
    assert done.bodies()[web("/big")] is None
    assert done.bodies()[web("/small")]
    assert done.stat("pages/too_large") == 1
    assert done.stat("errors") == 0


def test_the_response_the_spider_sees_is_untouched(web: Web) -> None:
    seen: list[Any] = []

    def parse(self: Any, response: Any) -> Any:
        seen.append((response.body, response.flags, dict(response.meta)))
        yield {"url": response.url}

    web.pages |= {"/a": article(5), "/old": Reply(b"", 303, {"Location": "/a"})}
    crawl(spider_of(web("/a"), Request(web("/a"), method="POST"), Request(web("/old"), method="POST"), parse=parse))
    assert len(seen) == 3
    for body, flags, meta in seen:
        assert body == article(5).encode()
        assert flags == []
        assert not any("denoise" in key for key in meta)


def test_what_counts_as_a_page() -> None:
    url = "http://a.example/1"
    request = Request(url)
    assert is_page(HtmlResponse(url, body=b"x"))
    assert not is_page(HtmlResponse(url))
    assert not is_page(HtmlResponse("http://a.example/robots.txt", body=b"x"))
    html = b"<html lang=en><p>x"
    for cls in (TextResponse, type("Rendered", (TextResponse,), {})):
        assert is_page(cls(url, body=html)) and is_page(cls(url, body=b"x", headers={"Content-Type": "text/html"}))
        assert not is_page(cls(url, body=html, headers={"Content-Type": "text/plain"}))
        assert not is_page(cls(url, body=b"<feed><p>x"))
    for wrong in ("text/html charset=utf-8", "text/html, text/html; charset=utf-8", "text/HTM"):
        assert is_page(TextResponse(url, body=b"x", headers={"Content-Type": wrong}))
    assert not any(is_page(cls(url, body=html)) for cls in (XmlResponse, JsonResponse, Response))
    assert is_comparable(request, HtmlResponse(url))
    assert not is_comparable(request, HtmlResponse(url, status=404))
    assert not is_comparable(request, HtmlResponse("file:///a.html"))
    assert is_comparable(request.replace(method="POST"), HtmlResponse(url))  # as of a service that renders pages
    redirected = Request(url, meta={"redirect_urls": ["http://a.example/log-in"]})
    assert not is_comparable(redirected, HtmlResponse(url))
    spelled = Request(url, meta={"redirect_urls": [url + "/"]})
    assert is_comparable(spelled, HtmlResponse(url))
