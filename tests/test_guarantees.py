"""Each sentence of docs/guarantees.md names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROMISED = (ROOT / "docs" / "guarantees.md").read_text("utf-8").partition("## What we do not promise")[0]
SENTENCES = re.split(r"^- ", PROMISED, flags=re.MULTILINE)[1:]
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


@cache
def names_of_tests(file: str) -> frozenset[str]:
    path = ROOT / file
    tree = ast.parse(path.read_text("utf-8")) if path.exists() else ast.Module([], [])
    functions = (node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(name for name in functions if name.startswith("test_"))


def test_every_sentence_names_a_test() -> None:
    assert len(SENTENCES) > 40
    assert [sentence for sentence in SENTENCES if not TEST.search(sentence)] == []


def test_every_test_that_is_named_exists() -> None:
    named = TEST.findall(PROMISED)
    assert len(named) == PROMISED.count("::")
    assert [f"{file}::{name}" for file, name in named if name not in names_of_tests(file)] == []


def test_nothing_is_promised_beside_the_list() -> None:
    """Between the headings stand sentences with their tests, and links to pages that tell more."""
    for group in PROMISED.split("\n## ")[1:]:
        lines = [line for line in group.splitlines()[1:] if line]
        assert [line for line in lines if not line.startswith(("- ", "  ")) and "](" not in line] == []
