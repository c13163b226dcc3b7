"""WARC files, by fastwarc: the pages of their records, and the problems of the others.

fastwarc does not report a file that is cut short, and gives up where one is damaged. So lengths are compared, and after
damage reading goes on at the next place where a record begins.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Generator, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from fastwarc.stream_io import BrotliReader, ChunkedReader, ZstdReader
from fastwarc.warc import ArchiveIterator, WarcRecordType

from denoise_scrapy.archive.records import HTML_TYPES, MOST_BYTES, ArchiveRecord, is_html
from denoise_scrapy.page.parse import decode_html

_ALL = WarcRecordType.any_type | WarcRecordType.unknown | WarcRecordType.no_type
_PAGES = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit)
_GZIP = b"\x1f\x8b\x08"
_WARC = b"WARC/"
# A record begins with the latter, in a compressed file in a member of its own, which begins with the former.
_BEGINNING = re.compile(rb"\x1f\x8b\x08|(?:(?<=\n)|\A)WARC/[01]\.")
_BLOCK = 1 << 20


def read_warc(name: str, file: BinaryIO) -> Iterator[ArchiveRecord]:
    """Read pages, and a bad record for each damaged page or place; requests, metadata and the like are left out."""
    size = file.seek(0, io.SEEK_END)
    start: int | None = 0
    while start is not None and start < size:
        start = yield from _read_from(name, file, start, size)


def _read_from(name: str, file: BinaryIO, start: int, size: int) -> Generator[ArchiveRecord, None, int | None]:
    """Read from a place up to the next damage; return where to go on, None at the end of the file."""
    file.seek(start)
    compressed = file.read(len(_GZIP)) == _GZIP
    file.seek(start)
    last, error = None, None  # where the last record begins that was read whole; why reading stopped
    try:
        for one in ArchiveIterator(file, record_types=_ALL, parse_http=False):
            record = ArchiveRecord(name, one.stream_pos, (one.headers.get("WARC-Target-URI") or "").strip("<> "))
            record = ArchiveRecord(name, record.offset, record.url, one.headers.get("WARC-Date") or "")
            try:
                found = _read(record, one)
            except (OSError, ValueError) as damage:
                yield record.bad("damaged", damage)
                return _next_start(file, one.stream_pos + 1)
            if found is not None:
                yield found
            last = one.stream_pos
    except (OSError, ValueError) as stopped:
        error = stopped
    if last is None:
        following = _next_start(file, start + 1)
        cut = "truncated" if start or _begins(file, start) else "unreadable"
        yield ArchiveRecord(name, start).bad("damaged" if following else cut, error or "no record")
        return following
    if not compressed:
        following = _next_start(file, last + 1) if error else None
        if error:
            yield ArchiveRecord(name, last).bad("damaged" if following else "truncated", f"after this record: {error}")
        return following
    end = _end_of_member(file, last)
    following = _next_start(file, end)
    if end < size and following != end:
        yield ArchiveRecord(name, end).bad("damaged" if following else "truncated", error or "no record")
    return following


def _read(record: ArchiveRecord, one: Any) -> ArchiveRecord | None:
    """A record as a page or as bad; None for one that is not of a page."""
    if one.headers.get("Content-Length") is None:
        return record.bad("truncated", "in the record's headers")
    if one.record_type not in _PAGES:
        return None
    if one.record_type == WarcRecordType.revisit:
        return record.bad("revisit")
    if one.content_length > MOST_BYTES:
        return record.bad("too large", f"{one.content_length} bytes")
    one.parse_http()
    data = one.reader.read()
    if len(data) < one.content_length:
        return record.bad("truncated", f"{len(data)} of {one.content_length} bytes")
    return _answer(record, one, data) if one.is_http else _page(record, data, one.headers.get("Content-Type") or "")


def _answer(record: ArchiveRecord, one: Any, data: bytes) -> ArchiveRecord:
    """The page of a server's answer."""
    head = one.http_headers
    status = head.status_code if head is not None else None
    if status is None or not 200 <= status < 300:
        return record.bad("status", status or "no status line")
    if "chunked" in (head.get("Transfer-Encoding") or "").lower():
        with suppress(OSError):  # unpacked already
            data = ChunkedReader(io.BytesIO(data)).read()
    return _page(record, data, one.http_content_type or "", one.http_charset or "", head.get("Content-Encoding") or "")


def _page(record: ArchiveRecord, data: bytes, kind: str, charset: str = "", encodings: str = "") -> ArchiveRecord:
    """The page of some content, or why it is none."""
    kind = kind.partition(";")[0].strip().lower()
    if kind not in HTML_TYPES:
        return record.bad("type", kind)
    if not data:
        return record.bad("empty")
    content, problem = _decoded(data, encodings)
    if len(content) > MOST_BYTES:
        return record.bad("too large", f"over {MOST_BYTES} bytes when decoded")
    if not is_html(content, labelled=kind in HTML_TYPES[:2]):
        return record.bad(*(("encoding", problem) if problem else ("no HTML", kind)) if content.strip() else ("empty",))
    return record.page(decode_html(content, charset.strip("\"' ") or None))


def _decoded(data: bytes, encodings: str) -> tuple[bytes, str]:
    """Content without its encodings, or as it stands where it has others than named; and the problem."""
    named = [name.strip().lower() for name in encodings.split(",")]
    if not data.startswith(_GZIP[:2]):
        named = [name for name in named if name not in {"gzip", "x-gzip"}] + ["not gzip"] * (
            "gzip" in encodings.lower()
        )
    elif "gzip" not in encodings.lower():
        named.append("gzip")
    problem = ""
    for name in reversed(named):
        try:
            if name in {"gzip", "x-gzip"}:
                data = zlib.decompressobj(47).decompress(data, MOST_BYTES + 1)
            elif name == "deflate":
                data = _inflated(data)
            elif name in {"br", "zstd"}:
                data = (BrotliReader if name == "br" else ZstdReader)(io.BytesIO(data)).read(MOST_BYTES + 1)
            elif name not in {"", "identity", "utf-8"}:
                problem = name
        except (OSError, zlib.error) as error:
            problem = f"{name}: {error}"
    return data, problem


def _inflated(data: bytes) -> bytes:
    """Content by zlib, with its header or, as some servers send it, without."""
    try:
        return zlib.decompressobj().decompress(data, MOST_BYTES + 1)
    except zlib.error:
        return zlib.decompressobj(-15).decompress(data, MOST_BYTES + 1)


def _next_start(file: BinaryIO, place: int) -> int | None:
    """Where the next record begins, at a place or after it."""
    before = b""
    while True:
        file.seek(place)
        block = file.read(_BLOCK)
        if not block:
            return None
        for found in _BEGINNING.finditer(before + block):
            start = place - len(before) + found.start()
            if found[0] != _GZIP or _begins(file, start):
                return start
        before = block[-8:] if len(block) > 8 else block
        place += len(block)


def _begins(file: BinaryIO, place: int) -> bool:
    """True where a compressed member with a record begins."""
    file.seek(place)
    try:
        return zlib.decompressobj(31).decompress(file.read(4096), len(_WARC)) == _WARC
    except zlib.error:
        return False


def _end_of_member(file: BinaryIO, place: int) -> int:
    """Where the compressed member at a place ends; at most the end of the file."""
    file.seek(place)
    member = zlib.decompressobj(31)
    while block := file.read(_BLOCK):
        try:
            member.decompress(block)
        except zlib.error:
            break
        if member.eof:
            return file.tell() - len(member.unused_data)
    return file.seek(0, io.SEEK_END)
