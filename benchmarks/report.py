"""`benchmarks/output/report.json`: a section for each benchmark, with what it was run with.

    {"turns": {"with": {"python": "3.11.7", "lxml": "6.1.3", …}, "quick": false, "rows": [{…}, …]}}

A benchmark replaces its own section and leaves the others.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lxml import etree

OUTPUT = Path(__file__).with_name("output") / "report.json"
#: Distributions whose versions are told, where they are installed.
PACKAGES = ("lxml", "numpy", "scrapy", "trafilatura", "readability-lxml", "resiliparse", "deboiler")

Row = dict[str, Any]


def merge(section: str, rows: Row | Sequence[Row], *, quick: bool = False, path: Path = OUTPUT) -> None:
    """Put a section into the report.

    Args:
        section: Its name.
        rows: Flat rows: what was measured, and the figures; or one mapping that tells all.
        quick: Whether fewer pages were measured than usual.
        path: The report.
    """
    found = rows if isinstance(rows, dict) else list(rows)
    report = read(path) | {section: {"with": environment(), "quick": quick, "rows": found}}
    path.parent.mkdir(exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    part.replace(path)


def read(path: Path = OUTPUT) -> dict[str, Any]:
    """The report; empty where there is none, or one of an older form."""
    if not path.exists():
        return {}
    report = json.loads(path.read_text("utf-8"))
    return report if isinstance(report, dict) else {}


def environment() -> dict[str, str]:
    """Versions of what counts for cost and quality."""
    told = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            told[package] = version(package)
        except PackageNotFoundError:
            continue
    return told | {"libxml2": ".".join(map(str, etree.LIBXML_VERSION))}
