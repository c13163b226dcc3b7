"""`scrapy denoise extract` of several pages: of files, folders, patterns, archives and URLs, a line of JSON each."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from denoise_scrapy.archive.places import addresses_of, files_of, opened
from denoise_scrapy.archive.reading import format_of, read_records
from denoise_scrapy.archive.records import Record, is_binary
from denoise_scrapy.body import Body, extract_pages
from denoise_scrapy.commands import STANDARD
from denoise_scrapy.shown import counted, say, shown

if TYPE_CHECKING:
    from denoise_scrapy.settings import DenoiseSettings

PROGRESS_SECONDS = 5.0
PROBLEMS_SHOWN = 10
#: Problems of a file; others are records that are no pages, as redirects.
DAMAGES = frozenset(["truncated", "damaged", "unreadable", "no JSON"])


def is_many(name: str) -> bool:
    """Return whether a name stands for several pages: a folder, a pattern, an archive."""
    path = Path(name)
    if "://" in name or name == STANDARD:
        return False
    if path.is_dir() or (has_magic(name) and not path.exists()):
        return True
    try:
        return format_of(name) != "html"
    except ValueError:
        return False


class Pages:
    """The pages of some files, read one after the other; what is none is counted, and the first of them are named.

    Args:
        names: Files, folders, patterns, archives, and URLs among `fetched`.
        url: The address of a folder of HTML; "" for those that pages declare.
        fetched: Source and address of pages of the web, by URL.

    Raises:
        ValueError: A name stands for no file.
    """

    def __init__(self, names: Sequence[str], url: str, fetched: dict[str, tuple[str | bytes, str | None]]) -> None:
        self._fetched = fetched
        self._files = [one for name in names for one in ([name] if name in fetched else _files_of(name))]
        self._addresses = addresses_of([name for name in names if is_many(name)], url)
        self._url = url
        self._start = self._said = time.monotonic()
        self.read: deque[Record] = deque()  # those whose bodies are to come
        self.problems: Counter[str] = Counter()
        self.count = 0

    def __iter__(self) -> Iterator[tuple[str | None, str | bytes]]:
        for file in self._files:
            if file in self._fetched:
                source, url = self._fetched[file]
                self.read.append(Record(file, 0, url or ""))
                yield url, source
            elif is_many(file):
                for record in self._records(file):
                    if record.html is not None:
                        self.read.append(record)
                        yield record.url, record.html
            else:
                yield from self._page(file)

    def _records(self, file: str) -> Iterator[Record]:
        try:
            with opened(file) as content:
                for record in read_records(file, content):
                    if record.html is None:
                        self._is_none(record)
                    yield record
        except OSError as error:
            self._is_none(Record(file, 0).bad("unreadable", error))

    def _page(self, file: str) -> Iterator[tuple[str | None, bytes]]:
        record = Record(file, 0, self._addresses.get(str(Path(file).absolute()), ""))
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            self._is_none(record.bad("unreadable", error))
            return
        if is_binary(data):
            self._is_none(record.bad("no HTML"))
            return
        self.read.append(record)
        yield record.url or None, data

    def _is_none(self, record: Record) -> None:
        self.problems[record.problem] += 1
        if record.problem in DAMAGES | {"no HTML"} and self.problems.total() <= PROBLEMS_SHOWN:
            place = f"{record.file}, {record.offset}" if record.offset else record.file
            say(f"{place}: {': '.join(filter(None, (record.problem, record.detail)))}", file=sys.stderr)

    def say_progress(self, *, at_end: bool = False) -> None:
        """Say on standard error, now and then, how many there are so far."""
        now = time.monotonic()
        if not at_end and now - self._said < PROGRESS_SECONDS:
            return
        self._said = now
        rate = self.count / max(now - self._start, 1e-3)
        whole = "" if at_end or any(map(is_many, self._files)) else f" of {len(self._files):,}"
        none = "".join(f", {times:,} {problem}" for problem, times in self.problems.most_common())
        say(f"{counted(self.count, 'page')}{whole}{none}, {rate:,.0f} pages/s", file=sys.stderr)


def _files_of(name: str) -> list[str]:
    return files_of([name]) if is_many(name) else [name]


def write_bodies(pages: Pages, out: str, form: str, settings: DenoiseSettings, strategy: str, *, meta: bool) -> int:
    """Write a line of JSON for each page; return an exit code: 1 where a file is damaged."""
    chosen: dict[str, Any] = {
        "strategy": strategy,
        "taste": settings.taste,
        "keep": settings.keep,
        "remove": settings.remove,
    }
    with ExitStack() as files:
        file: BinaryIO = sys.stdout.buffer if out == STANDARD else files.enter_context(Path(out).open("wb"))
        for _, body in extract_pages(pages, **chosen):
            row = _row(pages.read.popleft(), body, form, settings, meta=meta)
            file.write((shown(json.dumps(row, ensure_ascii=False)) + "\n").encode(errors="replace"))
            pages.count += 1
            pages.say_progress()
    pages.say_progress(at_end=True)
    return int(not DAMAGES.isdisjoint(pages.problems))


def _row(record: Record, body: Body, form: str, settings: DenoiseSettings, *, meta: bool) -> dict[str, Any]:
    name = "text" if form == "json" else form
    return {
        "file": record.file,
        "url": body.url,
        "title": body.title,
        "confidence": round(body.confidence, 3),
        "evidence": body.evidence,
        name: body.to_markdown(**settings.markdown) if form == "markdown" else getattr(body, name),
        **({"date": record.date} if record.date else {}),
        **({"meta": asdict(body.meta)} if meta else {}),
    }
