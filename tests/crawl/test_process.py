"""What only a process of its own shows: exit codes, signals, imports, another reactor."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import scrapy

from tests.crawl.web import Web, article

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


def start(folder: Path, urls: str, *settings: str, args: tuple[str, ...] = ()) -> Any:
    command = [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-a", f"urls={urls}"]
    command += ["-o", "items.jsonl", "--logfile", "log.txt"]
    for setting in settings:
        command += ["-s", setting]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*command, *args], cwd=folder, env=environment)


def items(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def log(folder: Path) -> str:
    return (folder / "log.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["setting", "argument"])
def test_a_wrong_setting_ends_the_process_with_an_error(folder: Path, name: str) -> None:
    if name == "setting":
        process = start(folder, "data:,x", "DENOISE_STRATEGI=lcs")
        said = "DENOISE_STRATEGI = 'lcs': no such setting; did you mean DENOISE_STRATEGY?"
    else:
        process = start(folder, "data:,x", args=("-a", "denoise_dedup=yes"))
        said = "denoise_dedup = 'yes': valid is drop | mark | off"
    assert process.wait(20) != 0
    assert f"CRITICAL: The crawl does not start: {said}" in log(folder)


def test_a_refused_index_ends_the_process_with_an_error(folder: Path) -> None:
    (folder / "texts.sqlite").write_bytes(b"something else" * 500)
    process = start(folder, "data:,x", "DENOISE_DEDUP_STORE=texts.sqlite")
    # Earlier versions end with 0 whenever a pipeline cannot open.
    assert process.wait(20) != 0 or scrapy.version_info < (2, 19)
    assert "CRITICAL: The crawl does not start: the index of texts texts.sqlite" in log(folder)


def test_one_interrupt_ends_cleanly_with_every_kept_item_in_the_index(folder: Path, web: Web) -> None:
    web.seconds = 0.1
    web.pages |= {f"/a/{n}": article(n, [f"/a/{m}" for m in range(60)]) for n in range(60)}
    urls = " ".join(web(f"/a/{n}") for n in range(60))
    process = start(folder, urls, "JOBDIR=job", "CONCURRENT_REQUESTS=2")
    wait_until(lambda: len(web.asked) >= 10)
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 0
    kept = items(folder)
    assert 0 < len(kept) < 60
    assert all(item["body"] for item in kept)
    with sqlite3.connect(folder / "job" / "denoise-texts.sqlite") as file:
        keys = {key for (key,) in file.execute("SELECT key FROM texts")}
    assert keys == {item["url"] for item in kept}
    assert "denoise at the end" in log(folder)

    web.seconds = 0
    assert start(folder, urls, "JOBDIR=job").wait(30) == 0
    every = [item["url"] for item in items(folder)]
    assert sorted(every) == sorted(set(every))
    assert "Near-duplicate:" not in log(folder)
    assert len(every) == 60


def test_an_interrupt_during_a_fetch_waits_for_that_fetch_only(folder: Path, web: Web) -> None:
    from tests.crawl.web import Reply

    web.pages["/a/0"] = article(0, [f"/a/{n}" for n in range(1, 9)])
    web.pages |= {f"/a/{n}": Reply(b"<p>slow", 500, seconds=1.5) for n in range(1, 9)}
    process = start(folder, web("/a/0"), "DENOISE_COMPARISON_WAIT=0")
    wait_until(lambda: len(web.asked) == 2)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.wait(10) == 0
    assert time.monotonic() - began < 4
    assert len(web.asked) == 2
    assert len(items(folder)) == 1


def test_a_reactor_that_is_not_asyncio_fetches_nothing_and_says_so(folder: Path, web: Web) -> None:
    web.pages["/a/0"] = article(0, ["/a/1"])
    reactor = "TWISTED_REACTOR=twisted.internet.selectreactor.SelectReactor"
    process = start(folder, web("/a/0"), reactor, "FORCE_CRAWLER_PROCESS=True")
    assert process.wait(20) == 0
    assert web.asked == ["/a/0"]
    assert all(item["body"] for item in items(folder))
    assert log(folder).count("the reactor is not an asyncio one") == 1


def test_progress_is_logged(folder: Path, web: Web) -> None:
    web.pages["/a/0"] = article(0)
    web.pages["/a/1"] = article(1)
    web.seconds = 0.7
    urls = f"{web('/a/0')} {web('/a/1')}"
    process = start(folder, urls, "LOGSTATS_INTERVAL=0.3", "CONCURRENT_REQUESTS=1")
    assert process.wait(20) == 0
    assert log(folder).count("denoise: ") >= 2


def test_the_core_needs_no_scrapy() -> None:
    code = (
        "import sys, denoise_scrapy\n"
        "from denoise_scrapy import Body, DuplicateIndex, Page, SiteModel, extract\n"
        "assert extract('<p>Some words.').text == 'Some words.'\n"
        "assert denoise_scrapy.__version__ and 'DenoiseAddon' in dir(denoise_scrapy)\n"
        "loaded = {'scrapy', 'twisted', 'itemadapter', 'parsel'} & set(sys.modules)\n"
        "assert not loaded, loaded\n"
        "from denoise_scrapy import DenoiseAddon\n"
        "assert 'scrapy' in sys.modules\n"
        "try:\n"
        "    denoise_scrapy.nothing\n"
        "except AttributeError as error:\n"
        "    assert 'nothing' in str(error)\n"
        "else:\n"
        "    raise SystemExit('no AttributeError')\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def wait_until(condition: Any) -> None:
    """Wait for a condition, at most 15 seconds."""
    end = time.monotonic() + 15
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
