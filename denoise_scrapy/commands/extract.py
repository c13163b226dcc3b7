"""`scrapy denoise extract`: the text of one page; `python -m denoise_scrapy` does the same without a project."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from denoise_scrapy.body import STRATEGIES, Body, SiteModel
from denoise_scrapy.commands import STANDARD
from denoise_scrapy.commands.inputs import sources_of
from denoise_scrapy.page import Page
from denoise_scrapy.settings import DenoiseSettings

if TYPE_CHECKING:
    from scrapy.settings import Settings

FORMATS = ("text", "markdown", "html", "json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("page", metavar="PAGE", help="an http(s) URL, a file, or - for standard input")
    parser.add_argument(
        "--compare", nargs="+", action="extend", default=[], metavar="PAGE", help="other pages of the site: the same"
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="default: text")
    parser.add_argument("--strategy", choices=tuple(STRATEGIES), help="default: DENOISE_STRATEGY")
    parser.add_argument("-o", "--output", metavar="FILE", default=STANDARD, help="default: standard output")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the text of the page."""
    read = DenoiseSettings.from_settings(settings)
    names = [args.page, *args.compare]
    sources = sources_of(names, "extract", settings)  # files as they are: they are decoded as browsers do
    pages = [
        Page.parse(source, keep=read.keep, remove=read.remove)
        if isinstance(source, bytes)
        else Page.parse(source.text, url=source.url, keep=read.keep, remove=read.remove)
        for source in sources
    ]
    model = SiteModel.fit(pages[1:])
    body = model.extract(pages[0], strategy=args.strategy or read.strategy, taste=read.taste)
    data = _written(body, pages[0].url, args.format).encode(errors="replace")  # a lone surrogate has no bytes
    if args.output == STANDARD:
        sys.stdout.buffer.write(data)
    else:
        Path(args.output).write_bytes(data)
    return 0


def _written(body: Body, url: str, form: str) -> str:
    if form == "json":
        fields = {
            "url": url,
            "title": body.title,
            "kind": body.kind,
            "confidence": round(body.confidence, 3),
            "evidence": body.evidence,
            "text": body.text,
        }
        return json.dumps(fields, ensure_ascii=False) + "\n"
    return (body.text if form == "text" else str(getattr(body, form))).rstrip("\n") + "\n"
