"""Records of a file, whatever its format: WARC; JSON lines, Parquet with fields url, html and date; a page of HTML."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from denoise_scrapy.archive.records import MOST_BYTES, TAG_WITHIN, Record, is_html
from denoise_scrapy.page.address import declared_url
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.row_files import FORMATS, JsonLines, kind_of

HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_ROWS = 16  # of Parquet read at a time: some MB of pages


def read_records(name: str, file: BinaryIO, url: str = "") -> Iterator[Record]:
    """Read the records of a file by the suffix of its name.

    Args:
        name: What the file is called.
        file: The file; it can be sought in.
        url: Address of the page, where it is one; "": the one that it declares.

    Raises:
        ValueError: It has no suffix of a format that is read.
        ImportError: fastwarc or pyarrow is not installed.
    """
    kind = format_of(name)
    if kind == "html":
        return iter([_page(Record(name, 0, url), file)])
    if kind == "warc":
        try:
            from denoise_scrapy.archive.warc import read_warc  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ImportError("WARC needs fastwarc, which is not installed: pip install fastwarc") from error
        return read_warc(name, file)
    return _of_rows(name, _json_rows(file) if kind == "jsonl" else _parquet_rows(file))


def format_of(name: str) -> str:
    """The format of a file: "warc", "jsonl", "parquet" or "html".

    Raises:
        ValueError: It is none of these.

    Example:
        >>> format_of("in/CC-MAIN-00000.warc.gz"), format_of("pages.jsonl")
        ('warc', 'jsonl')
    """
    plain = re.sub(r"\.(?:gz|zst|lz4)$", "", name.lower())
    if plain.endswith(".warc"):
        return "warc"
    if name.lower().endswith(HTML_SUFFIXES):
        return "html"
    found = FORMATS.get("." + plain.rpartition(".")[2], "")
    if found not in {"jsonl", "parquet"} or name.lower().endswith((".zst", ".lz4")):
        raise ValueError(f"{name}: neither .warc, .jsonl (both also .gz), .parquet nor .html")
    return found


def _page(record: Record, file: BinaryIO) -> Record:
    """The record of a page of HTML."""
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        return record.bad("too large", f"over {MOST_BYTES} bytes")
    if data and not is_html(data, called=True):
        return record.bad("no HTML")
    record = replace(record, url=record.url or declared_url(data))
    return record.page(decode_html(data)) if record.url else record.bad("no URL", "it declares none: --url names one")


def _json_rows(file: BinaryIO) -> Iterator[tuple[int, Mapping[str, Any] | None, str]]:
    for read in JsonLines(lambda: file, "utf-8").rows():
        yield read.number, read.fields, read.problem


def _parquet_rows(file: BinaryIO) -> Iterator[tuple[int, Mapping[str, Any] | None, str]]:
    from pyarrow import parquet  # noqa: PLC0415 - an extra

    content = parquet.ParquetFile(file, buffer_size=1 << 20)
    wanted = [name for name in ("url", "html", "date") if name in content.schema_arrow.names]
    number = 0
    for batch in content.iter_batches(batch_size=_ROWS, columns=wanted):
        for fields in batch.to_pylist():
            number += 1
            yield number, fields, ""


def _of_rows(name: str, rows: Iterator[tuple[int, Mapping[str, Any] | None, str]]) -> Iterator[Record]:
    """Records of rows with the fields url, html and date."""
    record = Record(name, 0)
    try:
        for number, fields, problem in rows:
            record = Record(name, number)
            yield record.bad("no JSON", problem) if fields is None else _of_fields(record, fields)
    except (ValueError, OSError, MemoryError) as error:  # pyarrow's errors are of these
        place = Record(name, record.offset + 1)
        yield place.bad(
            "truncated" if "cut short" in str(error) else "damaged" if record.offset else "unreadable", error
        )


def _of_fields(record: Record, fields: Mapping[str, Any]) -> Record:
    url, html, date = (fields.get(name) for name in ("url", "html", "date"))
    dated: str = date.isoformat() if isinstance(date, datetime.date) else str(date or "")
    record = replace(record, url=url if isinstance(url, str) else "", date=dated)
    if not html and record.url:
        return record.bad("empty")
    if not isinstance(html, (str, bytes)):
        return record.bad("no HTML" if html else "no URL", kind_of(html))
    if len(html) > MOST_BYTES:
        return record.bad("too large", f"{len(html)}")
    start = html if isinstance(html, bytes) else html[:TAG_WITHIN].encode("utf-8", "replace")
    if not is_html(start, called=True):
        return record.bad("no HTML" if html else "no URL")
    return record.page(decode_html(html) if isinstance(html, bytes) else html)
