"""Settings are declared once, and checked at the start."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import scrapy

from denoise_scrapy import extract
from denoise_scrapy.body import Taste
from denoise_scrapy.body.taste import PARTS
from denoise_scrapy.settings import MARK, ConfigurationError, DenoiseSettings
from docs.counters import STATS, meaning_of
from tests.crawl.crawling import crawl, spider_of

OWN = """
from denoise_scrapy.body.strategies.lcs import LcsStrategy

class Half:
    name = "half"

class Mine(LcsStrategy):
    name = "mine"
"""


@pytest.fixture
def own_classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_classes.py").write_text(OWN, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)


def test_a_strategy_by_its_path(own_classes: None) -> None:
    assert extract("<p>Some text.</p>", strategy="own_classes.Mine").strategy == "mine"


def test_a_stat_is_declared_by_name_or_family() -> None:
    assert all(meaning_of(name) for name in STATS)
    assert meaning_of("errors/body")
    assert not meaning_of("errors/body/deep")
    assert not meaning_of("pages/unheard_of")


def test_defaults_are_valid_and_frozen() -> None:
    settings = DenoiseSettings.from_settings({})
    assert settings == DenoiseSettings()
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.enabled = False  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("DENOISE_ENABLED", "False", False),
        ("DENOISE_COMPARISON_PAGES", "7", 7),
        ("DENOISE_DEDUP_THRESHOLD", ".9", 0.9),
        ("DENOISE_DEDUP", "mark", "mark"),
        ("DENOISE_DEDUP_STORE", Path("a/b"), str(Path("a/b"))),
        ("DENOISE_REMOVE", '["#foot", "//p"]', ("#foot", "//p")),
        ("DENOISE_SITE_MEMORY_PATH", None, ""),
        ("DENOISE_PARTS", '{"title": "drop", "tables": "keep"}', {"title": "drop", "tables": "keep"}),
        ("DENOISE_FIELDS", {"html": "html", "language": ""}, {"html": "html", "language": ""}),
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
        ("DENOISE_Dedup_field", "a", "did you mean DENOISE_DEDUP_FIELDS?"),
        ("DENOISE_STRATEGI", "lcs", "DENOISE_STRATEGI = 'lcs': no such setting; did you mean DENOISE_STRATEGY?"),
        (
            "DENOISE_STRATEGY",
            "clustre",
            "| block-filter; did you mean cluster?",
        ),
        ("DENOISE_DEDUP_THRESHOLD", 1.5, "= 1.5: valid is number, 0 to 1"),
        ("DENOISE_DEDUP_CERTAINTY", "nan", "valid is number"),
        ("DENOISE_COMPARISON_PAGES", 2.5, "valid is whole number, 0 to 64"),
        ("DENOISE_COMPARISON_PER_SITE", 9, "no such setting; did you mean DENOISE_COMPARISON_"),
        ("DENOISE_FAVOR", "recal", "valid is precision | balanced | recall; did you mean recall?"),
        ("DENOISE_PARTS", {"titel": "keep"}, "DENOISE_PARTS['titel'] = 'keep': valid keys are title, standfirst"),
        ("DENOISE_PARTS", {"title": True}, "DENOISE_PARTS['title'] = True: valid is auto | keep | drop"),
        ("DENOISE_PARTS", "drop", "DENOISE_PARTS = 'drop': valid is dict: title, standfirst, captions"),
        ("DENOISE_FIELDS", "artikel", "| dict: body, markdown"),
        ("DENOISE_FIELDS", "artikel", "did you mean article?"),
        ("DENOSIE_SEEN", "keep", "DENOSIE_SEEN = 'keep': no such setting; did you mean DENOISE_SEEN?"),
        ("DENOISE_SEEN", "drop", "did you mean drop-unchanged?"),
        ("DENOISE_FIELDS", {"title": "by", "authors": "by"}, "['title'] = 'by': this is the field of another value"),
        ("DENOISE_FIELDS", {"title": "body"}, "['title'] = 'body': this is the field of another value"),
        ("DENOISE_FIELDS", {"title": "of", "seen": "of"}, "['title'] = 'of': this is the field of another value"),
        ("DENOISE_FIELDS", {"authors": "all", "author": "one"}, "['author'] = 'one': another name of 'authors'"),
        ("DENOISE_EXAMPLES", "x" * 5000, "x': "),
        ("DENOISE_ADAPTERS", {"autor": "a.b"}, "did you mean author?"),
        ("DENOISE_ADAPTERS", {"authors": "own_classes.people"}, "DENOISE_ADAPTERS['authors'] = 'own_classes.people': "),
        ("DENOISE_ADAPTERS", {"authors": "own_classes"}, "it is no function"),
        ("DENOISE_ADAPTERS", {"authors": 3}, "valid is import path of a function"),
        ("DENOISE_MARKDOWN", {"images": "dropp"}, "valid is keep | text | drop; did you mean drop?"),
        ("DENOISE_FIELDS", "[" * 100_000, "valid is article | dict: body"),
        ("DENOISE_MARKDOWN", "text", "valid is dict: links to keep | text; images to keep | text | drop"),
        ("DENOISE_DEDUP_STORE", "redsi://a.example", "valid is auto | memory | path of a file | redis://"),
        ("DENOISE_DEDUP_STORE", "redis:/localhost", "did you mean redis://?"),
        ("DENOISE_DEDUP_STORE", "memmory", "did you mean memory?"),
        ("DENOISE_DEDUP_FIELDS", ["a", "b"], "DENOISE_DEDUP_FIELDS = ['a', 'b']: one field holds the text"),
        ("DENOISE_DEDUP_FIELDS", ["="], "'=' names no field"),
        ("DENOISE_STRATEGY", "own_classes.Nothing", "no strategy 'own_classes.Nothing'"),
        ("DENOISE_STRATEGY", "own_classes.Half", "decide"),
        ("DENOISE_DEDUP_STORE", "own_classes.Mine", "valid is auto"),
        ("DENOISE_CHUNK_TOKENS", 0, "valid is whole number >= 1"),
        ("DENOISE_ENABLED", "maybe", "valid is True | False"),
        ("DENOISE_KEEP", "div[", "DENOISE_KEEP = 'div[': selector 'div[': not a CSS selector (Expected ident or '*'"),
        ("DENOISE_REMOVE", ["p", "//a/@href"], "selector '//a/@href': it selects text or attributes, not elements"),
        ("DENOISE_REMOVE", ["p", 3], "DENOISE_REMOVE = ['p', 3]: valid is text, or a list of texts"),
    ],
)
def test_unknown_names_and_invalid_values_are_refused(own_classes: None, name: str, value: Any, said: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        DenoiseSettings.from_settings({name: value})
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("spider", "settings", "args", "said"),
    [
        ({}, {"ADDONS": {}, "DENOISE_ENABLE": True}, {}, "did you mean DENOISE_ENABLED"),
        ({"custom_settings": {"DENOISE_DEDUP": "yes"}}, {}, {}, "drop | mark | off"),
        ({"denoise_memory": 3}, {}, {}, "denoise_memory = 3: no such setting; did you mean denoise_memory_mb?"),
        ({}, {"DENOISE_DEDUP_STORE": "redis://127.0.0.1:1/0"}, {}, "the index of texts redis://127.0.0.1:1/0"),
        ({}, {"DENOISE_DEDUP_STORE": "/none/x.sqlite"}, {}, "sqlite, by DENOISE_DEDUP_STORE = '/none/x.sqlite': "),
        ({}, {}, {"denoise_dedup": "yes"}, "denoise_dedup = 'yes': valid is drop"),
    ],
)
def test_a_crawl_with_wrong_settings_does_not_start(
    spider: dict[str, Any], settings: dict[str, Any], args: dict[str, Any], said: str
) -> None:
    by_hand = {"DOWNLOADER_MIDDLEWARES": {"denoise_scrapy.middlewares.ComparisonPagesMiddleware": -1000}}
    with pytest.raises(ConfigurationError) as refused:
        crawl(spider_of("data:,x", **spider), {**by_hand, **settings}, **args)
    assert said in str(refused.value)


def test_methods_and_properties_of_a_spiders_class_are_no_settings() -> None:
    class Named(scrapy.Spider):
        name = "named"
        denoise_dedup = "mark"

        def denoise_title(self) -> None:
            pass

        @property
        def denoise_strategy(self) -> str:
            return "lcs"

    for spider, strategy in ((Named(), "lcs"), (Named, DenoiseSettings().strategy)):
        found = DenoiseSettings.from_settings({"DENOISE_DEDUP": "off"}, spider)
        assert (found.dedup, found.strategy) == ("mark", strategy)


def test_settings_of_one_page() -> None:
    settings = DenoiseSettings()
    assert settings.for_page(None) is settings
    assert not settings.for_page(False).enabled
    assert settings.for_page({"strategy": "lcs"}).strategy == "lcs"
    chosen = DenoiseSettings(enabled=False)
    assert not chosen.for_page(None).enabled
    assert chosen.for_page(True).enabled
    assert chosen.for_page({"enabled": True}).enabled
    with pytest.raises(ConfigurationError, match=r"dedup_store .*: a setting of the whole crawl"):
        settings.for_page({"dedup_store": "x.sqlite"})


def test_a_name_like_no_other_behind_what_all_have_gets_no_hint() -> None:
    with pytest.raises(ConfigurationError, match=r"^DENOISE_MIN_LENGTH = 9: no such setting$"):
        DenoiseSettings.from_settings({"DENOISE_MIN_LENGTH": 9})


def test_one_field_may_have_several_marks() -> None:
    fields = {"variant_of": "of", "update_of": "of", "title": "body", "body": "text"}
    settings = DenoiseSettings.from_settings({"DENOISE_FIELDS": fields, "DENOISE_PARTS": dict.fromkeys(PARTS, "keep")})
    assert settings.fields == fields
    assert settings.for_page({"fields": {"html": "html"}}).body_field == "text"
    with pytest.raises(ConfigurationError, match="field of another value"):
        settings.for_page({"fields": {"html": "text"}})


def test_keys_of_a_dict_count_one_by_one() -> None:
    class Named(scrapy.Spider):
        name = "named"
        denoise_fields = {"title": "headline"}  # noqa: RUF012

    given = {"DENOISE_FIELDS": {"html": "html", "title": "title"}, "DENOISE_PARTS": {"title": "drop"}}
    settings = DenoiseSettings.from_settings(given, Named())
    page = settings.for_page({"fields": {"html": "", "confidence": "sure"}, "parts": {"tables": "keep"}})
    assert settings.item_fields == {"body": "body", "html": "html", "title": "headline"}
    assert page.item_fields == {"body": "body", "title": "headline", "confidence": "sure"}
    assert page.taste == Taste(title="drop", tables="keep")
    assert page.mark_field(MARK) == "near_duplicate"
    article = settings.for_page({"fields": "article"})
    assert (article.body_field, article.item_fields["html"]) == ("articleBody", "articleBodyHtml")
    assert settings.for_page({"fields": {"body": ""}}).body_field == "body"
    assert settings.for_page({"fields": {"body": "text"}}).item_fields["body"] == "text"
    assert settings.for_page({"fields": {"near_duplicate": "copy_of"}}).mark_field(MARK) == "copy_of"
