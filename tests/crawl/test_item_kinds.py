"""All kinds of items Scrapy knows get their field set."""

import dataclasses
from typing import Any

import attrs
import pydantic
import pytest
import scrapy

from denoise_scrapy.items import get_field, with_field
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article


class ScrapyItem(scrapy.Item):
    url = scrapy.Field()
    body = scrapy.Field()


FIELDS = [("url", str), ("body", str, "")]
ATTRS = {"url": attrs.field(), "body": attrs.field(default="")}
TYPES: dict[str, Any] = {"url": (str, ...), "body": (str, "")}
KINDS: list[Any] = [
    dict,
    ScrapyItem,
    dataclasses.make_dataclass("DataItem", FIELDS),
    dataclasses.make_dataclass("FrozenItem", FIELDS, frozen=True),
    attrs.make_class("AttrsItem", ATTRS),
    attrs.make_class("AttrsFrozenItem", ATTRS, frozen=True),
    pydantic.create_model("PydanticItem", **TYPES),
    pydantic.create_model("PydanticFrozenItem", __config__=pydantic.ConfigDict(frozen=True), **TYPES),
]


class OwnDict(dict[str, Any]):
    """With state of its own, as DottedDict and the like have."""


class OwnItem(ScrapyItem):
    def __init__(self, address: str):  # no copy is made by calling it with an item
        super().__init__(url=address)


class Uncopied(dict[str, Any]):
    def __copy__(self) -> None:
        raise TypeError("not to be copied")


@dataclasses.dataclass
class Bare:
    url: str


def test_all_kinds_get_bodies_in_a_crawl_and_leave_nothing_behind(web: Web) -> None:
    for n in range(len(KINDS)):
        web.pages[f"/{n}"] = article(n)

    from denoise_scrapy.crawl.state import state_of

    done = crawl(
        spider_of(
            *(web(f"/{n}") for n in range(len(KINDS))),
            parse=lambda self, response: [KINDS[int(response.url.rpartition("/")[2])](url=response.url)],
        )
    )
    assert {type(item) for item in done.items} == set(KINDS)
    assert all(get_field(item, "body") for item in done.items)
    assert done.stat("dedup/checked") == len(KINDS)
    assert done.stat("errors") == 0
    assert len(state_of(done.crawler).items) == 0


@pytest.mark.parametrize("kind", [*KINDS, OwnDict, OwnItem], ids=lambda kind: kind.__name__)
def test_the_objects_of_the_spider_stay_as_it_made_them(web: Web, kind: Any) -> None:
    """They may be stored elsewhere (`scrapy savefixture`), and yielded again by another page or another crawl."""
    web.pages |= {"/0": article(0), "/1": article(0)}
    mine: list[Any] = []

    def parse(self: Any, response: Any) -> Any:
        mine.append(kind(response.url) if kind is OwnItem else kind(url=response.url))
        yield mine[-1]

    done = crawl(spider_of(web("/0"), web("/1"), parse=parse), {"DENOISE_DEDUP": "mark"})
    assert {type(item) for item in done.items} == {kind}
    assert [bool(get_field(item, "body")) for item in done.items] == [True, True]
    assert all(not get_field(item, "body") and not get_field(item, "duplicate_of") for item in mine)


def test_an_item_that_cannot_be_copied_gets_its_body(web: Web) -> None:
    web.pages["/0"] = article(0)

    done = crawl(spider_of(web("/0"), parse=lambda self, response: [Uncopied(url=response.url)]))
    assert [type(item) for item in done.items] == [Uncopied] and done.items[0]["body"]
    assert done.stat("errors") == 0


def test_an_item_without_the_field_passes_with_one_warning(web: Web) -> None:
    for n in range(3):
        web.pages[f"/{n}"] = article(n)

    done = crawl(spider_of(*(web(f"/{n}") for n in range(3)), parse=lambda self, response: [Bare(response.url)]))
    assert len(done.items) == 3
    assert done.stat("body/no_field") == 3
    assert done.log.count("Bare has no field 'body'") == 1


def test_a_validator_of_the_item_is_not_circumvented() -> None:
    class Strict(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(validate_assignment=True)
        body: int = 0

    with pytest.raises(pydantic.ValidationError):
        with_field(Strict(), "body", "text")


def test_an_object_that_is_no_item_passes(web: Web) -> None:
    web.pages["/a"] = article(1)

    def parse(self: Any, response: Any) -> Any:
        yield 5
        yield "text"

    done = crawl(spider_of(web("/a"), parse=parse))
    assert done.stat("errors") == 0
