"""What only a process of its own shows: exit codes, signals, another reactor."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from denoise_scrapy.crawl import base
from denoise_scrapy.exceptions import ConfigurationError
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article
from tests.faults.project import ended, wait_until

ROOT = Path(__file__).parents[2]
SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}, "TELNETCONSOLE_ENABLED": False}

    async def start(self):
        for url in self.urls.split():
            yield scrapy.Request(url)

    def parse(self, response):
        yield {"url": response.url}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spider.py").write_text(SPIDER, encoding="utf-8")
    return tmp_path


def start(folder: Path, urls: str, *settings: str) -> Any:
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-a", f"urls={urls}"]
    command += ["-o", "items.jsonl", "--logfile", "log.txt"]
    for setting in settings:
        command += ["-s", setting]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=folder, env=environment)


def items(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def log(folder: Path) -> str:
    return (folder / "log.txt").read_text(encoding="utf-8")


def test_a_wrong_setting_ends_the_process_with_an_error(folder: Path) -> None:
    assert ended(start(folder, "data:,x", "DENOISE_STRATEGI=lcs")) != 0
    said = "DENOISE_STRATEGI = 'lcs': no such setting; did you mean DENOISE_STRATEGY?"
    assert f"CRITICAL: The crawl does not start: {said}" in log(folder)


@pytest.mark.parametrize("engine", [None, object()])
def test_a_crawler_that_is_refused_before_its_engine_has_no_spider(
    monkeypatch: pytest.MonkeyPatch, engine: object | None
) -> None:
    """Scrapy 2.14 knows by that alone that it failed."""
    monkeypatch.setattr(base, "hide_tracebacks", lambda: None)
    crawler = Mock(engine=engine)
    with pytest.raises(ConfigurationError), base.refusing_to_start(crawler):
        raise ConfigurationError("no")
    assert (crawler.spider is None) == (engine is None)


def test_an_interrupt_during_a_fetch_waits_for_that_fetch_only(folder: Path, web: Web) -> None:
    web.pages["/a/0"] = article(0, [f"/a/{n}" for n in range(1, 9)])
    web.pages |= {f"/a/{n}": Reply(b"<p>slow", 500, seconds=1.5) for n in range(1, 9)}
    process = start(folder, web("/a/0"), "DENOISE_COMPARISON_WAIT=0")
    wait_until(lambda: len(web.asked) == 2)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert ended(process) == 0
    assert time.monotonic() - began < 9  # all eight would take 12
    assert len(web.asked) == 2
    assert len(items(folder)) == 1


def test_a_reactor_that_is_not_asyncio_fetches_nothing_and_says_so(folder: Path, linked: Web) -> None:
    reactor = "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"
    assert ended(start(folder, linked("/a/0"), reactor, "FORCE_CRAWLER_PROCESS=True")) == 0
    assert linked.asked == ["/a/0"]
    assert all(item["body"] for item in items(folder))
    assert log(folder).count("the reactor is not an asyncio one") == 1


def test_progress_is_logged(articles: Web) -> None:
    articles.seconds = 0.4
    done = crawl(spider_of(articles("/a/0")), {"LOGSTATS_INTERVAL": 0.15})
    assert done.log.count(" denoise: 0 pages") >= 2
    assert done.log.count(" denoise at the end: 1 page, 1 body (0 empty)") == 1
