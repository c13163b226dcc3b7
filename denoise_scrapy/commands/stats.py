"""`scrapy denoise stats`: the stats of a crawl as a table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from denoise_scrapy.commands import Given, show
from denoise_scrapy.crawl.counters import PREFIX, meaning_of
from denoise_scrapy.crawl.parts import STATS_FILE
from denoise_scrapy.support.shown import text_table

Counts = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="a JOBDIR, or a .json file of stats")
    parser.add_argument("--json", action="store_true", help="print the plugin's stats as JSON")


def run(args: argparse.Namespace, settings: Given) -> int:
    found = read_stats(args.source)
    counts = {name.removeprefix(PREFIX): found[name] for name in sorted(found) if name.startswith(PREFIX)}
    if not counts:
        raise ValueError(f"{args.source}: no stat begins with {PREFIX!r}; was the plugin enabled?")
    rows = [
        ["", name, f"{meaning_of(name)}: {value}"]  # a text, as a URL
        if isinstance(value, str)
        else [f"{value:,}" if isinstance(value, (int, float)) else str(value), name, meaning_of(name)]
        for name, value in counts.items()
    ]
    show(args, counts, text_table(["value", "stat", "meaning"], rows, [1, 2]))
    return 0


def read_stats(source: str) -> Counts:
    """Read the stats of a job directory or a JSON file."""
    path = Path(source)
    if path.is_dir():
        path /= STATS_FILE
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such file; a crawl with this JOBDIR writes it when it ends")
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a .json file of stats: {error}. A JOBDIR has one") from error
    if not isinstance(found, dict):
        raise ValueError(f"{path}: not a JSON object of stats")
    return found
