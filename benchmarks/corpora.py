"""Recorded pages to measure on: a folder of corpora, and the example portal.

A corpus is a file `NAME.jsonl.gz`, a JSON object a line: `site`, `page`, `url`, `html`, and `gold`, the text
that a careful person would keep; `kind` where it is known ("article", "forum" …). Where only pieces of the text were
marked, `gold` is empty, and `with` and `without` list pieces that belong to it, and that do not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from example_project.portal.build import build


@dataclass(frozen=True)
class RecordedPage:
    """A page with the text a person would keep, or with pieces that belong to it (`wanted`) and that do not."""

    url: str
    html: str
    gold: str
    site: str = ""
    kind: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


Site = list[RecordedPage]


def load(folder: Path | None, names: tuple[str, ...] = ()) -> Iterator[tuple[str, list[Site]]]:
    """Yield (name, sites) of each corpus, the example portal first.

    Args:
        folder: Where the corpora lie; None: the portal alone.
        names: Which of them; all where none is named.

    Raises:
        FileNotFoundError: There is no such folder, or no corpus in it.
    """
    if not names or "portal" in names:
        yield "portal", [portal()]
    if folder is None:
        return
    files = sorted(folder.glob("*.jsonl.gz"))
    if not files:
        raise FileNotFoundError(f"no *.jsonl.gz in {folder}")
    for path in files:
        name = path.name.partition(".")[0]
        if not names or name in names:
            yield name, _read(path)


def add_corpora_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--corpora`, a folder or None; by default that of the environment variable DENOISE_CORPORA."""
    folder = os.environ.get("DENOISE_CORPORA")
    given = Path(folder) if folder else None
    parser.add_argument("--corpora", type=Path, default=given, help="a folder of *.jsonl.gz")


def portal() -> Site:
    """The pages of the example portal that have a truth."""
    host = "http://portal.example"
    return [RecordedPage(host + p.path, p.html, p.truth) for p in build().pages.values() if p.truth is not None]


def _read(path: Path) -> list[Site]:
    sites: dict[str, Site] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            url, kind = row["url"] or row["page"], row.get("kind") or ""
            pieces = tuple(row.get("with", ())), tuple(row.get("without", ()))
            sites[row["site"]].append(RecordedPage(url, row["html"], row["gold"], row["site"], kind, *pieces))
    return list(sites.values())
