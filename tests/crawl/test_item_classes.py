"""What a class of items does to its values costs one field at most: never another field, an item or the index."""

import dataclasses
import math
import random
from collections.abc import Iterator, KeysView
from datetime import date
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakSet

import attrs
import pydantic
import pytest
import scrapy
from attrs import setters, validators
from itemadapter import ItemAdapter
from itemadapter.adapter import AdapterInterface

from denoise_scrapy.crawl.items import with_field
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, spider_of
from tests.crawl.web import Web, article, sentence, story

PAGES = 4
# `markdown` is refused; it comes between others.
FIELDS = {"html": "html", "markdown": "markdown", "confidence": "sure", "title": "title"}
OTHERS = ("body", "html", "sure", "title")


def refuse(value: Any) -> Any:
    if value:
        raise ValueError("no Markdown here")
    return value


class Typed(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(validate_assignment=True)
    url: str
    body: str = ""
    html: str = ""
    markdown: int = 0
    sure: float = 0
    title: str = ""


class Validated(Typed):
    markdown: str = ""  # type: ignore[assignment]

    @pydantic.field_validator("markdown")
    @classmethod
    def refused(cls, value: str) -> str:
        return str(refuse(value))


class WholeValidated(Typed):
    markdown: str = ""  # type: ignore[assignment]

    @pydantic.model_validator(mode="after")
    def refused(self) -> Any:
        refuse(self.markdown)
        return self


@attrs.define
class Defined:
    url: str
    body: str = ""
    html: str = ""
    markdown: str = attrs.field(default="", validator=lambda _, __, value: refuse(value))
    sure: float = 0
    title: str = ""


@attrs.define
class TypedAttrs:
    url: str
    body: str = ""
    html: str = ""
    markdown: Any = attrs.field(
        default=None, validator=validators.optional(validators.instance_of(int)), on_setattr=setters.validate
    )
    sure: float = 0
    title: str = ""


@attrs.frozen
class FrozenAttrs:
    url: str
    body: str = ""
    html: str = ""
    markdown: str = attrs.field(default="", validator=lambda _, __, value: refuse(value))
    sure: float = 0
    title: str = ""


@dataclasses.dataclass
class WithProperty:
    url: str
    body: str = ""
    html: str = ""
    markdown: str = ""
    sure: float = 0
    title: str = ""


@dataclasses.dataclass(frozen=True)
class FrozenData:
    url: str
    body: str = ""
    html: str = ""
    markdown: str = ""
    sure: float = 0
    title: str = ""

    def __post_init__(self) -> None:
        refuse(self.markdown)


def _set(self: Any, value: str) -> None:
    self._markdown = refuse(value)


WithProperty.markdown = property(lambda self: self._markdown, _set)  # type: ignore[assignment]


def raising(error: type[Exception]) -> type:
    """A class whose field raises an error of any kind."""

    @dataclasses.dataclass
    class Raising:
        url: str
        body: str = ""
        html: str = ""
        markdown: str = ""
        sure: float = 0
        title: str = ""

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "markdown" and value:
                raise error("no Markdown here")
            super().__setattr__(name, value)

    return Raising


class Picky(dict[str, Any]):
    """A dict of its own kind."""

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, refuse(value) if name == "markdown" else value)


def crawled(web: Web, *kinds: Any, pages: int = PAGES, **settings: Any) -> Crawl:
    """Crawl some articles; each page gives an item of the next of the classes."""

    def parse(self: Any, response: Any) -> Any:
        yield kinds[int(response.url.rpartition("/")[2]) % len(kinds)](url=response.url)

    done = crawl(spider_of(*web.urls(range(pages)), parse=parse), {"DENOISE_FIELDS": FIELDS, **settings})
    assert len(done.items) + len(done.dropped) == pages
    return done


def warnings_of(done: Crawl) -> list[str]:
    """The lines of warnings and errors, of ours and of others."""
    assert "Traceback" not in done.log
    return [line for line in done.log.splitlines() if any(f" {level} " in line for level in ("WARNING", "ERROR"))]


MOST_SAID = 600  # characters of a line: a class may say the whole value
NUMBER, REFUSED = "valid integer", "no Markdown here"


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Typed, NUMBER),
        (Validated, REFUSED),
        (WholeValidated, REFUSED),
        (Defined, REFUSED),
        (TypedAttrs, "must be <class 'int'>"),
        (FrozenAttrs, REFUSED),
        (WithProperty, REFUSED),
        (FrozenData, REFUSED),
        (Picky, REFUSED),
        *((raising(error), REFUSED) for error in (TypeError, KeyError, AttributeError, RuntimeError, LookupError)),
    ],
)
def test_a_refused_value_costs_its_field_alone_and_is_said_in_one_line(articles: Web, kind: Any, reason: str) -> None:
    done = crawled(articles, kind)
    for n, item in enumerate(sorted(done.items, key=lambda item: str(ItemAdapter(item).get("url")))):
        assert type(item) is kind and sentence(n) in ItemAdapter(item).get("body")
        assert all(ItemAdapter(item).get(name) for name in OTHERS)
        assert not ItemAdapter(item).get("markdown")
        assert "markdown" not in getattr(item, "model_fields_set", ())  # pydantic's, which no feed may leave out
    assert len(done.items) == done.stat("body/items") == done.stat("dedup/checked") == PAGES
    assert "denoise/errors" not in done.stats
    [line] = warnings_of(done)
    assert line.startswith("denoise_scrapy") and " WARNING " in line
    assert all(part in line for part in (kind.__name__, "'markdown'", reason)) and len(line) < MOST_SAID


@dataclasses.dataclass(frozen=True)
class Made:
    """Its constructor makes a value anew, and changes another."""

    url: str
    body: str = ""
    made: float = dataclasses.field(init=False, default_factory=random.random)

    def __post_init__(self) -> None:
        object.__setattr__(self, "url", self.url + "#made")


@dataclasses.dataclass(frozen=True)
class MadeOf:
    """Its constructor takes what no field has."""

    url: str
    of: dataclasses.InitVar[str]
    body: str = ""
    made: str = dataclasses.field(init=False, default="")

    def __post_init__(self, of: str) -> None:
        object.__setattr__(self, "made", of)


@dataclasses.dataclass(frozen=True)
class OwnConstructor:
    made: str
    body: str = ""
    url: str = ""

    def __init__(self, address: str):
        object.__setattr__(self, "url", address)
        object.__setattr__(self, "made", address)


@attrs.frozen
class MadeAttrs:
    url: str = attrs.field(converter=lambda url: url + "#made")
    body: str = attrs.field(default="", converter=str.upper)
    made: list[int] = attrs.field(init=False, factory=list)

    def __attrs_post_init__(self) -> None:
        self.made.append(1)


@pytest.mark.parametrize(
    "make", [Made, lambda url: MadeOf(url, "a row"), OwnConstructor, MadeAttrs], ids=["made", "of", "own", "attrs"]
)
def test_a_copy_of_a_frozen_item_has_the_values_of_the_item(articles: Web, make: Any) -> None:
    mine: list[Any] = []

    def parse(self: Any, response: Any) -> Any:
        mine.append(make(response.url))
        yield mine[-1]

    done = crawl(spider_of(*articles.urls(range(PAGES)), parse=parse))
    assert warnings_of(done) == [] and len(done.items) == PAGES
    assert {(item.url, str(item.made)) for item in done.items} == {(item.url, str(item.made)) for item in mine}
    assert all(item.body.isupper() == (make is MadeAttrs) for item in done.items)
    for item in done.items:
        assert sentence(int(item.url.removesuffix("#made").rpartition("/")[2])).lower() in item.body.lower()


@dataclasses.dataclass(frozen=True)
class Counted:
    """It computes a value of its text, once."""

    body: str = ""

    @cached_property
    def words(self) -> int:
        return len(self.body.split())


@attrs.frozen
class CountedAttrs:
    body: str = ""

    @cached_property
    def words(self) -> int:
        return len(self.body.split())


@pytest.mark.parametrize("kind", [Counted, CountedAttrs])
def test_a_frozen_item_is_as_it_was_and_its_copy_computes_anew(kind: Any) -> None:
    item = kind()
    known = WeakSet([item])
    assert item.words == 0
    made = with_field(item, "body", "It rained.")
    assert (item.body, item in known, made.body, made.words) == ("", True, "It rained.", 2)


class Marked(Typed):
    markdown: str = ""  # type: ignore[assignment]
    near_duplicate: int = 0


def test_a_refused_mark_costs_the_mark_alone(articles: Web) -> None:
    articles.pages["/a/3"] = articles.pages["/copy"]
    done = crawled(articles, Marked, DENOISE_DEDUP="mark", **ONE_BY_ONE)
    assert len(done.items) == PAGES and all(ItemAdapter(item).get("markdown") for item in done.items)
    assert done.stat("dedup/duplicates") == 1 and "denoise/errors" not in done.stats
    [line] = warnings_of(done)
    assert all(part in line for part in (" WARNING ", "Marked", "'near_duplicate'", NUMBER))


def test_each_class_and_field_that_is_refused_is_said_once(articles: Web) -> None:
    done = crawled(articles, Typed, Defined, pages=8)
    lines = warnings_of(done)
    assert [sum(f" {kind.__name__} " in f"{line} " for line in lines) for kind in (Typed, Defined)] == [1, 1]
    assert len(lines) == 2


class Serialized(scrapy.Item):
    """A serializer is for feeds: fields take any value."""

    url, html, markdown, sure, title = (scrapy.Field() for _ in range(5))
    body = scrapy.Field(serializer=str.upper)


class Open(pydantic.BaseModel):
    """It takes fields that it does not declare."""

    model_config = pydantic.ConfigDict(extra="allow")
    url: str
    html: str = ""


class OpenStrict(Open):
    model_config = pydantic.ConfigDict(extra="allow", validate_assignment=True)


class OpenFrozen(Open):
    model_config = pydantic.ConfigDict(extra="allow", frozen=True)


class Attributes(dict[str, Any]):
    """Its keys are attributes, and others raise KeyError."""

    __getattr__ = dict.__getitem__

    def model_dump(self) -> Any:
        return self


class Adapted:
    """Its adapter, of the project, knows the fields of an object only."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def model_dump(self) -> Any:
        return self.values


class OfAdapted(AdapterInterface):
    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        return item_class is Adapted

    @classmethod
    def get_field_names_from_class(cls, _: type) -> None:
        return None

    def field_names(self) -> KeysView[str]:
        return KeysView(self.item.values)

    def __getitem__(self, name: str) -> Any:
        return self.item.values[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self.item.values[name] = value

    def __delitem__(self, name: str) -> None:
        del self.item.values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.item.values)

    def __len__(self) -> int:
        return len(self.item.values)


@pytest.fixture
def _adapted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ItemAdapter, "ADAPTER_CLASSES", [OfAdapted, *ItemAdapter.ADAPTER_CLASSES])


@pytest.mark.usefixtures("_adapted")
@pytest.mark.parametrize("kind", [Serialized, Attributes, Open, OpenStrict, OpenFrozen, Adapted])
def test_classes_that_take_any_value_get_all_fields(articles: Web, kind: Any, tmp_path: Path) -> None:
    feed = tmp_path / "items.jsonl"
    done = crawled(articles, kind, FEEDS={str(feed): {"format": "jsonlines"}})
    for item in done.items:
        values = item if isinstance(item, scrapy.Item) else item.model_dump()
        assert all(values[name] for name in (*OTHERS, "markdown"))
    assert warnings_of(done) == [] and "denoise/body/unset/no_field" not in done.stats
    assert (sentence(0).upper() in feed.read_text("utf-8")) == (kind is Serialized)


class Bare(pydantic.BaseModel):
    url: str
    sure: float = 0


class Closed(Bare):
    model_config = pydantic.ConfigDict(extra="forbid")


class ClosedStrict(Bare):
    model_config = pydantic.ConfigDict(extra="forbid", validate_assignment=True)


@dataclasses.dataclass
class BareData:
    url: str
    sure: float = 0


class BareItem(scrapy.Item):
    url, sure = scrapy.Field(), scrapy.Field()


BARE = [
    Bare,
    Closed,
    ClosedStrict,
    BareData,
    BareItem,
    attrs.make_class("BareAttrs", {"url": attrs.field(), "sure": attrs.field(default=0)}),
]
MISSING = ("body", "html", "markdown", "title")


@pytest.mark.parametrize("kind", BARE)
def test_the_missing_fields_of_a_class_are_said_in_one_line(articles: Web, kind: Any) -> None:
    done = crawled(articles, kind)
    assert all(ItemAdapter(item).get("sure") for item in done.items)
    [line] = warnings_of(done)
    assert " WARNING " in line and all(part in line for part in (kind.__name__, *map(repr, MISSING)))
    assert "'sure'" not in line and "denoise/errors" not in done.stats


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"DENOISE_SEEN": "mark"}, "'seen'"),
        ({"DENOISE_DEDUP": "mark"}, "'near_duplicate'"),
        ({"DENOISE_DEDUP": "mark", "DENOISE_FIELDS": {"near_duplicate": "copy_of"}}, "'copy_of'"),
        ({"DENOISE_SEEN": "mark", "DENOISE_FIELDS": {"seen": "", "no_content": "wall"}}, "'wall'"),
        ({"DENOISE_SEEN": "drop-unchanged"}, ""),
    ],
)
def test_a_class_without_a_mark_that_is_asked_for_is_said_before_any_item_has_it(
    articles: Web, settings: dict[str, Any], named: str, tmp_path: Path
) -> None:
    kind = dataclasses.make_dataclass("Story", [("url", str), ("body", str, "")])
    spider = spider_of(*articles.urls(range(3)), parse=lambda self, response: kind(response.url))
    done = crawl(spider, {"DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite"), **settings})
    assert [f"Story has no field {named}," in line for line in warnings_of(done)] == [True] * bool(named)
    assert len(done.items) == 3


def test_each_class_with_missing_fields_is_said_once(articles: Web) -> None:
    lines = warnings_of(crawled(articles, *BARE, dict, pages=12))
    assert [sum(f"{kind.__name__} " in line for line in lines) for kind in BARE] == [1] * len(BARE)
    assert len(lines) == len(BARE)


def around() -> dict[str, Any]:
    """A dict that contains itself."""
    made: dict[str, Any] = {"name": "around"}
    made["self"] = made
    return made


def family() -> dict[str, Any]:
    """A list whose entries lead back to it."""
    made: dict[str, Any] = {}
    made["entries"] = [{"n": n, "list": made} for n in range(30)]
    return made


def deep() -> list[Any]:
    made: list[Any] = [1]
    for _ in range(90):
        made = [made]
    return made


class Odd:
    """A value without a text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __repr__(self) -> str:
        return "odd"


ODD: dict[str, Any] = {
    "a number as key": {2024: "x"},
    "keys of several types": {2024: "x", None: "y", ("a", 1): "z", 1.5: "w", True: "v", b"b": "u"},
    "none as key": {None: "x"},
    "a tuple as key": {("a", 1): "x"},
    "a date as key": {date(2024, 1, 2): "x"},
    "within a field": {"facts": {2024: "x", "b": "y", None: "z"}},
    "within a list": {"facts": [{2024: "x", "b": "y"}, {("a", 1): "z", "c": 1}]},
    "a set": {"facts": {1, "b", None}},
    "numbers that are none": {"facts": [math.nan, math.inf, Decimal("NaN"), 1 << 80]},
    "an endless dict": {"facts": around()},
    "a list that its entries lead to": {"facts": family()},
    "a deep list": {"facts": deep()},
    "an object": {"facts": object()},
    "without a text": {"facts": Odd()},
    "a key without a text": {Odd(): "x"},
    "bytes": {"facts": b"\xff\x00", b"key": "x"},
    "halves of characters": {"facts": "\ud800", "\udfff": "x"},
}


@pytest.mark.parametrize("settings", [{}, {"JOBDIR": "job"}, {"DENOISE_DEDUP_FIELDS": "=facts"}], ids=str)
def test_items_with_values_of_any_type_are_compared(web: Web, here: Path, settings: dict[str, Any]) -> None:
    """Odd items and a plain one are checked, and a copy of each is found; with a file, in the next crawl as well."""
    odd = [{}, *ODD.values()]
    for n in range(len(odd)):
        web.pages[f"/a/{n}"] = article(n)
        web.pages[f"/copy/{n}"] = article(n, text=story(n) + " It rained all night.")

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url, **odd[int(response.url.rpartition("/")[2])]}

    urls, copies = ([web(f"/{folder}/{n}") for n in range(len(odd))] for folder in ("a", "copy"))
    for day in range(1 + ("JOBDIR" in settings)):
        pages = [*urls, *(copies if day == 0 else [])]
        done = crawl(spider_of(*pages, parse=parse), {**ONE_BY_ONE, **settings})
        assert warnings_of(done) == []
        assert {"denoise/dedup/unchecked", "denoise/errors", "denoise/dedup/store_failed"}.isdisjoint(done.stats)
        assert done.stat("dedup/checked") == done.stat("body/items") == len(pages)
        assert sorted(item["url"] for item in done.items) == sorted(urls)
        assert len(done.dropped) == len(pages) - len(urls)
