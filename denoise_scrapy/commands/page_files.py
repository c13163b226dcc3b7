"""The pages that `scrapy denoise extract` reads, of files, folders and archives, and their bodies.

Bodies are extracted in this process, or in several, each of which extracts the pages of its sites.
"""

from __future__ import annotations

import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from glob import has_magic
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from threading import Thread
from typing import Any, BinaryIO, NamedTuple, TypeAlias
from zlib import crc32

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
from denoise_scrapy.body import Body, extract_pages
from denoise_scrapy.body.extraction import PAGES_A_SITE
from denoise_scrapy.commands import PROGRESS_SECONDS, SHOWN, STANDARD, Source
from denoise_scrapy.page.attributes import ADDRESS_WITHIN, declared_url
from denoise_scrapy.page.parse import MAX_PAGE_BYTES, media_type
from denoise_scrapy.site import site_key
from denoise_scrapy.support.formats import PAGE_FORMATS, format_of
from denoise_scrapy.support.row_files import uncompressed
from denoise_scrapy.support.shown import counted, json_line, report

#: Problems of files; other records, such as redirects, are just not pages.
DAMAGES = frozenset(["truncated", "damaged", "unreadable", "no JSON"])
_REPORTED = DAMAGES | {"no HTML", "too large"}
#: What is made of a page and its body. Another process receives it, so it is not a closure.
Make: TypeAlias = Callable[[ArchiveRecord, Body], Any]

# Pages that wait for a process, and rows that wait to be written: few, because a page may have MBs.
_WAITING = 32


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
            kinds = Counter(Path(one).suffix or Path(one).name for one in sorted(left)).most_common(SHOWN)
            shares = ", ".join(f"{times:,} {kind}" for kind, times in kinds)
            which = f"{counted(len(left), 'file')} ({shares})"
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
        # of an archive nobody knows how many pages it has
        whole = "" if at_end else f" in file {self._number:,} of {len(self._files):,}"
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


def bodies_of(pages: Iterable[Given], make: Make, options: Mapping[str, Any]) -> Iterator[tuple[ArchiveRecord, Any]]:
    """Extract pages, and yield what is made of the new ones."""
    read: deque[Given] = deque()  # pages whose bodies are not extracted yet

    def sources() -> Iterator[tuple[str | None, str | bytes]]:
        for page in pages:
            read.append(page._replace(record=page.record._replace(html=None)))
            yield page.record.url or None, page.record.html or b""

    for _, body in extract_pages(sources(), **options):
        page = read.popleft()
        if page.is_new:
            yield page.record, make(page.record, body)


def in_processes(
    pages: Iterable[Given], jobs: int, make: Make, options: Mapping[str, Any]
) -> Iterator[tuple[ArchiveRecord, Any]]:
    """Extract pages as `bodies_of` does, those of a site in one of several processes; the order is that of the sites.

    Raises:
        OSError: A process ended, for example for lack of memory.
    """
    context = get_context("spawn")  # a fork would copy threads' locks
    results: Any = context.Queue(_WAITING)
    inboxes: list[Any] = [context.Queue(_WAITING) for _ in range(jobs)]
    processes = [context.Process(target=_work, args=(inbox, results, make, options), daemon=True) for inbox in inboxes]

    def feed() -> None:
        """Give each process the pages of its sites."""
        try:
            for page in pages:
                site = site_key(page.record.url or declared_url(page.record.html or b""))
                inboxes[crc32(site.encode()) % jobs].put(page)
            for inbox in inboxes:
                inbox.put(None)
        except Exception as error:
            results.put(_failure(error))

    running = jobs
    try:
        for process in processes:
            process.start()
        Thread(target=feed, daemon=True).start()
        while running:
            try:
                found = results.get(timeout=PROGRESS_SECONDS)
            except Empty:
                if ended := [one.exitcode for one in processes if one.exitcode]:
                    raise OSError(f"a process of --jobs ended with exit code {ended[0]}") from None
                continue
            if isinstance(found, Exception):
                raise found
            if found is None:
                running -= 1
            else:
                yield found
    finally:
        for queue in (*inboxes, results):
            queue.cancel_join_thread()
        for process in processes:
            if process.pid is not None:
                process.terminate()


def _work(inbox: Any, results: Any, make: Make, options: Mapping[str, Any]) -> None:
    """Extract the pages of an inbox until None: what a process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to all processes of a terminal: the first one decides
    try:
        for result in bodies_of(iter(inbox.get, None), make, options):
            results.put(result)
        results.put(None)
    except Exception as error:
        results.put(_failure(error))


def _failure(error: Exception) -> OSError:
    """Return an exception that another process can receive."""
    return OSError(f"{type(error).__name__}: {error}")
