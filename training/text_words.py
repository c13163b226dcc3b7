"""How often blocks with a word are content, by publisher: what `TextWords` knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.text_words import WORDS, PageWords, TextWords
from denoise_scrapy.body.words import ANNOUNCING_TOKENS
from training.dataset import Example, recorded_by_publisher

#: Publishers that must have used a word, and what is added to the pages that have it in content, and elsewhere: 3 and 1
#: cost Chinese news .02. Odds of less say nothing, and are left away.
PUBLISHERS, PRIOR, LEAST = 5, 2.0, 0.1
FloatArray = npt.NDArray[np.float64]


class TextCounts:
    """Short blocks by their words; those of longer ones are of any subject.

    A page counts as one for each of its words: as content by the share of the word's short blocks that are. The pages
    of a publisher count as the square root of their number.

    Args:
        examples: Pages; those with foreign content do not count.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self._own: dict[str, tuple[npt.NDArray[np.intp], FloatArray]] = {}
        self._whole, self._publishers = np.zeros((2, WORDS)), np.zeros(WORDS, int)
        for publisher, some in recorded_by_publisher(examples).items():
            counted = np.zeros((2, WORDS))
            for one in some:
                _count(one, counted)
            words = counted.any(axis=0).nonzero()[0]
            own = counted[:, words] * len(some) ** -0.5
            self._own[publisher] = words, own
            self._whole[:, words] += own
            self._publishers[words] += 1
        self.without = lru_cache(maxsize=2)(self._without)

    def words(self) -> TextWords:
        """What all pages say."""
        return TextWords(_odds(self._whole, self._publishers))

    def _without(self, publisher: str) -> TextWords:
        """What all pages but a publisher's say."""
        whole, publishers = self._whole.copy(), self._publishers.copy()
        if publisher in self._own:
            words, own = self._own[publisher]
            whole[:, words] -= own
            publishers[words] -= 1
        return TextWords(_odds(whole, publishers))


def _odds(counted: FloatArray, publishers: npt.NDArray[np.int_]) -> npt.NDArray[np.float32]:
    odds = np.log((counted[0] + PRIOR) / (counted[1] + PRIOR))
    return np.where((publishers >= PUBLISHERS) & (abs(odds) >= LEAST), odds, 0).astype(np.float32)


def _count(example: Example, counted: FloatArray) -> None:
    """Add a page's words: to the first row as far as they are content, to the second as far as they are not."""
    said = PageWords.of(example.page)
    example.page.drop_columns()
    known = ((example.lengths < ANNOUNCING_TOKENS) & ~np.isnan(example.share)).take(said.block)
    words, number, count = np.unique(said.numbers[known], return_inverse=True, return_counts=True)
    content = np.bincount(number, (example.share > 0.5).take(said.block[known]), len(words)) / count
    counted[:, words] += content, 1 - content
