"""One crawler at a shared frontier; the others are played by the test."""

import asyncio
import threading
import time

import pytest
from scrapy import Request
from scrapy_redis import picklecompat

from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.several.leases import Leases
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, article

KEY, SEEN = "pages:requests", "pages:dupefilter"
SHARED = {
    "SCHEDULER": "denoise_scrapy.several.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
    "DENOISE_COMPARISON_FETCH": False,
}


@pytest.fixture
def shared(redis_server):
    return {**SHARED, "REDIS_URL": redis_server.url}


@pytest.fixture
def other(redis_server):
    """Another crawler of the frontier, which is at work."""
    found = Leases(redis_server.client, KEY, SEEN)
    found.join()
    return found


def data(url):
    """A request as the scheduler writes it."""
    return picklecompat.dumps(Request(url).to_dict())


def chain(web, count):
    """Pages that each link to the next."""
    for n in range(count):
        web.pages[f"/{n}"] = article(n, [f"/{n + 1}"] if n + 1 < count else [])
    return {web(f"/{n}") for n in range(count)}


def follow(self, response):
    yield {"url": response.url}
    yield from response.follow_all(css="ul a")


def test_a_crawl_does_each_request_once_and_leaves_nothing(redis_server, shared, web):
    urls = chain(web, 5)
    web.pages["/4"] = article(4, [f"/{n}" for n in range(5)])  # /0 again: it was no link before
    found = crawl(spider_of(web("/0"), parse=follow), shared)
    assert set(found.bodies()) == urls and all(found.bodies().values())
    assert [web.count(f"/{n}") for n in range(5)] == [2, 1, 1, 1, 1]
    assert found.stats["scheduler/dequeued/redis"] == found.stats["scheduler/enqueued/redis"] == 6
    assert redis_server.client.keys() == []


def test_a_request_of_start_is_done_by_one_crawler(redis_server, shared, web):
    web.pages["/0"] = article(0)
    for pages in (1, 0):
        found = crawl(spider_of(web("/0")), {**shared, "SCHEDULER_PERSIST": True})
        assert (len(found.items), found.stats["finish_reason"]) == (pages, "finished")
    found = crawl(spider_of(web("/0")), {**shared, "SCHEDULER_FLUSH_ON_START": True})
    assert len(found.items) == 1


def test_retries_and_redirects_of_a_request_of_start_are_done(shared, web):
    web.pages["/to"] = article(1)
    web.pages["/from"] = Reply(b"", 302, {"Location": "/to"})
    web.pages["/broken"] = Reply(b"", 503)
    found = crawl(spider_of(web("/from"), web("/broken")), {**shared, "RETRY_TIMES": 2})
    assert set(found.bodies()) == {web("/to")}
    assert web.count("/broken") == 3


def test_what_a_dead_crawler_had_in_progress_is_done(redis_server, shared, web, other):
    urls = chain(web, 3)
    other.push(data(web("/1")), 0)
    other.pop()
    redis_server.client.zadd(f"{KEY}:owners", {other.owner: 1})
    found = crawl(spider_of(web("/0")), shared)
    assert set(found.bodies()) == urls - {web("/2")}


def test_a_crawler_that_dies_meanwhile_is_noticed(redis_server, shared, web, other):
    chain(web, 2)
    other.push(data(web("/1")), 0)
    other.pop()
    dead = threading.Timer(0.7, lambda: redis_server.client.zadd(f"{KEY}:owners", {other.owner: 1}))
    dead.start()
    found = crawl(spider_of(web("/0")), shared)
    assert set(found.bodies()) == {web("/0"), web("/1")}
    assert found.stat("several/taken_back") == 1
    assert "Another crawler has died: 1 requests" in found.log


def test_a_crawler_without_work_waits_for_what_others_find(redis_server, shared, web, other):
    chain(web, 2)
    other.push(data(web("/1")), 0)
    taken, _ = other.pop()

    def find():
        time.sleep(1)
        other.push(data(web("/1")), 0)
        other.count([taken.number])
        other.leave()
        found_at.append(time.monotonic())

    def parse(self, response):
        came_at[response.url] = time.monotonic()
        yield {"url": response.url}

    found_at, came_at = [], {}
    thread = threading.Thread(target=find)
    thread.start()
    crawl(spider_of(web("/0"), parse=parse), shared)
    thread.join()
    assert list(came_at) == [web("/0"), web("/1")]
    assert came_at[web("/1")] - found_at[0] < 4, "it looks more often than Scrapy by itself, every 5 seconds"


class SlowPipeline:
    """Sees how many requests are left while an item is on its way."""

    left: list[int] = []  # noqa: RUF012

    async def process_item(self, item):
        await asyncio.sleep(0.2)
        self.left.append(self.other.count()[0])
        return item


def test_a_request_is_left_until_its_items_have_left_the_pipelines_and_no_longer(shared, web, other):
    chain(web, 4)

    class Watching(SlowPipeline):
        left: list[int] = []  # noqa: RUF012

    Watching.other = other
    more = {"ITEM_PIPELINES": {Watching: 900}, "CONCURRENT_REQUESTS": 1}

    async def parse(self, response):
        Watching.left.append(other.count()[0])
        yield {"url": "http://elsewhere.example/"}  # not held until the callback ends, as its only item would be
        await asyncio.sleep(0.4)
        Watching.left.append(other.count()[0])
        for request in response.follow_all(css="ul a"):
            yield request

    crawl(spider_of(web("/0"), parse=parse), {**shared, **more})
    assert Watching.left == [1] * 12
    assert other.count() == (0, 0)


def test_that_a_request_is_done_is_told_though_no_other_can_be_taken(shared, web, other):
    """Else an item would be delivered again if the crawler was killed during the next download."""
    chain(web, 1)
    web.pages["/slow"] = Reply(article(9).encode(), seconds=1.5)
    seen: list[tuple[float, int]] = []
    over = threading.Event()

    def look():
        while not over.wait(0.02):
            seen.append((time.monotonic(), other.count()[0]))

    def parse(self, response):
        if response.url.endswith("/slow"):
            over.set()
        yield {"url": response.url}

    thread = threading.Thread(target=look)
    thread.start()
    more = {"CONCURRENT_REQUESTS": 1, "DENOISE_COMPARISON_WAIT": 0}
    crawl(spider_of(web("/0"), web("/slow"), parse=parse), {**shared, **more})
    thread.join()
    counts = [count for _, count in seen]
    both = max(n for n, count in enumerate(counts) if count == 2)
    assert seen[-1][0] - seen[both][0] > 0.7, "told long before the slow page came"


def test_the_server_is_asked_once_about_a_link_that_all_pages_have(redis_server, shared, web):
    menu = [f"/menu/{n}" for n in range(40)]
    web.pages |= {path: article(n, menu) for n, path in enumerate(menu)}
    redis_server.client.config_resetstat()
    found = crawl(spider_of(web(menu[0]), parse=follow), shared)
    assert len(found.items) == 41
    calls = redis_server.client.info("commandstats")["cmdstat_sadd"]["calls"]
    assert calls == 41


def test_a_request_that_fails_is_done(shared, web, other):
    def parse(self, response):
        raise ValueError

    web.pages["/0"] = article(0)
    crawl(spider_of(web("/0"), web("/missing"), "http://127.0.0.1:9/", parse=parse), {**shared, "RETRY_ENABLED": False})
    assert other.count() == (0, 0)


def test_what_cannot_be_read_is_left_out(redis_server, shared, web, other):
    chain(web, 1)
    other.push(b"nonsense", -5)
    found = crawl(spider_of(web("/0")), shared)
    assert len(found.items) == 1
    assert found.stat("several/unreadable") == 1


def test_a_server_that_is_away_for_a_while_costs_nothing(durable_server, web):
    urls = chain(web, 12) | {web("/x"), web("/y")}
    web.pages |= {"/3": article(3, ["/x", "/4", "/y"]), "/x": article(20), "/y": article(21)}
    web.seconds = 0.02

    def parse(self, response):
        if response.url.endswith("/3"):
            durable_server.kill()
            threading.Timer(0.5, durable_server.start).start()
        yield from follow(self, response)

    found = crawl(spider_of(web("/0"), parse=parse), {**SHARED, "REDIS_URL": durable_server.url})
    assert set(found.bodies()) == urls
    assert found.stats["finish_reason"] == "finished"
    assert durable_server.client.keys() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DUPEFILTER_CLASS", "scrapy.dupefilters.RFPDupeFilter"),
        ("SCHEDULER_QUEUE_CLASS", "scrapy_redis.queue.FifoQueue"),
    ],
)
def test_what_cannot_be_shared_is_refused(shared, web, capsys, name, value):
    with pytest.raises((ConfigurationError, RuntimeError)):  # Scrapy stumbles over an engine that did not start
        crawl(spider_of(web("/0")), {**shared, name: value})
    assert f"The crawl does not start: {name} = '{value}' cannot be shared" in capsys.readouterr().out
    assert web.asked == []
