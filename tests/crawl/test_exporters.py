"""Feeds of Parquet and of chunks: what a crawl writes, and what is said where it cannot."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import scrapy
from itemadapter import ItemAdapter
from pyarrow import parquet

from denoise_scrapy.exporters import ParquetItemExporter
from denoise_scrapy.row_files import MOST_ROWS
from denoise_scrapy.settings import ConfigurationError
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Web, article


@pytest.fixture
def five(web: Web) -> list[str]:
    for number in range(5):
        web.pages[f"/{number}"] = article(number)
    return [web(f"/{number}") for number in range(5)]


def fed(urls: list[str], feeds: dict[str, Any], **more: Any) -> Crawl:
    attributes = {name: more.pop(name) for name in ("parse",) if name in more}
    return crawl(spider_of(*urls, **attributes), {"FEEDS": feeds, **more})


CHUNKED = {"DENOISE_FIELDS": {"chunks": "chunks", "confidence": "sure"}, "DENOISE_CHUNK_TOKENS": 60}


def test_an_item_has_the_chunks_of_the_body_that_was_compared(five: list[str]) -> None:
    done = fed(five, {}, **CHUNKED)
    for item in done.items:
        assert len(item["chunks"]) > 1
        assert [chunk["position"] for chunk in item["chunks"]] == list(range(len(item["chunks"])))
        assert {chunk["url"] for chunk in item["chunks"]} == {item["url"]}
        assert all(chunk["tokens"] <= 60 and chunk["title"] for chunk in item["chunks"])
        said = " ".join(chunk["text"] for chunk in item["chunks"]).split()
        assert [word for word in item["body"].split() if word.isalpha()][-1] in said
        assert item["chunks"][0]["headings"]
    assert done.stat("body/evidence/comparison_pages") > 0


def test_a_feed_may_have_a_row_a_chunk(five: list[str], tmp_path: Path) -> None:
    feeds = {tmp_path / "all.jsonl": {"format": "chunks-jsonl"}, tmp_path / "all.parquet": {"format": "chunks-parquet"}}

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url, "id": 7, "price": "9.50", "title": ""}

    done = fed(five, feeds, parse=parse, **CHUNKED)
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    whole = [chunk for item in done.items for chunk in item["chunks"]]
    assert [line["text"] for line in lines] == [chunk["text"] for chunk in whole]
    assert [line["id"] for line in lines] == [chunk["id"] for chunk in whole]
    assert all(line["page_id"] == 7 and line["price"] == "9.50" and line["sure"] for line in lines)
    assert all(line["title"] for line in lines)
    assert not any("body" in line or "chunks" in line for line in lines)
    rows = parquet.read_table(tmp_path / "all.parquet").to_pylist()
    assert rows == lines


def test_fields_that_a_feed_names_are_there(five: list[str], tmp_path: Path) -> None:
    feeds = {tmp_path / "all.jsonl": {"format": "chunks-jsonl", "fields": ["id", "text", "body"]}}
    fed(five, feeds, **CHUNKED)
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    assert [*lines[0]] == ["id", "text", "body"]


def test_items_of_all_classes_go_to_parquet(five: list[str], tmp_path: Path) -> None:
    @dataclass
    class Page:
        url: str
        body: str | None = None

    class Story(scrapy.Item):
        url, body, seen = scrapy.Field(), scrapy.Field(), scrapy.Field()

    kinds: list[Callable[[str], Any]] = [
        Page,
        lambda url: Story(url=url, seen=datetime(2026, 1, 31, tzinfo=timezone.utc)),
        lambda url: {"url": url, "more": {"a": 1}, "mixed": 1},
        lambda url: {"url": url, "more": {"b": [Decimal("1.5")]}, "mixed": "two"},
        lambda url: {"url": url, "more": {}, "mixed": object, "half": "\ud800"},
    ]

    def parse(self: Any, response: Any) -> Any:
        yield kinds[int(response.url[-1])](response.url)

    done = fed(five, {tmp_path / "all.parquet": {"format": "parquet"}}, parse=parse)
    rows = {row["url"]: row for row in parquet.read_table(tmp_path / "all.parquet").to_pylist()}
    assert rows.keys() == {*five}
    assert {url: row["body"] for url, row in rows.items()} == {
        ItemAdapter(item)["url"]: ItemAdapter(item)["body"] for item in done.items
    }
    assert rows[five[1]]["seen"] == datetime(2026, 1, 31, tzinfo=timezone.utc)
    assert [rows[url]["mixed"] for url in five[2:4]] == ["1", "two"]
    assert rows[five[4]]["half"] == "?"


def exported(path: Path, items: list[Any], mode: str = "wb", **options: Any) -> list[dict[str, Any]]:
    with path.open(mode) as file:
        exporter = ParquetItemExporter(file, encoding=None, indent=None, **options)  # type: ignore[arg-type]
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def test_columns_that_come_late_and_types_that_change(tmp_path: Path) -> None:
    many = [{"n": n, "tags": []} for n in range(MOST_ROWS)]
    rows = exported(
        tmp_path / "a", [*many, {"n": 1.5, "tags": ["a"], "late": {"x": 1}}, {"n": "b", "late": {"y": "c"}}]
    )
    assert len(rows) == MOST_ROWS + 2
    assert rows[0] == {"n": "0", "tags": [], "late": None}
    assert rows[-2] == {"n": "1.5", "tags": ["a"], "late": {"x": 1, "y": None}}
    assert rows[-1]["late"] == {"x": None, "y": "c"}
    rows = exported(tmp_path / "b", [{"n": "x", "m": 0.5}, *many])
    assert [(row["n"], row["m"]) for row in (rows[0], rows[1], rows[-1])] == [
        ("x", 0.5),
        ("0", None),
        (f"{MOST_ROWS - 1}", None),
    ]


def test_rows_are_added_to_a_file_that_is_there(tmp_path: Path) -> None:
    exported(tmp_path / "a", [{"n": 1}])
    assert exported(tmp_path / "a", [{"n": 2, "m": "x"}], "ab") == [{"n": 1, "m": None}, {"n": 2, "m": "x"}]
    (tmp_path / "b").write_text("no Parquet, but some text")
    with pytest.raises(ValueError, match=r"b: no Parquet to be added to"):
        exported(tmp_path / "b", [{"n": 1}], "ab")
    assert (tmp_path / "b").read_text() == "no Parquet, but some text"


def test_nothing_and_values_that_are_empty(tmp_path: Path) -> None:
    assert exported(tmp_path / "a", []) == []
    assert exported(tmp_path / "a", [{"n": None, "m": {}}, {"big": 10**30}]) == [
        {"n": None, "m": "{}", "big": None},
        {"n": None, "m": None, "big": str(10**30)},
    ]
    assert exported(tmp_path / "a", [{"n": 1, "m": 2}], fields_to_export={"m": "x", "o": "y"}) == [{"x": 2, "y": None}]


def test_a_feed_of_chunks_without_a_field_for_them_stops_the_start(five: list[str], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"chunks-jsonl' needs a field with chunks: DENOISE_FIELDS = "):
        fed(five, {str(tmp_path / "all.jsonl"): {"format": "chunks-jsonl"}})
