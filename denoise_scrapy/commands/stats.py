"""`scrapy denoise stats`: the stats of a crawl, as a table or, with `-o`, as a page with a chart."""

from __future__ import annotations

import argparse
import json
from html import escape
from pathlib import Path
from typing import Any

from denoise_scrapy.commands import Given, check_output, show
from denoise_scrapy.crawl.counters import PREFIX, meaning_of
from denoise_scrapy.crawl.parts import STATS_FILE
from denoise_scrapy.support.shown import MAX_CELL, figures_page, figures_table, shown, text_table

Counts = dict[str, Any]

_CONFIDENCE = "body/confidence/"
_STEP = 0.05  # width of the classes of confidence


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="a JOBDIR, or a .json file of stats")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="also write a page with the table and a chart")
    parser.add_argument("--json", action="store_true", help="print the plugin's stats as JSON")


def run(args: argparse.Namespace, settings: Given) -> int:
    check_output(args, "stats")
    found = read_stats(args.source)
    counts = {name.removeprefix(PREFIX): found[name] for name in sorted(found) if name.startswith(PREFIX)}
    if not counts:
        raise ValueError(f"{args.source}: no stat begins with {PREFIX!r}; was the plugin enabled?")
    rows = [[_written(value), name, meaning] for name, meaning, value in _rows(counts)]
    show(args, counts, text_table(["value", "stat", "meaning"], rows, [1, 2]), stats_page(args.source, counts))
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


def stats_page(source: str, counts: Counts) -> str:
    """Return an HTML page with the confidence of bodies as a bar chart, and a table of all stats.

    Example:
        >>> page = stats_page("job", {"body/confidence/0.85": 3, "body/items": 3})
        >>> page.count('class="bar"'), "<td>body/<wbr>items<td>items that received a text" in page
        (1, True)
    """
    return figures_page(f"What {source} counted", [_chart(counts), figures_table(_rows(counts))])


def _rows(counts: Counts) -> list[tuple[str, str, Any]]:
    """Return name, meaning and value of each stat; a text, such as a URL, follows its meaning."""
    return [
        (name, f"{meaning_of(name)}: {value}", "") if isinstance(value, str) else (name, meaning_of(name), value)
        for name, value in counts.items()
    ]


def _chart(counts: Counts) -> str:
    classes = {
        name.removeprefix(_CONFIDENCE): value
        for name, value in counts.items()
        if name.startswith(_CONFIDENCE) and isinstance(value, int)
    }
    if not classes:
        return ""
    most = max(1, *classes.values())
    rows = "".join(
        f'<tr><td class="n">{escape(shown(name, MAX_CELL))}'
        f'<td class="bars"><div class="bar" style="width:{100 * value // most}%"></div>'
        f'<td class="n">{value:,}'
        for name, value in sorted(classes.items())
    )
    return f"<h2>Pages by the confidence of their body, in steps of {_STEP}</h2><table>{rows}</table><h2>All stats</h2>"


def _written(value: object) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
