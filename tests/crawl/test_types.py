"""Item classes whose fields have types of their own: those of zyte-common-items, and adapters of the project."""

import dataclasses
from datetime import datetime, timezone
from typing import Any

import pytest

from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.test_meta import german
from tests.crawl.web import Web

METAS = (
    '<meta name=author content="Ann Reed, Bo Lind"><meta name=description content="Kein Weg.">'
    '<meta property="og:image" content="/b.jpg"><link rel=canonical href=/c>'
    '<meta property="article:modified_time" content="2024-05-02T08:00Z">'
)


def crawled(web: Web, kind: Any, head: str = METAS, **settings: Any) -> Crawl:
    """Crawl a page whose spider yields an item of a class."""
    web.pages["/a"] = german(1, head)
    spider = spider_of(web("/a"), parse=lambda self, response: [kind(url=response.url)])
    done = crawl(spider, settings)
    assert done.stat("errors") == 0 and "Traceback" not in done.log
    return done


def test_an_article_of_zyte_common_items_gets_its_types(web: Web) -> None:
    zyte = pytest.importorskip("zyte_common_items")
    done = crawled(web, zyte.Article, DENOISE_FIELDS="article")
    item = done.items[0]
    assert [*map(type, item.authors)] == [zyte.Author, zyte.Author]
    assert [author.name for author in item.authors] == ["Ann Reed", "Bo Lind"]
    assert item.mainImage == zyte.Image(url=web("/b.jpg"))
    assert (item.datePublished, item.dateModified) == ("2024-05-01T00:00:00", "2024-05-02T08:00:00Z")
    assert (item.inLanguage, item.canonicalUrl, item.description) == ("de", web("/c"), "Kein Weg.")
    assert item.headline.startswith("Brücke 1 gesperrt")
    assert item.articleBody and item.articleBodyHtml.startswith("<p>")
    assert not done.lines(" WARNING ")


def test_what_a_page_lacks_is_none_in_an_article(web: Web) -> None:
    zyte = pytest.importorskip("zyte_common_items")
    item = crawled(web, zyte.Article, head="", DENOISE_FIELDS="article").items[0]
    assert (item.authors, item.mainImage, item.dateModified, item.description) == (None,) * 4
    assert item.articleBody and item.datePublished


def test_another_class_with_the_same_fields_gets_plain_values(web: Web) -> None:
    item = crawled(web, dict, DENOISE_FIELDS="article").items[0]
    assert (item["authors"], item["mainImage"]) == (["Ann Reed", "Bo Lind"], web("/b.jpg"))
    assert item["datePublished"] == "2024-05-01"
    assert item["articleBody"] and "body" not in item


@dataclasses.dataclass
class Person:
    name: str


@dataclasses.dataclass
class Story:
    url: str
    body: str = ""
    by: list[Person] | None = None
    changed: datetime | None = None
    image: str | None = ""


def people(names: list[str]) -> list[Person]:
    return [Person(name) for name in names]


def breaks(value: str) -> str:
    raise ValueError(f"no {value}")


PLACE = f"{__name__}.people"
FIELDS = {"authors": "by", "modified": "changed", "image": "image"}
ADAPTERS = {"authors": PLACE, "modified": "datetime.datetime.fromisoformat", "image": "builtins.str.upper"}


def test_adapters_of_the_project(web: Web) -> None:
    head = METAS.replace("og:image", "no:image")
    item = crawled(web, Story, head, DENOISE_FIELDS=FIELDS, DENOISE_ADAPTERS=ADAPTERS).items[0]
    assert item.by and [person.name for person in item.by] == ["Ann Reed", "Bo Lind"]
    assert item.changed == datetime(2024, 5, 2, 8, tzinfo=timezone.utc)
    assert item.image is None
    assert item.body


def test_an_adapter_that_fails_costs_its_field(web: Web) -> None:
    adapters = {**ADAPTERS, "authors": f"{__name__}.breaks", "title": "builtins.len"}
    done = crawled(web, Story, DENOISE_FIELDS=FIELDS, DENOISE_ADAPTERS=adapters)
    item = done.items[0]
    assert item.by is None and item.changed and item.image == web("/b.jpg").upper() and item.body
    assert done.stat("body/unset/refused") == 1
    idle, line = done.lines(" WARNING ")
    assert "no field receives: title. Name the fields" in idle
    assert "DENOISE_ADAPTERS: breaks refuses 'by' = ['Ann Reed', 'Bo Lind']: no ['Ann Reed', 'Bo Lind']" in line
