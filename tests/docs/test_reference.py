"""The reference says where each public name is."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.pages import DOCS

ROWS = re.findall(r"^\| \[([\w ]+)\].*?\| (.*?) \| (.*?) \|$", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("names", "modules"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_names_are_in_the_modules_named_beside_them(names: str, modules: str) -> None:
    """As their sources say: one of the modules needs a library that is not installed with the tests."""
    specs = [find_spec(module) for module in re.findall(r"`([\w.]+)`", modules)]
    sources = [Path(str(spec and spec.origin)).read_text("utf-8") for spec in specs]
    for name in re.findall(r"`(\w+)`", names):
        assert any(re.search(rf'^(?:(?:async )?def|class) {name}\b|"{name}"', one, re.MULTILINE) for one in sources), (
            name
        )
