"""All kinds of items Scrapy knows get their field set."""

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import pydantic
import pytest
import scrapy

from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.items import get_field, with_field
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    body = scrapy.Field()


class OwnDict(dict[str, Any]):
    """With state of its own, as DottedDict and the like have."""


class OwnItem(ScrapyItem):
    def __init__(self, url: str):  # no copy is made by calling it with an item
        super().__init__(url=url)


class Uncopied(dict[str, Any]):
    def __copy__(self) -> None:
        raise TypeError("not to be copied")


@dataclasses.dataclass
class Bare:
    url: str


FIELDS = [("url", str), ("body", str, "")]
ATTRS = {"url": attrs.field(), "body": attrs.field(default="")}
TYPES: dict[str, Any] = {"url": (str, ...), "body": (str, "")}
KINDS: list[Any] = [
    dict,
    ScrapyItem,
    OwnDict,
    OwnItem,
    dataclasses.make_dataclass("DataItem", FIELDS),
    dataclasses.make_dataclass("FrozenItem", FIELDS, frozen=True),
    attrs.make_class("AttrsItem", ATTRS),
    attrs.make_class("AttrsFrozenItem", ATTRS, frozen=True),
    pydantic.create_model("PydanticItem", **TYPES),
    pydantic.create_model("PydanticFrozenItem", __config__=pydantic.ConfigDict(frozen=True), **TYPES),
]


def test_the_objects_of_the_spider_stay_as_it_made_them(articles: Web, tmp_path: Path) -> None:
    """They may be stored elsewhere (`scrapy savefixture`), and yielded again by another page or another crawl."""
    mine: list[Any] = []

    def parse(self: Any, response: Any) -> Any:
        mine.append(KINDS[int(response.url.rpartition("/")[2])](url=response.url))
        yield mine[-1]

    settings = {"DENOISE_DEDUP": "mark", "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")}
    done = crawl(spider_of(*articles.urls(range(len(KINDS))), parse=parse), settings)
    assert {type(item) for item in done.items} == set(KINDS)
    assert all(get_field(item, "body") for item in done.items)
    assert all(not get_field(item, "body") for item in mine)
    assert done.stat("dedup/checked") == len(KINDS)
    assert done.stat("errors") == 0
    assert len(state_of(done.crawler).items) == 0
    with closing(sqlite3.connect(tmp_path / "texts.sqlite")) as link:
        [counts] = link.execute("SELECT (SELECT count(*) FROM texts), (SELECT count(*) FROM claims)")
    assert counts == (len(KINDS), 0), "each was known again when it was delivered"


def test_an_item_that_cannot_be_copied_gets_its_body(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/0"), parse=lambda self, response: [Uncopied(url=response.url)]))
    assert [type(item) for item in done.items] == [Uncopied] and done.items[0]["body"]
    assert done.stat("errors") == 0


def test_an_item_without_the_field_passes_with_one_warning(articles: Web) -> None:
    done = crawl(spider_of(*articles.urls(range(3)), parse=lambda self, response: [Bare(response.url)]))
    assert len(done.items) == 3
    assert done.stat("body/no_field") == 3
    assert done.log.count("Bare has no field 'body'") == 1


def test_a_validator_of_the_item_is_not_circumvented() -> None:
    class Strict(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(validate_assignment=True)
        body: int = 0

    with pytest.raises(pydantic.ValidationError):
        with_field(Strict(), "body", "text")


def test_an_object_that_is_no_item_passes(articles: Web) -> None:
    done = crawl(spider_of(articles("/a/1"), parse=lambda self, response: [5, "text"]))
    assert done.stat("errors") == 0
