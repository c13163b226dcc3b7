"""Comparison requests: which are sent, which never are, and how many: per page, host and crawl."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from denoise_scrapy.crawl.bodies import PATIENCE
from denoise_scrapy.crawl.fetching import PER_SITE, redirect_to_same_page
from denoise_scrapy.crawl.state import state_of
from tests.crawl import crawling, rude_web
from tests.crawl.crawling import LONGEST, ONE_BY_ONE, Crawl, crawl, event_loop, spider_of
from tests.crawl.names import Names
from tests.crawl.web import Reply, Web, article

LINKS = [f"/a/{n}" for n in range(1, 6)]
MANY = [f"/a/{n}" for n in range(1, 40)]
AMPLE = {"DENOISE_COMPARISON_SHARE": 9, "DENOISE_COMPARISON_WAIT": 0}
GONE = Reply(b"<p>gone", 404)
TIMEOUT = 0.5
Limits = Callable[..., None]


@dataclass
class Case:
    """Other pages of the site, pages that the spider requests, and the expected requests to the site."""

    pages: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=lambda: ["/a/0", "/a/1", "/a/2"])
    failed: int = 0
    given_up: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    per_site: int = 8
    request: dict[str, Any] = field(default_factory=dict)
    start: tuple[str, ...] = ("/a/0",)


def without_siblings(html: str) -> Case:
    return Case({"/a/0": article(0).replace("</body>", f"{html}</body>")}, ["/a/0"])


def unanswered(reply: Any, given_up: str) -> Case:
    return Case(dict.fromkeys(LINKS, reply), ["/a/0", "/a/1"], 1, given_up)


def robots(lines: str, asked: list[str], failed: int, **more: Any) -> Case:
    reply = Reply(f"User-agent: *\n{lines}".encode())
    return Case({"/robots.txt": reply}, asked, failed, settings={"ROBOTSTXT_OBEY": True}, **more)


CREDENTIALS = {"Authorization": "Basic eDp5", "Cookie": "session=1", "Referer": "http://b.example/", "X-Key": "1"}
CASES = {
    "two siblings": Case(),
    "no fetch": Case(asked=["/a/0"], settings={"DENOISE_COMPARISON_SHARE": 0}),
    "no pages": Case(asked=["/a/0"], settings={"DENOISE_COMPARISON_PAGES": 0}),
    "pages are counted": Case(asked=["/a/0"], settings={"CLOSESPIDER_PAGECOUNT": 9}),
    "browser contexts are counted": Case(
        asked=["/a/0"], settings={"PLAYWRIGHT_MAX_CONTEXTS": 1}, request={"meta": {"playwright": True}}
    ),
    "a browser context has a proxy": Case(
        asked=["/a/0"],
        settings={"PLAYWRIGHT_CONTEXTS": {"own": {"proxy": {"server": "http://127.0.0.1:9"}}}},
        request={"meta": {"playwright": True, "playwright_context": "own"}},
    ),
    "a request's context has a proxy": Case(
        asked=["/a/0"],
        request={
            "meta": {"playwright": True, "playwright_context_kwargs": {"proxy": {"server": "http://127.0.0.1:9"}}}
        },
    ),
    "a browser context has none": Case(
        settings={"PLAYWRIGHT_CONTEXTS": {"own": {"locale": "de"}}},
        request={"meta": {"playwright": True, "playwright_context": "own"}},
    ),
    "none a site": Case(asked=["/a/0"], per_site=0),
    "one a site": Case(asked=["/a/0", "/a/1"], per_site=1),
    # credentials of the page, in each way that Scrapy has for them
    "headers": Case(request={"headers": CREDENTIALS}),
    "cookies": Case(request={"cookies": {"session": "1"}, "meta": {"dont_merge_cookies": True}}),
    "password": Case(request={"meta": {"http_user": "user", "http_pass": "pass"}}),
    # no examples of the template
    "gone": Case({"/a/1": GONE}, ["/a/0", *LINKS[:3]], 1),
    "json": Case({"/a/1": Reply(b"{}", headers={"Content-Type": "application/json"})}, ["/a/0", *LINKS[:3]], 1),
    "empty": Case({"/a/1": Reply(b"")}, ["/a/0", *LINKS[:3]], 1),
    "large": Case({"/a/1": Reply(b"<p>" + b"x" * 300_000)}, ["/a/0", *LINKS[:3]], 1),
    "log-in": Case({"/a/1": Reply(b"", 302, headers={"Location": "/login"})}, ["/a/0", *LINKS[:3]], 1),
    # no siblings
    "form": without_siblings("<form action=/a/1><input formaction=/a/2 type=submit><button formaction=/a/3>x</form>"),
    "frames": without_siblings("<iframe src=/a/1></iframe><img src=/a/2><script src=/a/3></script><object data=/a/4>"),
    "actions": without_siblings("<a href=/a/1/delete>x</a><a href=/a/2?do=logout>x</a><a href=/a/3?add-to-cart=3>x"),
    "encoded": without_siblings("<a href=/a/1?%61ction=%44elete>x</a><a href=/rmItem?id=7>x</a><a href=/%E9%80%80>x"),
    "scripts": without_siblings("<a href='javascript:go(\"/a/1\")'>x</a><a href='/a/2\\..\\x'>x</a>"),
    "refresh": Case(
        dict.fromkeys(LINKS, "<meta http-equiv=refresh content='0;url=/next'><p>Wait a moment"), ["/a/0", *LINKS]
    ),
    "a redirect to the page": Case(
        {"/in": Reply(b"", 301, headers={"Location": "/a/0"})}, ["/in", "/a/0", "/a/1", "/a/2"], start=("/in",)
    ),
    "redirects count for a host": Case(
        {path: Reply(status=301, headers={"Location": f"{path}/"}) for path in LINKS},
        ["/a/0", "/a/1", "/a/1/", "/a/2"],
        2,
        per_site=3,
    ),
    "spellings": Case(
        {"/a/0": article(0, ["/a/1", "/a/1/", "/a/1?sid=2c", "/a/1#top", "/a/1;jsessionid=3", "/a/0?PHPSESSID=4"])},
        ["/a/0", "/a/1"],
    ),
    "robots.txt": robots("Disallow: /a/1\nDisallow: /a/2", ["/robots.txt", "/a/0", "/a/3", "/a/4"], 2),
    "robots.txt of siblings": robots(
        "Disallow: /a/", ["/a/0", "/robots.txt"], 5, request={"meta": {"dont_obey_robotstxt": True}}
    ),
    # servers that are slow, broken or endless
    "never": unanswered(rude_web.never, "timeout"),
    "drips": unanswered(rude_web.drips, "timeout"),
    "closes": unanswered(rude_web.closes, "broken"),
    "breaks off": unanswered(rude_web.breaks_off, "broken"),
    "too many requests": unanswered(Reply(b"<p>slow down", 429), "busy"),
    "no service": unanswered(Reply(b"<p>busy", 503), "busy"),
    "retry after": unanswered(Reply(b"", 302, headers={"Location": "/a/9", "Retry-After": "120"}), "busy"),
    "retry after a redirect": unanswered(Reply(b"", 301, headers={"Location": "/a/1/", "Retry-After": "120"}), "busy"),
    "too many of the spider": Case(
        {"/busy": Reply(b"<p>slow down", 429)},
        ["/busy", "/a/0"],
        given_up="busy",
        settings={"CONCURRENT_REQUESTS": 1, "RETRY_ENABLED": False},
        start=("/busy", "/a/0"),
    ),
    "redirects for ever": Case(
        dict.fromkeys([*LINKS, *(f"{link}/" for link in LINKS)], rude_web.redirects_for_ever),
        ["/a/0", "/a/1", "/a/1/"],
        1,
        "redirects",
    ),
    "the crawl's own delay": Case(settings={"DOWNLOAD_DELAY": TIMEOUT, "DOWNLOAD_DELAY_JITTER": 0}),
    # a template of one page is worth no guess
    "one of its template": Case(
        {"/contact-us": "<table><tr><td>" + "".join(f"<a href=/a/{n}>{n}</a>" for n in range(6)) + "</table>"},
        ["/a/0", "/a/1", "/a/2", "/contact-us"],
        settings={"CONCURRENT_REQUESTS": 1, "DENOISE_COMPARISON_WAIT": 1},
        start=("/a/0", "/a/1", "/a/2", "/contact-us"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_asked_of_a_site(name: str, linked: Web, limits: Limits) -> None:
    case = CASES[name]
    if case.given_up == "timeout" or "DOWNLOAD_DELAY" in case.settings:  # pages of a busy machine may take as long
        limits(TIMEOUT=TIMEOUT, PAGES_WAIT=TIMEOUT)
    linked.pages |= {"/login": "<p>log in"} | case.pages
    limits(PER_SITE=case.per_site, MAX_PAGE_BYTES=200_000)
    settings = {"DENOISE_COMPARISON_WAIT": 0, **case.settings}
    done = crawl(spider_of(*(Request(linked(path), **case.request) for path in case.start)), settings)
    assert linked.asked == case.asked
    ours = [request for request in linked.requests if request[1] not in ("/robots.txt", "/a/0", *case.start)]
    assert done.stat("comparison/requests") == len(ours)
    for method, _, headers in ours:
        assert method == "GET"
        assert not {"authorization", "cookie", "referer", "x-key", "content-length"} & set(headers)
    assert done.stat("comparison/failed") == case.failed
    given_up = {stat.rpartition("/")[2]: n for stat, n in done.stats.items() if "/given_up/" in stat}
    assert given_up == ({case.given_up: 1} if case.given_up else {})
    assert done.stat("body/items") == len(done.items) == len([path for path in case.start if path != "/busy"])
    assert done.stat("errors") == 0


def test_a_site_that_is_allowed_by_request_is_asked(linked: Web) -> None:
    request = Request(linked("/a/0"), meta={"allow_offsite": True})
    crawl(spider_of(request, allowed_domains=["b.example"]))
    assert linked.asked == ["/a/0", "/a/1", "/a/2"]


def test_other_sites_are_never_asked(linked: Web, other_web: Web) -> None:
    linked.pages["/a/0"] = article(0, [other_web("/a/1"), other_web("/a/2")])
    done = crawl(spider_of(linked("/a/0")))
    assert done.stat("body/items") == 1
    linked.pages["/a/0"] = article(0, ["/a/1"])
    linked.pages["/a/1"] = Reply(status=302, headers={"Location": other_web("/a/1")})
    done = crawl(spider_of(linked("/a/0")))
    assert done.stat("comparison/failed") == 1
    assert other_web.asked == []


@pytest.mark.parametrize(
    ("location", "followed"),
    [
        ("/a/2/", True),
        ("http://a.example:80/a/2/", True),
        *((path, False) for path in ("/a/2/?session=1", "/a/3", "/login?next=/a/2", "//b.example/a/2/", "")),
        *((f"{host}/a/2/", False) for host in ("https://a.example", "http://a.example:81", "http://user:pw@a.example")),
        *(("javascript:x", False), ("http://[a.example/a/2/", False)),
    ],
)
def test_redirects_lead_to_the_same_page_or_nowhere(location: str, followed: bool) -> None:
    response = Response("http://a.example/a/2", status=302, headers={"Location": location})
    assert (redirect_to_same_page(response) is not None) == followed


def listing(self: Any, response: Any) -> Any:
    """Yield an item of a page, and requests for others."""
    yield {"url": response.url}
    for path in ("/b/1/view", "/tag/ant"):
        yield response.follow(path, self.done, priority=-9)
    yield scrapy.FormRequest(response.urljoin("/rm/1"), self.done, formdata={"a": "1"}, priority=-9)


def test_links_have_the_shape_of_what_the_spider_asks_for_but_not_of_what_it_posts(linked: Web) -> None:
    acting = ["/b/2/trash", "/del/2", "/a/2?rm=1", "/a/hapus", "/tag/keluar", "/keluar", "/rm/2", "/rm/3"]
    linked.pages |= {"/c/7": article(0, [*acting, "/b/2/view", "/b/3/view"])}
    linked.pages |= {f"/b/{n}/view": article(n) for n in (2, 3)}
    spider = spider_of(linked("/c/7"), parse=listing, done=lambda self, response: [])
    crawl(spider, {"DENOISE_DEDUP": "off"})
    assert ("POST", "/rm/1") in [(method, path) for method, path, _ in linked.requests]
    assert {"/b/2/view", "/b/3/view"} <= set(linked.asked)
    assert not set(acting) & set(linked.asked)


def test_they_ask_as_the_page_s_request_does(linked: Web) -> None:
    spider = spider_of(
        Request(linked("/a/0"), headers={"User-Agent": "Own/1.0", "Accept-Language": "de", **CREDENTIALS})
    )
    crawl(spider)
    asked = [
        [headers.get(name) for name in ("user-agent", "accept-language", "x-key")] for *_, headers in linked.requests
    ]
    assert asked == [["Own/1.0", "de", "1"], *[["Own/1.0", "de", None]] * 2]


def test_they_go_the_way_of_the_page_s_request(linked: Web) -> None:
    ways: list[dict[str, Any]] = []

    class Noted:
        def process_request(self, request: Request) -> None:
            ways.append({name: request.meta.get(name) for name in ("impersonate", "zyte_api_automap", "cookiejar")})

    meta = {"impersonate": "chrome", "zyte_api_automap": {"browserHtml": True}}
    spider = spider_of(Request(linked("/a/0"), meta={**meta, "cookiejar": 1}))
    crawl(spider, {"DOWNLOADER_MIDDLEWARES": {Noted: 500}})
    assert ways == [{**meta, "cookiejar": 1}, *[{**meta, "cookiejar": None}] * 2]


@pytest.mark.parametrize("request_of_page", [{"method": "POST"}, {"method": "GET", "body": "a=1"}])
@pytest.mark.parametrize(
    ("status", "way"),
    [
        (0, ["/item/12/rm"]),
        (301, ["/item/12/rm", "/item/12/rm/"]),
        (301, ["/login", "/item/12/rm"]),
        (303, ["/login", "/item/12/rm"]),
        (308, ["/item/12/rm", "/item/12/rm/"]),
    ],
)
def test_what_was_not_got_leads_nowhere(
    linked: Web, request_of_page: dict[str, Any], status: int, way: list[str]
) -> None:
    moved = [Reply(b"", status, headers={"Location": path}) for path in way[1:]]
    siblings = [f"/item/{n}/rm{end}" for n in range(13, 20) for end in ("", "/")]
    page = article(0, [*siblings, *way, f"{way[-1]}?x=1"])
    linked.pages |= dict(zip(way, [*moved, page], strict=True))

    def item(self: Any, response: Any) -> Any:
        yield {"url": response.url}

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        yield from response.follow_all(["/a/0", "/page"], self.item)

    linked.pages["/page"] = page.replace("'main'", "'other'").replace("'links'", "'others'")  # a page that was got
    done = crawl(
        spider_of(Request(linked(way[0]), **request_of_page), parse=parse, item=item), {"DENOISE_DEDUP": "off"}
    )
    assert len(done.items) == 3
    assert not {path for _, path, _ in linked.requests} & set(siblings)
    assert [path for _, path, _ in linked.requests if path in way] == way


def test_no_page_is_waited_for_where_the_crawl_asks_for_none(articles: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that takes as long as the wait is given up."""
    monkeypatch.setattr(crawling, "LONGEST", 60)
    crawl(spider_of(*articles.urls(range(4))), {"DENOISE_COMPARISON_WAIT": 60})


def test_no_page_is_waited_for_where_waiting_items_hold_up_the_crawl(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawling, "LONGEST", 30)  # less than the wait
    settings = {"DENOISE_COMPARISON_WAIT": 60, "DENOISE_COMPARISON_SHARE": 0, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}
    done = crawl(spider_of(*templates(web, 3)), settings)
    assert done.stat("comparison/waits") == 3 and len(done.items) == 3


@pytest.mark.parametrize("limit", [{"CLOSESPIDER_PAGECOUNT_NO_ITEM": 3}, {"CLOSESPIDER_TIMEOUT_NO_ITEM": 2}], ids=str)
def test_no_item_waits_where_the_crawl_ends_without_one(web: Web, limit: dict[str, int]) -> None:
    web.pages, web.seconds = {f"/a/{n}": article(n) for n in range(6)}, 0.8
    done = crawl(spider_of(*web.urls(range(6))), {"CONCURRENT_REQUESTS": 1, "DENOISE_COMPARISON_WAIT": 5, **limit})
    assert len(done.items) == 6


def test_pages_the_crawl_is_asking_for_are_waited_for_longer(linked: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        yield from response.follow_all([f"/a/{n}" for n in range(1, 4)])

    done = crawl(spider_of(linked("/a/0"), parse=parse), {"DOWNLOAD_DELAY": 0.3})
    assert len(done.items) == len(linked.asked) == 4
    assert done.stat("comparison/requests") == done.stat("body/fallback/page_alone") == 0


def test_a_closing_crawl_begins_no_fetch(linked: Web, limits: Limits) -> None:
    limits(PAGES_WAIT=2 * LONGEST)  # with it the crawl would be given up

    def closing(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        raise scrapy.exceptions.CloseSpider("enough")

    linked.pages |= dict.fromkeys(LINKS, Reply(b"<p>slow", seconds=1.0))
    done = crawl(spider_of(linked("/a/0"), parse=closing), {"DENOISE_COMPARISON_WAIT": 0.3})
    assert len(done.items) == 1
    assert linked.asked == ["/a/0"]


def test_one_fetch_at_a_time_from_a_server(web: Web, limits: Limits) -> None:
    limits(ENOUGH=8)
    web.seconds = 0.05
    web.pages |= {f"/a/{n}": article(n, [f"/a/{m}" for m in range(20)]) for n in range(20)}
    done = crawl(spider_of(web("/a/0")), {**AMPLE, "DENOISE_COMPARISON_PAGES": 8})
    assert done.stat("comparison/requests") >= 3
    assert web.most_parallel == 1


def templates(web: Web, number: int, links: list[str] | None = None) -> list[str]:
    """Pages with a template each, so that none can be compared, with links to siblings, by default to missing ones."""
    for n in range(number):
        frame = "abcdefghij"[n] * 4  # digits in class names tell no templates apart
        html = article(n, links or [f"/t{n}/{m}" for m in range(1, 30)])
        for name in ("main", "links", "foot", "top"):
            html = html.replace(f"'{name}'", f"'{frame}{name}'")
        web.pages[f"/t{n}/0"] = html
    return [web(f"/t{n}/0") for n in range(number)]


def test_for_a_page(web: Web) -> None:
    web.pages["/a/0"] = article(0, MANY)

    def parse(self: Any, response: Any) -> Any:
        for n in range(5):
            yield {"url": response.url, "n": n}

    done = crawl(spider_of(web("/a/0"), parse=parse), {**AMPLE, "DENOISE_SHARED_BODY": True})
    assert len(done.items) == 5
    assert len(web.asked) == 1 + PER_SITE
    assert done.stat("comparison/requests") == done.stat("comparison/failed") == PER_SITE


def test_for_a_host(web: Web, limits: Limits) -> None:
    limits(PER_SITE=3)
    urls = templates(web, 6)
    done = crawl(spider_of(*urls), AMPLE)
    assert len(web.asked) == 6 + 3
    assert done.stat("comparison/requests") == 3
    assert len(done.items) == 6


@pytest.mark.parametrize("collector", ["MemoryStatsCollector", "DummyStatsCollector"])
def test_for_a_crawl(web: Web, limits: Limits, collector: str) -> None:
    limits(FREE=1)
    settings = {"DENOISE_COMPARISON_SHARE": 0.2, "STATS_CLASS": f"scrapy.statscollectors.{collector}"}
    done = crawl(spider_of(*templates(web, 10)), {**AMPLE, **settings, "CONCURRENT_REQUESTS": 1})
    assert 10 + 1 < len(web.asked) <= 10 + 1 + 0.2 * 10
    assert len(done.items) == 10


def test_for_a_crawl_while_fetches_are_under_way_too(web: Web, limits: Limits) -> None:
    limits(FREE=1)
    web.pages, web.seconds = {f"/a/{n}": article(n, MANY) for n in range(3)}, 0.2
    urls = [web("/a/0"), web("/a/0").replace("127.0.0.1", "localhost")]
    done = crawl(spider_of(*urls), {**AMPLE, "DENOISE_COMPARISON_SHARE": 1e-30})
    assert len(done.items) == 2
    assert len(web.asked) == 2 + 1


def test_pages_that_are_known_are_not_asked_for(web: Web) -> None:
    urls = templates(web, 2, ["/t0/0"])
    crawl(spider_of(*urls), {**AMPLE, **ONE_BY_ONE})
    assert web.asked == ["/t0/0", "/t1/0"]


def test_a_site_whose_pages_never_come_holds_back_three_items(web: Web, limits: Limits) -> None:
    limits(PAGES_WAIT=0.05)
    settings = {"DENOISE_COMPARISON_SHARE": 0, "DENOISE_COMPARISON_WAIT": 0.05, "DOWNLOAD_DELAY": 0.3}
    done = crawl(spider_of(*templates(web, 6)), settings)
    assert len(done.items) == 6
    assert done.stat("comparison/waits") == PATIENCE


def test_each_url_once(web: Web) -> None:
    urls = templates(web, 4, [f"/t9/{n}" for n in range(1, 6)])
    crawl(spider_of(*urls), AMPLE)
    asked = [path for path in web.asked if path.startswith("/t9/")]
    assert len(asked) == len(set(asked)) > 0


def test_no_recursion_no_schedule_no_feed_no_job(web: Web, tmp_path: Path) -> None:
    web.pages |= {f"/a/{n}": article(n, [f"/a/{n + 1}", f"/a/{n + 2}"]) for n in range(40)}
    feed, job = tmp_path / "items.jsonl", tmp_path / "job"
    settings = {
        **AMPLE,
        "JOBDIR": str(job),
        "FEEDS": {str(feed): {"format": "jsonlines"}},
        "DEPTH_STATS_VERBOSE": True,
        "DEPTH_LIMIT": 1,
    }
    done = crawl(spider_of(web("/a/0")), settings)
    assert web.asked == ["/a/0", "/a/1", "/a/2"]
    assert done.stats["scheduler/enqueued"] == done.stats["scheduler/dequeued"] == 1
    assert [json.loads(line)["url"] for line in feed.read_text().splitlines()] == [web("/a/0")]
    assert not [path for path in (job / "requests.queue").rglob("*") if path.is_file() and b"/a/" in path.read_bytes()]
    assert len((job / "requests.seen").read_text().split()) <= 1
    again = crawl(spider_of(web("/a/1")), settings)  # the dupefilter of the job has not met it
    assert len(again.items) == 1


def test_the_cache_serves_comparison_pages_too(linked: Web, tmp_path: Path) -> None:
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    first, again = (crawl(spider_of(linked("/a/0")), settings) for _ in range(2))
    assert len(linked.asked) == 3
    assert (first.stat("comparison/requests"), first.stat("comparison/waits")) == (2, 1)
    assert first.log.count("['denoise-comparison']") == 2
    assert "rights reserved" not in first.bodies()[linked("/a/0")]
    assert again.items == first.items


def test_records_are_bounded(limits: Limits) -> None:
    limits(MOST_KNOWN=100, MOST_OF_ALL=100)
    event_loop()
    state = state_of(get_crawler())
    records = state.bodies._fetcher._budget
    for n in range(1000):
        records.record(f"http://{n}.example:80").fetched += 1
        records.tried[n] = None
        records.record("http://0.example:80")
    assert len(records._records) == len(records.tried) == 100
    assert state.crawl.counted("memory/evicted/sites") == 900
    assert records.record("http://0.example:80").fetched == 1  # asked about all along
    assert records.record("http://1.example:80").fetched == 0
    assert 999 in records.tried and 0 not in records.tried


@pytest.fixture
def hanging(limits: Limits) -> Iterator[list[Web]]:
    """Sites on one host, a port each, whose siblings hang."""
    seconds = 4 * TIMEOUT  # within which a busy machine has the request at its server
    limits(TIMEOUT=seconds, PAGES_WAIT=seconds, FREE=50)
    sites = [Web() for _ in range(12)]
    for n, site in enumerate(sites):
        site.pages = {**dict.fromkeys(LINKS, rude_web.never), "/a/0": article(n, LINKS)}
    yield sites
    for site in sites:
        site.close()


def of_siblings(sites: list[Web]) -> int:
    """Return how many pages were requested beyond the first of each site."""
    return sum(len(site.asked) - 1 for site in sites)


@pytest.mark.parametrize("settings", [{}, {"CONCURRENT_REQUESTS": 1}, {"CONCURRENT_ITEMS": 1}])
def test_sites_of_one_host_share_its_time(hanging: list[Web], web: Web, settings: dict[str, Any]) -> None:
    web.pages |= {f"/a/{n}": article(n + 20, LINKS) for n in range(5)}
    bounds = {"DENOISE_COMPARISON_WAIT": 0, "DENOISE_DEDUP": "off", **settings}
    other = web("/a/0").replace("127.0.0.1", "localhost")
    done = crawl(spider_of(*(site("/a/0") for site in hanging), other), bounds)
    assert of_siblings(hanging) == 1
    assert len(web.asked) == 3, "other hosts go on"
    assert done.stat("comparison/given_up/timeout") + done.stat("comparison/given_up/slow") == len(hanging)
    assert len(done.items) == len(hanging) + 1 and all(done.bodies().values())


def test_no_item_waits_longer_than_that_for_its_turn(hanging: list[Web], names: Names) -> None:
    urls = [site("/a/0").replace("127.0.0.1", f"{n}.example") for n, site in enumerate(hanging)]
    spider = spider_of(*(Request(url, meta={"download_slot": "one"}) for url in urls))
    done = crawl(spider, {"DENOISE_COMPARISON_WAIT": 0, "DENOISE_DEDUP": "off", "CONCURRENT_REQUESTS_PER_DOMAIN": 12})
    assert 1 <= of_siblings(hanging) <= 3
    assert len(done.items) == len(hanging) and all(done.bodies().values())


def test_slots_of_one_site_fetch_in_turn(linked: Web, limits: Limits) -> None:
    limits(ENOUGH=4)
    linked.seconds = 0.1
    requests = [Request(linked(f"/a/{n}"), meta={"download_slot": str(n)}) for n in range(2)]
    done = crawl(spider_of(*requests), AMPLE)
    # one more where a page comes too late to be the other's comparison page
    assert done.stat("comparison/requests") == len(linked.asked) - 2 in {3, 4}


def crawled_whole(site: Web, **settings: Any) -> Crawl:
    done = crawl(spider_of(site("/a/0")), {"DENOISE_COMPARISON_WAIT": 0, **settings})
    assert done.stat("body/items") == 1
    return done


@pytest.mark.parametrize("reply", [(b"<p>gone", 404), (b"<table><tr><td>another template</table>", 200)])
def test_many_slow_answers_cost_no_more_than_one(linked: Web, reply: tuple[bytes, int], limits: Limits) -> None:
    limits(TIMEOUT=TIMEOUT, PAGES_WAIT=TIMEOUT, FREE=50, ENOUGH=8)
    linked.pages |= dict.fromkeys(LINKS, Reply(*reply, seconds=TIMEOUT / 2))
    done = crawled_whole(linked, DENOISE_COMPARISON_PAGES=16)
    assert 1 <= of_siblings([linked]) <= 3
    assert done.stat("comparison/given_up/slow") + done.stat("comparison/given_up/timeout") == 1


@pytest.mark.parametrize("behave", [rude_web.pours_gigabytes, rude_web.bomb])
def test_endless_bodies_are_cut_off(linked: Web, behave: Callable[..., None], limits: Limits) -> None:
    limits(TIMEOUT=5)
    linked.pages["/a/1"] = behave
    done = crawled_whole(linked)
    assert linked.asked == ["/a/0", "/a/1", "/a/2", "/a/3"]
    assert (done.stat("comparison/requests"), done.stat("comparison/failed")) == (3, 1)
    assert done.stats["downloader/response_bytes"] < 1_000_000
    assert linked.poured < 50_000_000
