"""The texts of the pairs that people read: recorded pages and streams, packages of npm, descriptions of Debian.

Only names and letters are kept here (`pairs_read.jsonl`), with hashes of the texts: one that has changed is left out.
Files of packages lie in `PACKAGES`: what `npm pack lodash@4.14.0` writes, and `Translation-de.bz2` and its like, which
a mirror of Debian has for bookworm in `main/i18n`.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import re
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

READ = Path(__file__).with_name("pairs_read.jsonl")
PACKAGES = Path("training/output/packages")
MOST_CHARACTERS = 40_000
_DESCRIPTION = re.compile(r"Package: (\S+)\nDescription-md5: (\S+)\nDescription-\S+: (.*)\n((?: .*\n?)*)")


@dataclass(frozen=True)
class ReadPair:
    """Two texts and what readers call them.

    Attributes:
        letter: C copy, U update, V variant, D different.
        source: Where both are from.
        disputed: Whether readers differ on copy or not.
        held: Whether training never sees it.
    """

    first: str
    second: str
    letter: str
    source: str
    disputed: bool
    held: bool


def read_pairs(shared: Path) -> Iterator[ReadPair]:
    """Yield the pairs of `shared/pairs`, and our own with their texts from `shared` and `PACKAGES`."""
    for path in sorted((shared / "pairs").glob("*.jsonl")):
        for row in map(json.loads, path.open(encoding="utf-8")):
            disputed = bool(row.get("disputed"))
            yield ReadPair(row["first"], row["second"], row["letter"], row["stream"], disputed, held=False)
    for row in map(json.loads, READ.open(encoding="utf-8")):
        texts = [_texts(shared, source).get(key, "") for source, key in row["texts"]]
        if [hashed(text) for text in texts] != row["hashes"]:
            print(f"left out, for a text has changed: {row['texts']}")
            continue
        letters = row["letters"]
        disputed = len({letter == "C" for letter in letters}) > 1
        yield ReadPair(texts[0], texts[1], row["letter"], row["source"], disputed, row["held"])


def hashed(text: str) -> str:
    """Return a hash that tells texts apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def _texts(shared: Path, source: str) -> Mapping[str, str]:
    """Return the texts of a source by their keys."""
    if source.startswith("debian-"):
        return dict(_descriptions(source.removeprefix("debian-")))
    if source.startswith("npm/"):
        return dict(_files(*source.removeprefix("npm/").rsplit("/", 1)))
    paths = [
        path for path in shared.glob(f"*/{source}.jsonl.gz") if path.parent.name.startswith(("corpora", "streams"))
    ]
    with gzip.open(paths[0], "rt", encoding="utf-8") as lines:
        return dict(_recorded(number, json.loads(line)) for number, line in enumerate(lines))


def _recorded(number: int, row: dict[str, Any]) -> tuple[str, str]:
    if "gold" in row:
        gold = row["gold"]
        return f"{row['site']}/{row['page']}", (gold if isinstance(gold, str) else "\n".join(gold))[:MOST_CHARACTERS]
    key = row.get("key") or row.get("url") or row.get("id") or number
    return str(key), str(row.get("text") or row.get("body"))[:MOST_CHARACTERS]


def _descriptions(language: str) -> Iterator[tuple[str, str]]:
    """Yield packages of Debian, with the hash that Debian names a description by, and the descriptions."""
    for block in bz2.decompress((PACKAGES / f"Translation-{language}.bz2").read_bytes()).decode().split("\n\n"):
        if found := _DESCRIPTION.match(block):
            body = re.sub(r"(?m)^ ", "", re.sub(r"(?m)^ \.$", "", found[4]))
            body = re.sub(r"(?<!\n)\n(?=\w)", " ", body).strip()
            yield f"{found[1]} {found[2]}", f"{found[3]}\n\n{body}"[:MOST_CHARACTERS]


def _files(name: str, version: str) -> Iterator[tuple[str, str]]:
    """Yield the files at the top of a package of npm."""
    with tarfile.open(PACKAGES / f"{name}-{version}.tgz") as packed:
        for member in packed:
            opened = packed.extractfile(member) if member.isfile() and member.name.count("/") == 1 else None
            if opened is not None:
                yield Path(member.name).name.lower(), opened.read().decode("utf-8", "replace")[:MOST_CHARACTERS]
