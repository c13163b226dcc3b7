"""The floors that CI holds: F1 of each strategy on each corpus, in `baseline.json`.

A floor is what was reached less one standard error of the mean. It belongs to the very pages it was measured
on: the corpus is named with a hash of its pages, and another corpus of that name is not compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from benchmarks.corpora import Site
from benchmarks.quality import Row

BASELINE = Path(__file__).with_name("baseline.json")


def corpus_hash(sites: Iterable[Site]) -> str:
    """A hash of a corpus' pages and truths."""
    digest = hashlib.sha256()
    for page in (page for site in sites for page in site):
        for text in (page.url, page.html, page.gold):
            digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()[:16]


def key(row: Row) -> str:
    """Name of a row in the baseline."""
    return f"{row.corpus} {row.strategy} k={row.comparison_pages}"


def read() -> dict[str, dict[str, object]]:
    """The baseline: {row: {"corpus": hash, "floor": F1}}."""
    return dict(json.loads(BASELINE.read_text())) if BASELINE.exists() else {}


def write(rows: Iterable[tuple[Row, str]]) -> None:
    """Set the floors to what was reached now."""
    baseline = read()
    for row, digest in rows:
        baseline[key(row)] = {"corpus": digest, "floor": round(row.f1 - row.error, 4)}
    BASELINE.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n")


def failures(rows: Iterable[tuple[Row, str]]) -> list[str]:
    """What falls below its floor, or has none; a sentence each."""
    baseline, found = read(), []
    for row, digest in rows:
        entry = baseline.get(key(row))
        if entry is None or entry["corpus"] != digest:
            found.append(f"{key(row)}: no floor for these pages (F1 {row.f1:.4f}); `make baseline` sets one")
        elif row.f1 < float(str(entry["floor"])):
            found.append(f"{key(row)}: F1 {row.f1:.4f} is below the floor {entry['floor']}")
    return found
