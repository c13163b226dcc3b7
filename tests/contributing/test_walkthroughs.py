"""The walk-through of CONTRIBUTING.md, taken step by step in a copy of the tree: files, changes, commands."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.crawl.web import Web, article, story
from tests.docs.pages import ROOT, Block, blocks_of
from tests.processes import run_in

PAGE = ROOT / "CONTRIBUTING.md"
LONGEST = 120  # seconds, of a command
SITE = """
from pathlib import Path

import scrapy

SPIDER_MODULES = ["site_settings"]
ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
TELNETCONSOLE_ENABLED = False
DENOISE_COMPARISON_SHARE = 0
FEEDS = {"items.jsonl": {"format": "jsonlines", "overwrite": True}}


class News(scrapy.Spider):
    name = "news"
    start_urls = %r

    def parse(self, response):
        yield {"url": response.url}
"""


def steps() -> list[Block]:
    """The blocks of the walk-through, in order."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("\n## Adding a strategy\n")
    first, lines = before.count("\n") + 1, rest.partition("\n## ")[0].count("\n") + 1
    return [block for block in blocks_of(PAGE) if first < block.line <= first + lines]


@pytest.fixture
def tree(tmp_path: Path, web: Web) -> Path:
    """A copy of what the steps change and use, with a project whose spider is called news."""
    web.pages = {f"/{number}": article(number, text=story(0)) for number in range(2)}
    skipped = shutil.ignore_patterns("__pycache__", "hostile", "faults", "rendered")
    for folder in ("denoise_scrapy", "tests", "docs", "benchmarks", "evaluation", "example_project"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skipped)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = site_settings\n", "utf-8")
    (tmp_path / "site_settings.py").write_text(SITE % [web("/0"), web("/1")], "utf-8")
    (tmp_path / "page.html").write_text(article(3), "utf-8")
    return tmp_path


# Runs commands one after the other in one process, as each imports what the others do; a line shows where each ends.
RUN = """
import runpy, sys
for line in sys.argv[1:]:
    program, *sys.argv = line.split()
    sys.argv.remove("-m")
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
    print(END)
"""
END = "== the next command =="


def run(commands: list[str], tree: Path) -> list[str]:
    """What commands of Python, the last one of Scrapy, print; they must end well, and in the copy."""
    environment = {"PYTHONPATH": str(tree), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    lines = [line.replace("scrapy ", "scrapy -m scrapy.cmdline ", 1) for line in commands]
    code = RUN.replace("END", repr(END))
    done = run_in(tree, [sys.executable, "-c", code, *lines], environment, LONGEST)
    assert done.returncode == 0, done.stdout
    return done.stdout.split(END)


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


def test_a_strategy(tree: Path) -> None:
    commands = []
    for block in steps():
        head, _, rest = block.text.partition("\n")
        if block.language == "python":
            path = tree / head.removeprefix("# ")
            assert not path.exists(), f"{path}: there is such a file"
            path.write_text(rest, "utf-8")
        elif block.language == "diff":
            change(tree, block.text)
        else:
            commands += [line.removeprefix("$ ") for line in block.text.splitlines()]
    commands.append("scrapy crawl news -s DENOISE_STRATEGY=link-density -s DENOISE_DEDUP=off")
    printed = run(commands, tree)
    assert "strategy link-density" in printed[0] and "1 passed" in printed[1]
    assert "| block-filter \\| link-density \\|" in (tree / "docs/settings.md").read_text("utf-8")
    assert "block-filter | link-density |" in (tree / "tests/api/public_api.txt").read_text("utf-8")
    bodies = [json.loads(line)["body"] for line in (tree / "items.jsonl").read_text("utf-8").splitlines()]
    assert [story(0)[:40] in body and "Daily Gazette" not in body for body in bodies] == [True, True]
