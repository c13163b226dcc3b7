"""Strategies and stores that a project names by the import path of their class: what is refused before the crawl."""

from pathlib import Path

import pytest

from denoise_scrapy.body import extract
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings

OWN = """
from denoise_scrapy.body.strategies.lcs import LcsStrategy

class Half:
    name = "half"

class Mine(LcsStrategy):
    name = "mine"
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_classes.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def test_a_strategy_by_its_path() -> None:
    assert extract("<p>Some text.</p>", strategy="own_classes.Mine").strategy == "mine"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DENOISE_STRATEGY", "lsc", "valid is combined"),
        ("DENOISE_STRATEGY", "own_classes.Nothing", "no strategy 'own_classes.Nothing'"),
        ("DENOISE_STRATEGY", "no_such_module.Mine", "No module named 'no_such_module'"),
        ("DENOISE_STRATEGY", "own_classes.Half", "decide"),
        ("DENOISE_DEDUP_STORE", "radis", "valid is auto"),
        ("DENOISE_DEDUP_STORE", "no_such_module.Far", "No module named 'no_such_module'"),
        ("DENOISE_DEDUP_STORE", "own_classes.Mine", "no subclass of denoise_scrapy.dedup.Store"),
    ],
)
def test_what_is_none_is_refused(name: str, value: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        DenoiseSettings.from_settings({name: value})
