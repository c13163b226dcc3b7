"""Where an optional package is missing, one message says which extra to install; all else works as ever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.web import Web, article
from tests.processes import run_in

ROOT = Path(__file__).parents[2]
LONGEST = 60  # seconds; each takes two or three
NOBODY = "redis://127.0.0.1:9/0"
BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}, "TELNETCONSOLE_ENABLED": False}

    async def start(self):
        yield scrapy.Request(self.page, meta={"playwright": True} if hasattr(self, "rendered") else {})

    def parse(self, response):
        yield {"url": response.url}
"""
SCRAPY = "from scrapy.cmdline import execute; execute()"
REDIS = {"redis", "scrapy_redis"}
PLAYWRIGHT = {"scrapy_playwright", "playwright"}
META = {"dateparser", "py3langid"}


def run_without(names: set[str], code: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where these packages are missing; standard error comes with standard output."""
    command = [sys.executable, "-c", BLOCK.format(names=names) + code, *arguments]
    return run_in(folder, command, os.environ | {"PYTHONPATH": str(ROOT)}, LONGEST)


def crawl_without(names: set[str], folder: Path, *arguments: str, spider: str = SPIDER) -> tuple[str, str]:
    """Crawl a page; gives the log, and the feed, "" for none."""
    (folder / "pages.py").write_text(spider, encoding="utf-8")
    done = run_without(names, SCRAPY, folder, "runspider", "pages.py", "-O", "items.jsonl", *arguments)
    feed = folder / "items.jsonl"
    return done.stdout, feed.read_text(encoding="utf-8") if feed.exists() else ""


@pytest.fixture
def page(web: Web) -> str:
    web.pages["/1"] = article(1)
    return web("/1")


def test_a_store_in_redis_names_its_extra(page: str, tmp_path: Path) -> None:
    setting = f"DENOISE_SITE_MEMORY_PATH={NOBODY}"
    log, feed = crawl_without(REDIS, tmp_path, "-a", f"page={page}", "-s", setting)
    assert feed == ""
    assert "The crawl does not start: " in log
    assert "which is not installed: pip install denoise-scrapy[redis]" in log


def test_a_parquet_file_names_its_extra(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    done = run_without({"pyarrow"}, SCRAPY, tmp_path, "denoise", "dedup", "run", "rows.parquet", "--pairs")
    assert done.returncode == 1
    assert done.stdout.endswith("pip install denoise-scrapy[parquet]\n")


def test_an_archive_names_its_extra(tmp_path: Path) -> None:
    code = "import runpy; runpy.run_module('denoise_scrapy.archive', run_name='__main__')"
    done = run_without({"pyspark"}, code, tmp_path, "in.warc.gz", "out")
    assert done.returncode == 1
    assert done.stdout == (
        "python -m denoise_scrapy.archive: needs pyspark, which is not installed: pip install denoise-scrapy[archive]\n"
    )


def test_a_page_to_be_rendered_names_the_extra_once_and_its_item_passes(page: str, tmp_path: Path) -> None:
    log, feed = crawl_without(PLAYWRIGHT, tmp_path, "-a", f"page={page}", "-a", "rendered=1")
    assert '"body": ' in feed
    told = [line for line in log.splitlines() if " WARNING: " in line]
    assert len(told) == 1
    assert told[0].endswith("which is not installed: pip install denoise-scrapy[playwright]")


def test_a_field_of_dates_names_its_extra(page: str, tmp_path: Path) -> None:
    log, feed = crawl_without(META, tmp_path, "-a", f"page={page}", "-s", 'DENOISE_FIELDS={"published": "mine"}')
    assert feed == ""
    assert (
        "The crawl does not start: DENOISE_FIELDS['published'] = 'mine': metadata needs dateparser, which is not" in log
    )
    assert "pip install denoise-scrapy[meta]" in log


def test_the_server_for_agents_names_its_extra(tmp_path: Path) -> None:
    code = "import runpy; runpy.run_module('denoise_scrapy.mcp', run_name='__main__')"
    done = run_without({"mcp"}, code, tmp_path)
    assert done.returncode == 1
    assert done.stdout == (
        "python -m denoise_scrapy.mcp: needs mcp 2, which is not installed: pip install denoise-scrapy[mcp]\n"
    )


def test_a_feed_of_parquet_names_its_extra(page: str, tmp_path: Path) -> None:
    feeds = 'FEEDS={"items.parquet": {"format": "parquet"}}'
    log, _ = crawl_without({"pyarrow"}, tmp_path, "-a", f"page={page}", "-s", feeds)
    told = "format'] = 'parquet' needs pyarrow, which is not installed: pip install denoise-scrapy[parquet]"
    assert told in log
