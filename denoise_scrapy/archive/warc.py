"""Reading WARC files, by fastwarc: pages, and the problems of other records.

fastwarc does not report truncated files, and stops at damage: so lengths are compared, and reading continues at the
next record.
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

from denoise_scrapy.archive.records import HTML_TYPES, ArchiveRecord
from denoise_scrapy.page.parse import MAX_PAGE_BYTES

_ALL = WarcRecordType.any_type | WarcRecordType.unknown | WarcRecordType.no_type
_PAGES = (WarcRecordType.response, WarcRecordType.resource, WarcRecordType.revisit)
_READERS = {"br": BrotliReader, "zstd": ZstdReader}
_GZIP = b"\x1f\x8b\x08"
_WARC = b"WARC/"
# The beginning of a compressed member, of which there is one per record, or of a plain record.
_BEGINNING = re.compile(rb"\x1f\x8b\x08|(?:(?<=\n)|\A)WARC/[01]\.")
_PIECE, _LONGEST_HEAD = 1 << 16, 1 << 12  # bytes searched or decompressed at a time, and of a member's beginning
# Failures, less the records between them, after which each further one skips twice as much, up to a piece: in a file of
# false beginnings, each costs the reading of a piece. Damage has one or two.
_FAILURES = 8


def read_warc(name: str, file: BinaryIO) -> Iterator[ArchiveRecord]:
    """Read pages, and a bad record for each damaged page or place; skip requests, metadata and the like."""
    size = file.seek(0, io.SEEK_END)
    start: int | None = 0
    failures = 0
    while start is not None and start < size:
        reading = _read_from(name, file, start, size, skipped=min(1 << max(0, failures - _FAILURES), _PIECE))
        read, start = yield from reading
        failures = max(0, failures + 1 - read)


def _read_from(
    name: str, file: BinaryIO, start: int, size: int, skipped: int
) -> Generator[ArchiveRecord, None, tuple[int, int | None]]:
    """Read from a place up to the next damage.

    Returns:
        The number of records read, and where to continue: `skipped` bytes after the beginning of what is damaged, or
        later; None at the end of the file.
    """
    read = missed = 0
    file.seek(start)
    compressed = file.read(len(_GZIP)) == _GZIP
    file.seek(start)
    last, error = None, None  # start of the last complete record; why reading stopped
    try:
        for one in ArchiveIterator(file, record_types=_ALL, parse_http=False):
            url = (one.headers.get("WARC-Target-URI") or "").strip("<> ")
            record = ArchiveRecord(name, one.stream_pos, url, one.headers.get("WARC-Date") or "")
            try:
                found = _read(record, one)
            except (OSError, ValueError) as damage:
                yield record.bad("damaged", damage)
                return read, _next_start(file, one.stream_pos + skipped)
            is_read = found is None or found.problem != "truncated"
            read, missed = read + is_read, 0 if is_read else missed + 1
            if found is not None:
                yield found
            if missed > _FAILURES:  # headers of nothing, one after the other
                return read, _next_start(file, one.stream_pos + skipped)
            last = one.stream_pos
    except (OSError, ValueError) as stopped:
        error = stopped
    why, cut = error or "no record", "truncated"
    if last is None:
        place, behind = start, start + skipped
        file.seek(start)
        cut = cut if start or _begins(file.read(_LONGEST_HEAD)) else "unreadable"
    elif compressed:
        place = _end_of_member(file, last)
        behind = max(place, last + skipped)
    elif error:
        place, behind, why = last, last + skipped, f"after this record: {error}"
    elif last + one.content_length > size:  # a record that wants more bytes than there are, and may hide others
        return read - is_read, _next_start(file, last + skipped)
    else:
        return read, None
    following = _next_start(file, behind)
    if place < size and following != place:
        yield ArchiveRecord(name, place).bad("damaged" if following else cut, why)
    return read, following


def _read(record: ArchiveRecord, one: Any) -> ArchiveRecord | None:
    if not one.headers.get("Content-Length"):
        return record.bad("truncated", "in the record's headers")
    if one.record_type not in _PAGES:
        return None
    if one.record_type == WarcRecordType.revisit:
        return record.bad("revisit")
    if one.content_length > MAX_PAGE_BYTES:
        return record.bad("too large", f"{one.content_length} bytes")
    one.parse_http()
    data = one.reader.read()
    if len(data) < one.content_length:
        return record.bad("truncated", f"{len(data)} of {one.content_length} bytes")
    return _answer(record, one, data) if one.is_http else _page(record, data, one.headers.get("Content-Type") or "")


def _answer(record: ArchiveRecord, one: Any, data: bytes) -> ArchiveRecord:
    head = one.http_headers
    status = head.status_code if head is not None else None
    if status is None or not 200 <= status < 300:
        return record.bad("status", status or "no status line")
    if "chunked" in (head.get("Transfer-Encoding") or "").lower():
        with suppress(OSError):  # already decoded
            data = ChunkedReader(io.BytesIO(data)).read()
    return _page(record, data, one.http_content_type or "", one.http_charset or "", head.get("Content-Encoding") or "")


def _page(record: ArchiveRecord, data: bytes, kind: str, charset: str = "", encodings: str = "") -> ArchiveRecord:
    kind = kind.partition(";")[0].strip().lower()
    if kind not in HTML_TYPES:
        return record.bad("type", kind)
    content, problem = _decoded(data, encodings)
    found = record.page(content, charset.strip("\"' "), labelled=kind in HTML_TYPES[:2])
    if found.problem == "no HTML":
        return record.bad("encoding", problem) if problem else record.bad("no HTML", kind)
    return found


def _decoded(data: bytes, encodings: str) -> tuple[bytes, str]:
    """Return decoded content and "", or content with a problem in decoding it."""
    named = [name.strip().lower().removeprefix("x-") for name in encodings.split(",")]
    if data.startswith(_GZIP[:2]) and "gzip" not in named:
        named.append("gzip")
    problem = ""
    for name in reversed(named):
        try:
            if name in {"gzip", "deflate"}:
                data = _inflated(data)
            elif reader := _READERS.get(name):
                data = reader(io.BytesIO(data)).read(MAX_PAGE_BYTES + 1)
            elif name not in {"", "identity", "utf-8"}:
                problem = name
        except (OSError, zlib.error) as error:
            problem = f"{name}: {error}"
    return data, problem


def _inflated(data: bytes) -> bytes:
    try:  # some servers omit zlib's header
        return zlib.decompressobj(47).decompress(data, MAX_PAGE_BYTES + 1)
    except zlib.error:
        return zlib.decompressobj(-15).decompress(data, MAX_PAGE_BYTES + 1)


def _next_start(file: BinaryIO, place: int) -> int | None:
    """Return where the next record begins, at a place or after it."""
    before = 0  # bytes read before the place
    while True:
        file.seek(place - before)
        data = file.read(before + _PIECE + _LONGEST_HEAD)
        for found in _BEGINNING.finditer(data, before, before + _PIECE + len(_WARC)):
            start = found.start()
            if found[0] != _GZIP or _begins(data[start : start + _LONGEST_HEAD]):
                return place - before + start
        if len(data) < before + _PIECE + _LONGEST_HEAD:
            return None
        place, before = place + _PIECE, 1


def _begins(data: bytes) -> bool:
    """Return whether data is the beginning of a compressed member with a record."""
    try:
        return zlib.decompressobj(31).decompress(data, len(_WARC)) == _WARC
    except zlib.error:
        return False


def _end_of_member(file: BinaryIO, place: int) -> int:
    """Return where the compressed member at a place ends; at most the end of the file."""
    file.seek(place)
    member = zlib.decompressobj(31)
    while data := member.unconsumed_tail or file.read(_PIECE):
        try:
            member.decompress(data, _PIECE)
        except zlib.error:
            break
        if member.eof:
            return file.tell() - len(member.unused_data)
    return file.seek(0, io.SEEK_END)
