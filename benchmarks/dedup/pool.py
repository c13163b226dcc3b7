"""Where the foreign parts of a pair come from: other texts of the same language group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from benchmarks.dedup.bases import Base
from benchmarks.dedup.pieces import excerpt, pieces, sentences, size

_THIRDS = 3  # a page gives this many texts at most, one after the other


class Pool:
    """Other texts than a given one, of another page.

    Attributes:
        near: {name of a base: the one on the same topic}.
    """

    def __init__(self, bases: Sequence[Base], near: Mapping[str, Base]) -> None:
        self.near = near
        self._groups: dict[str, list[Base]] = defaultdict(list)
        self._all = bases
        for base in bases:
            self._groups[base.group].append(base)

    def other(self, base: Base, rng: Random) -> Base:
        """A text of another page; of any language where its own group has none."""
        home: Sequence[Base] = self._groups[base.group]
        if len({one.document for one in home[: _THIRDS + 1]}) == 1:
            home = self._all
        while (found := rng.choice(home)).document == base.document:
            pass
        return found

    def run(self, base: Base, units: int, rng: Random) -> str:
        """So many units of others' text in a row, of as few texts as they take."""
        parts: list[str] = []
        while units > 0:
            parts.append(excerpt(self.other(base, rng).text, units, rng))
            units -= max(1, size(parts[-1]))
        return "\n".join(parts)

    def word(self, base: Base, rng: Random) -> str:
        """A word of another text."""
        parts = pieces(self.other(base, rng).text)
        while not size(word := rng.choice(parts)):
            pass
        return word

    def sentence(self, base: Base, rng: Random) -> str:
        """A sentence of another text."""
        return rng.choice([part for part in sentences(self.other(base, rng).text) if size(part)])
