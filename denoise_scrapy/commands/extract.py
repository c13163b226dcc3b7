"""`scrapy denoise extract`: the text of pages; `python -m denoise_scrapy` does the same without a project."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from denoise_scrapy.archive.records import is_binary
from denoise_scrapy.body import Body, extract
from denoise_scrapy.body.rendering import IMAGES, LINKS
from denoise_scrapy.commands import STANDARD, UsageError
from denoise_scrapy.commands.extract_many import Pages, is_many, write_bodies
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of
from denoise_scrapy.page import Page
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import shown, straight
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from denoise_scrapy.commands.fetching import Given

FORMATS = ("text", "markdown", "html", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    add_page_arguments(parser, several=True)
    of_files = "address of a file, or of a folder of them; default: what the pages declare (link rel=canonical)"
    parser.add_argument("--url", metavar="URL", default="", help=of_files)
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--links", choices=LINKS, help="in Markdown; default: DENOISE_MARKDOWN, else keep")
    parser.add_argument("--images", choices=IMAGES, help="the same")
    parser.add_argument(
        "--meta",
        action="store_true",
        help='author, dates, site …: as front matter, in JSON as "meta"; needs the extra meta',
    )
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD, help="default: standard output")


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write the text of the page, or a line of JSON for each of several."""
    if args.meta and args.format == "html":
        raise UsageError("extract: --meta goes with text, markdown and json")
    asked = {name: value for name in ("links", "images") if (value := getattr(args, name))}
    if asked and args.format != "markdown":
        raise UsageError("extract: --links and --images go with --format markdown")
    read = DenoiseSettings.from_settings(settings)
    if args.url and not site_key(args.url):
        raise UsageError(f"extract: --url {args.url}: only http(s) URLs name a place of the web")
    strategy = args.strategy or read.strategy
    markdown = {**read.markdown, **asked}
    if len(args.page) > 1 or is_many(args.page[0]):
        return _many(args, read, strategy, settings, markdown)
    (html, url), *others = pages_of([*args.page, *args.compare], "extract", settings)
    if isinstance(html, bytes) and is_binary(html):
        raise ValueError(f"{args.page[0]}: neither HTML nor text, nor an archive by its name (.warc, .jsonl, .parquet)")
    pages = [Page.parse(source, url=at) for source, at in others]
    where = url or args.url or None
    body = extract(html, where, pages, strategy=strategy, taste=read.taste, keep=read.keep, remove=read.remove)
    text = _written(body, args.format, args.meta, markdown)
    if args.output == STANDARD and sys.stdout.isatty():
        text = straight(text)
    data = text.encode(errors="replace")  # a lone surrogate has no bytes
    if args.output == STANDARD:
        sys.stdout.buffer.write(data)
    else:
        Path(args.output).write_bytes(data)
    return 0


def _many(
    args: argparse.Namespace, read: DenoiseSettings, strategy: str, settings: Given, markdown: Mapping[str, str]
) -> int:
    if args.compare:
        raise UsageError("extract: --compare goes with one PAGE; several are compared with each other")
    if STANDARD in args.page:
        raise UsageError("extract: standard input is one page, and goes with no other")
    urls = [name for name in args.page if "://" in name]
    fetched = dict(zip(urls, pages_of(urls, "extract", settings), strict=True))
    pages = Pages(args.page, args.url, fetched)
    return write_bodies(pages, args.output, args.format, replace(read, markdown=markdown), strategy, meta=args.meta)


def _written(body: Body, form: str, meta: bool, markdown: Mapping[str, str]) -> str:
    if form == "json":
        fields = {
            "url": body.url,
            "title": body.title,
            "confidence": round(body.confidence, 3),
            "evidence": body.evidence,
            "text": body.text,
            **({"meta": asdict(body.meta)} if meta else {}),
        }
        return shown(json.dumps(fields, ensure_ascii=False)) + "\n"
    front = body.meta.front_matter() + "\n\n" if meta else ""
    written = body.to_markdown(**markdown) if form == "markdown" else str(getattr(body, form))
    return front + written.rstrip("\n") + "\n"
