"""The example of docs/dedup.md runs, and the method stays recognisable in the page."""

import re
from pathlib import Path

from tests.dedup.made_texts import english

PAGE = Path(__file__).resolve().parents[2] / "docs" / "dedup.md"


def test_the_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names = {"text": " ".join(english(1, 100))}
    exec(example, names)
    assert not names["verdict"].duplicate
    assert (tmp_path / "texts.db").exists()
