"""Texts of recorded pages or the example portal for making pairs and streams, and the pieces to cut them at."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from pathlib import Path
from random import Random

from denoise_scrapy.core.feature_strings import tokens
from evaluation.corpora import RecordedPage, load, portal

CORPORA = ("world", "single", "zh", "zh68", "wcxb")
"""Not big9, dragnet and cleanportal: the rule was developed on those."""
GROUPS = ("latin", "chinese", "other cjk", "other")

MIN_UNITS = 40  # a shorter text is a caption or a notice; such pairs have their own kind
_SPLIT_FROM = 600  # thirds of 200 units are still articles
_WHOLE_EVERY = 4  # of long texts outside Latin script one in four stays whole, for the sake of long texts
_SHINGLE, _SAME = 5, 0.5  # two texts with half of the 5-unit runs in common are neither copies nor different
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+|\s+")
_SENTENCE_END = re.compile(r"(?<=[。！？\n])|(?<=[.!?؟۔])(?=\s)")
_HAN, _KANA_HANGUL = re.compile("[\u3400-\u9fff]"), re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_WORDS, _TEXTS = 1 << 16, 1 << 11  # pieces and texts cached; the bases are used again and again


@dataclass(frozen=True)
class Base:
    """A text of a group of `GROUPS`; its name is unique, and the same in every run.

    Its document is its page, which thirds of a long text share; the site is empty where a corpus has one page of each.
    """

    name: str
    document: str
    site: str
    group: str
    text: str
    units: int

    @classmethod
    def of(cls, document: str, site: str, text: str, part: int = 0) -> Base:
        """Make a base of a text."""
        return cls(f"{document}#{part}", document, site, group_of(text), text, size(text))


def recorded_bases(folder: Path) -> list[Base]:
    """Return bases of recorded corpora."""
    found = (
        (name, sites[::2] if name == "wcxb" else sites) for name, sites in load(folder, CORPORA)
    )  # half of it unseen
    return unlike(base for name, sites in found for site in sites for page in site for base in _split(page, name))


def portal_bases() -> list[Base]:
    """Return bases of the example portal; its planted copies are left out."""
    return unlike(base for page in portal() for base in _split(page, "portal"))


def unlike(bases: Iterable[Base]) -> list[Base]:
    """Return the bases long enough, except those that share half of either one's 5-unit runs with an earlier one."""
    kept: list[Base] = []
    owners: dict[int, list[int]] = defaultdict(list)
    sizes: list[int] = []
    for base in bases:
        shingles = _shingles(base.text)
        common = Counter(i for shingle in shingles for i in owners.get(shingle, ()))
        alike = any(count > _SAME * min(len(shingles), sizes[i]) for i, count in common.items())
        if base.units < MIN_UNITS or alike:
            continue
        for shingle in shingles:
            owners[shingle].append(len(kept))
        kept.append(base)
        sizes.append(len(shingles))
    return kept


def _shingles(text: str) -> set[int]:
    units = tokens(text)
    return {hash(tuple(units[i : i + _SHINGLE])) for i in range(len(units) - _SHINGLE + 1)}


def _split(page: RecordedPage, corpus: str) -> Iterator[Base]:
    """Yield one base, or three of a long text in a script of which there are few."""
    document = f"{corpus} {page.url}"
    site = "" if corpus in ("single", "zh68") else page.site or corpus
    whole = Base.of(document, site, page.gold)
    stays_whole = sum(document.encode()) % _WHOLE_EVERY == 0
    if whole.group == "latin" or whole.units < _SPLIT_FROM or stays_whole:
        yield whole
        return
    rest = page.gold
    for part in range(3):
        text, rest = split(rest, whole.units // 3 + 1)
        yield Base.of(document, site, text, part)


def group_of(text: str) -> str:
    """Return the language group, one of `GROUPS`, by the script of most of the text."""
    han, other_cjk = len(_HAN.findall(text)), len(_KANA_HANGUL.findall(text))
    letters = sum(map(str.isalpha, text))
    if han + other_cjk > 0.3 * letters:  # an ideograph counts for several letters
        return "other cjk" if other_cjk > 0.1 * han else "chinese"
    return "latin" if len(_LATIN.findall(text)) > 0.5 * letters else "other"


@lru_cache(_WORDS)
def size(text: str) -> int:
    """Return the length in units."""
    return len(tokens(text))


@lru_cache(_TEXTS)
def pieces(text: str) -> tuple[str, ...]:
    """Return words with their punctuation, single CJK characters, and the white space between; joined, the text."""
    return tuple(_PIECE.findall(text))


def words(parts: Sequence[str]) -> list[int]:
    """Return the places of the pieces that hold a unit."""
    return [i for i, piece in enumerate(parts) if size(piece)]


@lru_cache(_TEXTS)
def sentences(text: str) -> tuple[str, ...]:
    """Return sentences and lines; joined, the text."""
    return tuple(part for part in _SENTENCE_END.split(text) if part)


def split(text: str, units: int) -> tuple[str, str]:
    """Return the text in two, the first with at least a number of units, or with all of them."""
    seen, parts = 0, pieces(text)
    for i, piece in enumerate(parts):
        if seen >= units:
            return "".join(parts[:i]), "".join(parts[i:])
        seen += size(piece)
    return text, ""


def first(text: str, share: float) -> str:
    """Return the beginning of a text, with at least a share of its units."""
    whole, units = size(text), ceil(share * size(text))
    while units < whole:  # units may merge at a joint, so sometimes one more piece is needed
        part = split(text, units)[0]
        if size(part) >= share * whole:
            return part
        units += 1
    return text


def excerpt(text: str, units: int, rng: Random) -> str:
    """Return a number of units from a random place in a text, or all of a shorter text."""
    spare = size(text) - units
    if spare <= 0:
        return text.strip()
    return split(split(text, rng.randint(1, spare) - 1)[1], units)[0].strip()
