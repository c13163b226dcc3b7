"""Formats, each declared once: forms of a body, and formats of files of pages and rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

#: Forms of a body: attributes of `Body` of type str, choices of commands, keys of DENOISE_FIELDS, and columns besides
#: the text.
Form = Literal["text", "markdown", "html"]
FORMS: tuple[Form, ...] = get_args(Form)


#: Suffixes of compressed files.
COMPRESSIONS = (".gz", ".zst")


def _compressed(*suffixes: str) -> tuple[str, ...]:
    return tuple(one + of for one in suffixes for of in ("", *COMPRESSIONS))


#: Suffixes of file names.
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "warc": (".warc", ".warc.gz", ".warc.zst", ".warc.lz4"),
    "jsonl": _compressed(".jsonl", ".jl", ".ndjson"),
    "json": _compressed(".json"),
    "csv": _compressed(".csv", ".tsv"),
    "parquet": (".parquet", ".pq"),
    "html": _compressed(".html", ".htm", ".xhtml"),
    "zip": (".zip", ".wacz"),
}
#: Formats that `scrapy denoise dedup run` reads and writes (`row_files`), and formats of pages
#: (`archive.archive_files`).
ROW_FORMATS = ("csv", "json", "jsonl", "parquet")
PAGE_FORMATS = ("warc", "jsonl", "parquet", "html", "zip")


def format_of(name: str, formats: Iterable[str] = SUFFIXES) -> str:
    """Return which of some formats a file has by its name; "" for another.

    Example:
        >>> format_of("in/CC-MAIN-00000.warc.gz"), format_of("Items.JL"), format_of("notes.txt")
        ('warc', 'jsonl', '')
    """
    lower = name.lower()
    return next((one for one in formats if lower.endswith(SUFFIXES[one])), "")
