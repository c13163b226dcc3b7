"""`scrapy denoise extract`: print the text of pages; also `python -m denoise_scrapy`, which needs no project."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import Any

from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body import Body, extract
from denoise_scrapy.body.fields import FIELDS, META, NO_SETTINGS, columns_of, field_of, values_of
from denoise_scrapy.commands import STANDARD, STOPPED, Given, UsageError
from denoise_scrapy.commands.body_files import BodyFiles, FolderOfTexts, JsonLinesFile, ParquetFile
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of, settle_page, whole
from denoise_scrapy.commands.page_files import DAMAGES, Make, Pages, bodies_of, in_processes, is_many
from denoise_scrapy.commands.tei import tei_of
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import media_type
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.support.formats import COMPRESSIONS, FORMS, ROW_FORMATS, format_of
from denoise_scrapy.support.shown import counted, json_line, report, straight

MOST_JOBS = 64
#: Suffixes of files of texts, by format, unless they are its name.
_ENDINGS = {"text": "txt", "markdown": "md", "tei": "xml"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page_arguments(parser, several=True)
    parser.add_argument(
        "--url",
        default="",
        help="address of the file or folder; default: the one each page declares (link rel=canonical)",
    )
    parser.add_argument("--format", choices=(*FORMS, "json", "tei"), default="text", help="default: text")
    parser.add_argument(
        "--meta",
        action="store_true",
        help='add author, dates, site …: as front matter, in JSON as "meta"; needs the extra meta',
    )
    parser.add_argument(
        "--field",
        action="append",
        default=[],
        choices=FIELDS,
        metavar="NAME",
        help=f"in JSON and Parquet, also this field: {', '.join(FIELDS)}",
    )
    output = (
        "of several pages, .parquet is written as Parquet, others as JSON lines (.gz, .zst); default: standard output"
    )
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD, help=output)
    several = parser.add_argument_group("several pages")
    several.add_argument("--output-dir", metavar="DIR", help="write a file for each text, named after that of its page")
    several.add_argument("--resume", action="store_true", help="leave out pages that an earlier run has written")
    several.add_argument("--errors", metavar="FILE", help="write a line of JSON for each record that is not a page")
    jobs = "processes; the pages of one site are extracted by one; default: 1"
    several.add_argument("--jobs", type=partial(whole, most=MOST_JOBS), default=1, metavar="N", help=jobs)


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write the text of a page, or a line of JSON for each of several."""
    settle_page(args)
    if args.meta and args.format == "html":
        raise UsageError("--meta needs --format text, markdown, json or tei")
    read = DenoiseSettings.from_settings(settings)
    if args.url and not site_key(args.url):
        raise UsageError(f"--url {args.url}: only http(s) URLs are valid")
    many = len(args.page) > 1 or is_many(args.page[0])
    if args.field and (args.output_dir or not many) and args.format != "json":
        raise UsageError("--field needs --format json, or several pages in one output")
    fields = [*args.field, *[META] * args.meta]
    chosen: dict[str, Any] = {
        "strategy": args.strategy or read.strategy,
        "taste": read.taste,
        "keep": read.keep,
        "remove": read.remove,
    }
    if many:
        make = partial(_made, form=args.format, settings=read, fields=fields, whole=bool(args.output_dir))
        return _extract_many(args, settings, make, chosen)
    if args.output_dir or args.resume or args.errors or args.jobs > 1:
        raise UsageError("--output-dir, --resume, --errors and --jobs need several pages, such as a folder")
    kind = format_of(args.output, ROW_FORMATS)
    if kind in {"csv", "parquet"} or (kind and args.format != "json"):
        raise UsageError(f"-o {args.output}: one page is no file of rows; --format json -o FILE.jsonl has one")
    (html, url, _), *others = pages_of([*args.page, *args.compare], settings, args.output)
    if kind := media_type(html):
        archive = "nor named as an archive (.warc, .jsonl, .parquet)"
        raise ValueError(f"{args.page[0]}: {kind}, neither HTML nor text, {archive}")
    body = extract(html, url or args.url or None, [Page.parse(source, url=at) for source, at, _ in others], **chosen)
    text = _whole_text(body, args.format, read, fields)
    if args.output != STANDARD:
        Path(args.output).write_text(text, "utf-8", "replace", newline="\n")  # a lone surrogate has no bytes
    else:
        sys.stdout.buffer.write((straight(text) if sys.stdout.isatty() else text).encode(errors="replace"))
    return 0


def _whole_text(body: Body, form: str, settings: DenoiseSettings, fields: Sequence[str]) -> str:
    """Return what a file of a single text has."""
    if form == "json":
        return json_line(row_of(body, "text", settings, fields)) + "\n"
    if form == "tei":
        return tei_of(body, meta=META in fields)
    front = body.meta.front_matter() + "\n\n" if META in fields else ""
    return front + str(field_of(form).of(body, settings)).rstrip("\n") + "\n"


def row_of(body: Body, form: str, settings: Any = NO_SETTINGS, fields: Sequence[str] = ()) -> dict[str, Any]:
    """Return the values of a body for JSON: its text under the name of a form, and fields."""
    row = {"url": body.url, **values_of(columns_of(form, fields), body, settings)}
    return {**row, "tei": tei_of(body, meta=False)} if form == "tei" else row


def _extract_many(args: argparse.Namespace, settings: Given, make: Make, chosen: Mapping[str, Any]) -> int:
    """Write a row or a file for each page; return an exit code, 1 if a file is damaged."""
    if args.compare:
        raise UsageError("--compare needs a single PAGE; several are compared with each other")
    if STANDARD in args.page:
        raise UsageError("standard input cannot be combined with other pages")
    urls = [name for name in args.page if "://" in name]
    fetched = dict(zip(urls, pages_of(urls, settings), strict=True))
    outputs = [name for name in (args.output_dir, args.output, args.errors) if name and name != STANDARD]
    pages = Pages(args.page, args.url, fetched, outputs)  # first, so that a mistyped name does not empty the output
    with _output(args) as out, Path(args.errors).open("wb") if args.errors else nullcontext() as pages.errors:
        pages.is_done = out.is_done
        try:
            pages.say_before()
            found = in_processes(pages, args.jobs, make, chosen) if args.jobs > 1 else bodies_of(pages, make, chosen)
            for record, row in found:
                out.write(record, row)
                pages.count += 1
                pages.say_progress()
        except KeyboardInterrupt:
            where = args.output_dir or args.output
            held = f", which {'is' if pages.count == 1 else 'are'} in {where}" if where != STANDARD else ""
            report(f"stopped after {counted(pages.count, 'page')}{held}")
            return STOPPED
        pages.say_progress(at_end=True)
        return int(not DAMAGES.isdisjoint(pages.problems))


def _output(args: argparse.Namespace) -> BodyFiles:
    """Open what rows or texts are written to.

    Raises:
        UsageError: It is given twice, cannot be resumed, is named like another format, or would be read as pages.
    """
    kind = format_of(args.output)
    is_parquet = kind == "parquet"
    if kind not in {"", "json", "jsonl", "parquet"}:
        raise UsageError(f"-o {args.output}: several pages are written as .jsonl (also .gz, .zst) or .parquet")
    if args.output_dir:
        if args.output != STANDARD:
            raise UsageError("give --output-dir or -o, not both")
        folders = [_folder_of(name) for name in args.page if "://" not in name]
        if args.format == "html" and any(os.path.realpath(one) == os.path.realpath(args.output_dir) for one in folders):
            raise UsageError("--output-dir has the pages: their HTML needs another folder, or one in it")
        root = os.path.commonpath(folders or [Path()])
        return FolderOfTexts(args.output_dir, root, f".{_ENDINGS.get(args.format, args.format)}", resume=args.resume)
    if args.resume and (is_parquet or args.output == STANDARD or args.output.endswith(COMPRESSIONS)):
        raise UsageError("--resume needs -o FILE of JSON lines, not compressed, or --output-dir")
    return ParquetFile(args.output) if is_parquet else JsonLinesFile(args.output, resume=args.resume)


def _folder_of(name: str) -> Path:
    """Return a folder, that of a file, or that which a pattern begins with."""
    path = Path(name).absolute()
    if path.is_dir():
        return path
    return next(one for one in path.parents if not has_magic(str(one)) or one.exists())


def _made(
    record: ArchiveRecord, body: Body, *, form: str, settings: DenoiseSettings, fields: Sequence[str], whole: bool
) -> Any:
    """Return the row of a page, or its text for a file."""
    if whole:
        return _whole_text(body, form, settings, fields)
    row = {"file": record.file, **row_of(body, "text" if form == "json" else form, settings, fields)}
    return {**row, "date": record.date} if record.date else row
