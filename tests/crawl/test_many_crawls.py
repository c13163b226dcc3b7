"""Many crawls in one process, one after the other: each leaves nothing behind."""

import gc
import json
import sys
from pathlib import Path

import pytest

from denoise_scrapy.crawl.workers import WORTH_PAGES
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article
from tests.processes import SECONDS, run_in

WARM, CRAWLS = 3, 3
PAGES = WORTH_PAGES + 10
COLUMNS = ("objects", "threads", "processes", "frozen", "gc off", "items")
# More objects a crawl than this are no accident, as a thread's start is; an ended crawl that is held has some two
# thousand.
MOST_OBJECTS = 300
# Modules have some ninety thousand.
MANY_OBJECTS = 6_000
MANY = """
import asyncio, gc, json, logging, sys, threading, weakref
from pathlib import Path
from scrapy.utils.reactor import install_reactor

install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
import scrapy
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.utils.defer import deferred_from_coro
from twisted.internet import reactor

logging.disable(logging.CRITICAL)
crawlers, alive, aside, closed, rows = [], [], [], [], []

class PageSpider(scrapy.Spider):
    name = "pages"

    async def start(self):
        for url in sys.argv[3:]:
            yield scrapy.Request(url)

    def parse(self, response):
        yield {"url": response.url}
        aside.append(gc.get_freeze_count())
        if response.url == sys.argv[-1]:
            gc.collect()  # Python's own collections come while a crawl runs
            alive.append(sum(crawler() is not None for crawler in crawlers[:-1]))

    def closed(self, reason):
        closed.append(gc.get_freeze_count())

async def run():
    for _ in range(int(sys.argv[1])):
        addon = {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}, "DENOISE_WORKERS": sys.argv[2]}
        runner = AsyncCrawlerRunner({**addon, "TELNETCONSOLE_ENABLED": False})
        crawler = runner.create_crawler(PageSpider)
        crawlers.append(weakref.ref(crawler))
        await runner.crawl(crawler)
        scraped = crawler.stats.get_value("item_scraped_count")
        del crawler, runner
        frozen = gc.get_freeze_count()
        gc_off = not gc.isenabled()
        if len(crawlers) % 3 == 0:
            await asyncio.sleep(0.05)
            gc.collect()
            children = Path(f"/proc/self/task/{threading.get_native_id()}/children")
            started = len(children.read_text().split()) if children.exists() else 0
            own = [each for each in threading.enumerate() if not each.name.startswith(("PoolThread", "asyncio_"))]
            rows.append([len(gc.get_objects()), len(own), started, frozen, gc_off, scraped])

def end(result):
    print(json.dumps({"rows": rows, "alive": alive, "aside": aside, "closed": closed, "error": str(result or "")}))
    reactor.stop()

deferred_from_coro(run()).addBoth(end)
reactor.run()
"""


@pytest.mark.parametrize("workers", ["auto", "1"])
def test_nothing_is_left_of_an_ended_crawl(tmp_path: Path, web: Web, workers: str) -> None:
    web.pages = {f"/a/{n}": article(n) for n in range(PAGES)}
    command = [sys.executable, "-c", MANY, str(WARM + CRAWLS), workers, *web.urls(range(PAGES))]
    done = run_in(tmp_path, command, seconds=3 * SECONDS)  # six crawls
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["error"] == ""
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in found["rows"]]
    many = {name: [row[name] for row in rows] for name in COLUMNS}
    assert set(many["items"]) == {PAGES}
    *_, first, last = many["objects"]
    assert last - first < CRAWLS * MOST_OBJECTS, many["objects"]
    # it is freed while the next one runs: a collection between crawls, which nobody calls for, is not needed
    assert max(found["alive"]) <= 1, found["alive"]
    # modules are set aside from collections as long as a crawl runs
    assert sum(count > MANY_OBJECTS for count in found["aside"]) > PAGES
    assert {*many["frozen"], *found["closed"]} == {0} and not any(many["gc off"])
    # (besides threads of the reactor and the loop, which become more at first)
    for name in ("threads", "processes"):
        assert many[name][-1] == many[name][0], many


def test_what_the_project_has_set_aside_from_collections_stays_there(web: Web) -> None:
    web.pages = {"/a/0": article(0)}
    gc.freeze()
    try:
        crawl(spider_of(web("/a/0")))
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
