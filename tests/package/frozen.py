"""A program frozen by PyInstaller works, without workers: `make package` runs this, `make test` does not."""

import json
import sys
from pathlib import Path

from tests.crawl.web import Web, article, sentence
from tests.package.new_user import execute, install

PROGRAM = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = sys.argv[1:]

    def parse(self, response):
        yield {"url": response.url}

process = CrawlerProcess({
    "ADDONS": {"denoise_scrapy.DenoiseAddon": 500},
    "DENOISE_WORKERS": 1,
    "FEEDS": {"items.jsonl": {"format": "jsonlines"}},
})
process.crawl(Pages)
process.start()
"""


def test_a_frozen_program_works_without_workers(web: Web, tmp_path: Path) -> None:
    programs = install(tmp_path)
    execute(tmp_path, sys.executable, "-m", "pip", "--python", programs / "python", "install", "-q", "pyinstaller>=6.3")
    (tmp_path / "pages.py").write_text(PROGRAM, encoding="utf-8")
    execute(tmp_path, programs / "pyinstaller", "--log-level=ERROR", "--hidden-import=denoise_scrapy", "pages.py")
    web.pages = {f"/a/{n}": article(n) for n in range(6)}
    log = execute(tmp_path, tmp_path / "dist/pages/pages", *map(web, web.pages))
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text("utf-8").splitlines()]
    assert {item["url"] for item in items if sentence(int(item["url"][-1])) in item["body"]} == {*map(web, web.pages)}
    assert log.count(" WARNING: ") == 1
    assert log.count("Pages are extracted in the crawl's own process: there is no Python to start workers with.") == 1
