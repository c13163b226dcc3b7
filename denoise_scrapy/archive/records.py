"""Records of the files of archives: WARC; JSON lines and Parquet with fields url, html and date; pages of HTML.

A record is a page, or says why it is none. Damage of a file raises nothing; all of it is counted.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from denoise_scrapy.formats import PAGE_FORMATS, format_of
from denoise_scrapy.page.address import declared_url
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.row_files import JsonLines, kind_of
from denoise_scrapy.site import site_key

#: Problems of records, in words.
PROBLEMS: Mapping[str, str] = {
    "truncated": "the file ends within the record",
    "damaged": "the place cannot be read; reading goes on at the next record",
    "unreadable": "the file cannot be opened, or is none of its kind",
    "status": "no answer of status 2xx: a redirect, an error",
    "revisit": "a note that the page has not changed, without the page",
    "encoding": "the content has another encoding than it names, and is no HTML as it stands",
    "type": "of another content type than HTML",
    "no HTML": "no HTML, although the type is HTML or not given",
    "empty": "without content",
    "too large": "more bytes than are read",
    "no URL": "without an http(s) URL",
    "no JSON": "a line that is no JSON object",
}
#: Most bytes of a page. A worker holds some pages at a time, in several forms. Of 3,740 recorded pages the largest has
#: 5 MB; Common Crawl cuts at 1, later at 5.
MOST_BYTES = 8_000_000
#: Content types of pages; those after the first two say nothing.
HTML_TYPES = ("text/html", "application/xhtml+xml", "", "application/octet-stream", "unknown/unknown")

# What no text has, by the WHATWG's MIME Sniffing Standard ("binary data byte"), and how far it is looked for there.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_SNIFFED = 1445
_UTF16 = (b"\xfe\xff", b"\xff\xfe")
_TAG = re.compile(rb"<[a-z!?/]", re.IGNORECASE)
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b", re.I | re.S
)
_ROWS = 16  # of Parquet read at a time: some MB of pages
TAG_WITHIN = 65_536  # bytes in which a page has its first tag


@dataclass(frozen=True, slots=True)
class ArchiveRecord:
    """A record of an archive.

    Attributes:
        file: The file it stands in.
        offset: Its place: the byte of a WARC file, the line of JSON lines, the row of Parquet.
        url: Its URL, "" where it has none.
        date: Date of the fetch, as in the archive; "" where it has none.
        html: The page; None for a bad record.
        problem: One of `PROBLEMS`; "" for a page.
        detail: Details of the problem.
    """

    file: str
    offset: int
    url: str = ""
    date: str = ""
    html: str | None = None
    problem: str = ""
    detail: str = ""

    def bad(self, problem: str, detail: object = "") -> ArchiveRecord:
        """Return the record with a problem in place of the page."""
        return replace(self, html=None, problem=problem, detail=str(detail)[:200])

    def page(self, html: str) -> ArchiveRecord:
        """Return the record with its page, or as a bad one where that is none."""
        if not site_key(self.url):
            return self.bad("no URL", self.url)
        if not html.strip():
            return self.bad("empty")
        if len(html) > MOST_BYTES:
            return self.bad("too large", f"{len(html)} characters")
        return replace(self, html=html)

    @property
    def row(self) -> dict[str, Any]:
        """The record as a row of a table, its page as bytes of UTF-8."""
        values = {name: getattr(self, name) for name in self.__slots__ if name != "html"}
        texts = {name: _writable(value) for name, value in values.items() if isinstance(value, str)}
        html = None if self.html is None else self.html.encode("utf-8", "replace")
        return values | texts | {"site": site_key(texts["url"]), "html": html}


def _writable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # halves of a pair, as JSON may hold
        return text.encode("utf-8", "replace").decode()
    return text


def is_binary(data: bytes) -> bool:
    r"""Return whether some bytes are neither HTML nor text.

    Example:
        >>> is_binary(b"Rain."), is_binary(b"<html>\x00"), is_binary(b"\x1f\x8b\x08\x00")
        (False, False, True)
    """
    is_page = data[:2] in _UTF16 or _START.match(data, 0, TAG_WITHIN)
    return not is_page and _BINARY.search(data, 0, _SNIFFED) is not None


def is_html(data: bytes, *, labelled: bool) -> bool:
    r"""Return whether some bytes are HTML; without a type that says so, they must begin like a page.

    Example:
        >>> is_html(b"<p>Rain.", labelled=True), is_html(b"<p>Rain.", labelled=False)
        (True, False)
        >>> is_html(b"\x89PNG\r\n", labelled=True)
        False
    """
    if data[:2] in _UTF16:
        return True
    if _BINARY.search(data, 0, _SNIFFED):
        return False
    return bool(_TAG.search(data, 0, TAG_WITHIN) if labelled else _START.match(data, 0, TAG_WITHIN))


def read_records(name: str, file: BinaryIO, url: str = "") -> Iterator[ArchiveRecord]:
    """Read the records of a file by the format of its name, a page at a URL; "" for the one that it declares."""
    kind = page_format(name)
    if kind == "html":
        return iter([_page(ArchiveRecord(name, 0, url), file)])
    if kind == "warc":
        try:
            from denoise_scrapy.archive.warc import read_warc  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ImportError("WARC needs fastwarc, which is not installed: pip install fastwarc") from error
        return read_warc(name, file)
    return _of_rows(name, _json_rows(file) if kind == "jsonl" else _parquet_rows(file))


def page_format(name: str) -> str:
    """Return the format of a file of pages, "warc", "jsonl", "parquet" or "html"; `ValueError` for another."""
    found = format_of(name)
    if found not in PAGE_FORMATS:
        raise ValueError(f"{name}: neither .warc, .jsonl (both also .gz), .parquet nor .html")
    return found


def _page(record: ArchiveRecord, file: BinaryIO) -> ArchiveRecord:
    """The record of a page of HTML."""
    data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        return record.bad("too large", f"over {MOST_BYTES} bytes")
    if data and not is_html(data, labelled=True):
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


def _of_rows(name: str, rows: Iterator[tuple[int, Mapping[str, Any] | None, str]]) -> Iterator[ArchiveRecord]:
    """Records of rows with the fields url, html and date."""
    record = ArchiveRecord(name, 0)
    try:
        for number, fields, problem in rows:
            record = ArchiveRecord(name, number)
            yield record.bad("no JSON", problem) if fields is None else _of_fields(record, fields)
    except (ValueError, OSError, MemoryError) as error:  # pyarrow's errors are of these
        place = ArchiveRecord(name, record.offset + 1)
        yield place.bad(
            "truncated" if "cut short" in str(error) else "damaged" if record.offset else "unreadable", error
        )


def _of_fields(record: ArchiveRecord, fields: Mapping[str, Any]) -> ArchiveRecord:
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
    if not is_html(start, labelled=True):
        return record.bad("no HTML" if html else "no URL")
    return record.page(decode_html(html) if isinstance(html, bytes) else html)
