"""`scrapy denoise explain`: draw what of a page is kept, and why, as one HTML file."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from denoise_scrapy.body.explanation import Explanation, explain_page
from denoise_scrapy.commands import STANDARD
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import say

if TYPE_CHECKING:
    from scrapy.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    add_page_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="- for standard output; default: NAME-explained.html")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the file, and say how many blocks are of each class."""
    read = DenoiseSettings.from_settings(settings)
    (page, url), *others = pages_of([args.page, *args.compare], "explain", settings)
    explanation = explain_page(
        page,
        url,
        [(at or name, html) for name, (html, at) in zip(args.compare, others, strict=True)],
        name=args.page,
        strategy=args.strategy or read.strategy,
        taste=read.taste,
        keep=read.keep,
        remove=read.remove,
    )
    data = explanation.html.encode()
    if args.output == STANDARD:
        sys.stdout.buffer.write(data)
        return 0
    target = Path(args.output or f"{_name(args.page)}-explained.html")
    target.write_bytes(data)
    say(*_table(explanation), f"written to {target}")
    return 0


def _name(page: str) -> str:
    """What the file is called after: the host of an URL, or the name of a file.

    Example:
        >>> _name("https://a.example:8080/b.html"), _name("pages/b.html"), _name("-")
        ('a.example', 'b', 'page')
    """
    host = urlsplit(page).hostname if "://" in page else None
    return re.sub(r"[^\w.-]+", "_", host or Path(page).stem).strip("-") or "page"


def _table(explanation: Explanation) -> Iterator[str]:
    body = explanation.body
    used = sum(not lack for _, lack in explanation.comparison)
    yield f"{explanation.name}: strategy {body.strategy}, expected F1 {body.confidence:.2f}"
    yield f"compared with {used} of {len(explanation.comparison)} pages" if explanation.comparison else "judged alone"
    yield from (f"  {name}: {lack}" for name, lack in explanation.comparison if lack)
    yield f"{'':<10}{'blocks':>8}{'words':>8}"
    for name, (blocks, words) in explanation.counts.items():
        yield f"{name:<10}{blocks:>8,}{words:>8,}"
