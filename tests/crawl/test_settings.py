"""Settings are declared once, checked at the start, and documented as they are."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import scrapy

from denoise_scrapy.declared_settings import settings_table
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.stats import STATS, is_declared, stats_table
from tests.crawl.crawling import crawl, spider_of

DOCS = Path(__file__).parents[2] / "docs"
REWRITE = "rewrite it: python -m tests.crawl.test_settings"
TABLES = {"settings.md": settings_table, "stats.md": stats_table}


@pytest.mark.parametrize("page", TABLES)
def test_the_documented_table_is_in_step(page: str) -> None:
    assert (DOCS / page).read_text(encoding="utf-8").endswith(f"\n\n{TABLES[page]()}"), REWRITE


def test_a_stat_is_declared_by_name_or_family() -> None:
    assert all(is_declared(name) for name in STATS)
    assert is_declared("errors/body")
    assert not is_declared("errors/body/deep")
    assert not is_declared("pages/unheard_of")


def test_defaults_are_valid_and_frozen() -> None:
    settings = DenoiseSettings.from_settings({})
    assert settings == DenoiseSettings()
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.enabled = False  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("DENOISE_ENABLED", "False", False),
        ("DENOISE_ENABLED", 0, False),
        ("DENOISE_COMPARISON_PAGES", "7", 7),
        ("DENOISE_COMPARISON_SHARE", 1, 1.0),
        ("DENOISE_DEDUP_THRESHOLD", ".9", 0.9),
        ("DENOISE_DEDUP", "mark", "mark"),
        ("DENOISE_DEDUP_PATH", Path("a/b"), str(Path("a/b"))),
        ("DENOISE_DEDUP_PATH", None, ""),
    ],
)
def test_values_are_converted(name: str, value: Any, read: Any) -> None:
    settings = DenoiseSettings.from_settings({name: value})
    got = getattr(settings, name.removeprefix("DENOISE_").lower())
    assert got == read
    assert type(got) is type(read)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DENOISE_STRATEGI", "lcs", "DENOISE_STRATEGI = 'lcs': no such setting; did you mean DENOISE_STRATEGY?"),
        ("DENOISE_XQZZY", 1, "DENOISE_XQZZY = 1: no such setting"),
        ("DENOISE_STRATEGY", "best", "DENOISE_STRATEGY = 'best': valid is "),
        ("DENOISE_DEDUP_THRESHOLD", 1.5, "= 1.5: valid is number, 0 to 1"),
        ("DENOISE_DEDUP_THRESHOLD", "nan", "valid is number"),
        ("DENOISE_DEDUP_THRESHOLD", True, "valid is number"),
        ("DENOISE_COMPARISON_PAGES", 2.5, "valid is whole number, 0 to 64"),
        ("DENOISE_COMPARISON_PAGES", "many", "valid is whole number, 0 to 64"),
        ("DENOISE_COMPARISON_PAGES", None, "valid is whole number, 0 to 64"),
        ("DENOISE_PAGES_PER_SITE", 0, "valid is whole number >= 1"),
        ("DENOISE_ENABLED", "maybe", "valid is True | False"),
        ("DENOISE_BODY_FIELD", "", "valid is text, not empty"),
        ("DENOISE_BODY_FIELD", ["body"], "valid is text, not empty"),
    ],
)
def test_unknown_names_and_invalid_values_are_refused(name: str, value: Any, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        DenoiseSettings.from_settings({name: value})
    assert said in str(refused.value)


def test_a_path_without_effect_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="has no effect"):
        DenoiseSettings.from_settings({"DENOISE_DEDUP_STORE": "memory", "DENOISE_DEDUP_PATH": "x.sqlite"})


@pytest.mark.parametrize(
    ("spider", "settings", "args", "said"),
    [
        ({}, {"DENOISE_ENABLE": True}, {}, "did you mean DENOISE_ENABLED"),
        ({}, {"ADDONS": {}, "DENOISE_ENABLE": True}, {}, "did you mean DENOISE_ENABLED"),
        ({"custom_settings": {"DENOISE_DEDUP": "yes"}}, {}, {}, "drop | mark | off"),
        ({"denoise_memory": 3}, {}, {}, "denoise_memory = 3: no such setting; did you mean denoise_memory_mb?"),
        ({}, {}, {"denoise_dedup": "yes"}, "denoise_dedup = 'yes': valid is drop"),
    ],
)
def test_a_crawl_with_wrong_settings_does_not_start(
    spider: dict[str, Any], settings: dict[str, Any], args: dict[str, Any], said: str
) -> None:
    by_hand = {"DOWNLOADER_MIDDLEWARES": {"denoise_scrapy.middlewares.ComparisonPagesMiddleware": 545}}
    with pytest.raises(ConfigurationError) as refused:
        crawl(spider_of("data:,x", **spider), {**by_hand, **settings}, **args)
    assert said in str(refused.value)


def test_methods_of_a_spider_are_no_settings() -> None:
    class Named(scrapy.Spider):
        name = "named"
        denoise_dedup = "mark"

        def denoise_title(self) -> None:
            pass

    assert DenoiseSettings.from_settings({}, Named()).dedup == "mark"


def test_settings_of_one_page() -> None:
    settings = DenoiseSettings()
    assert settings.for_page(None) is settings
    assert not settings.for_page(False).enabled
    assert settings.for_page({"strategy": "lcs"}).strategy == "lcs"
    chosen = DenoiseSettings(every_page=False)
    assert not chosen.for_page(None).enabled
    assert chosen.for_page(True).enabled
    assert chosen.for_page({}).enabled
    with pytest.raises(ConfigurationError, match="no such setting"):
        settings.for_page({"dedup_path": "x"})


if __name__ == "__main__":
    for page, table in TABLES.items():
        before_table = (DOCS / page).read_text(encoding="utf-8").partition("\n| ")[0]
        (DOCS / page).write_text(f"{before_table}\n{table()}", encoding="utf-8")
