"""Outputs of `scrapy denoise extract` for several pages: JSON lines, Parquet, or a folder with a file for each text."""

from __future__ import annotations

import os
import re
import sys
from abc import abstractmethod
from collections import Counter, deque
from contextlib import ExitStack
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO
from unicodedata import normalize

from typing_extensions import override

from denoise_scrapy.archive.archive_files import kind_of_pages
from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body.fields import flat, held_bytes
from denoise_scrapy.commands import STANDARD
from denoise_scrapy.support.formats import ROW_FORMATS
from denoise_scrapy.support.row_files import JsonLines, ParquetRows, compressing
from denoise_scrapy.support.shown import json_line
from denoise_scrapy.support.storage import replacing

# What some file system refuses in a name, takes for another folder or a device, or leaves out; and bytes of a name and
# of a place that all accept, without a suffix and the folder.
_DEVICE = r"^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?=\.|$)"
_REFUSED = re.compile(rf'[\x00-\x1f\x7f<>:"|?*\\%]|^\.+$|[. ]$|{_DEVICE}', re.IGNORECASE)
_LONGEST, _LONGEST_PLACE = 200, 800
# How a row begins, of which the last may be cut off.
_BEGIN = b'{"file": "'


class BodyFiles(ExitStack):
    """Where the rows or texts of pages are written; its files are closed at the end."""

    @abstractmethod
    def write(self, record: ArchiveRecord, row: Any) -> None:
        """Write what was made of a page."""

    def is_done(self, record: ArchiveRecord) -> bool:
        """Return whether an earlier run has written the page; to be called once for each page."""
        return False


class JsonLinesFile(BodyFiles):
    """JSON lines. To resume, an incomplete last line is cut off, and the pages of the others are done."""

    def __init__(self, name: str, *, resume: bool) -> None:
        super().__init__()
        path = Path(name)
        self._done = Counter(_done_in(path) if resume and path.exists() else [])
        self._file: BinaryIO = sys.stdout.buffer
        if name != STANDARD:
            self._file = self.enter_context(path.open("ab" if resume else "wb"))
            self._file = self.enter_context(compressing(self._file, name))

    @override
    def write(self, record: ArchiveRecord, row: Any) -> None:
        self._file.write((json_line(row) + "\n").encode())

    @override
    def is_done(self, record: ArchiveRecord) -> bool:
        key = _key(record.file, record.url)
        self._done[key] -= 1
        return self._done[key] >= 0


def _done_in(path: Path) -> list[tuple[str, str]]:
    """Return the keys of the pages in an output; raise `ValueError` if it is another file, which stays as it is."""
    with path.open("rb") as file:
        last = b"".join(deque(file, maxlen=1))
    rows = (read.fields or {} for read in JsonLines(lambda: path.open("rb")).rows())
    found: list[tuple[Any, Any]] = [(row.get("file"), row.get("url")) for row in rows]
    cut = 0 if last.endswith(b"\n") else len(last)
    is_ours = not cut or _BEGIN.startswith(last[: len(_BEGIN)])
    if cut and is_ours:
        found.pop()
    if not is_ours or not all(isinstance(part, str) for each in found for part in each):
        raise ValueError(f"{path}: not an output of this command, which cannot be continued")
    os.truncate(path, path.stat().st_size - cut)
    return [_key(file, url) for file, url in found]


def _key(file: str, url: str) -> tuple[str, str]:
    """Return what identifies a page: its file, in an archive also its address."""
    # a file may declare its address, which is not known before it is parsed
    return file, url if _is_archive(file) else ""


def _is_archive(file: str) -> bool:
    return "://" not in file and kind_of_pages(file) in {"warc", *ROW_FORMATS}


class ParquetFile(BodyFiles):
    """Parquet, written at the end of a run, also of one that is stopped; an error leaves the file as it was."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._path = Path(name).absolute()
        if not self._path.parent.is_dir():
            raise FileNotFoundError(f"{name}: its folder does not exist")
        self._rows = ParquetRows()

    @override
    def write(self, record: ArchiveRecord, row: Any) -> None:
        made = flat(row)
        self._rows.add(made, held_bytes(made))

    @override
    def __exit__(self, *error: object) -> None:
        if any(error):
            return
        with replacing(self._path) as temporary, temporary.open("wb") as file:
            self._rows.write(file)


class FolderOfTexts(BodyFiles):
    """A file for each text, below a folder as its page is below another; to resume, pages with a file are done.

    If the place of a page is that of an earlier one, also on file systems to which letters of both cases are the same,
    its name gets a hash. Pages come in the same order when a run is resumed, so they have the same names.
    """

    def __init__(self, folder: str, root: str, suffix: str, *, resume: bool) -> None:
        super().__init__()
        self._folder = Path(folder)
        self._root = root
        self._suffix = suffix
        self._resume = resume
        self._folder.mkdir(parents=True, exist_ok=True)
        self._taken: dict[str, str] = {}  # hashes of places, and of whose they are
        self._listed, self._there = Path(), frozenset[str]()  # a folder to resume, and its names

    @override
    def write(self, record: ArchiveRecord, row: Any) -> None:
        path = self._path(record)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            temporary.write_text(row, "utf-8", "replace", newline="\n")  # a lone surrogate has no bytes

    @override
    def is_done(self, record: ArchiveRecord) -> bool:
        path = self._path(record)
        if self._resume and path.parent != self._listed:
            self._listed = path.parent
            there = path.parent.iterdir() if path.parent.is_dir() else ()
            self._there = frozenset(one.name for one in there)
        return path.name in self._there  # `exists` may find the name in letters of the other case

    def _path(self, record: ArchiveRecord) -> Path:
        """Return the place of a text, which is in the folder whatever names an archive has."""
        member = record.member.partition("\0")[0]
        file = record.file.removesuffix(f"/{member}") if member else record.file
        file = file.replace("://", ":/") if "://" in file else os.path.relpath(Path(file).absolute(), self._root)
        whole = "/".join(filter(None, (file.replace(os.sep, "/"), record.member)))
        is_long = len(whole.encode("utf-8", "surrogateescape")) > _LONGEST_PLACE
        *folders, name = map(_name, [whole.replace("/", "%")] if is_long else whole.split("/"))
        # a folder has another name than a text, and than an archive
        folders = [one + "%" if one.lower().endswith(self._suffix) or _is_archive(one) else one for one in folders]
        place = _hash(normalize("NFKC", "/".join([*folders, name])).casefold())
        owner = _hash(whole)
        if self._taken.setdefault(place, owner) != owner:
            name = f"{name}%-{owner}"
        if _is_archive(record.file):
            folders, name = [*folders, name], str(record.offset)
        return self._folder.joinpath(*folders, name + self._suffix)


def _name(part: str) -> str:
    """Return a name that every file system accepts, another for each part of a path."""
    name = _REFUSED.sub(lambda found: "".join(f"%{ord(char):02X}" for char in found[0]), part) or "%"
    data = name.encode("utf-8", "surrogateescape")
    if len(data) <= _LONGEST:
        return name
    return f"{data[: _LONGEST - 18].decode('utf-8', 'ignore')}%-{_hash(name)}"


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
