"""`scrapy denoise dedup stats`: what an index holds."""

from __future__ import annotations

import argparse
import json
from array import array
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from denoise_scrapy.commands.opening import Opened, named_in, open_store

if TYPE_CHECKING:
    from scrapy.settings import Settings

SCOPES_SHOWN = 10
PERCENTS = (5, 50, 95)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.epilog = "Without STORE: the one that the project's settings name."


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print them."""
    args.store = args.store or named_in(settings)
    opened = open_store(args.store)
    with opened.store:
        found = statistics(opened)
    print(json.dumps(found, ensure_ascii=False, indent=2) if args.json else _as_text(args.store, found))
    return 0


def statistics(opened: Opened) -> dict[str, Any]:
    """Read the whole index and count."""
    lengths, short, scopes = array("Q"), 0, Counter[str]()
    for record in opened.store.records():
        lengths.append(record.fingerprint.n)
        scopes[record.name.scope] += 1
        short += opened.rule.too_short(record.fingerprint)
    ranks = np.percentile(lengths, PERCENTS, method="nearest").tolist() if lengths else [0] * len(PERCENTS)
    return {
        "texts": len(lengths),
        "short": short,
        "units": {f"{percent}%": int(value) for percent, value in zip(PERCENTS, ranks, strict=True)},
        "scopes": len(scopes),
        "largest_scopes": dict(scopes.most_common(SCOPES_SHOWN)),
        "bytes": None if opened.path is None else _bytes(opened.path),
        "constants": dict(opened.rule.constants),
    }


def _bytes(path: Path) -> int:
    """Size of a SQLite file and of what has been written but not yet put into it."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _as_text(name: str, found: dict[str, Any]) -> str:
    units = found["units"]
    size = "" if found["bytes"] is None else f", {found['bytes']:,} bytes"
    lines = [
        f"{_without_password(name)}: {found['texts']:,} texts{size}",
        f"length in units: median {units['50%']:,}, 5% have {units['5%']:,} or fewer, 5% {units['95%']:,} or more",
        f"too short to be judged by similarity: {found['short']:,}",
        f"scopes: {found['scopes']:,}",
        *(f"{count:>9,}  {scope or 'all'}" for scope, count in found["largest_scopes"].items()),
        "constants:",
        *(f"    {key}: {value}" for key, value in found["constants"].items()),
    ]
    return "\n".join(lines)


def _without_password(name: str) -> str:
    """An URL without its user and password, which are no matter of a screen."""
    scheme, found, rest = name.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if found else name
