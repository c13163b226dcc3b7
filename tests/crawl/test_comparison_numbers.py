"""How many comparison requests there are: a page, a host, a crawl; and that they leave no trace elsewhere."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scrapy.utils.test import get_crawler

from denoise_scrapy.crawl.comparison import CANDIDATES
from denoise_scrapy.crawl.state import CrawlState
from tests.crawl.crawling import crawl, event_loop, spider_of
from tests.crawl.web import Reply, Web, article

MANY = [f"/a/{n}" for n in range(1, 40)]
AMPLE = {"DENOISE_COMPARISON_SHARE": 9, "DENOISE_COMPARISON_PER_SITE": 100, "DENOISE_COMPARISON_WAIT": 0}
GONE = Reply(b"<p>gone", 404)
Limits = Callable[..., None]


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


def test_for_a_crawl(web: Web, limits: Limits) -> None:
    limits(FREE=1)
    urls = templates(web, 10)
    done = crawl(spider_of(*urls), {**AMPLE, "DENOISE_COMPARISON_SHARE": 0.2, "CONCURRENT_REQUESTS": 1})
    assert 1 <= done.stat("comparison/requests") <= 1 + 0.2 * 10
    assert len(web.asked) == 10 + done.stat("comparison/requests")
    assert len(done.items) == 10


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
