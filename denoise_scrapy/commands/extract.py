"""`scrapy denoise extract`: print the text of pages; also `python -m denoise_scrapy`, which needs no project."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from glob import has_magic
from pathlib import Path
from typing import Any

from denoise_scrapy.archive.places import addresses_of, files_of, records_of
from denoise_scrapy.archive.records import ArchiveRecord, is_binary
from denoise_scrapy.body import Body, extract, extract_pages
from denoise_scrapy.body.rendering import IMAGES, LINKS
from denoise_scrapy.commands import STANDARD, Given, UsageError
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of
from denoise_scrapy.formats import FORMS, PAGE_FORMATS, format_of
from denoise_scrapy.page import Page
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import counted, say, shown, straight
from denoise_scrapy.site import site_key

PROGRESS_SECONDS = 5.0
PROBLEMS_SHOWN = 10
#: Problems of files; other records, such as redirects, are just not pages.
DAMAGES = frozenset(["truncated", "damaged", "unreadable", "no JSON"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page_arguments(parser, several=True)
    of_files = "address of the file or folder; default: the one each page declares (link rel=canonical)"
    parser.add_argument("--url", metavar="URL", default="", help=of_files)
    parser.add_argument("--format", choices=(*FORMS, "json"), default="text", help="default: text")
    parser.add_argument("--links", choices=LINKS, help="links in Markdown; default: DENOISE_MARKDOWN, or keep")
    parser.add_argument("--images", choices=IMAGES, help="images in Markdown; default: as for --links")
    parser.add_argument(
        "--meta",
        action="store_true",
        help='add author, dates, site …: as front matter, in JSON as "meta"; needs the extra meta',
    )
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD, help="default: standard output")


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write the text of a page, or a line of JSON for each of several."""
    if args.meta and args.format == "html":
        raise UsageError("extract: --meta needs --format text, markdown or json")
    options = {name: value for name in ("links", "images") if (value := getattr(args, name))}
    if options and args.format != "markdown":
        raise UsageError("extract: --links and --images need --format markdown")
    read = DenoiseSettings.from_settings(settings)
    if args.url and not site_key(args.url):
        raise UsageError(f"extract: --url {args.url}: only http(s) URLs are valid")
    markdown = {**read.markdown, **options}
    taste = {"taste": read.taste, "keep": read.keep, "remove": read.remove}
    chosen: dict[str, Any] = {"strategy": args.strategy or read.strategy, **taste}
    if len(args.page) > 1 or _is_many(args.page[0]):
        return _extract_many(args, settings, markdown, chosen)
    (html, url), *others = pages_of([*args.page, *args.compare], "extract", settings)
    if isinstance(html, bytes) and is_binary(html):
        raise ValueError(f"{args.page[0]}: neither HTML nor text, nor named as an archive (.warc, .jsonl, .parquet)")
    body = extract(html, url or args.url or None, [Page.parse(source, url=at) for source, at in others], **chosen)
    if args.format == "json":
        text = _line_of(body_fields(body, "json", markdown, meta=args.meta))
    else:
        front = body.meta.front_matter() + "\n\n" if args.meta else ""
        text = front + _in_form(body, args.format, markdown).rstrip("\n") + "\n"
    if args.output != STANDARD:
        Path(args.output).write_text(text, "utf-8", "replace", newline="\n")  # a lone surrogate has no bytes
    else:
        sys.stdout.buffer.write((straight(text) if sys.stdout.isatty() else text).encode(errors="replace"))
    return 0


def body_fields(body: Body, form: str, markdown: Mapping[str, str] | None = None, *, meta: bool) -> dict[str, Any]:
    """Return the values of a body for JSON, with its text under the name of a form; as "text" for the form "json"."""
    name = "text" if form == "json" else form
    return {
        "url": body.url,
        "title": body.title,
        "confidence": round(body.confidence, 3),
        "evidence": body.evidence,
        name: _in_form(body, name, markdown or {}),
        **({"meta": asdict(body.meta)} if meta else {}),
    }


def _in_form(body: Body, form: str, markdown: Mapping[str, str]) -> str:
    return body.to_markdown(**markdown) if form == "markdown" else str(getattr(body, form))


def _line_of(fields: Mapping[str, Any]) -> str:
    return shown(json.dumps(fields, ensure_ascii=False)) + "\n"


def _is_many(name: str) -> bool:
    """Return whether a name stands for several pages: a folder, a pattern, an archive."""
    path = Path(name)
    if "://" in name or name == STANDARD:
        return False
    return path.is_dir() or (has_magic(name) and not path.exists()) or format_of(name) in {*PAGE_FORMATS} - {"html"}


def _extract_many(
    args: argparse.Namespace, settings: Given, markdown: Mapping[str, str], chosen: Mapping[str, Any]
) -> int:
    """Write a line of JSON for each page; return an exit code, 1 if a file is damaged."""
    if args.compare:
        raise UsageError("extract: --compare needs a single PAGE; several are compared with each other")
    if STANDARD in args.page:
        raise UsageError("extract: standard input cannot be combined with other pages")
    urls = [name for name in args.page if "://" in name]
    pages = Pages(args.page, args.url, dict(zip(urls, pages_of(urls, "extract", settings), strict=True)))
    with nullcontext(sys.stdout.buffer) if args.output == STANDARD else Path(args.output).open("wb") as out:
        for _, body in extract_pages(pages, **chosen):
            record = pages.read.popleft()
            row = {"file": record.file, **body_fields(body, args.format, markdown, meta=args.meta)}
            if record.date:
                row["date"] = record.date
            out.write(_line_of(row).encode(errors="replace"))
            pages.count += 1
            pages.say_progress()
    pages.say_progress(at_end=True)
    return int(not DAMAGES.isdisjoint(pages.problems))


class Pages:
    """The pages of some files, read one after the other; problems are counted, and the first ones reported."""

    def __init__(self, names: Sequence[str], url: str, fetched: Mapping[str, tuple[str | bytes, str | None]]) -> None:
        self._fetched = fetched
        self._files = [one for name in names for one in (files_of([name]) if _is_many(name) else [name])]
        self._addresses = addresses_of([name for name in names if _is_many(name)], url)
        self._start = self._said = time.monotonic()
        self.read: deque[ArchiveRecord] = deque()  # records whose bodies are not extracted yet
        self.problems: Counter[str] = Counter()
        self.count = 0

    def __iter__(self) -> Iterator[tuple[str | None, str | bytes]]:
        for file in self._files:
            for record, source in self._read(file):
                if record.problem:
                    self._count_problem(record)
                else:
                    self.read.append(record)
                    yield record.url or None, source

    def _read(self, file: str) -> Iterator[tuple[ArchiveRecord, str | bytes]]:
        if file in self._fetched:
            source, url = self._fetched[file]
            yield ArchiveRecord(file, 0, url or ""), source
        elif _is_many(file):
            yield from ((record, record.html or "") for record in records_of(file))
        else:
            record = ArchiveRecord(file, 0, self._addresses.get(str(Path(file).absolute()), ""))
            try:
                data = Path(file).read_bytes()
            except OSError as error:
                yield record.bad("unreadable", error), b""
            else:
                yield record.bad("no HTML") if is_binary(data) else record, data

    def _count_problem(self, record: ArchiveRecord) -> None:
        self.problems[record.problem] += 1
        if record.problem in DAMAGES | {"no HTML"} and self.problems.total() <= PROBLEMS_SHOWN:
            place = f"{record.file}, {record.offset}" if record.offset else record.file
            say(f"{place}: {': '.join(filter(None, (record.problem, record.detail)))}", file=sys.stderr)

    def say_progress(self, *, at_end: bool = False) -> None:
        """Print the counts so far on standard error, every few seconds."""
        now = time.monotonic()
        if not at_end and now - self._said < PROGRESS_SECONDS:
            return
        self._said = now
        rate = self.count / max(now - self._start, 1e-3)
        whole = "" if at_end or any(map(_is_many, self._files)) else f" of {len(self._files):,}"
        bad = "".join(f", {times:,} {problem}" for problem, times in self.problems.most_common())
        say(f"{counted(self.count, 'page')}{whole}{bad}, {rate:,.0f} pages/s", file=sys.stderr)
