"""Every block of Python that a page shows is run, as it stands, by Sybil: doctests, settings, spiders, plain code."""

import ast
import doctest
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.settings import Settings
from scrapy.utils.misc import load_object
from sybil import Document, Example
from sybil.parsers.markdown import PythonCodeBlockParser

from denoise_scrapy.settings import DenoiseSettings
from tests.crawl.web import story
from tests.docs.pages import PAGES, blocks_of, name_of

# What a page says is there before its first block.
GIVEN: dict[str, dict[str, Any]] = {"docs/dedup.md": {"text": story(1)}}
# The first line of a block that is a file of the tree.
FILE = re.compile(r"# \w[\w/]+\.py\n")
COMPONENTS = {"ADDONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "SCHEDULER"}


def check_settings(names: Mapping[str, Any]) -> None:
    """Settings exist and are valid, classes they name exist."""
    DenoiseSettings.from_settings({name: value for name, value in names.items() if name.startswith("DENOISE_")})
    for name in COMPONENTS & set(names):
        for path in [names[name]] if isinstance(names[name], str) else names[name]:
            load_object(path)


def check_spider(spider: type[scrapy.Spider]) -> None:
    settings = Settings({"DENOISE_ENABLED": True})
    if "name" in vars(spider):
        spider.update_settings(settings)
    settings.setdict(spider.custom_settings or {})
    check_settings(dict(settings))
    DenoiseSettings.from_settings(settings, spider(name="shown"))


def run(example: Example) -> None:
    """Run a block; then look at what it has defined."""
    names, source = example.namespace, str(example.parsed)
    if FILE.match(source):  # tests/contributing/ makes it, and takes the steps around it
        return
    before = dict(names)
    exec(compile("\n" * (example.line + 1) + source, example.path, "exec"), names)
    new = {name: value for name, value in names.items() if before.get(name) is not value}
    check_settings(new)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.keyword) and node.arg == "meta":
            DenoiseSettings().for_page(ast.literal_eval(node.value).get("denoise"))
    for value in new.values():
        if isinstance(value, type) and issubclass(value, scrapy.Spider) and value is not scrapy.Spider:
            check_spider(value)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_what_a_page_shows_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    python = PythonCodeBlockParser(doctest_optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    python.codeblock_parser._evaluator = run
    document = Document.parse(str(page), python)
    document.namespace.update({"scrapy": scrapy} | GIVEN.get(name_of(page), {}))
    for example in document.examples():
        example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_all_python_stands_in_blocks_that_are_run(page: Path) -> None:
    blocks = list(blocks_of(page))
    assert [b.line for b in blocks if b.language not in {"", "python", "json", "text", "toml", "html", "diff"}] == []
    assert page.read_text("utf-8").count("\n>>> ") == sum(f"\n{b.text}".count("\n>>> ") for b in blocks), (
        "an example outside of a block, which a site shows as a quote"
    )
    assert [b.line for b in blocks if ">>> " in b.text and not (b.language == "python" and b.text[:3] == ">>>")] == []
