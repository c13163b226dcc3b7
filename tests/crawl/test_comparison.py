"""Comparison pages: what is fetched, what never is, and how much of it: for a page, a host, a crawl."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.utils.test import get_crawler

from denoise_scrapy.crawl.comparison import CANDIDATES, PATIENCE
from denoise_scrapy.crawl.state import CrawlState
from tests.crawl.crawling import ONE_BY_ONE, crawl, event_loop, spider_of
from tests.crawl.web import Reply, Web, article

MANY = [f"/a/{n}" for n in range(1, 40)]
AMPLE = {"DENOISE_COMPARISON_SHARE": 9, "DENOISE_COMPARISON_PER_SITE": 100, "DENOISE_COMPARISON_WAIT": 0}
GONE = Reply(b"<p>gone", 404)
Limits = Callable[..., None]


def test_a_lone_page_is_compared_with_two_fetched_siblings(linked: Web) -> None:
    done = crawl(spider_of(linked("/a/0")))
    assert len(linked.asked) == 3
    assert done.stat("comparison/requests") == 2
    assert done.log.count("['denoise-comparison']") == 2
    assert done.stat("comparison/waits") == 1
    assert "rights reserved" not in done.bodies()[linked("/a/0")]


@pytest.mark.parametrize(
    "settings",
    [{"DENOISE_COMPARISON_FETCH": False}, {"DENOISE_COMPARISON_PAGES": 0}, {"DENOISE_COMPARISON_PER_SITE": 0}],
)
def test_nothing_is_fetched_where_it_is_not_wanted(linked: Web, settings: dict[str, Any]) -> None:
    done = crawl(spider_of(linked("/a/0")), settings)
    assert linked.asked == ["/a/0"]
    assert done.stat("comparison/requests") == 0
    assert done.stat("body/items") == 1


def test_first_items_wait_for_plenty_of_pages_of_the_crawl(articles: Web) -> None:
    articles.seconds = 0.02
    settings = {"DENOISE_FIELDS": {"comparison": "others"}, "CONCURRENT_REQUESTS": 2, "DENOISE_COMPARISON_WAIT": 5}
    done = crawl(spider_of(*articles.urls(range(12))), settings)
    assert len(done.items) == 12
    assert min(len(item["others"]) for item in done.items) >= 5
    assert done.stat("comparison/requests") == done.stat("comparison/none") == 0


def test_no_page_is_waited_for_where_the_crawl_asks_for_none(articles: Web) -> None:
    begun = time.monotonic()
    crawl(spider_of(*articles.urls(range(4))), {"DENOISE_COMPARISON_WAIT": 30})
    assert time.monotonic() - begun < 20


def test_pages_the_crawl_is_asking_for_are_waited_for_longer(linked: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        yield from response.follow_all([f"/a/{n}" for n in range(1, 4)])

    done = crawl(spider_of(linked("/a/0"), parse=parse), {"DOWNLOAD_DELAY": 0.3})
    assert len(done.items) == len(linked.asked) == 4
    assert done.stat("comparison/requests") == 0
    assert done.stat("comparison/none") == 0


def test_a_template_of_one_page_makes_no_guesses(linked: Web) -> None:
    linked.pages["/contact-us"] = (
        "<table><tr><td>" + "".join(f"<a href='/a/{n}'>{n}</a>" for n in range(6)) + "</table>"
    )
    done = crawl(spider_of(linked("/a/0"), linked("/a/1"), linked("/a/2"), linked("/contact-us")))
    assert done.stat("comparison/requests") == 0
    assert done.stat("body/items") == 4


def test_robots_txt_holds(linked: Web) -> None:
    linked.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /a/1\nDisallow: /a/2\n")
    done = crawl(spider_of(linked("/a/0")), {"ROBOTSTXT_OBEY": True})
    assert not {"/a/1", "/a/2"} & set(linked.asked)
    assert linked.count("/a/3") == linked.count("/a/4") == 1
    assert done.stat("comparison/requests") == 2
    assert done.stat("comparison/failed") == 2


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
    "reply",
    [
        GONE,
        Reply(b"{}", headers={"Content-Type": "application/json"}),
        Reply(b""),
        Reply(b"<p>" + b"x" * 300_000),
        Reply(b"<p>log in", 302, headers={"Location": "/login"}),
    ],
)
def test_what_is_no_example_of_the_template_is_not_compared_with(linked: Web, reply: Reply) -> None:
    linked.pages |= {"/a/0": article(0, ["/a/1", "/a/2"]), "/a/1": reply, "/login": "<p>log in"}
    done = crawl(spider_of(linked("/a/0")), {"DENOISE_MAX_PAGE_MB": 0.2})
    assert linked.asked == ["/a/0", "/a/1", "/a/2"]
    assert done.stat("comparison/failed") == 1
    assert done.stat("body/items") == 1


@pytest.mark.parametrize("settings", [{"CONCURRENT_REQUESTS": 1}, {"CONCURRENT_ITEMS": 1}])
def test_least_concurrency_does_not_deadlock(linked: Web, settings: dict[str, Any], limits: Limits) -> None:
    limits(ENOUGH=4)
    done = crawl(spider_of(linked("/a/0"), linked("/a/1")), {**settings, "CONCURRENT_REQUESTS_PER_DOMAIN": 1})
    assert len(done.items) == 2
    assert all(done.bodies().values())


def test_one_fetch_at_a_time_from_a_server(web: Web, limits: Limits) -> None:
    limits(ENOUGH=8)
    web.seconds = 0.05
    for n in range(20):
        web.pages[f"/a/{n}"] = article(n, [f"/a/{m}" for m in range(20)])
    done = crawl(spider_of(web("/a/0")), {**AMPLE, "DENOISE_COMPARISON_PAGES": 8})
    assert done.stat("comparison/requests") >= 3
    assert web.most_parallel == 1


def test_a_closing_crawl_begins_no_fetch(linked: Web) -> None:
    def closing(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        raise scrapy.exceptions.CloseSpider("enough")

    for n in range(1, 6):
        linked.pages[f"/a/{n}"] = Reply(b"<p>slow", seconds=1.0)
    began = time.monotonic()
    done = crawl(spider_of(linked("/a/0"), parse=closing), {"DENOISE_COMPARISON_WAIT": 0.3})
    assert len(done.items) == 1
    assert linked.asked == ["/a/0"]
    assert time.monotonic() - began < 8  # less than the longest wait


def test_a_page_in_a_browser_is_compared_with_pages_in_a_browser(linked: Web) -> None:
    asked: list[Any] = []

    class Recorder:
        def process_request(self, request: Any) -> None:
            asked.append(request)

    meta = {
        "playwright": True,
        "playwright_include_page": True,
        "playwright_page_methods": ["click"],
        "playwright_page_goto_kwargs": {"wait_until": "load"},
    }
    spider = spider_of(scrapy.Request(linked("/a/0"), meta=meta))
    done = crawl(spider, {"DOWNLOADER_MIDDLEWARES": {Recorder: 900}})
    ours, *_ = [request.meta for request in asked if "denoise_comparison" in request.meta]
    assert ours["playwright"] is True
    assert ours["playwright_context"] == "denoise"
    assert ours["playwright_page_goto_kwargs"] == {"wait_until": "load", "timeout": 10_000}
    assert not {"playwright_include_page", "playwright_page_methods"} & set(ours)
    assert done.stat("body/items") == 1


def test_a_cached_crawl_asks_for_nothing_anew(linked: Web, tmp_path: Any) -> None:
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    first = crawl(spider_of(linked("/a/0")), settings)
    asked = len(linked.asked)
    again = crawl(spider_of(linked("/a/0")), settings)
    assert len(linked.asked) == asked == 3
    assert again.items == first.items


def templates(web: Web, number: int, links: list[str] | None = None) -> list[str]:
    """Pages of a template each, so that none serves another, with links to siblings, by default to missing ones."""
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
    assert len(web.asked) == 1 + CANDIDATES
    assert done.stat("comparison/requests") == done.stat("comparison/failed") == CANDIDATES


def test_redirects_count_for_a_host(web: Web) -> None:
    web.pages["/a/0"] = article(0, MANY)
    web.pages |= {path: Reply(status=301, headers={"Location": f"{path}/"}) for path in MANY}
    web.pages |= {f"{path}/": GONE for path in MANY}
    done = crawl(spider_of(web("/a/0")), {**AMPLE, "DENOISE_COMPARISON_PER_SITE": 3})
    assert web.asked == ["/a/0", "/a/1", "/a/1/", "/a/2"]
    assert done.stat("comparison/over_budget") == 1


@pytest.mark.parametrize("collector", ["MemoryStatsCollector", "DummyStatsCollector"])
def test_for_a_crawl(web: Web, limits: Limits, collector: str) -> None:
    limits(FREE=1)
    settings = {"DENOISE_COMPARISON_SHARE": 0.2, "CONCURRENT_REQUESTS": 1}
    done = crawl(
        spider_of(*templates(web, 10)), {**AMPLE, **settings, "STATS_CLASS": f"scrapy.statscollectors.{collector}"}
    )
    assert 10 + 1 < len(web.asked) <= 10 + 1 + 0.2 * 10
    assert len(done.items) == 10


def test_for_a_crawl_while_fetches_are_under_way_too(web: Web, limits: Limits) -> None:
    limits(FREE=1)
    web.pages, web.seconds = {f"/a/{n}": article(n, MANY) for n in range(3)}, 0.2
    urls = [web("/a/0"), web("/a/0").replace("127.0.0.1", "localhost")]
    done = crawl(spider_of(*urls), {**AMPLE, "DENOISE_COMPARISON_SHARE": 0})
    assert len(done.items) == 2
    assert len(web.asked) == 2 + 1


def test_pages_that_are_known_are_not_asked_for(web: Web) -> None:
    urls = templates(web, 2, ["/t0/0"])
    crawl(spider_of(*urls), {**AMPLE, **ONE_BY_ONE})
    assert web.asked == ["/t0/0", "/t1/0"]


def test_a_site_whose_pages_never_come_holds_back_three_items(web: Web, limits: Limits) -> None:
    limits(LONGEST_WAIT=0.05)
    settings = {"DENOISE_COMPARISON_FETCH": False, "DENOISE_COMPARISON_WAIT": 0.05, "DOWNLOAD_DELAY": 0.3}
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
        "DUPEFILTER_DEBUG": True,
        "DEPTH_STATS_VERBOSE": True,
        "DEPTH_LIMIT": 1,
    }
    done = crawl(spider_of(web("/a/0")), settings)
    assert web.asked == ["/a/0", "/a/1", "/a/2"]
    assert done.stats["scheduler/enqueued"] == done.stats["scheduler/dequeued"] == 1
    assert [json.loads(line)["url"] for line in feed.read_text().splitlines()] == [web("/a/0")]
    assert not [path for path in (job / "requests.queue").rglob("*") if path.is_file() and b"/a/" in path.read_bytes()]
    seen = (job / "requests.seen").read_text().split()
    assert len(seen) <= 1
    again = crawl(spider_of(web("/a/1")), settings)  # the dupefilter of the job has not met it
    assert len(again.items) == 1


def test_records_are_bounded(limits: Limits) -> None:
    limits(MOST_SITES=100, MOST_URLS=100)
    event_loop()
    state = CrawlState(get_crawler())
    records = state.comparison._fetcher.budget
    for n in range(1000):
        records.site(f"http://{n}.example:80").fetched += 1
        records.note_tried(f"http://{n}.example/a")
        records.site("http://0.example:80")
    assert len(records._sites) == len(records._tried) == 100
    assert state.log.counted("comparison/forgotten") == 900
    assert records.site("http://0.example:80").fetched == 1  # asked about all along
    assert records.site("http://1.example:80").fetched == 0
    assert records.tried("http://999.example/a/") and not records.tried("http://0.example/a")


def test_for_a_host(web: Web) -> None:
    urls = templates(web, 6)
    done = crawl(spider_of(*urls), {**AMPLE, "DENOISE_COMPARISON_PER_SITE": 3})
    assert len(web.asked) == 6 + 3
    assert done.stat("comparison/requests") == 3
    assert len(done.items) == 6
