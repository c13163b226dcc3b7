"""Chunks of a feed, a folder or an archive, and documents made of them for LangChain, LlamaIndex and Haystack.

Nothing imports this module, and each function for a library imports only that one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denoise_scrapy.archive.archive_files import files_of
from denoise_scrapy.body.chunks import chunk_markdown
from denoise_scrapy.body.fields import CHUNKS, WHOLE, with_item
from denoise_scrapy.commands.page_files import Pages, bodies_of
from denoise_scrapy.settings import MARK
from denoise_scrapy.support.formats import ROW_FORMATS, format_of
from denoise_scrapy.support.row_files import RowFile, row_file
from denoise_scrapy.support.shown import differing, report

if TYPE_CHECKING:
    from haystack import Document as HaystackDocument
    from langchain_core.documents import Document as LangChainDocument
    from llama_index.core.schema import TextNode

__all__ = [
    "chunk_rows",
    "haystack_documents",
    "langchain_documents",
    "llama_index_nodes",
    "text_changes",
]

_TEXTS = ("markdown", "body", "text")  # fields of an item without chunks that are cut into some, the best first
_Cut = Callable[[str, str, str], list[dict[str, Any]]]  # of Markdown, URL and title
_OF_CHUNK = frozenset(["headings", "id", "position", "text"])


def chunk_rows(
    source: str | os.PathLike[str],
    max_tokens: int = 400,
    overlap: int = 0,
    count: Callable[[str], int] | None = None,
    *,
    url: str = "",
) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a crawl's feed, of a folder of HTML, or of an archive.

    Args:
        source: A file, a folder or a pattern. A feed is JSON lines or Parquet, with a row for each chunk, or for each
            item: with chunks, else with the text in `markdown`, `body` or `text`. All other files are pages: HTML,
            WARC, and JSON lines or Parquet with `url` and `html`; those of a site are compared with each other.
        max_tokens: As in `Body.chunks`; chunks of a feed stay as they are.
        overlap: The same.
        count: The same.
        url: Address of the folder; by default, the one that each page declares.

    Returns:
        The values of each chunk (`Chunk`), and the item's other fields, with `page_` before names that a chunk has too.
        The `url` of a page without an address is its path. What cannot be read is reported on standard error.

    Raises:
        ValueError: There is no such file, or none of these formats; the first file is damaged.
        ImportError: A package for the format is not installed.

    Example:
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     page = "<h1>Storm</h1><p>It rained all night. The river rose.</p><h2>Roads</h2><p>The A1 is closed.</p>"
        ...     _ = Path(folder, "storm.html").write_text(page)
        ...     for row in chunk_rows(folder, max_tokens=16, url="http://a.example"):
        ...         print(row["url"], row["headings"], row["text"])
        http://a.example/storm.html ['Storm'] It rained all night. The river rose.
        http://a.example/storm.html ['Storm', 'Roads'] The A1 is closed.
    """

    def cut(markdown: str, url: str, title: str) -> list[dict[str, Any]]:
        return [chunk.row for chunk in chunk_markdown(markdown, max_tokens, overlap, count, url=url, title=title)]

    files = files_of([os.fspath(source)])
    feeds = [file for file in files if _is_feed(file)]
    for file in feeds:
        yield from _of_feed(file, cut)
    names = [file for file in files if file not in feeds] if feeds else [os.fspath(source)]
    for record, body in bodies_of(Pages(names, url, {}), lambda _, body: body, {}):
        dated = {"date": record.date} if record.date else {}
        yield from (row | dated for row in cut(body.markdown, body.url or record.file, body.title))


def _checked(row: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(row, Mapping):
        raise TypeError(f"a chunk is a dict, not {row!r:.60}: chunk_rows(path) reads those of a file")
    return row


def text_changes(old: str, new: str) -> list[dict[str, str]]:
    r"""Return the lines by which two versions of a text differ: paragraphs, items of lists, rows of tables.

    Args:
        old: The text, Markdown or not, as an earlier crawl delivered it. Indexes do not keep texts: read it from that
            crawl's feed.
        new: The text now.

    Returns:
        Each line with its `text` and `op`: those to `delete`, then those to `add`, in the order of the texts. A line
        that has moved is not among them. White space does not count, and is one space each.

    Example:
        >>> text_changes("It sails at noon.\n\nBring a coat.", "It sails at four.\n\nBring a coat.")
        [{'op': 'delete', 'text': 'It sails at noon.'}, {'op': 'add', 'text': 'It sails at four.'}]
    """
    texts = ([" ".join(line.split()) for line in lines if line.strip()] for lines in map(str.splitlines, (old, new)))
    return [{"op": "add" if sign == "+" else "delete", "text": line} for sign, line in differing(*texts)]


def langchain_documents(rows: Iterable[Mapping[str, Any]]) -> Iterator[LangChainDocument]:
    """Return the documents of chunks for LangChain: docs/language-models.md has a recipe.

    Args:
        rows: Chunks as `chunk_rows` yields them, or `Chunk.row`.

    Returns:
        Documents with the headings and the text, the chunk's id, and its other values as metadata: texts and numbers.

    Raises:
        ImportError: langchain-core is not installed.
    """
    made = _of_package("langchain_core.documents", "langchain-core").Document
    return (made(id=row["id"], page_content=_content(row), metadata=_metadata(row)) for row in map(_checked, rows))


def llama_index_nodes(rows: Iterable[Mapping[str, Any]]) -> Iterator[TextNode]:
    """Return the nodes of chunks for LlamaIndex: docs/language-models.md has a recipe.

    The source of a node is its page: `delete_ref_doc(url)` removes a page from an index.

    Args:
        rows: Chunks as `chunk_rows` yields them, or `Chunk.row`.

    Returns:
        Nodes as the documents of `langchain_documents`. Metadata is not embedded; a model sees `url` and `title`.

    Raises:
        ImportError: llama-index-core is not installed.
    """
    schema = _of_package("llama_index.core.schema", "llama-index-core")

    def node(row: Mapping[str, Any]) -> TextNode:
        values = _metadata(row)
        page = schema.RelatedNodeInfo(node_id=row["url"])
        made: TextNode = schema.TextNode(
            id_=row["id"],
            text=_content(row),
            metadata=values,
            relationships={schema.NodeRelationship.SOURCE: page} if row["url"] else {},
            excluded_embed_metadata_keys=[*values],
            excluded_llm_metadata_keys=[name for name in values if name not in {"url", "title"}],
        )
        return made

    return map(node, map(_checked, rows))


def haystack_documents(rows: Iterable[Mapping[str, Any]]) -> Iterator[HaystackDocument]:
    """Return the documents of chunks for Haystack: docs/language-models.md has a recipe.

    Args:
        rows: Chunks as `chunk_rows` yields them, or `Chunk.row`.

    Returns:
        Documents as those of `langchain_documents`.

    Raises:
        ImportError: haystack-ai is not installed.
    """
    made = _of_package("haystack", "haystack-ai").Document
    return (made(id=row["id"], content=_content(row), meta=_metadata(row)) for row in map(_checked, rows))


def _of_package(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{package} is not installed: pip install {package}") from error


def _content(row: Mapping[str, Any]) -> str:
    return "\n\n".join([*row["headings"], row["text"]])


def _metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chunk's values besides id and text, as far as all vector stores take them: texts and numbers."""
    named = {name: value for name, value in row.items() if name not in {"id", "text"}}
    named["headings"] = " > ".join(row["headings"])
    flat = {name: _flat(value) for name, value in named.items()}
    return {name: value for name, value in flat.items() if value is not None}


def _flat(value: Any) -> str | int | float | None:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Sequence):
        return ", ".join(str(one) for one in value if not isinstance(one, (Mapping, Sequence)) or isinstance(one, str))
    return None if isinstance(value, Mapping) else str(value)


def _is_feed(file: str) -> bool:
    """Return whether a file has rows of items or chunks, not of pages."""
    if format_of(file) not in ROW_FORMATS:
        return False
    names = _rows(file).names()
    return "html" not in names or not {CHUNKS, *_TEXTS}.isdisjoint(names)


def _rows(file: str) -> RowFile:
    return row_file(format_of(file), lambda: Path(file).open("rb"))


def _of_feed(file: str, cut: _Cut) -> Iterator[dict[str, Any]]:
    rows = _rows(file)
    found = 0
    for read in rows.rows():
        if read.fields is None:
            report(f"{file}, {rows.counted} {read.number}: {read.problem}")
            continue
        chunks = _of_item(read.fields, cut)
        found += len(chunks)
        yield from chunks
    if not found:
        report(f"{file}: no chunks; its fields are {', '.join(rows.names())}")


def _of_item(fields: Mapping[str, Any], cut: _Cut) -> list[dict[str, Any]]:
    """Return the chunks of a row, which is a chunk or an item. As in feeds of chunks, a near-duplicate has none."""
    if _is_chunk(fields):
        return [dict(fields)]
    ready = next((name for name, value in fields.items() if isinstance(value, list) and any(map(_is_chunk, value))), "")
    text = next((name for name in _TEXTS if fields.get(name) and isinstance(fields[name], str)), "")
    chunks: list[Mapping[str, Any]] = []
    if ready:
        chunks += filter(_is_chunk, fields[ready])
    elif text and not fields.get(MARK):
        # in plain text, a line is a paragraph
        markdown = fields[text] if text == "markdown" else fields[text].replace("\n", "\n\n")
        chunks += cut(markdown, *(str(fields.get(name) or "") for name in ("url", "title")))
    values = {name: value for name, value in fields.items() if name not in {*WHOLE, *_TEXTS, ready}}
    return [with_item(chunk, values) for chunk in chunks]


def _is_chunk(value: Any) -> bool:
    return isinstance(value, Mapping) and value.keys() >= _OF_CHUNK
