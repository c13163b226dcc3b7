"""The texts that pairs are made of: of recorded pages, or of the example portal; no two say the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.corpora import RecordedPage, Site, load, portal
from benchmarks.dedup.pieces import group_of, size, split
from denoise_scrapy.core.units import tokens

CORPORA = ("world", "single", "zh", "zh68", "wcxb")
"""Not big9, dragnet and cleanportal: the rule was found on those."""

MIN_UNITS = 40  # below, a text is a caption or a notice; such pairs have a kind of their own
_SPLIT_FROM = 600  # thirds of 200 units are still articles
_WHOLE_EVERY = 4  # of long texts outside Latin script one in four stays whole, for the sake of long texts
_SHINGLE, _SAME = 5, 0.5  # of two texts with half of the 5-unit runs in common nobody knows what they are


@dataclass(frozen=True)
class Base:
    """A text.

    Attributes:
        name: Unique, and the same in every run.
        document: The page it was on; thirds of a long text share one.
        site: Where the page was; empty where the corpus has a single page of each site.
        group: Language group, one of `pieces.GROUPS`.
        units: Length.
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


def recorded(folder: Path) -> list[Base]:
    """Bases of recorded corpora."""
    return unlike(base for name, sites in load(folder, CORPORA) for base in _corpus(name, sites))


def of_portal() -> list[Base]:
    """Bases of the example portal; its planted copies fall out."""
    return unlike(base for page in portal() for base in _split(page, "portal"))


def unlike(bases: Iterable[Base]) -> list[Base]:
    """Those long enough, less each that has half of its 5-unit runs in common with one before, or that one's half."""
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


def _corpus(name: str, sites: list[Site]) -> Iterator[Base]:
    taken = sites[::2] if name == "wcxb" else sites  # the rest of it stays unseen
    for page in (page for site in taken for page in site):
        yield from _split(page, name)


def _split(page: RecordedPage, corpus: str) -> Iterator[Base]:
    """One base, or three of a long text in a script of which there are few."""
    document = f"{corpus} {page.url}"
    site = "" if corpus in ("single", "zh68") else page.site or corpus
    whole = Base.of(document, site, page.gold)
    if whole.group == "latin" or whole.units < _SPLIT_FROM or _stays_whole(document):
        yield whole
        return
    rest = page.gold
    for part in range(3):
        text, rest = split(rest, whole.units // 3 + 1)
        yield Base.of(document, site, text, part)


def _stays_whole(document: str) -> bool:
    return sum(document.encode()) % _WHOLE_EVERY == 0
