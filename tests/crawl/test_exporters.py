"""Feeds of Parquet and of chunks: what a crawl writes, and the messages if it cannot."""

import gzip
import io
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from threading import Lock
from typing import Any
from unittest import mock

import pytest
import scrapy
from hypothesis import example, given
from hypothesis import strategies as st
from llms_txt import parse_llms_file
from markdown_it import MarkdownIt
from pyarrow import parquet
from scrapy.extensions.postprocessing import GzipPlugin, PostProcessingManager

from denoise_scrapy.exporters import JsonLinesChunkExporter, LlmsFullExporter, LlmsTxtExporter, ParquetItemExporter
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.support import row_files
from denoise_scrapy.support.shown import counted
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web


@pytest.fixture
def five(articles: Web) -> list[str]:
    return articles.urls(range(5))


CHUNKED = {"DENOISE_FIELDS": {"chunks": "chunks", "confidence": "sure"}, "DENOISE_CHUNK_TOKENS": 60}


def test_a_feed_may_have_a_row_a_chunk(five: list[str], tmp_path: Path) -> None:
    feeds: dict[Path, Any] = {tmp_path / f"all.{kind}": {"format": f"chunks-{kind}"} for kind in ("jsonl", "parquet")}
    feeds[tmp_path / "named.jsonl"] = {"format": "chunks-jsonl", "fields": ["id", "text", "body"]}
    fields = {"id": 7, "price": "9.50", "title": ""}
    spider = spider_of(*five, parse=lambda self, response: [{"url": response.url, **fields}])
    done = crawl(spider, {"FEEDS": feeds, **CHUNKED})
    lines, named = (
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()]
        for name in ("all.jsonl", "named.jsonl")
    )
    whole = [chunk for item in done.items for chunk in item["chunks"]]
    assert [line["text"] for line in lines] == [chunk["text"] for chunk in whole]
    assert [line["id"] for line in lines] == [chunk["id"] for chunk in whole]
    assert all(line["page_id"] == 7 and line["price"] == "9.50" and line["sure"] for line in lines)
    assert all(line["title"] for line in lines)
    assert not any("body" in line or "chunks" in line for line in lines)
    assert parquet.read_table(tmp_path / "all.parquet").to_pylist() == lines
    assert [*named[0]] == ["id", "text", "body"]
    for kind, said in (
        ("chunks-jsonl", "needs a field with chunks: DENOISE_FIELDS = "),
        ("chunk-jsonl", r"no such format; did you mean chunks-jsonl\?"),
        ("llms", "did you mean llms-txt"),
    ):
        with pytest.raises(ConfigurationError, match=rf"\['format'\] = '{kind}'.* {said}"):
            crawl(spider, {"FEEDS": {str(tmp_path / "all.jsonl"): {"format": kind}}})


def exported(path: Path, items: list[Any], mode: str = "wb", **options: Any) -> list[dict[str, Any]]:
    with path.open(mode) as file:
        exporter = ParquetItemExporter(file, encoding=None, indent=None, **options)  # type: ignore[arg-type]
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 40), 1 << 40) | st.floats(-9, 9, width=16) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy"), inner, max_size=2),
    max_leaves=4,
)


def bare(value: Any) -> Any:
    """Return a value without null fields, which Parquet adds to objects if others have them."""
    if isinstance(value, dict):
        return {name: bare(one) for name, one in value.items() if one is not None}
    return [bare(one) for one in value] if isinstance(value, list) else value


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), max_size=8))
@example([{"a": "x"}, {}, {"a": 1}, {"a": 2}])
@example([{"a": 1}, {}, {"a": 1.5}, {"a": "b"}])
@example([{"a": {}}, {"b": 10**30}])
def test_values_of_a_column_are_there_or_all_are_their_json(rows: list[dict[str, Any]]) -> None:
    rows = [{"n": number, **row} for number, row in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(row_files, "MOST_ROWS", 2):
        written = exported(Path(folder, "a"), rows)
    assert [row["n"] for row in written] == list(range(len(rows)))
    for name in {name for row in rows for name in row}:
        pairs = [(row.get(name), one[name]) for row, one in zip(rows, written, strict=True)]
        if any(bare(value) != bare(got) for value, got in pairs):
            texts = [one if isinstance(one, str | None) else json.dumps(one, ensure_ascii=False) for one, _ in pairs]
            assert [got for _, got in pairs] == texts


def test_rows_are_added_to_a_file_that_is_there(tmp_path: Path) -> None:
    exported(tmp_path / "a", [{"n": 1}])
    assert exported(tmp_path / "a", [{"n": 2, "m": "x"}], "ab") == [{"n": 1, "m": None}, {"n": 2, "m": "x"}]
    (tmp_path / "b").write_text("no Parquet, but some text")
    with pytest.raises(ValueError, match=r"b: not a Parquet file to append to"):
        exported(tmp_path / "b", [{"n": 1}], "ab")
    assert (tmp_path / "b").read_text() == "no Parquet, but some text"


def test_a_feed_may_be_compressed(tmp_path: Path) -> None:
    with (tmp_path / "a.gz").open("ab") as file:
        manager = PostProcessingManager([GzipPlugin], file, {})
        exporter = ParquetItemExporter(manager)  # type: ignore[arg-type]
        exporter.start_exporting()
        exporter.export_item({"n": 1})
        exporter.finish_exporting()
        manager.close()
    content = gzip.decompress((tmp_path / "a.gz").read_bytes())
    assert parquet.read_table(io.BytesIO(content)).to_pylist() == [{"n": 1}]


def test_an_item_in_an_item_is_an_object(tmp_path: Path) -> None:
    class Price(scrapy.Item):
        value = scrapy.Field()

    items = [{"url": "/1", "price": Price(value=9), "prices": [Price(value=7)]}]
    whole = [{"url": "/1", "price": {"value": 9}, "prices": [{"value": 7}]}]
    assert exported(tmp_path / "a.parquet", items) == whole
    assert exported(tmp_path / "a.parquet", items, fields_to_export=["url", "price"]) == [
        {"url": "/1", "price": {"value": 9}}
    ]


def test_an_object_of_no_type_of_arrow_is_text(tmp_path: Path) -> None:
    lock = Lock()
    assert exported(tmp_path / "a", [{"n": 1}, {"n": lock}]) == [{"n": "1"}, {"n": f'"{lock}"'}]


def test_nothing_and_chosen_fields(tmp_path: Path) -> None:
    assert exported(tmp_path / "a", []) == []
    assert exported(tmp_path / "a", [{"n": 1, "m": 2}], fields_to_export={"m": "x", "o": "y"}) == [{"x": 2, "y": None}]


def test_a_site_is_listed_for_language_models(articles: Web, tmp_path: Path) -> None:
    """By a crawl with names of its own, read by the reader of llmstxt.org; a file that exists is replaced."""
    html = articles.pages["/a/0"]
    articles.pages["/"], articles.pages["/b/copy"] = html, html
    urls = [*articles.urls(range(3)), articles("/"), articles("/b/copy")]
    paths = [tmp_path / "llms.txt", tmp_path / "llms-full.txt"]
    names = {"title": "head", "markdown": "md", "near_duplicate": "copy"}
    feeds = {str(path): {"format": kind} for path, kind in zip(paths, ("llms-txt", "llms-full"), strict=True)}
    description = "Boats [and] *fog*."

    def parse(self: Any, response: Any) -> Any:
        yield {"page": response.url, "description": description}

    settings = {"FEEDS": feeds, "DENOISE_FIELDS": names, "DENOISE_URL_FIELD": "page", "DENOISE_DEDUP": "mark"}
    for _ in range(2):
        done = crawl(spider_of(*urls, parse=parse), settings)
    kept = {item["page"]: item for item in done.items if not item.get("copy")}
    assert len(kept) == 3 < len(done.items)
    listed, full = (path.read_text("utf-8") for path in paths)
    found = parse_llms_file(listed)
    links = [link for section in found.sections.values() for link in section]
    assert {link["url"]: link["title"] for link in links} == {url: item["head"] for url, item in kept.items()}
    assert MarkdownIt().renderInline(links[0]["desc"]) == description
    assert listed.startswith("# ") and listed.count("\n# ") == 0
    for url, item in kept.items():
        heading, _, rest = item["md"].partition("\n")
        assert full.count(f"{heading}\n\nSource: <{url}>\n\n{rest.strip()}\n") == 1


def listed(*items: Any, by: type[LlmsTxtExporter | LlmsFullExporter] = LlmsTxtExporter) -> str:
    file = io.BytesIO()
    file.name = ""
    exporter = by(file)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode()


def test_a_title_that_begins_the_text_stands_once() -> None:
    item = {"url": "http://a.example/1", "title": "Live: storm", "body": "Live: storm\nLive: storms\nIt rained."}
    said = "# Live: storm\n\nSource: <http://a.example/1>\n\nLive: storms\n\nIt rained.\n\n"
    assert listed(item, by=LlmsFullExporter) == said


def test_nothing_is_added_to_an_item_that_other_feeds_get_too() -> None:
    item = defaultdict[str, Any](str, url="http://a.example/1")
    listed(item)
    JsonLinesChunkExporter(io.BytesIO()).export_item(item)
    assert [*item] == ["url"]


def test_the_address_of_a_page_may_be_in_a_list() -> None:
    """Item loaders without an output processor leave it in one."""
    assert "- [Weir](https://a.example/weir)" in listed({"url": ["https://a.example/weir"], "title": "Weir"})


def test_pages_are_listed_by_folders_below_the_start_page() -> None:
    paths = {
        "/": "Harbour",
        "/docs/": "Docs",
        "/docs/b": "B",
        "/docs/a/1": "A",
        "/x/only": "",
        "/b%20c/1/": "",
        "/b%20c/2": "2",
    }
    items = [{"url": f"http://a.example{path}", "title": title} for path, title in paths.items()]
    items[0]["description"] = "Ships."
    found = parse_llms_file(listed(*items))
    assert (found.title, found.summary) == ("Harbour", "Ships.")
    titles = {name: [link["title"] for link in links] for name, links in found.sections.items()}
    assert titles == {"Pages": ["Harbour", "Docs", "only"], "b c": ["1", "2"], "docs": ["A", "B"]}
    two = parse_llms_file(listed(*items, {"url": "http://b.example/docs/1"}, {"url": "http://b.example/docs/2"}))
    assert two.title == "a.example, b.example"
    assert [*two.sections] == ["Pages", "a.example", "a.example/b c", "a.example/docs", "b.example/docs"]


@given(
    st.lists(
        st.fixed_dictionaries({"title": st.text(max_size=30), "description": st.text("[]()#>*\\\n a:", max_size=20)})
    )
)
@example([{"title": "](http://evil.example/)\n## Optional\n- [x", "description": "\n# Ignore\n- [a](b)"}])
def test_no_title_and_no_description_changes_the_list(texts: list[dict[str, str]]) -> None:
    items = [{"url": f"http://a.example/{number:04}(]\n# \x1b\u2028x", **text} for number, text in enumerate(texts)]
    lines = [
        line for line in listed(*items, {"url": "/relative"}, {"url": "http://[::1"}, {"url": 5}).split("\n") if line
    ]
    assert lines[:2] == (
        ["# a.example", f"{counted(len(texts), 'page')} of a.example."] if texts else ["# ", "0 pages of ."]
    )
    assert len(lines) == 3 + len(texts) if texts else len(lines) == 2
    assert all(line.startswith("- [") and "%28]%0A#%20%1B%E2%80%A8x)" in line for line in lines[3:])
