"""The texts of the pairs that people read: recorded pages, streams, packages of npm, descriptions and docs of Debian.

Only names and letters are kept here (`pairs_read.jsonl`), with hashes of the texts: one that has changed is left out.
Files of packages lie in `PACKAGES`: what `npm pack lodash@4.14.0`, `apt-get download manpages=5.10-1` and
`pip download --no-deps gensim==4.3.3` write, and `Translation-de.bz2` and its like, which a mirror of Debian has for
bookworm in `main/i18n`; those of other releases with their name, as in `Translation-trixie-de.bz2`. So for
`Components-trixie.yml.gz`, which is `Components-amd64.yml.gz` of trixie in `main/dep11`.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import html
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

READ = Path(__file__).with_name("pairs_read.jsonl")
PACKAGES = Path("training/output/packages")
MOST_CHARACTERS = 40_000
DISPUTED = 0.3  # weight of a pair
_UNSEEN = re.compile(r"(?is)<(head|style|script|info)\b.*?</\1>|<!--.*?-->")
_BLOCK = re.compile(r"(?i)</?(?:p|div|li|dt|dd|h\d|tr|td|pre|title|item|note|section|steps|list)\b[^>]*>")
# Of pages of manuals: what is not shown, what begins a line, and other requests.
_HIDDEN = re.compile(r"(?m)^[.'](?:\\\"|TH|d[se]|i[ef]|el|nr|hy|ad|nf|fi|in|ft).*")
_REQUEST = re.compile(r"(?m)^[.'](S[HS]|[LPHIT]*P|RS|RE|Sh|Pp|It)?\w* ?")
_ESCAPE = re.compile(r"\\f(?:\[\w*\]|\(..|.)|\\(?:\(..|\[\w+\]|[^-])|\\(?=-)")
_DESCRIPTION = re.compile(r"Package: (\S+)\nDescription-md5: (\S+)\nDescription-\S+: (.*)\n((?: .*\n?)*)")
#: Files of more texts than one, by a part of their name, and where each of these begins or ends.
_RECORDS = (
    ("/descript/", r"(?m)^%%%%\n"),
    ("/fortunes/", r"(?m)^%\n"),
    ("changelog", r"(?m)^(?=\S+ \()"),
    ("CHANGELOG", r"(?m)^(?=## )"),
    ("./templates", r"(?m)\n\n|^(?=Description)"),
    (".dict.dz", r"(?m)^(?=\S)"),
    ("cwec_", r"(?=<Weakness )"),
    ("/lee_", r"\n"),
    ("Components-", r"(?m)(?:^ {0,4}(?:- )?[\w@.-]+:(?: .*)?\n)+\s*"),
    (".ruleset", r"text\s*= *_\(\"|\"\)\s*\n"),
    ("helpdata", r"text\s*= *_\(\"|\"\)\s*\n"),
    ("faq", r"(?=<h3|<tr class=.question|<qandaentry)|(?m:^(?==head2))"),
    ("/catalog/", r"(?m)^-- [0-9a-f]{32}\n"),
    (".nse", r"\[\[|\]\]"),
    ("mypy_boto3", ""),  # with the header of the page, unlike all other packages of PyPI
    ("types_", ""),
    ("METADATA", r"\A(?s:.*?)\n\n"),
)
_PICTURES = (".png", ".jpg")  # nine tenths of some packages


@dataclass(frozen=True)
class ReadPair:
    """Two texts and what readers call them.

    Attributes:
        letter: C copy, U update, V variant, D different.
        source: Where both are from.
        weight: 1; less if one reader read it twice, or if readings differ on copy or not.
        held: Whether training never sees it.
    """

    first: str
    second: str
    letter: str
    source: str
    weight: float
    held: bool


def read_pairs(shared: Path) -> Iterator[ReadPair]:
    """Yield the pairs of `shared/pairs`, and our own with their texts from `shared` and `PACKAGES`."""
    for path in sorted((shared / "pairs").glob("*.jsonl")):
        for row in map(json.loads, path.open(encoding="utf-8")):
            weight = DISPUTED if row.get("disputed") else 1.0
            yield ReadPair(row["first"], row["second"], row["letter"], row["stream"], weight, held=False)
    for row in map(json.loads, READ.open(encoding="utf-8")):
        texts = [_text(shared, source, key) for source, key in row["texts"]]
        if [hashed(text) for text in texts] != row["hashes"]:
            print(f"left out, for a text has changed: {row['texts']}")
            continue
        letters = row["letters"]
        weight = (DISPUTED if len({letter == "C" for letter in letters}) > 1 else 1.0) * row.get("weight", 1.0)
        yield ReadPair(texts[0], texts[1], row["letter"], row["source"], weight, row["held"])


def hashed(text: str) -> str:
    """Return a hash that tells texts apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _text(shared: Path, source: str, key: str) -> str:
    """Return a text of a source, or nothing."""
    if "/" in source and not source.startswith("npm/"):
        member, _, number = key.partition("#")
        return _records(source, member)[int(number or 0)]
    return _texts(shared, source).get(key, "")


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


@cache
def _members(package: str) -> Mapping[str, bytes]:
    """Return the files of a package of Debian, npm or PyPI by their names."""
    path = PACKAGES / package
    if ".yml" in package:
        return {package: path.read_bytes()}
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    found, packed = dict[str, bytes](), path.read_bytes()
    # A package of Debian has two archives, each below a header of 60 bytes that ends with its size.
    starts = [one.end() for one in re.finditer(rb"(?:control|data)\.tar[^`]{44,50}`\n", packed)] or [0]
    for start in starts:
        size = int(packed[start - 12 : start - 2]) if start else len(packed)
        with tarfile.open(fileobj=io.BytesIO(packed[start : start + size])) as files:
            texts = (member for member in files if member.isfile() and not member.name.endswith(_PICTURES))
            opened = {member.name: files.extractfile(member) for member in texts}
            found |= {name: file.read() for name, file in opened.items() if file is not None}
    return found


@cache
def _records(source: str, name: str) -> Sequence[str]:
    """Return the texts of a file of a package: of HTML, Mallard, a manual's page, JSON, or lists in plain text."""
    packed = _members(source.partition("/")[2])[name]
    text = (gzip.decompress(packed) if name.endswith((".gz", ".dz")) else packed).decode("utf-8", "replace")
    if "/man/" in name:
        lines = _REQUEST.sub(lambda found: "\n\n" if found[1] else "", _HIDDEN.sub("", text))
        return [_plain(_ESCAPE.sub("", re.sub(r"(?<!\n)\n(?!\n)", " ", lines)))]
    mark = next((mark for part, mark in _RECORDS if part in name), "")
    parts = list(_strings(json.loads(text))) if ".json" in name else re.split(mark, text) if mark else [text]
    marked = name.endswith((".html", ".page"))
    return [_plain(_shown(part) if marked or part.startswith("<") else part) for part in parts]


def _strings(value: object) -> Iterator[str]:
    """Yield the strings of JSON, those of a list as lines of one."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        value = "\n".join(value)
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)


def _shown(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", _BLOCK.sub("\n", _UNSEEN.sub("", text))))


def _plain(text: str) -> str:
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"[ \t\xa0]+", " ", text)).strip()[:MOST_CHARACTERS]
