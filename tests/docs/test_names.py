"""What pages name exists: links, settings, stats, formats, tests that hold a guarantee."""

import ast
import re
from pathlib import Path

import pytest

from denoise_scrapy.exporters import FORMATS
from denoise_scrapy.formats import FORMS, SUFFIXES
from denoise_scrapy.settings import declarations
from denoise_scrapy.stats import meaning_of
from tests.docs.pages import DOCS, PAGES, ROOT, name_of

# Settings, and a variable of the environment.
SETTINGS = {"DENOISE_CORPORA", *(f"DENOISE_{name.upper()}" for name, *_ in declarations())}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_settings_and_stats_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) + re.findall(r'(?:srcset|<img src)="([^"]+)"', text)
    assert [one for one in links if not (page.parent / one).exists()] == []
    assert set(re.findall(r"\bDENOISE_[A-Z_]+[A-Z]\b", text)) <= SETTINGS
    assert [name for name in re.findall(r"\bdenoise/([a-z_/]+[a-z])(?![a-z_/])", text) if not meaning_of(name)] == []


def test_formats_are_named() -> None:
    text = "".join(page.read_text("utf-8") for page in PAGES)
    named = [*(one[0] for one in SUFFIXES.values()), *FORMATS]
    assert [name for name in (*FORMS, *named) if name not in text] == []


def functions_in(file: str) -> set[str]:
    path = ROOT / file
    tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_guarantee_names_tests_that_exist_and_nothing_is_promised_beside_the_list() -> None:
    promised = (DOCS / "guarantees.md").read_text("utf-8").partition("## What we do not promise")[0]
    sentences = re.split(r"^- ", promised, flags=re.MULTILINE)[1:]
    test = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
    assert len(sentences) > 40
    assert [sentence for sentence in sentences if not test.search(sentence)] == []
    named = test.findall(promised)
    assert len(named) == promised.count("::")
    files = {file: functions_in(file) for file, _ in named}
    assert [f"{file}::{name}" for file, name in named if name not in files[file]] == []
    # between the headings stand sentences with their tests, and links to pages that say more
    lines = [line for group in promised.split("\n## ")[1:] for line in group.splitlines()[1:] if line]
    assert [line for line in lines if not line.startswith(("- ", "  ")) and "](" not in line] == []
