"""Files of archives, on disk or, by pyarrow, under a URL: s3a://, gs://, hdfs://.

Records are read from WARC, from JSON lines and Parquet with the fields url, html and date, and from HTML files. A ZIP
file counts as a folder of such files, WACZ as a folder of WARC. Damaged files raise no exception: every problem becomes
a bad record.
"""

from __future__ import annotations

import datetime
import io
import os
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob, has_magic
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, TypeAlias
from urllib.parse import quote, urljoin

from denoise_scrapy.archive.records import ArchiveRecord, begins_page
from denoise_scrapy.page.attributes import declared_url
from denoise_scrapy.page.parse import MAX_PAGE_BYTES
from denoise_scrapy.support.formats import COMPRESSIONS, PAGE_FORMATS, ROW_FORMATS, format_of
from denoise_scrapy.support.row_files import UNPACKS, Read, row_file, uncompressed

#: Reads the page of an HTML file, given the record without it.
ReadPage: TypeAlias = Callable[[ArchiveRecord, BinaryIO], ArchiveRecord]

_ROWS = 16  # rows of Parquet read at a time: some MB of pages
# Maximum bytes of an archive that is compressed again within a ZIP file, whose copy needs a place on disk. By custom, a
# WARC file has 1 GB, and is stored as it is, however large.
_MOST_UNPACKED = 1 << 30
# Times its size that a file may unpack to: archives of pages have 3 to 40, and gzip reaches 1,000 with what repeats.
_MOST_TIMES = 100
# Compression methods of ZIP files whose memory is bounded: that of LZMA may want 4 GB.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def files_of(patterns: list[str], outputs: Sequence[str] = (), url: str = "") -> dict[str, str]:
    """Return the sorted files named by paths, folders and patterns, except those that are, or are below, `outputs`.

    Each has its address: with `url`, local pages of HTML have their places below it, a single file the URL; others "".

    Raises:
        ValueError: A name stands for no file, for one of another format, or for an output.
    """
    found: dict[str, str] = {}
    for pattern in patterns:
        is_local, path = "://" not in pattern, Path(pattern)
        names = _local(pattern, outputs) if is_local else _listed(pattern, outputs)
        if not names:
            is_there = is_local and path.exists()
            raise ValueError(f"{pattern}: {'there are no pages in it' if is_there else 'there is no such file'}")
        pages = [name for name in names if page_format(name) in {"html", "zip"}]
        found |= dict.fromkeys(names, "")
        if url and is_local and pages:
            found |= {names[0]: url} if path.is_file() else addresses_of(pages, url, path if path.is_dir() else None)
    return dict(sorted(found.items()))


def addresses_of(files: Sequence[str], url: str, folder: Path | None = None) -> dict[str, str]:
    """Return the addresses of local files: their places below the URL of a folder, by default of their common one."""
    at = folder or Path(os.path.commonpath([Path(file).absolute().parent for file in files]))
    return {file: address_below(url, Path(file).absolute().relative_to(at.absolute()).as_posix()) for file in files}


def address_below(url: str, place: str) -> str:
    """Return the address of a file at a place below a URL, without the suffix of its compression."""
    for suffix in COMPRESSIONS:
        place = place.removesuffix(suffix)
    return urljoin(url if url.endswith("/") else f"{url}/", "./" + quote(place, safe="/@!$&'()*+,;=~"))


def _local(pattern: str, outputs: Sequence[str]) -> list[str]:
    found = _but_outputs(local_files(pattern), pattern, outputs)
    if Path(pattern).is_file():
        return found
    found = [name for name in found if kind_of_pages(name) and _has_pages(name)]
    return _readable(found) if Path(pattern).is_dir() else found


def _but_outputs(names: list[str], pattern: str, outputs: Sequence[str]) -> list[str]:
    """Leave out outputs, except where the pattern names files below one."""
    for output in outputs:
        if not _is_below(pattern, output):
            names = [name for name in names if not _is_below(name, output)]
        elif not Path(output).is_dir():
            raise ValueError(f"{pattern}: it is the output as well: give that another name")
    return names


def _is_below(place: str, folder: str) -> bool:
    one, other = (name.rstrip("/") if "://" in name else os.path.realpath(name) for name in (place, folder))
    return one == other or one.startswith(other + ("/" if "://" in other else os.sep))


def _has_pages(name: str) -> bool:
    """Return whether a file of rows has pages, by its first row: neither items, problems, nor an output of ours."""
    kind = format_of(name)
    if kind not in ROW_FORMATS:
        return True
    try:
        rows = row_file(kind, lambda: Path(name).open("rb"))  # noqa: SIM115 - closed with them
        names = rows.names() if kind == "parquet" else next((read.fields for read in rows.rows()), None)
    except (ImportError, OSError, ValueError):
        return True  # reading it will tell
    return names is None or ("html" in names and "evidence" not in names)


def local_files(pattern: str) -> list[str]:
    """Return all files of a folder or pattern, of whatever format."""
    path = Path(pattern)
    names = [str(one) for one in path.rglob("*")] if path.is_dir() else glob(pattern, recursive=True)  # noqa: PTH207 - absolute, too
    if not names and path.exists():  # a name with a bracket
        names = [pattern]
    return [str(Path(name).absolute()) for name in names if Path(name).is_file()]


def _listed(pattern: str, outputs: Sequence[str]) -> list[str]:
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415 - an extra

    system, path = file_system(pattern)
    start = pattern[: len(pattern) - len(path)]
    info = system.get_file_info(path)
    if info.type == FileType.File:
        return [pattern]
    parts = PurePosixPath(path).parts
    fixed = next((number for number, part in enumerate(parts) if has_magic(part)), len(parts))
    selected = system.get_file_info(
        FileSelector(str(PurePosixPath(*parts[:fixed])), recursive=True, allow_not_found=True)
    )
    names = [start + one.path for one in selected if one.type == FileType.File]
    names = _but_outputs(names, pattern, outputs)
    if fixed == len(parts):
        return _readable(names)
    return [name for name in names if PurePosixPath(name).match(pattern)]


def _readable(names: list[str]) -> list[str]:
    """Return the archives of a folder, or its pages, which may be zipped, if there are none."""
    pages = [name for name in names if kind_of_pages(name)]
    archives = [name for name in pages if kind_of_pages(name) not in {"html", "zip"}]
    return archives if any("://" in name or Path(name).stat().st_size for name in archives) else pages


def file_system(place: str) -> tuple[Any, str]:
    """Return pyarrow's file system for a path or URL, and the path in it."""
    from pyarrow.fs import FileSystem  # noqa: PLC0415 - an extra

    uri = place.replace("s3a://", "s3://", 1) if "://" in place else str(Path(place).absolute())
    try:
        system, path = FileSystem.from_uri(uri)
    except ValueError as error:
        raise ValueError(f"{place}: no place of files: {error}") from error
    return system, path


def opened(place: str) -> BinaryIO:
    """Open a seekable file."""
    if "://" not in place:
        return Path(place).open("rb")
    system, path = file_system(place)
    return io.BufferedReader(system.open_input_file(path), 1 << 20)


def page_of(record: ArchiveRecord, file: BinaryIO) -> ArchiveRecord:
    """Return the record of an HTML file, or a bad one."""
    try:
        data = page_bytes(record.file, file)
    except ValueError as error:
        return record.bad("damaged", error)
    found = record._replace(url=record.url or declared_url(data)).page(data)
    if found.problem == "no URL" and not found.url:
        return found.bad("no URL", "it declares none; give one with --url")
    return found


def records_of(place: str, url: str = "", read_page: ReadPage = page_of) -> Iterator[ArchiveRecord]:
    """Read the records of a file; if it cannot be opened, yield one bad record."""
    try:
        with opened(place) as file:
            yield from read_records(place, file, url, read_page)
    except OSError as error:
        yield ArchiveRecord(place, 0).bad("unreadable", error)


def read_records(
    name: str, file: BinaryIO, url: str = "", read_page: ReadPage = page_of, most_times: int = _MOST_TIMES
) -> Iterator[ArchiveRecord]:
    """Read the records of a file by its suffix.

    Args:
        name: Its name.
        file: The file.
        url: Address of an HTML file, "" for the one that it declares.
        read_page: Reads the page of an HTML file.
        most_times: How many times its size JSON lines may unpack to.
    """
    kind = kind_of_pages(name)
    if kind in {"", "html"}:
        return iter([read_page(ArchiveRecord(name, 0, url), file)])
    if kind == "zip":
        return _of_members(name, file, url, read_page)
    if kind == "warc":
        try:
            from denoise_scrapy.archive.warc import read_warc  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ImportError("WARC needs fastwarc, which is not installed: pip install fastwarc") from error
        return read_warc(name, file)
    rows = row_file(kind, lambda: file, most_times=most_times, at_once=_ROWS)
    return _of_rows(name, rows.rows(("url", "html", "date")))


def page_format(name: str) -> str:
    """Return the format of a file of pages, one of `PAGE_FORMATS`; raise `ValueError` for others."""
    found = kind_of_pages(name)
    if not found:
        raise ValueError(f"{name}: neither .warc, .jsonl, .html (all also .gz, .zst), .parquet, .zip nor .wacz")
    return found


def kind_of_pages(name: str) -> str:
    """Return the format of a file of pages by its name; without any suffix it may be HTML; "" for others.

    Example:
        >>> kind_of_pages("a.warc.gz"), kind_of_pages("news/1070"), kind_of_pages("1070.gz"), kind_of_pages("a.png")
        ('warc', 'html', 'html', '')
    """
    found = format_of(name)
    return found if found in PAGE_FORMATS else "html" if _lacks_suffix(name) else ""


def _lacks_suffix(name: str) -> bool:
    last = PurePosixPath(name.replace(os.sep, "/"))
    last = last.with_suffix("") if last.suffix.lower() in COMPRESSIONS else last
    return not last.suffix and not last.name.startswith(".")


def page_bytes(name: str, file: BinaryIO) -> bytes:
    """Return the bytes of an HTML file, decompressed, a little more than `MAX_PAGE_BYTES` at most.

    Returns:
        b"" for a file without a suffix that does not begin like a page.

    Raises:
        ValueError: It is compressed, and cut short or damaged.
    """
    with uncompressed(file) as content:
        data: bytes = content.read(MAX_PAGE_BYTES + 1)
    return b"" if not format_of(name) and _lacks_suffix(name) and not begins_page(data) else data


def _of_members(name: str, file: BinaryIO, url: str, read_page: ReadPage) -> Iterator[ArchiveRecord]:
    """Read the pages and archives in a ZIP file, those of the folder `archive` in WACZ."""
    whole = ArchiveRecord(name, 0)
    size = file.seek(0, io.SEEK_END)
    left = most_unpacked = _MOST_TIMES * size + MAX_PAGE_BYTES
    try:
        archive = zipfile.ZipFile(file)
        infos = [info for info in archive.infolist() if kind_of_pages(info.filename) not in {"", "zip"}]
        is_wacz = name.lower().endswith(".wacz")
        infos = [info for info in infos if not info.is_dir() and (info.filename.startswith("archive/") or not is_wacz)]
        if sum(info.compress_size for info in infos) > size:
            raise zipfile.BadZipFile("its files overlap")  # a bomb has one, and many names for it
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        yield whole.bad("unreadable", error)
        return
    names = set[str]()
    for info in infos:
        # a name may be there twice
        member = f"{info.filename}\0{info.header_offset}" if info.filename in names else info.filename
        names.add(info.filename)
        address = address_below(url, info.filename) if url else ""
        record = ArchiveRecord(f"{name}/{info.filename}", 0, address, member=member)
        is_page = kind_of_pages(info.filename) == "html"
        most = MAX_PAGE_BYTES if is_page else max(_MOST_UNPACKED, info.compress_size)
        if info.compress_type not in _METHODS or info.flag_bits & 1:
            yield record.bad("unreadable", "encrypted, or by an unusual compression method")
        elif info.file_size > most:
            yield record.bad("too large", f"{info.file_size} bytes")
        elif info.file_size > left:
            yield record.bad("too large", UNPACKS.format(most_unpacked))
        else:
            left -= info.file_size
            with io.BytesIO() if is_page else tempfile.TemporaryFile(prefix="denoise-") as content:
                try:
                    with archive.open(info) as part:
                        shutil.copyfileobj(part, content, 1 << 20)
                except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, OSError, RuntimeError) as error:
                    yield record.bad("damaged", error)
                    continue
                content.seek(0)
                times = max(1, _MOST_TIMES * info.compress_size // max(1, info.file_size))  # packed twice
                for one in read_records(record.file, content, record.url, read_page, times):
                    yield one._replace(member=member)


def _of_rows(name: str, rows: Iterator[Read]) -> Iterator[ArchiveRecord]:
    """Yield the records of rows with the fields url, html and date."""
    number = 0
    try:
        for number, _, fields, problem in rows:
            if fields is None:
                yield ArchiveRecord(name, number).bad("no JSON", problem.removeprefix("no JSON: "))
            else:
                yield _of_fields(name, number, fields)
    except (ValueError, OSError, MemoryError) as error:  # bases of pyarrow's errors
        kind = "truncated" if "cut short" in str(error) else "damaged" if number else "unreadable"
        kind = "too large" if "than its size" in str(error) else kind
        yield ArchiveRecord(name, number + 1).bad(kind, error)


def _of_fields(name: str, number: int, fields: Mapping[str, Any]) -> ArchiveRecord:
    url, html, date = fields.get("url"), fields.get("html"), fields.get("date")
    dated: str = date.isoformat() if isinstance(date, datetime.date) else str(date or "")
    record = ArchiveRecord(name, number, url if isinstance(url, str) else "", dated)
    if html and not isinstance(html, (str, bytes)):
        return record.bad("no HTML", type(html).__name__)
    return record.page(html or "")
