"""Pairs of pages that are made from one form: two records in one skeleton of sentences, with other values.

These are the hardest negatives: 60 to 200 units each, and 45% to 60% of the new page's units are in the kept
one, in the same order (`COMMON`; pairs outside are thrown away). With more in common, as of two products that
differ in a number alone, people disagree on whether the text is another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random

from benchmarks.dedup.form_words import CHINESE, CHINESE_VALUES, ENGLISH, ENGLISH_VALUES
from denoise_scrapy.dedup.tokens import tokens

COMMON = (0.45, 0.6)
_LANGUAGES = (("latin", ENGLISH, ENGLISH_VALUES), ("chinese", CHINESE, CHINESE_VALUES))


def form_pairs(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield (new text, kept text, language group), as many of each skeleton."""
    forms = [(group, text, values) for group, texts, values in _LANGUAGES for text in texts.values()]
    for i in range(count):
        group, skeleton, values = forms[i % len(forms)]
        rng = Random(f"{seed} one form {i}")
        while True:
            new, kept = (skeleton.format_map(_Record(values, rng)) for _ in range(2))
            if COMMON[0] <= common(new, kept) <= COMMON[1]:
                yield new, kept, group
                break


def renumbered_pairs(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Yield (new text, kept text, language group): one record with all numbers drawn anew."""
    forms = [(group, text, values) for group, texts, values in _LANGUAGES for text in texts.values()]
    for i in range(count):
        group, skeleton, values = forms[i % len(forms)]
        rng = Random(f"{seed} other numbers {i}")
        words = skeleton.replace("{n}", "{{n}}").replace("{k}", "{{k}}").format_map(_Record(values, rng))
        new, kept = (words.format_map(_Record(values, rng)) for _ in range(2))
        yield new, kept, group


def common(new: str, kept: str) -> float:
    """Share of the new text's units, with repetitions, that the kept one has.

    >>> common("one form one value", "one form")
    0.5
    """
    units = Counter(tokens(new))
    return (units & Counter(tokens(kept))).total() / units.total()


class _Record(dict[str, str]):
    """What a form is filled with, drawn at each place anew."""

    def __init__(self, values: dict[str, str], rng: Random) -> None:
        super().__init__(values)
        self._rng = rng

    def __getitem__(self, name: str) -> str:
        if name in ("n", "k"):
            return str(self._rng.randint(1, 99) if name == "n" else self._rng.randint(100, 9999))
        return self._rng.choice(super().__getitem__(name).split("|"))
