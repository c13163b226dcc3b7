"""The add-on leaves the reactor to Scrapy: it is installed as without it, whatever the project's modules import."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.web import Web, sentence
from tests.processes import run_python

ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
SELECT = "twisted.internet.selectreactor.SelectReactor"
# A module of a project as people write them: whoever imports it installs a reactor.
PARTS = """
from twisted.internet import reactor

class Pipeline:
    def process_item(self, item):
        return item

class Downloads:
    def process_request(self, request):
        return None

class Pages:
    async def process_spider_output(self, response, result):
        async for each in result:
            yield each

class Extension:
    pass
"""
ENTRIES: dict[str, Any] = {
    "pipeline": {"ITEM_PIPELINES": {"parts.Pipeline": 300}},
    "downloader middleware": {"DOWNLOADER_MIDDLEWARES": {"parts.Downloads": 300}},
    "spider middleware": {"SPIDER_MIDDLEWARES": {"parts.Pages": 300}},
    "extension": {"EXTENSIONS": {"parts.Extension": 300}},
}
ALL: dict[str, Any] = {name: value for entry in ENTRIES.values() for name, value in entry.items()}
SPIDER = """
import json, sys
import scrapy
from scrapy import signals
from scrapy.crawler import {process}

class PageSpider(scrapy.Spider):
    name = "pages"

    async def start(self):
        for url in sys.argv[2:]:
            yield scrapy.Request(url)

    def parse(self, response):
        yield {{"url": response.url}}
"""
RUN = """
items = []

def keep(item):
    items.append(item)

process = {process}(json.loads(sys.argv[1]))
crawler = process.create_crawler(PageSpider)
crawler.signals.connect(keep, signals.item_scraped)
process.crawl(crawler)
process.start()
reactor = sys.modules.get("twisted.internet.reactor")
stats = {{name: value for name, value in crawler.stats.get_stats().items() if isinstance(value, int)}}
print(json.dumps({{"items": items, "stats": stats, "reactor": reactor and type(reactor).__name__}}))
"""
ADDON = {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}}


def run(folder: Path, code: str, settings: dict[str, Any], *urls: str) -> Any:
    """Run a script with a project's settings in a fresh process; return the object that it prints.

    It is a file without a guard for its main part, as people write them: who imports it crawls again.
    """
    (folder / "parts.py").write_text(PARTS, "utf-8")
    (folder / "script.py").write_text(code, "utf-8")
    settings = {"TELNETCONSOLE_ENABLED": False, "LOG_LEVEL": "WARNING", "DENOISE_COMPARISON_WAIT": 0.05, **settings}
    done = run_python(folder, ["script.py", json.dumps(settings), *urls])
    assert done.returncode == 0 and "Traceback" not in done.stdout, done.stdout
    return json.loads(done.stdout.splitlines()[-1])


def crawled(folder: Path, web: Web, settings: dict[str, Any], process: str = "CrawlerProcess") -> Any:
    asked = len(web.asked)
    found = run(folder, (SPIDER + RUN).format(process=process), settings, *web.urls(range(4)), web("/copy"))
    assert len(web.asked) - asked <= 5, "pages were fetched twice"
    return found


def has_all(found: Any) -> bool:
    """Return whether each story is there once, with its text."""
    bodies = [item.get("body", "") for item in found["items"]]
    return len(bodies) == 4 and all(sum(sentence(n) in body for body in bodies) == 1 for n in range(4))


@pytest.mark.parametrize(("entry", "reactor"), [("pipeline", SELECT), ("extension", ASYNCIO)])
def test_a_script_with_a_module_that_imports_the_reactor(
    articles: Web, tmp_path: Path, entry: str, reactor: str
) -> None:
    found = crawled(tmp_path, articles, {**ADDON, "TWISTED_REACTOR": reactor, **ENTRIES[entry]})
    assert has_all(found) and found["reactor"] == reactor.rpartition(".")[2]
    assert "denoise/errors" not in found["stats"]


@pytest.mark.parametrize("reactor", [SELECT, None])
def test_the_reactor_is_the_same_as_without_the_add_on(articles: Web, tmp_path: Path, reactor: str | None) -> None:
    settings = {"TWISTED_REACTOR": reactor, **ALL}
    bare, found = (crawled(tmp_path, articles, {**settings, **addon}) for addon in ({}, ADDON))
    assert has_all(found) and len(bare["items"]) == 5
    assert found["reactor"] == bare["reactor"] is not None


@pytest.mark.parametrize("settings", [{"JOBDIR": "job"}, {"DENOISE_DEDUP": "mark"}], ids=str)
def test_a_crawl_without_a_reactor(articles: Web, tmp_path: Path, settings: dict[str, Any]) -> None:
    settings = {"TWISTED_REACTOR_ENABLED": False, **ADDON, **settings}
    found = crawled(tmp_path, articles, settings, "AsyncCrawlerProcess")
    assert found["reactor"] is None and "denoise/errors" not in found["stats"]
    assert found["stats"]["denoise/dedup/duplicates"] == 1
    assert has_all({"items": [item for item in found["items"] if "near_duplicate" not in item]})


def test_a_crawl_without_a_reactor_fetches_comparison_pages(linked: Web, tmp_path: Path) -> None:
    settings = {"TWISTED_REACTOR_ENABLED": False, "DENOISE_COMPARISON_WAIT": 0, **ADDON}
    code = (SPIDER + RUN).format(process="AsyncCrawlerProcess")
    found = run(tmp_path, code, settings, linked("/a/0"))
    assert sentence(0) in found["items"][0]["body"]
    assert found["stats"]["denoise/comparison/requests"] > 0


CHECK = """
import denoise_scrapy
from denoise_scrapy import DenoiseAddon
from scrapy.crawler import Crawler

def loaded():
    return sorted({{"parts", "twisted.internet.reactor"}} & {{*sys.modules}})

found = [loaded()]
crawler = Crawler(PageSpider, json.loads(sys.argv[1]))
crawler.addons.load_settings(crawler.settings)
found.append(loaded())
ours = [str(path) for name in sys.argv[2:] for path in crawler.settings.getdict(name) if "denoise" in str(path)]
print(json.dumps({{"loaded": found, "ours": ours}}))
"""
NAMED = {
    **ALL,
    "FEED_EXPORTERS": {"own": "parts.Exporter"},
    "FEED_STORAGES": {"own": "parts.Storage"},
    "FEEDS": {"items.own": {"format": "own"}, "own://items": {"format": "jsonlines"}},
    "ITEM_PROCESSOR": "parts.Processor",
}


def test_the_settings_are_read_without_a_module_of_the_project(tmp_path: Path) -> None:
    groups = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES")
    found = run(tmp_path, (SPIDER + CHECK).format(process="CrawlerProcess"), {**ADDON, **NAMED}, *groups)
    assert found["loaded"] == [[], []]
    assert len(found["ours"]) >= len(groups)


def test_entries_of_the_project_for_our_components_count(tmp_path: Path) -> None:
    """Each is there once, under the number that the project gives."""
    ours = {
        "ITEM_PIPELINES": ("pipelines.BodyPipeline", None),
        "SPIDER_MIDDLEWARES": ("middlewares.ItemPageMiddleware", 12),
    }
    settings = {group: {f"denoise_scrapy.{name}": number} for group, (name, number) in ours.items()}
    code = SPIDER + CHECK.replace("str(path) for", "f'{{path}} {{number}}' for").replace(
        "for path in crawler.settings.getdict(name) if", "for path, number in crawler.settings.getdict(name).items() if"
    )
    found = run(tmp_path, code.format(process="CrawlerProcess"), {**ADDON, **settings}, *ours)
    for name, number in ours.values():
        same = [one for one in found["ours"] if name.rpartition(".")[2] in one]
        assert len(same) == 1 and same[0].endswith(f" {number}")
