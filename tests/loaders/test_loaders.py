"""Chunks of feeds, folders and archives, in the vector stores of LangChain, LlamaIndex and Haystack.

Those are imported by the tests that need them: others run in another process, and an import takes seconds.
"""

import gzip
import json
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import extract
from denoise_scrapy.llm.loaders import (
    chunk_rows,
    haystack_documents,
    langchain_documents,
    llama_index_nodes,
    text_changes,
)
from tests.archive import warcs
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, sentence
from tests.processes import run_in

Rows = list[dict[str, Any]]


def embed(text: str) -> list[float]:
    """Count words: the same on each machine."""
    vector = [0.0] * 4096
    for word in re.findall(r"\w+", text.lower()):
        vector[crc32(word.encode()) % 4096] += 1
    return vector


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of pages."""
    for number in range(5):
        (tmp_path / f"{number}.html").write_text(article(number), "utf-8")
    return tmp_path


@pytest.fixture
def rows(site: Path) -> Rows:
    more = {"tags": ["a", "b"], "price": 9.5, "sold": True, "note": None, "shop": {"name": "x"}}
    return [row | more for row in chunk_rows(site, 60, url="http://a.example")]


METADATA = {"tags": "a, b", "price": 9.5, "sold": True, "headings": "Heading of 3"}


def test_langchain(rows: Rows) -> None:
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Words(Embeddings):
        def embed_query(self, text: str) -> list[float]:
            return embed(text)

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [*map(embed, texts)]

    store = InMemoryVectorStore(Words())
    assert store.add_documents([*langchain_documents(rows)]) == [row["id"] for row in rows]
    size = len(store.store)
    store.add_documents([*langchain_documents(rows)])
    assert len(store.store) == size == len(rows)
    [found] = store.similarity_search(sentence(3), k=1)
    assert sentence(3) in found.page_content and found.metadata["url"] == "http://a.example/3.html"
    assert METADATA.items() <= found.metadata.items()
    assert not {"note", "shop", "text", "id"} & {*found.metadata}


def test_llama_index(rows: Rows) -> None:
    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding

    class WordCounts(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return embed(text)

        def _get_query_embedding(self, query: str) -> list[float]:
            return embed(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed(query)

    index = VectorStoreIndex([*llama_index_nodes(rows)], embed_model=WordCounts())

    def best() -> Any:
        return index.as_retriever(similarity_top_k=1).retrieve(sentence(3))[0].node

    found = best()
    assert found.node_id in {row["id"] for row in rows}
    assert sentence(3) in found.get_content("none") and METADATA.items() <= found.metadata.items()
    assert found.get_content("embed").strip() == found.text
    assert "title: " in found.get_content("llm") and "price" not in found.get_content("llm")
    index.delete_ref_doc("http://a.example/3.html")
    assert best().metadata["url"] != "http://a.example/3.html"


def test_haystack(rows: Rows) -> None:
    from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    from haystack.document_stores.types import DuplicatePolicy

    store = InMemoryDocumentStore()
    documents = [replace(one, embedding=embed(one.content or "")) for one in haystack_documents(rows)]
    for _ in range(2):
        store.write_documents(documents, policy=DuplicatePolicy.OVERWRITE)
    assert store.count_documents() == len(rows)
    [found] = InMemoryEmbeddingRetriever(store, top_k=1).run(query_embedding=embed(sentence(3)))["documents"]
    assert found.id in {row["id"] for row in rows} and sentence(3) in (found.content or "")
    assert METADATA.items() <= found.meta.items()


def test_feeds_of_a_crawl(articles: Web, tmp_path: Path) -> None:
    """Of chunks, of items with chunks under any name, of items with a text; near-duplicates have no chunks."""
    kinds = {"chunks-jsonl": "chunks.jsonl", "jsonlines": "items.jl", "parquet": "items.parquet"}
    fields = {"chunks": "parts", "markdown": "markdown", "near_duplicate": "near_duplicate"}
    spider = spider_of(*articles.urls(range(5)), parse=lambda self, response: [{"url": response.url, "id": 7}])
    feeds = {str(tmp_path / name): {"format": kind} for kind, name in kinds.items()}
    done = crawl(spider, {"FEEDS": feeds, "DENOISE_FIELDS": fields, "DENOISE_CHUNK_TOKENS": 60})
    of_chunks, of_items, of_parquet = (list(chunk_rows(tmp_path / name)) for name in kinds.values())
    assert len(of_chunks) > len(done.items) == 5
    assert of_chunks == of_items
    assert [(row["id"], row["page_id"], row["text"]) for row in of_parquet] == [
        (row["id"], 7, row["text"]) for row in of_chunks
    ]
    assert not {"body", "markdown", "parts"} & {*of_items[0]}
    texts = [{name: value for name, value in item.items() if name != "parts"} for item in done.items]
    copy = texts[0] | {"near_duplicate": {"of": "x"}}
    cut = list(chunk_rows(write(tmp_path / "texts.jsonl", [*texts, copy]), 60))
    assert [(row["id"], row["text"]) for row in cut] == [(row["id"], row["text"]) for row in of_chunks]
    bodies = [{"url": item["url"], "body": item["body"], "price": "9"} for item in done.items]
    (tmp_path / "bodies.jsonl.gz").write_bytes(gzip.compress(write(tmp_path / "b.jsonl", bodies).read_bytes()))
    cut = list(chunk_rows(tmp_path / "bodies.jsonl.gz", 60))
    assert all(row["price"] == "9" and row["url"] and row["tokens"] <= 60 for row in cut)
    words = " ".join(" ".join([*row["headings"], row["text"]]) for row in cut)
    assert {word for item in done.items for word in item["body"].split()} <= {*words.split()}


def test_archives(tmp_path: Path) -> None:
    """Pages of a site are compared, as those of a folder are; a record's date is in its chunks."""
    records = [warcs.record(f"http://a.example/{n}", article(n).encode()) for n in range(5)]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(warcs.members(records)))
    pages = [{"url": f"http://a.example/{n}", "html": article(n), "date": "2031-05-01"} for n in range(5)]
    found = [list(chunk_rows(path)) for path in (tmp_path / "a.warc.gz", write(tmp_path / "a.jsonl", pages))]
    assert [[row["text"] for row in rows] for rows in found[:1]] == [[row["text"] for row in found[1]]]
    assert all(row["date"].startswith("2031-05-01") for rows in found for row in rows)
    assert not any("Daily Gazette" in row["text"] for rows in found for row in rows)
    assert all(sentence(n) in " ".join(row["text"] for row in found[0]) for n in range(5))


def test_a_page_without_an_address_has_its_path(site: Path) -> None:
    rows = list(chunk_rows(site / "*.html"))
    assert {row["url"] for row in rows} == {str(site / f"{n}.html") for n in range(5)}
    (site / "copy.html").write_text(article(1), "utf-8")
    ids = [row["id"] for row in chunk_rows(site)]
    assert len({*ids}) == len(ids)


def test_what_cannot_be_read_is_named_and_the_rest_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "{",
        "[1]",
        json.dumps({"url": None, "title": 5, "body": "It rained."}),
        '{"chunks": [3, {"id": 1}], "a": []}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), "utf-8")
    assert [row["text"] for row in chunk_rows(tmp_path / "a.jsonl")] == ["It rained."]
    assert capsys.readouterr().err.count("a.jsonl, line ") == 2
    assert list(chunk_rows(write(tmp_path / "b.jsonl", [{"link": "x", "content": "y"}]))) == []
    assert "b.jsonl: no chunks; its fields are link, content" in capsys.readouterr().err
    for name in ("c.jsonl", "a.txt"):
        with pytest.raises(ValueError, match=name):
            list(chunk_rows(tmp_path / name))


@pytest.mark.parametrize("package", ["langchain-core", "llama-index-core", "haystack-ai"])
def test_a_missing_package_is_named_in_a_line(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, function = {
        "langchain-core": ("langchain_core.documents", langchain_documents),
        "llama-index-core": ("llama_index.core.schema", llama_index_nodes),
        "haystack-ai": ("haystack", haystack_documents),
    }[package]
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"^{package} is not installed: pip install {package}$"):
        function([])


def test_nothing_is_imported_that_is_not_used(tmp_path: Path) -> None:
    code = "import sys, denoise_scrapy.llm.loaders; print({one.partition('.')[0] for one in sys.modules})"
    loaded = run_in(tmp_path, [sys.executable, "-c", code]).stdout
    assert "'denoise_scrapy'" in loaded
    assert not re.search("'(haystack|langchain_core|llama_index|scrapy|pyarrow|fastwarc)'", loaded)


PARAGRAPHS = st.lists(st.sampled_from(["One.", "One  more.", "One\nmore.", "Two.", "- three\n- four"]), max_size=12)


@given(PARAGRAPHS, PARAGRAPHS)
def test_changes_of_a_text_lead_from_one_version_to_the_other(old: list[str], new: list[str]) -> None:
    """In Markdown, paragraphs stand apart by a blank line; in plain text, each is a line."""
    before, after = "\n\n".join(old), " \n \n\n".join(new)
    found = text_changes(before, after)
    assert found == text_changes("\n".join(old), "\n".join(new))
    words, lines = (Counter(" ".join(line.split()) for line in text.splitlines()) for text in (before, after))
    for change in found:
        words[" ".join(change["text"].split())] += 1 if change["op"] == "add" else -1
    assert {**+words, "": 0} == {**lines, "": 0}
    assert not {one["text"] for one in found if one["op"] == "add"} & {
        one["text"] for one in found if one["op"] == "delete"
    }
    assert not text_changes(before, before)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: list(langchain_documents("chunks.jsonl")), "not 'c': chunk_rows"),  # type: ignore[arg-type]
        (lambda: list(chunk_rows("http://a.example/feed.xml")), "http://a.example/feed.xml: "),
        (lambda: extract("<p>It rained.").chunks("40"), "max_tokens"),  # type: ignore[arg-type]
        (lambda: text_changes("a", None), "NoneType"),  # type: ignore[arg-type]
    ],
)
def test_values_of_a_wrong_kind_are_named(call: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(said)) as error:
        call()
    assert type(error.value) in {TypeError, ValueError}
