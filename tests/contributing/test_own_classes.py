"""Strategies and stores that a project names by the import path of their class: what is refused, and why."""

import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from denoise_scrapy.body import extract, find_strategy
from denoise_scrapy.body.strategies.lcs import LcsStrategy
from denoise_scrapy.commands.indexes import named_in
from denoise_scrapy.dedup import MemoryStore
from denoise_scrapy.own_store import is_remote, make_store
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings

OWN = """
from denoise_scrapy.body.strategies.lcs import LcsStrategy
from denoise_scrapy.dedup import MemoryStore


class Half:
    name = "half"
    comparison_pages = 0


class Mine(LcsStrategy):
    name = "mine"


class Far(MemoryStore):
    remote = True

    @classmethod
    def from_settings(cls, settings):
        made = cls()
        made.place = settings["FAR_PLACE"]
        return made
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_classes.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_classes", raising=False)


def test_a_strategy_is_made_once() -> None:
    found = find_strategy("own_classes.Mine")
    assert isinstance(found, LcsStrategy) and find_strategy("own_classes.Mine") is found
    assert extract("<p>Some text.</p>", strategy="own_classes.Mine").strategy == "mine"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DENOISE_STRATEGY", "lsc", "valid is combined"),
        ("DENOISE_STRATEGY", "own_classes.Nothing", "no strategy 'own_classes.Nothing'"),
        ("DENOISE_STRATEGY", "no_such_module.Mine", "No module named 'no_such_module'"),
        ("DENOISE_STRATEGY", ".", "no strategy '.'"),
        ("DENOISE_STRATEGY", "own_classes.Half", "it has no needs_elements, decide"),
        ("DENOISE_DEDUP_STORE", "radis", "valid is auto"),
        ("DENOISE_DEDUP_STORE", "own_classes.Nothing", "Nothing"),
        ("DENOISE_DEDUP_STORE", "no_such_module.Far", "No module named 'no_such_module'"),
        ("DENOISE_DEDUP_STORE", ".", "DENOISE_DEDUP_STORE = '.'"),
        ("DENOISE_DEDUP_STORE", "own_classes.Mine", "no subclass of denoise_scrapy.dedup.Store"),
    ],
)
def test_what_is_none_is_refused_before_the_crawl(name: str, value: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        DenoiseSettings.from_settings({name: value})


def test_a_store_is_made_of_the_settings_of_the_crawl() -> None:
    made = make_store("own_classes.Far", Settings({"FAR_PLACE": "there"}))
    assert made.place == "there"  # type: ignore[attr-defined]
    assert type(make_store("denoise_scrapy.dedup.MemoryStore", Settings())) is MemoryStore
    names = ("own_classes.Far", "redis", "sqlite", "denoise_scrapy.dedup.MemoryStore")
    assert [is_remote(name) for name in names] == [True, True, False, False]


def test_commands_say_that_they_do_not_open_it() -> None:
    with pytest.raises(Exception, match="these commands open files and servers only"):
        named_in(Settings({"DENOISE_DEDUP_STORE": "own_classes.Far"}))
