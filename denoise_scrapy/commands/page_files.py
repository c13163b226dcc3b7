"""The pages that `scrapy denoise extract` reads: of files, folders and archives, with problems and progress."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import has_magic
from pathlib import Path
from typing import BinaryIO, NamedTuple

from denoise_scrapy.archive.archive_files import (
    addresses_of,
    files_of,
    kind_of_pages,
    local_files,
    opened,
    page_bytes,
    records_of,
)
from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body.extraction import PAGES_A_SITE
from denoise_scrapy.commands import PROGRESS_SECONDS, SHOWN, STANDARD, Source
from denoise_scrapy.page.attributes import ADDRESS_WITHIN, declared_url
from denoise_scrapy.page.parse import MAX_PAGE_BYTES, media_type
from denoise_scrapy.support.formats import PAGE_FORMATS, format_of
from denoise_scrapy.support.row_files import uncompressed
from denoise_scrapy.support.shown import counted, json_line, report

#: Problems of files; other records, such as redirects, are just not pages.
DAMAGES = frozenset(["truncated", "damaged", "unreadable", "no JSON"])
_REPORTED = DAMAGES | {"no HTML", "too large"}


class Given(NamedTuple):
    """A page to extract, or one that was extracted by an earlier run and that others are compared with."""

    record: ArchiveRecord
    is_new: bool = True


def is_many(name: str) -> bool:
    """Return whether a name stands for several pages: a folder, a pattern, an archive."""
    path = Path(name)
    if "://" in name or name == STANDARD:
        return False
    return path.is_dir() or (has_magic(name) and not path.exists()) or format_of(name) in {*PAGE_FORMATS} - {"html"}


class Pages:
    """The pages of some files, read one after the other; problems are counted, and the first ones reported.

    Attributes:
        is_done: Called for each page, returns whether an earlier run has written it.
        errors: Where each problem is written, as a line of JSON.
    """

    def __init__(
        self,
        names: Sequence[str],
        url: str,
        fetched: Mapping[str, Source],
        outputs: Sequence[str] = (),
    ) -> None:
        self._names, self._fetched = names, fetched
        self.is_done: Callable[[ArchiveRecord], bool] = lambda _: False
        single = [name for name in names if not is_many(name) and name not in fetched]
        own = addresses_of(single, url) if url and len(single) > 1 else dict.fromkeys(single, url)
        self._files: dict[str, str] = {}  # with their addresses
        for name in names:
            self._files |= files_of([name], outputs, url) if is_many(name) else {name: own.get(name, "")}
        self._has_url = bool(url)
        self._start = self._said = time.monotonic()
        self.errors: BinaryIO | None = None
        self.problems: Counter[str] = Counter()
        self.count = self.done = self._number = 0

    def __iter__(self) -> Iterator[Given]:
        # a page is compared with others of its site, though an earlier run has written them
        before: deque[Given] = deque(maxlen=PAGES_A_SITE)
        for file in self._files:
            self._number += 1
            for record in self._read(file):
                if record.problem:
                    self._count_problem(record)
                elif self.is_done(record):
                    self.done += 1
                    before.append(Given(record, is_new=False))
                else:
                    yield from before
                    before.clear()
                    yield Given(record)

    def _read(self, file: str) -> Iterable[ArchiveRecord]:
        if file in self._fetched:
            source, url, _ = self._fetched[file]
            return [ArchiveRecord(file, 0, url or "", html=source)]
        return records_of(file, self._files[file], _unchanged)

    def say_before(self) -> None:
        """Print which files of folders are left out, as outputs are, and which have no address, on standard error."""
        folders = [name for name in self._names if is_many(name)]
        left = {one for name in folders for one in local_files(name)}.difference(self._files)
        if left:
            kinds = Counter(Path(one).suffix or Path(one).name for one in sorted(left)).most_common()
            more = ", …" if len(kinds) > SHOWN else ""
            shares = ", ".join(f"{times:,} {kind}" for kind, times in kinds[:SHOWN])
            which = f"{counted(len(left), 'file')} ({shares}{more})"
            report(f"left out: {which}, as outputs, without pages or beside archives")
        if self._has_url:
            return
        files = [one for one in self._files if one not in self._fetched and kind_of_pages(one) in {"html", ""}]
        without = [one for one in files if not _declares_address(one)]
        if without:
            which = ", ".join(without[:3]) + (", …" if len(without) > 3 else "")
            advice = "they count as one site; --url gives addresses"
            report(f"no address: {len(without):,} of {counted(len(files), 'file')} ({which}); {advice}")

    def _count_problem(self, record: ArchiveRecord) -> None:
        self.problems[record.problem] += 1
        if self.errors is not None:
            names = ("file", "offset", "url", "problem", "detail")
            row = {name: getattr(record, name) for name in names}
            self.errors.write((json_line(row) + "\n").encode())
        if record.problem in _REPORTED and sum(self.problems[name] for name in _REPORTED) <= SHOWN:
            place = f"{record.file}, {record.offset}" if record.offset else record.file
            report(f"{place}: {', '.join(filter(None, (record.problem, record.detail)))}")

    def say_progress(self, *, at_end: bool = False) -> None:
        """Print the counts so far on standard error, every few seconds."""
        now = time.monotonic()
        if not at_end and now - self._said < PROGRESS_SECONDS:
            return
        self._said = now
        rate = self.count / max(now - self._start, 1e-3)
        whole = "" if at_end else f" of {len(self._files):,}"
        if not at_end and any(map(is_many, self._files)):  # of an archive nobody knows how many it has
            whole = f" in file {self._number:,} of {len(self._files):,}" if len(self._files) > 1 else ""
        bad = "".join(f", {times:,} {problem}" for problem, times in self.problems.most_common())
        done = f", {self.done:,} of an earlier run" if self.done else ""
        report(f"{counted(self.count, 'page')}{whole}{done}{bad}, {rate:,.0f} pages/s")


def _unchanged(record: ArchiveRecord, content: BinaryIO) -> ArchiveRecord:
    """Return the record of an HTML file, whose encoding and address are found when it is parsed."""
    try:
        data = page_bytes(record.file, content)
    except ValueError as error:
        return record.bad("damaged", error)
    if len(data) > MAX_PAGE_BYTES:
        content.seek(0)
        if content.read(4) != data[:4]:  # compressed
            return record.bad("too large", f"over {MAX_PAGE_BYTES} bytes")
        content.seek(0)
        data = content.read()
    kind = media_type(data)
    return record._replace(html=data) if data and not kind else record.bad("no HTML", kind)


def _declares_address(file: str) -> bool:
    try:
        with opened(file) as content, uncompressed(content) as data:
            return bool(declared_url(data.read(ADDRESS_WITHIN)))
    except (OSError, ValueError):
        return True  # reading it will tell
