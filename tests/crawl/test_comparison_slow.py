"""Servers that are slow, broken or endless cost a crawl one time-out at most, and no item."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import scrapy

from tests.crawl import rude_web
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.names import Names
from tests.crawl.rude_web import RudeWeb
from tests.crawl.web import Reply, Web, article

LINKS = [f"/a/{n}" for n in range(1, 9)]
TIMEOUT = 0.5


@pytest.fixture
def rude(limits: Callable[..., None]) -> Iterator[RudeWeb]:
    limits(TIMEOUT=TIMEOUT, LONGEST_WAIT=TIMEOUT, FREE=50)
    site = RudeWeb()
    site.pages["/a/0"] = article(0, LINKS)
    yield site
    site.close()


def crawled(site: RudeWeb, *paths: str, **settings: Any) -> Crawl:
    bounds = {"DENOISE_COMPARISON_WAIT": 0, "DENOISE_MAX_PAGE_MB": 0.2}
    return crawl(spider_of(*(site(path) for path in paths)), {**bounds, **settings})


@pytest.mark.parametrize(
    ("behave", "reason"),
    [
        (rude_web.never, "timeout"),
        (rude_web.drips, "timeout"),
        (rude_web.closes, "broken"),
        (rude_web.breaks_off, "broken"),
    ],
)
def test_a_server_that_does_not_answer_is_asked_once(rude: RudeWeb, behave: Callable[..., None], reason: str) -> None:
    rude.pages |= dict.fromkeys(LINKS, behave)
    done = crawled(rude, "/a/0")
    assert rude.asked == ["/a/0", "/a/1"]
    assert done.stat("comparison/requests") == done.stat("comparison/failed") == 1
    assert done.stat(f"comparison/given_up/{reason}") == 1
    assert done.bodies()[rude("/a/0")]


def test_other_sites_go_on(rude: RudeWeb, web: Web) -> None:
    rude.pages |= dict.fromkeys(LINKS, rude_web.never)
    web.pages |= {f"/a/{n}": article(n + 20, LINKS) for n in range(5)}
    done = crawl(spider_of(rude("/a/0"), web("/a/0").replace("127.0.0.1", "localhost")))  # else they were one host's
    assert rude.of_siblings() == ["/a/1"]
    assert len(web.asked) == 3
    assert len(done.items) == 2


@pytest.fixture
def hanging(limits: Callable[..., None]) -> Iterator[list[RudeWeb]]:
    """Sites on one host, a port each, whose siblings hang."""
    limits(TIMEOUT=TIMEOUT, LONGEST_WAIT=TIMEOUT, FREE=50)
    sites = [RudeWeb() for _ in range(12)]
    for n, site in enumerate(sites):
        site.pages = {**dict.fromkeys(LINKS, rude_web.never), "/a/0": article(n, LINKS)}
    yield sites
    for site in sites:
        site.close()


@pytest.mark.parametrize("settings", [{}, {"CONCURRENT_REQUESTS": 1}, {"CONCURRENT_ITEMS": 1}])
def test_sites_of_one_host_share_its_time(hanging: list[RudeWeb], settings: dict[str, Any]) -> None:
    bounds = {"DENOISE_COMPARISON_WAIT": 0, "DENOISE_DEDUP": "off", **settings}
    done = crawl(spider_of(*(site("/a/0") for site in hanging)), bounds)
    assert sum(len(site.of_siblings()) for site in hanging) == done.stat("comparison/requests") == 1
    assert done.stat("comparison/given_up/timeout") + done.stat("comparison/given_up/slow") == len(hanging)
    assert len(done.items) == len(hanging) and all(done.bodies().values())


def test_no_item_waits_longer_than_that_for_its_turn(hanging: list[RudeWeb], names: Names) -> None:
    urls = [site("/a/0").replace("127.0.0.1", f"{n}.example") for n, site in enumerate(hanging)]

    spider = spider_of(*(scrapy.Request(url, meta={"download_slot": "one"}) for url in urls))
    done = crawl(spider, {"DENOISE_COMPARISON_WAIT": 0, "DENOISE_DEDUP": "off", "CONCURRENT_REQUESTS_PER_DOMAIN": 12})
    assert 1 <= sum(len(site.of_siblings()) for site in hanging) <= 3
    assert len(done.items) == len(hanging) and all(done.bodies().values())


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<p>gone", 404, seconds=0.25),
        Reply(b"<table><tr><td>another template</table>", seconds=0.25),
    ],
)
def test_many_slow_answers_cost_no_more_than_one(rude: RudeWeb, reply: Reply, limits: Callable[..., None]) -> None:
    limits(ENOUGH=8)
    rude.pages |= dict.fromkeys(LINKS, reply)
    done = crawled(rude, "/a/0", DENOISE_COMPARISON_PAGES=16)
    assert 1 <= len(rude.of_siblings()) <= 3
    assert done.stat("comparison/given_up/slow") + done.stat("comparison/given_up/timeout") == 1
    assert done.stat("body/items") == 1


def test_the_crawls_own_delay_is_none_of_the_servers(rude: RudeWeb) -> None:
    rude.pages |= {path: article(n, LINKS) for n, path in enumerate(LINKS, 1)}
    done = crawled(rude, "/a/0", DOWNLOAD_DELAY=TIMEOUT, DOWNLOAD_DELAY_JITTER=0)
    assert done.stat("comparison/requests") == 2
    assert done.stat("comparison/failed") == 0
    assert not [name for name in done.stats if "given_up" in name]


def test_a_redirect_to_the_same_page_is_followed_once(rude: RudeWeb) -> None:
    rude.pages |= dict.fromkeys([*LINKS, *(f"{link}/" for link in LINKS)], rude_web.redirects_for_ever)
    done = crawled(rude, "/a/0")
    assert rude.of_siblings() == ["/a/1", "/a/1/"]
    assert done.stat("comparison/given_up/redirects") == 1
    assert done.stat("body/items") == 1


@pytest.mark.parametrize("behave", [rude_web.pours_gigabytes, rude_web.bomb])
def test_endless_bodies_are_cut_off(rude: RudeWeb, behave: Callable[..., None], limits: Callable[..., None]) -> None:
    limits(TIMEOUT=5)
    rude.pages["/a/1"] = behave
    rude.pages |= {path: article(n, LINKS) for n, path in enumerate(LINKS[1:], 2)}
    done = crawled(rude, "/a/0")
    assert rude.of_siblings() == ["/a/1", "/a/2", "/a/3"]
    assert done.stat("comparison/requests") == 3
    assert done.stat("comparison/failed") == 1
    assert done.stats["downloader/response_bytes"] < 1_000_000
    assert rude.poured < 50_000_000
    assert done.stat("body/items") == 1


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<p>slow down", 429),
        Reply(b"<p>busy", 503),
        Reply(b"<p>moved", 302, headers={"Location": "/a/9", "Retry-After": "120"}),
    ],
)
def test_a_site_that_asks_for_patience_is_left_alone(rude: RudeWeb, reply: Reply) -> None:
    rude.pages |= dict.fromkeys(LINKS, reply)
    done = crawled(rude, "/a/0")
    assert rude.of_siblings() == ["/a/1"]
    assert done.stat("comparison/given_up/busy") == 1
    assert done.stat("body/items") == 1


def test_patience_asked_of_the_spider_is_ours_too(rude: RudeWeb) -> None:
    rude.pages["/busy"] = Reply(b"<p>slow down", 429)
    rude.pages |= {path: article(n, LINKS) for n, path in enumerate(LINKS, 1)}
    done = crawled(rude, "/busy", "/a/0", CONCURRENT_REQUESTS=1, RETRY_ENABLED=False)
    assert rude.asked == ["/busy", "/a/0"]
    assert done.stat("comparison/given_up/busy") == 1
