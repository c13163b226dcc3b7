"""Labelled pairs: a new text, a kept one, and whether a person would call them the same.

The same bases and seed give the same pairs: every pair has a random generator of its own, named after the
seed, its kind and its base, so a further kind changes no other's pairs.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.dedup.bases import Base
from benchmarks.dedup.forms import form_pairs
from benchmarks.dedup.negatives import NEGATIVES
from benchmarks.dedup.pieces import size
from benchmarks.dedup.pool import Pool
from benchmarks.dedup.positives import POSITIVES, Edit
from benchmarks.dedup.topics import nearest

FORMS = 500  # pairs of one form; about a seventh of the negatives
MIN_UNITS = 20  # shorter texts are never judged by likeness
MIN_RATIO = 0.3  # a part shorter than this is an excerpt, of which nothing is promised
_TURNS = {"latin": (4, 2), "chinese": (7, 3)}
"""Kinds of positives and negatives made of a base, in turn; all of them where a language group has few texts."""
_SITE_PAIRS = 3  # of a base: or one site of many pages would be most of the negatives


@dataclass(frozen=True)
class Pair:
    """Two texts and the truth about them.

    Attributes:
        kind: Name of the edit.
        duplicate: Whether a person would call the new text the kept one again.
        group: Language group, one of `pieces.GROUPS`.
    """

    new: str
    kept: str
    kind: str
    duplicate: bool
    group: str


def make_pairs(bases: Sequence[Base], seed: int = 0, forms: int = FORMS) -> list[Pair]:
    """All pairs of some bases.

    Args:
        bases: Texts of which no two say the same; two pages at least.
        seed: Another seed gives other pairs of the same kinds.
        forms: Number of pairs of one form; these need no bases.

    Raises:
        ValueError: All bases are of one page, so there are no others' words.
    """
    if len({base.document for base in bases}) < 2:
        raise ValueError("pairs take texts of two pages at least")
    pool = Pool(bases, nearest(bases))
    pairs = [
        *_edited(bases, pool, POSITIVES, True, seed),
        *_edited(bases, pool, NEGATIVES, False, seed),
        *_neighbours(bases),
        *(Pair(new, kept, "one form", False, group) for new, kept, group in form_pairs(forms, seed)),
    ]
    return [pair for pair in pairs if _is_fit(pair)]


def digest(pairs: Iterable[Pair]) -> str:
    """A hash of the pairs, to know them again."""
    state = hashlib.sha256()
    for pair in pairs:
        for text in (pair.new, pair.kept, pair.kind, str(pair.duplicate), pair.group):
            state.update(text.encode("utf-8", "replace") + b"\0")
    return state.hexdigest()[:16]


def _edited(bases: Sequence[Base], pool: Pool, edits: Mapping[str, Edit], duplicate: bool, seed: int) -> Iterator[Pair]:
    kinds = list(edits)
    number: dict[str, int] = defaultdict(int)
    for base in bases:
        turns = _TURNS.get(base.group, (len(kinds), len(kinds)))[0 if duplicate else 1]
        for turn in range(turns):
            kind = kinds[(number[base.group] * turns + turn) % len(kinds)]
            texts = edits[kind](base, pool, Random(f"{seed} {kind} {base.name}"))
            if texts:
                yield Pair(*texts, kind, duplicate, base.group)
        number[base.group] += 1


def _neighbours(bases: Sequence[Base]) -> Iterator[Pair]:
    """Each text with the next ones of its site, and with the other thirds of its own page."""
    sites: dict[str, list[Base]] = defaultdict(list)
    for base in bases:
        sites[base.site or base.document].append(base)
    for site in sites.values():
        for i, base in enumerate(site):
            for j in range(1, min(_SITE_PAIRS, len(site) - 1) + 1):
                other = site[(i + j) % len(site)]
                kind = "other part" if base.document == other.document else "same site"
                yield Pair(base.text, other.text, kind, False, base.group)


def _is_fit(pair: Pair) -> bool:
    """Long enough to be judged; of a duplicate, long enough beside the kept text."""
    new, kept = size(pair.new), size(pair.kept)
    return min(new, kept) >= MIN_UNITS and (not pair.duplicate or new >= MIN_RATIO * kept)
