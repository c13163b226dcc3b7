"""If an optional package is missing, one message names the extra to install; everything else works."""

from pathlib import Path

import pytest

from tests.processes import crawl_page, run_python

NOBODY = "redis://127.0.0.1:9/0"
BLOCK = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""
SCRAPY = "from scrapy.cmdline import execute; execute()"
RUN = "import runpy; runpy.run_module('denoise_scrapy.{}', run_name='__main__')"
REDIS = {"redis", "scrapy_redis"}
PLAYWRIGHT = {"scrapy_playwright", "playwright"}
META = {"dateparser", "py3langid"}


def crawl_without(names: set[str], folder: Path, page: str, *options: str) -> tuple[str, str]:
    """Crawl a page where these packages are missing; gives the log, and the feed, "" for none."""
    done = crawl_page(folder, page, "-O", "items.jsonl", *options, before=BLOCK.format(names=names))
    feed = folder / "items.jsonl"
    return done.stdout, feed.read_text(encoding="utf-8") if feed.exists() else ""


@pytest.mark.parametrize(
    ("names", "setting", "said"),
    [
        (REDIS, f"DENOISE_SITE_MEMORY_PATH={NOBODY}", "which is not installed: pip install denoise-scrapy[redis]"),
        (META, 'DENOISE_FIELDS={"lang": "mine"}', "metadata needs dateparser … denoise-scrapy[meta]"),
        (
            {"pyarrow"},
            'FEEDS={"items.parquet": {"format": "parquet"}}',
            "format'] = 'parquet': Parquet needs pyarrow, which is not installed: pip install denoise-scrapy[parquet]",
        ),
    ],
)
def test_a_crawl_names_the_extra_and_does_not_start(
    page: str, tmp_path: Path, names: set[str], setting: str, said: str
) -> None:
    log, feed = crawl_without(names, tmp_path, page, "-s", setting)
    assert feed == ""
    assert [part for part in ("The crawl does not start: ", *said.split(" … ")) if part not in log] == []


@pytest.mark.parametrize(
    ("names", "code", "arguments", "said"),
    [
        ({"pyarrow"}, SCRAPY, "denoise dedup run rows.parquet --pairs", "pip install denoise-scrapy[parquet]\n"),
        ({"pyspark"}, RUN.format("archive"), "in.warc.gz out", "needs pyspark, which is not installed: pip install d"),
        ({"mcp"}, RUN.format("mcp"), "", "needs mcp 2, which is not installed: pip install denoise-scrapy[mcp]\n"),
    ],
)
def test_a_command_names_the_extra_in_a_line(
    tmp_path: Path, names: set[str], code: str, arguments: str, said: str
) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1")
    done = run_python(tmp_path, BLOCK.format(names=names) + code, *arguments.split())
    assert done.returncode == 1
    assert said in done.stdout
    assert done.stdout.count("\n") == 1


def test_a_page_to_be_rendered_names_the_extra_once_and_its_item_passes(page: str, tmp_path: Path) -> None:
    log, feed = crawl_without(PLAYWRIGHT, tmp_path, page, "-a", "rendered=1")
    assert '"body": ' in feed
    [told] = [line for line in log.splitlines() if " WARNING: " in line]
    assert told.endswith("which is not installed: pip install denoise-scrapy[playwright]")
