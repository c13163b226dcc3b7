"""Any number of texts for measurements of scale: real sentences, recombined, most content words replaced.

A text is 10 to 40 sentences of recorded pages; 60% of the words that are no stop words are drawn from a made-up
vocabulary of 200,000 by Zipf's law, so that texts differ as strangers do. Text i is the same in every run and in every
process.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.corpora import portal
from benchmarks.dedup.bases import recorded
from denoise_scrapy.core.units import is_stop, unit_hashes

VOCABULARY = 200_000
REPLACED = 0.6
_SENTENCE = re.compile(r"[^.!?\n]{40,400}[.!?]")
_SYLLABLES = "ba ce di fo gu ha ki lo mu ne pi ra so tu ve wi xo ya zu bre cla dro fri gle ston mer".split()


def sources_in(folder: Path | None) -> list[str]:
    """Texts to take sentences from: of recorded corpora, or of the example portal where there is no folder."""
    return [base.text for base in recorded(folder)] if folder else [page.gold for page in portal()]


class ScaleTexts:
    """Texts by number, and copies of them.

    Args:
        sources: Real texts to take sentences from, in a script that writes with spaces.

    Raises:
        ValueError: They hold no sentence.
    """

    def __init__(self, sources: Iterable[str]):
        self._words: list[str] = []
        numbers: dict[str, int] = {}
        sentences = []
        for sentence in dict.fromkeys(s for text in sources for s in _SENTENCE.findall(text)):
            words = sentence.split()
            for word in words:
                if word not in numbers:
                    numbers[word] = len(self._words)
                    self._words.append(word)
            sentences.append(np.array([numbers[word] for word in words]))
        if not sentences:
            raise ValueError("no sentence in the sources")
        self._sentences = sentences
        self._content = ~is_stop(unit_hashes([word.lower().strip(",.;:!?\"'()") for word in self._words]))
        self._first = len(self._words)
        rng = np.random.default_rng(0)
        picks = rng.integers(0, len(_SYLLABLES), (VOCABULARY, 4)).tolist()
        self._words += ["".join(_SYLLABLES[i] for i in row) + str(n % 7) for n, row in enumerate(picks)]

    def original(self, number: int) -> str:
        """Text of a number."""
        return self._join(self._original(number))

    def copy(self, number: int, seed: int) -> str:
        """A copy of it: another first line, and one word in fifty changed."""
        rng = np.random.default_rng([number, seed, 2])
        words = self._original(number).copy()
        for place in rng.integers(0, len(words), max(1, len(words) // 50)):
            words[place] = self._first + int(rng.integers(0, VOCABULARY))
        return f"Posted by reader {number} on page {int(rng.integers(0, 99))}. " + self._join(words)

    def _original(self, number: int) -> npt.NDArray[np.int64]:
        rng = np.random.default_rng([number, 1])
        picks = rng.integers(0, len(self._sentences), int(rng.integers(10, 41)))
        words = np.concatenate([self._sentences[i] for i in picks])
        replaced = self._content[words] & (rng.random(len(words)) < REPLACED)
        drawn = np.minimum(rng.zipf(1.2, len(words)), 1 << 40) % VOCABULARY
        return np.asarray(np.where(replaced, self._first + drawn, words), np.int64)

    def _join(self, words: npt.NDArray[np.int64]) -> str:
        return " ".join(map(self._words.__getitem__, words.tolist()))
