"""Pages to measure on, each with the text to keep: a folder of corpora, and the example portal.

A corpus is a file `NAME.jsonl.gz`, one JSON object per line: `site`, `page`, `url`, `html`, and `gold`, the text that a
careful person would keep; `kind` if it is known ("article", "forum" …).
If only pieces of the text were marked, `gold` is empty, and `with` and `without` list pieces that do and do not belong
to it.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from example_project.portal.build import build
from example_project.portal.model import tokens
from example_project.scoring import f1

T = TypeVar("T")


@dataclass(frozen=True)
class RecordedPage:
    """A page with the text a person would keep, or with pieces that belong to it and that do not."""

    url: str
    html: str
    gold: str
    site: str = ""
    kind: str = ""
    name: str = ""
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    @property
    def has_truth(self) -> bool:
        """Whether anybody said what belongs to its text; others are for comparison."""
        return bool(self.gold or self.wanted or self.unwanted)

    def score(self, text: str) -> float:
        """Return the token F1 of a text, else the F1 of its pieces."""
        return f1(text, self.gold) if self.gold else score_of_pieces(text, self.wanted, self.unwanted)


def score_of_pieces(text: str, wanted: Iterable[str], unwanted: Iterable[str]) -> float:
    """Return the F1 of pieces that a text should have, and of those it should not; without the first, 1 or 0."""
    held, wanted = f" {' '.join(tokens(text))} ", tuple(wanted)
    right, wrong = (sum(f" {' '.join(tokens(one))} " in held for one in some) for some in (wanted, unwanted))
    return 2 * right / max(right + wrong + len(wanted), 1) if wanted else float(not wrong)


Site = list[RecordedPage]


def load(folder: Path | None, names: Sequence[str] = ()) -> Iterator[tuple[str, list[Site]]]:
    """Yield (name, sites) of each corpus, the example portal first.

    Args:
        folder: Folder of the corpora; None: the portal alone.
        names: Corpora to load; empty: all.

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
            yield name, read(path)


def recorded(folders: Iterable[Path]) -> Iterator[tuple[str, list[Site]]]:
    """Yield (name, sites) of the corpora of several folders, the portal left out."""
    for folder in folders:
        yield from (found for found in load(folder) if found[0] != "portal")


def read(path: Path) -> list[Site]:
    """Return the sites of a corpus."""
    sites: dict[str, Site] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            more = row["site"], row.get("kind") or "", row.get("page") or ""
            pieces = tuple(row.get("with", ())), tuple(row.get("without", ()))
            sites[row["site"]].append(RecordedPage(row["url"] or row["page"], row["html"], row["gold"], *more, *pieces))
    return list(sites.values())


def portal() -> Site:
    """Return the pages of the example portal that have a truth."""
    host = "http://portal.example"
    return [RecordedPage(host + p.path, p.html, p.truth) for p in build().pages.values() if p.truth is not None]


def sections(pages: Site) -> list[Site]:
    """Return the sections of the portal: each is a site with a template of its own."""
    found: dict[str, Site] = defaultdict(list)
    for page in pages:
        found[urlsplit(page.url).path.split("/")[1]].append(page)
    return list(found.values())


def corpus_hash(sites: Iterable[Site]) -> str:
    """Return a hash of a corpus' pages and truths."""
    return text_hash(text for site in sites for page in site for text in (page.url, page.html, page.gold))


def text_hash(texts: Iterable[str]) -> str:
    """Return a hash that identifies data."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()[:16]


def evenly(items: Sequence[T], wanted: int) -> list[T]:
    """Return a number of the items, evenly spaced; all if there are no more."""
    count = min(max(wanted, 0), len(items))
    return [items[i * len(items) // count] for i in range(count)]


def add_corpora_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--corpora`, a folder or None, DENOISE_CORPORA by default; and `--names` of corpora in it."""
    folder = os.environ.get("DENOISE_CORPORA")
    default = Path(folder) if folder else None
    parser.add_argument("--corpora", type=Path, default=default, help="a folder of *.jsonl.gz")
    parser.add_argument("--names", type=lambda given: tuple(given.split(",")), default=(), help="corpora: a,b; or all")


def add_folders_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--corpora` as one folder or several."""
    parser.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
