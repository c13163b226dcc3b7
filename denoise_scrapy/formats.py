"""Formats, each declared once: forms of a body, and files of pages, rows and items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

#: Forms of a body: attributes of `Body`, choices of commands, keys of DENOISE_FIELDS and columns beside the text.
Form = Literal["text", "markdown", "html"]
FORMS: tuple[Form, ...] = get_args(Form)
FORMS_BESIDE_TEXT = FORMS[1:]


class FileFormat(NamedTuple):
    """A format of files."""

    suffixes: tuple[str, ...]  # ends of their names
    packed: tuple[str, ...] = ()  # suffixes after these where a file may be compressed
    rows: bool = False  # `scrapy denoise dedup run` reads and writes it (`row_files`)
    pages: bool = False  # pages are read from it (`archive.places`)
    feeds: Mapping[str, str] = {}  # classes of `exporters` by their names in FEEDS


FILE_FORMATS: Mapping[str, FileFormat] = {
    "warc": FileFormat((".warc",), (".gz", ".zst", ".lz4"), pages=True),
    "jsonl": FileFormat(
        (".jsonl", ".jl", ".ndjson"),
        (".gz",),
        rows=True,
        pages=True,
        feeds={"chunks-jsonl": "JsonLinesChunkExporter"},
    ),
    "csv": FileFormat((".csv", ".tsv"), (".gz",), rows=True),
    "parquet": FileFormat(
        (".parquet", ".pq"),
        rows=True,
        pages=True,
        feeds={"parquet": "ParquetItemExporter", "chunks-parquet": "ParquetChunkExporter"},
    ),
    "html": FileFormat((".html", ".htm", ".xhtml"), pages=True),
}
ROW_FORMATS = tuple(name for name, one in FILE_FORMATS.items() if one.rows)
PAGE_FORMATS = tuple(name for name, one in FILE_FORMATS.items() if one.pages)
_BY_SUFFIX = {
    suffix + packed: name
    for name, one in FILE_FORMATS.items()
    for suffix in one.suffixes
    for packed in ("", *one.packed)
}


def format_of(name: str) -> str:
    """Return the format in `FILE_FORMATS` of a file by its name, "" for none.

    Example:
        >>> format_of("in/CC-MAIN-00000.warc.gz"), format_of("Items.JL"), format_of("notes.txt")
        ('warc', 'jsonl', '')
    """
    lower = name.lower()
    return next((found for suffix, found in _BY_SUFFIX.items() if lower.endswith(suffix)), "")
