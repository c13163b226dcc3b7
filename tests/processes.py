"""Processes that tests start, wait for, and read."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run_in(
    folder: Path, command: Sequence[str | Path], environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end; standard error comes with standard output."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )


SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {{"ADDONS": {{"denoise_scrapy.DenoiseAddon": 500}}, "TELNETCONSOLE_ENABLED": False, {more}}}

    async def start(self):
        yield scrapy.Request(self.page, meta={{"playwright": hasattr(self, "rendered")}})

    def parse(self, response):
        yield {{"url": response.url}}
"""


def crawl_page(
    folder: Path, page: str, *options: str, more: str = "", before: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Crawl a page in a process, with `more` in the settings of the spider, and code that runs before."""
    (folder / "pages.py").write_text(SPIDER.format(more=more), encoding="utf-8")
    code = f"{before}\nfrom scrapy.cmdline import execute; execute()"
    return run_python(folder, code, "runspider", "pages.py", "-a", f"page={page}", *options, **environment)


def run_python(folder: Path, code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run some code in a folder; it takes a few seconds."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return run_in(folder, [sys.executable, "-c", code, *arguments], environment, 60)
