"""`scrapy denoise stats`: the shape of a crawl, of its items or of its job directory."""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from denoise_scrapy.commands.feeds import shape_of_items
from denoise_scrapy.commands.shape_picture import html_page, picture
from denoise_scrapy.crawl.duplicates.index import INDEX_FILE
from denoise_scrapy.crawl.shape.crawl_shape import CrawlShape, length_name
from denoise_scrapy.crawl.shape.host_shape import HostShape
from denoise_scrapy.crawl.shape.report import SHAPE_FILE, read_shape, shape_lines
from denoise_scrapy.crawl.site_keeper import SITES_FILE
from denoise_scrapy.crawl.text_table import counted, text_table
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import Settings

KINDS_SHOWN = 12
#: Files of a job directory of which something is said, with what is counted in them.
_COUNTED = {
    SITES_FILE: ("site memory", "page", "SELECT count(*) FROM facts"),
    INDEX_FILE: ("index of texts", "text", "SELECT count(*) FROM texts"),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("source", metavar="FILE|JOBDIR", help="items (.jsonl, .jl, .json, .csv, also .gz) or a JOBDIR")
    parser.add_argument("-o", "--output", metavar="FILE", help="also draw it: .html, a page; .svg, the picture alone")
    parser.add_argument("--hosts", metavar="N", type=int, default=20, help="hosts shown, those with most pages; 20")
    parser.add_argument("--json", action="store_true", help="for machines")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print it, and draw it.

    Raises:
        UsageError: The output is to be of a kind that is not drawn.
    """
    source = Path(args.source)
    if args.output and Path(args.output).suffix not in {".html", ".svg"}:
        raise UsageError(f"stats: -o {args.output}: valid are .html and .svg")
    refused, notes = 0, list[str]()
    if source.is_dir():
        shape, notes = _of_job(source)
    else:
        shape, refused = shape_of_items(source, DenoiseSettings.from_settings(settings))
    if refused:
        say(f"no items: {counted(refused, 'line')}", file=sys.stderr)
    if args.json:
        say(*json.dumps(shape.as_dict(), ensure_ascii=False, indent=2).split("\n"))
    else:
        say(*_lines(args.source, shape, notes, max(1, args.hosts)))
    if args.output:
        draw = picture if args.output.endswith(".svg") else html_page
        Path(args.output).write_text(draw(shape, source.name), encoding="utf-8", errors="replace")
    return int(refused > 0)


def _of_job(folder: Path) -> tuple[CrawlShape, list[str]]:
    """The shape of a job, empty where no crawl has ended, and what its other files hold."""
    notes = [note for name, counted in _COUNTED.items() if (note := _count(folder / name, *counted))]
    file = folder / SHAPE_FILE
    if file.exists():
        return read_shape(file), notes
    if not notes:
        raise FileNotFoundError(f"{folder}: no crawl with denoise_scrapy has left anything here")
    return CrawlShape(), [*notes, f"{file}: there is no such file; a crawl writes it when it ends"]


def _count(path: Path, what: str, unit: str, query: str) -> str:
    if not path.exists():
        return ""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as link:
            return f"{what}: {counted(link.execute(query).fetchone()[0], unit)}"
    except sqlite3.Error as error:
        return f"{path}: {error}"


def _lines(name: str, shape: CrawlShape, notes: list[str], most: int) -> Iterator[str]:
    total = shape.total
    if not total.pages:
        yield from notes
        return
    runs = f", {counted(shape.runs, 'crawl')}" if shape.runs > 1 else ""
    yield f"{name}: {counted(total.pages, 'page')} of {counted(len(shape.hosts), 'host')}{runs}"
    yield ", ".join(_summary(total))
    yield from notes
    if shape.kinds:
        yield "kinds: " + ", ".join(f"{kind} {count:,}" for kind, count in shape.kinds.most_common(KINDS_SHOWN))
    yield ""
    yield from shape_lines(shape.largest(most))
    yield ""
    yield from _length_lines(shape)


def _summary(total: HostShape) -> Iterator[str]:
    yield f"{total.chars / max(1, total.pages - total.empty):,.0f} characters a body"
    yield f"{total.empty:,} empty"
    if total.kept is not None:
        yield f"{total.kept:.0%} of the text kept"
    if total.mean is not None:
        yield f"mean confidence {total.mean:.2f}"


def _length_lines(shape: CrawlShape) -> list[str]:
    rows = [[length_name(power), f"{count:,}"] for power, count in sorted(shape.histograms["lengths"].items())]
    return text_table(["characters", "bodies"], rows)
