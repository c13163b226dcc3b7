"""Without any optional package: each part that needs one names the extra to install; everything else works."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.processes import run_in

NOBODY = "redis://127.0.0.1:9/0"
# One process in which all of them are missing: crawls, then command lines. It prints what each has said.
WITHOUT = """
import contextlib, io, json, sys

MISSING = set("redis scrapy_redis playwright scrapy_playwright dateparser py3langid pyarrow pyspark mcp".split())
MISSING |= set("scrapy_poet web_poet zyte_common_items".split())

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Missing())

from scrapy import Request
from denoise_scrapy import archive
from denoise_scrapy.archive.__main__ import main as run_archive
from denoise_scrapy.llm import mcp
from denoise_scrapy.commands import run
from denoise_scrapy.exceptions import ConfigurationError
from tests.crawl.crawling import crawl, spider_of, stop_reactor

page, settings, lines = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
said, real = [], sys.stdout
sys.stdout = io.StringIO()  # crawls print their logs
for one in settings:
    try:
        crawl(spider_of(page), one)
    except ConfigurationError as error:
        said.append(str(error))
def use_poet(words):
    try:
        import denoise_scrapy.poet
    except ImportError as error:
        print(error, file=sys.stderr)
    return 1
commands = {"poet": use_poet, "scrapy": lambda words: run(words, {}), "archive": run_archive, "mcp": mcp.main}
for name, *words in lines:
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        said.append([commands[name](words), errors.getvalue()])
done = crawl(spider_of(page, Request(page + "?rendered", meta={"playwright": True})))
said.append([[bool(item["body"]) for item in done.items], done.lines(" WARNING ")])
print(json.dumps(said), file=real)
stop_reactor()
"""
SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"DENOISE_SITE_MEMORY_PATH": NOBODY}, "which is not installed: pip install denoise-scrapy[redis]"),
    ({"DENOISE_DEDUP_STORE": NOBODY}, "which is not installed: pip install denoise-scrapy[redis]"),
    ({"DENOISE_FIELDS": {"language": "mine"}}, "metadata needs dateparser … denoise-scrapy[meta]"),
    (
        {"FEEDS": {"items.parquet": {"format": "parquet"}}},
        "format'] = 'parquet': Parquet needs pyarrow, which is not installed: pip install denoise-scrapy[parquet]",
    ),
]
LINES = [
    ("scrapy dedup run rows.parquet --pairs", "pip install denoise-scrapy[parquet]\n"),
    ("archive in.warc.gz out", "needs pyspark, which is not installed: pip install denoise-scrapy[archive]\n"),
    ("mcp", "needs mcp 2, which is not installed: pip install denoise-scrapy[mcp]\n"),
    ("poet", "needs scrapy-poet: pip install denoise-scrapy[poet]\n"),
]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What crawls and commands say without the packages."""
    from tests.crawl.web import Web, article

    folder, web = tmp_path_factory.mktemp("without"), Web()
    web.pages = {"/1": article(1), "/1?rendered": article(2)}
    (folder / "rows.parquet").write_bytes(b"PAR1")
    arguments = [json.dumps(one) for one in ([each for each, _ in SETTINGS], [line.split() for line, _ in LINES])]
    done = run_in(folder, [sys.executable, "-c", WITHOUT, web("/1"), *arguments])
    web.close()
    assert done.returncode == 0, done.stdout
    assert sorted(path.name for path in Path(folder).iterdir()) == ["rows.parquet"], "no crawl has started"
    return list(json.loads(done.stdout))


def test_a_crawl_names_the_extra_and_does_not_start(said: list[Any]) -> None:
    for told, (settings, expected) in zip(said, SETTINGS, strict=False):
        assert [part for part in expected.split(" … ") if part not in told] == [], settings


def test_a_command_names_the_extra_in_a_line(said: list[Any]) -> None:
    for (code, told), (line, expected) in zip(said[len(SETTINGS) :], LINES, strict=False):
        assert (code, expected in told, told.count("\n")) == (1, True, 1), (line, told)


def test_a_page_to_be_rendered_names_the_extra_once_and_all_items_have_texts(said: list[Any]) -> None:
    bodies, [warned] = said[-1]
    assert bodies == [True, True]
    assert warned.endswith("which is not installed: pip install denoise-scrapy[playwright]")
