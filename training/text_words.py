"""How often blocks with a word are content, by publisher: what `Vocabulary.text_words` holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.announcements import ANNOUNCING_TOKENS
from denoise_scrapy.core.vocabulary import WORDS, text_numbers
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
        self._own: dict[str | None, tuple[npt.NDArray[np.intp], FloatArray]] = {}
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

    def odds(self, publisher: str | None = None) -> npt.NDArray[np.float32]:
        """Log odds of each word by what all pages say, but for a publisher's, float32 of shape (WORDS,)."""
        counted, publishers = self._whole.copy(), self._publishers.copy()
        if publisher in self._own:
            words, own = self._own[publisher]
            counted[:, words] -= own
            publishers[words] -= 1
        odds = np.log((counted[0] + PRIOR) / (counted[1] + PRIOR))
        return np.where((publishers >= PUBLISHERS) & (abs(odds) >= LEAST), odds, 0).astype(np.float32)


def _count(example: Example, counted: FloatArray) -> None:
    """Add a page's words: to the first row as far as they are content, to the second as far as they are not."""
    tree = example.page.tree
    block = tree.word_rows["block"]
    known = ((example.lengths < ANNOUNCING_TOKENS) & ~np.isnan(example.share)).take(block)
    words, number, count = np.unique(text_numbers(tree)[known], return_inverse=True, return_counts=True)
    content = np.bincount(number, (example.share > 0.5).take(block[known]), len(words)) / count
    counted[:, words] += content, 1 - content
