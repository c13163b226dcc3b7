"""Writes the figures of `benchmarks/output/report.json` into the documentation: `python -m benchmarks.cost_page`.

The notes on how to read them stand in `docs/figures.md`; the figures are those of the last `make bench`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import crawl, figures, growth, peers, report, turns

#: Sections of the report that are shown.
SECTIONS = ("turns", "worst", "growth", "peers", "crawl")


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.cost_page", description=__doc__)
    ap.add_argument("--report", type=Path, default=report.OUTPUT)
    args = ap.parse_args()
    found = report.read(args.report)
    missing = [section for section in SECTIONS if section not in found]
    if missing:
        ap.error(f"{args.report} has no {', '.join(missing)}: run `make bench` first")
    figures.write("cost", cost_text(found))


def cost_text(found: Mapping[str, Any]) -> str:
    """The tables, of a report with all `SECTIONS`."""
    rows = {section: found[section]["rows"] for section in SECTIONS}
    made = rows["crawl"]
    shown = [row for row in rows["turns"] if row["what"] != turns.FIRST or row["elements"] == "all"]
    parts = [
        measured_with(found),
        "Pages of a site in turn, each once (number of pages in brackets):",
        turns.turns_table(shown, compared=(turns.USUAL,)),
        f"The worst recorded page: {worst(rows['worst'])}; the goal is 50. A page of {growth.LARGE:,} elements takes "
        f"{ratios(rows['growth'])} times as many multiples as one of {growth.SMALL:,}; the goal is {growth.GOAL}.",
        "Other extractors, the same pages page by page in turn:",
        peers.peers_table(rows["peers"]),
        f"A crawl of {made['pages']} made pages of 500 elements from {made['hosts']} hosts, on two cores that the "
        f"server shares; medians of {made['rounds']} rounds, `bare` is the same crawl without the add-on:",
        *map(crawl.table, made["delays"]),
    ]
    return "\n\n".join(parts)


def worst(rows: list[report.Row]) -> str:
    """The highest multiple."""
    return f"{max(row['parses'] for row in rows):.0f} P"


def ratios(rows: list[report.Row]) -> str:
    """Growth of the multiple."""
    return " and ".join(f"{row['median']:.2f}" for row in rows if row["elements"] == "ratio")


def measured_with(found: Mapping[str, Any]) -> str:
    """Versions, one sentence; and a warning where a run was quick."""
    told = dict(found["turns"]["with"])
    versions = ", ".join(f"{name} {version}" for name, version in told.items())
    line = f"Measured with {versions}."
    quick = [section for section in SECTIONS if found[section]["quick"]]
    return line + (f" **A quick run, rough figures:** {', '.join(quick)}." if quick else "")


if __name__ == "__main__":
    main()
