"""Sentences from grammars kept in text files: symbols, alternatives, and a memory for each text."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

PROSE = Path(__file__).parent / "prose"
SLOT = re.compile(r"\{([^{}]+)\}")
CHOICE = re.compile(r"<([^<>]*\|[^<>]*)>")
RANGE = re.compile(r"(\d+)-(\d+)")
ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIO]|hono?u|hones)(?!one\b|uni|use)")


@lru_cache
def rules(*names: str) -> Mapping[str, Sequence[str]]:
    """Return the symbols of the named files, each with its alternatives in the order of the file."""
    found: dict[str, list[str]] = {}
    for name in names:
        current: list[str] = []
        for line in (PROSE / f"{name}.txt").read_text("utf-8").splitlines():
            if line.startswith("["):
                current = found.setdefault(line.strip("[]"), [])
            elif line and not line.startswith("#"):
                current.append(line)
    return found


def pairs(name: str) -> list[tuple[str, str]]:
    """Return the (old, new) wordings of a file with a bar in each line."""
    lines = (PROSE / f"{name}.txt").read_text("utf-8").splitlines()
    halves = [line.partition("|") for line in lines if "|" in line and not line.startswith("#")]
    return [(old, new) for old, _, new in halves]


class Voice:
    """One writer of one text: a topic, names that stay the same, and no phrase twice in a row.

    Alternatives are dealt from a shuffled deck for each symbol, so a text uses all of them before
    any comes again.
    """

    def __init__(
        self,
        rng: random.Random,
        grammar: Mapping[str, Sequence[str]],
        topic: str = "",
        names: Mapping[str, str] | None = None,
    ):
        self.rng, self.grammar, self.topic = rng, grammar, topic
        self.names = dict(names or {})
        self._decks: dict[str, list[str]] = {}

    def deal(self, symbol: str) -> str:
        """Return the next alternative of a symbol, unexpanded."""
        deck = self._decks.get(symbol)
        if not deck:
            deck = list(self.grammar[symbol])
            self.rng.shuffle(deck)
            self._decks[symbol] = deck
        return deck.pop()

    def raw(self, symbol: str) -> str:
        """Return an expansion of a symbol."""
        return self.fill(self.deal(symbol.replace("@", f"{self.topic}.")))

    def fill(self, text: str) -> str:
        """Expand every slot and choice of a text, the innermost first."""
        text = CHOICE.sub(lambda m: self.rng.choice(m[1].split("|")), text)
        return SLOT.sub(self._slot, text)

    def _slot(self, match: re.Match[str]) -> str:
        name = match[1]
        span = RANGE.fullmatch(name)
        if span:
            return str(self.rng.randint(int(span[1]), int(span[2])))
        return self.names[name] if name in self.names else self.raw(name)

    def say(self, symbol: str) -> str:
        """Return an expansion that reads as a sentence: articles mended, first letter upper case."""
        return polish(self.raw(symbol))


def polish(text: str) -> str:
    """Mend 'a early' and begin sentences with an upper-case letter."""
    text = ARTICLE.sub(r"\1n ", text)
    return re.sub(r"(^|[.?!] \"?|^\"|: \")([a-z])", lambda m: m[1] + m[2].upper(), text)
