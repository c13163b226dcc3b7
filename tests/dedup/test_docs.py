"""The examples of docs/dedup.md run, and the method stays recognisable in the page."""

import re
from pathlib import Path

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.dedup.made_texts import english

PAGE = Path(__file__).resolve().parents[2] / "docs" / "dedup.md"


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, claims, groups = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names = {"text": " ".join(english(1, 100))}
    exec(first, names)
    assert not names["verdict"].duplicate
    exec(claims, names)
    assert not names["verdict"].duplicate, "of another scope"
    with DuplicateIndex(store=SQLiteStore("texts.db")) as index:
        verdict = index.check("/c", names["text"])
    assert verdict.of == "/b" and not verdict.pending
    exec(groups, names)
    with DuplicateIndex(store=SQLiteStore("texts.db")) as index:
        assert index.group("/bees").members == ("/b", "/bees", "/print/bees"), "/b was kept above"
    assert (tmp_path / "texts.db").exists()
