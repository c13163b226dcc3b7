"""Texts that are made from one form: a skeleton of sentences with values filled in.

The skeletons and the words are in `form_kinds/`: `= name: value|value` is a list of values, `== name` begins a form,
its lines are its paragraphs. `{name}` is a value, `{@name}` one that the whole text has in common, `{1-99}` a number.

The pairs are the hardest negatives: two records of 60 to 200 units each, of which 45% to 60% of the new one's units are
in the kept one, in the same order (`COMMON`; pairs outside are thrown away).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from typing_extensions import override

from denoise_scrapy.core.units import tokens
from example_project.portal.grammar import RANGE, Voice

COMMON = (0.45, 0.6)
_FOLDER = Path(__file__).with_name("form_kinds")
_OF_PAIRS = {"latin": "pairs_english", "chinese": "pairs_chinese"}


class Writer(Voice):
    """Fills in one text."""

    @override
    def raw(self, symbol: str) -> str:
        return self.fill(self.deal(symbol))

    @override
    def _slot(self, match: re.Match[str]) -> str:
        name = match[1]
        if name.startswith("@"):
            if name not in self.names:
                self.names[name] = self.fill(f"{{{name[1:]}}}")
            return self.names[name]
        span = RANGE.fullmatch(name)  # as many digits as the lower bound at least
        return f"{self.rng.randint(int(span[1]), int(span[2])):0{len(span[1])}}" if span else super()._slot(match)


@lru_cache
def values(file: str) -> Mapping[str, Sequence[str]]:
    """Return the lists of values of a file."""
    found = (line[2:].partition(": ") for line in _lines(file) if line.startswith("= "))
    return {name: listed.split("|") for name, _, listed in found}


@lru_cache
def skeletons(file: str) -> Mapping[str, Sequence[str]]:
    """Return the lines of each form of a file, by its name."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _lines(file):
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("= "):
            lines.append(line)
    return found


def form_pairs(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield (new text, kept text, language group), as many of each skeleton."""
    forms = [(group, file, *lines) for group, file in _OF_PAIRS.items() for lines in skeletons(file).values()]
    for i in range(count):
        group, file, skeleton = forms[i % len(forms)]
        rng = Random(f"{seed} one form {i}")
        while True:
            new, kept = (Writer(rng, values(file)).fill(skeleton) for _ in range(2))
            if COMMON[0] <= common(new, kept) <= COMMON[1]:
                yield new, kept, group
                break


def common(new: str, kept: str) -> float:
    """Return the share of the new text's units, with repetitions, that the kept one has.

    >>> common("one form one value", "one form")
    0.5
    """
    units = Counter(tokens(new))
    return (units & Counter(tokens(kept))).total() / units.total()


def _lines(file: str) -> list[str]:
    return (_FOLDER / f"{file}.txt").read_text("utf-8").splitlines()
