"""`scrapy denoise extract`: the text of one page; `python -m denoise_scrapy` does the same without a project."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from denoise_scrapy.body import Body, extract
from denoise_scrapy.body.rendering import IMAGES, LINKS
from denoise_scrapy.commands import STANDARD
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of
from denoise_scrapy.page import Page
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import shown, straight

if TYPE_CHECKING:
    from scrapy.settings import Settings

FORMATS = ("text", "markdown", "html", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    add_page_arguments(parser)
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--links", choices=LINKS, help="in Markdown; default: DENOISE_MARKDOWN, else keep")
    parser.add_argument("--images", choices=IMAGES, help="the same")
    parser.add_argument(
        "--meta",
        action="store_true",
        help='author, dates, site …: as front matter, in JSON as "meta"; needs the extra meta',
    )
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD, help="default: standard output")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the text of the page."""
    if args.meta and args.format == "html":
        raise UsageError("extract: --meta goes with text, markdown and json")
    asked = {name: value for name in ("links", "images") if (value := getattr(args, name))}
    if asked and args.format != "markdown":
        raise UsageError("extract: --links and --images go with --format markdown")
    read = DenoiseSettings.from_settings(settings)
    (html, url), *others = pages_of([args.page, *args.compare], "extract", settings)
    pages = [Page.parse(source, url=at) for source, at in others]
    strategy = args.strategy or read.strategy
    body = extract(html, url, pages, strategy=strategy, taste=read.taste, keep=read.keep, remove=read.remove)
    text = _written(body, url or "", args.format, args.meta, {**read.markdown, **asked})
    if args.output == STANDARD and sys.stdout.isatty():
        text = straight(text)
    data = text.encode(errors="replace")  # a lone surrogate has no bytes
    if args.output == STANDARD:
        sys.stdout.buffer.write(data)
    else:
        Path(args.output).write_bytes(data)
    return 0


def _written(body: Body, url: str, form: str, meta: bool, markdown: Mapping[str, str]) -> str:
    if form == "json":
        fields = {
            "url": url,
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
