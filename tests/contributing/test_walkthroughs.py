"""The walk-through of CONTRIBUTING.md, taken step by step in a copy of the tree: files, changes, commands."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.web import Web, article, story
from tests.docs.pages import ROOT, Block, blocks_of

PAGE = ROOT / "CONTRIBUTING.md"
SITE = """
from pathlib import Path

import scrapy

SPIDER_MODULES = ["site_settings"]
ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
TELNETCONSOLE_ENABLED = False
DENOISE_COMPARISON_FETCH = False
FEEDS = {"items.jsonl": {"format": "jsonlines", "overwrite": True}}


class News(scrapy.Spider):
    name = "news"
    start_urls = %r

    def parse(self, response):
        yield {"url": response.url}
"""


def steps(title: str) -> list[Block]:
    """The blocks under a heading, in order."""
    text = PAGE.read_text("utf-8")
    first = text[: text.index(f"\n## {title}\n")].count("\n") + 1
    rest = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return [block for block in blocks_of(PAGE) if first < block.line <= first + rest.count("\n") + 1]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Path]:
    """A copy of what the steps change and use, with a project whose spider is called news."""
    web = Web()
    for number in range(2):
        web.pages[f"/{number}"] = article(number, text=story(0))
    skipped = shutil.ignore_patterns("__pycache__", "hostile", "faults", "rendered")
    for folder in ("denoise_scrapy", "tests", "docs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skipped)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = site_settings\n", "utf-8")
    (tmp_path / "site_settings.py").write_text(SITE % [web("/0"), web("/1")], "utf-8")
    (tmp_path / "page.html").write_text(article(3), "utf-8")
    yield tmp_path
    web.close()


def run(words: list[str], tree: Path) -> str:
    """What a command prints; it must end well, and in the copy."""
    program = [sys.executable, "-m", "scrapy.cmdline"] if words[0] == "scrapy" else [sys.executable]
    environment = {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*program, *words[1:]], check=False, cwd=tree, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{' '.join(words)}:\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def change(tree: Path, diff: str) -> None:
    """Put each added line behind the line that is shown before it."""
    head, *lines = diff.splitlines()
    path = tree / head.removeprefix("--- ")
    text, before = path.read_text("utf-8"), ""
    for line in lines:
        if line.startswith("+"):
            assert text.count(f"{before}\n") == 1, f"{path}: {before!r} is not there once"
            text = text.replace(f"{before}\n", f"{before}\n{line[1:]}\n")
        before = line[1:]
    path.write_text(text, "utf-8")


def take(tree: Path, title: str) -> dict[str, str]:
    """Take all steps; what each command printed."""
    printed = {}
    for block in steps(title):
        if block.language == "python":
            path = tree / block.text.splitlines()[0].removeprefix("# ")
            assert not path.exists(), f"{path}: there is such a file"
            path.write_text(block.text.split("\n", 1)[1], "utf-8")
        elif block.language == "diff":
            change(tree, block.text)
        else:
            for line in block.text.splitlines():
                command = line.removeprefix("$ ")
                printed[command] = run(command.split(), tree)
    return printed


def items(tree: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in (tree / "items.jsonl").read_text("utf-8").splitlines()]


def test_a_strategy(tree: Path) -> None:
    printed = take(tree, "Adding a strategy")
    explained, tested, *_ = printed.values()
    assert "strategy link-density" in explained and "1 passed" in tested
    listed = "| block-filter \\| link-density \\|"
    assert listed in (tree / "docs/settings.md").read_text("utf-8")
    assert "block-filter | link-density |" in (tree / "tests/api/public_api.txt").read_text("utf-8")
    run("scrapy crawl news -s DENOISE_STRATEGY=link-density -s DENOISE_DEDUP=off".split(), tree)
    assert [story(0)[:40] in item["body"] for item in items(tree)] == [True, True]
    assert not any("Daily Gazette" in item["body"] for item in items(tree))
