"""What words say, with each publisher left out: odds of its own pages would be surer than any on a new site."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import FAMILIES, NAMES, View
from denoise_scrapy.core.vocabulary import Vocabulary
from training.class_words import ClassCounts
from training.dataset import Example
from training.text_words import TextCounts

_FAMILIES = ("class_names", "text_words")
_ROWS = [NAMES.index(name) for family in _FAMILIES for name in FAMILIES[family].names]


class Vocabularies:
    """What pages say of words.

    Args:
        examples: The pages; those with foreign content do not count.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self._class_words, self._text_words = ClassCounts(examples), TextCounts(examples)
        self._without = lru_cache(maxsize=2)(self._left)

    def whole(self) -> Vocabulary:
        """What all pages say."""
        return self._left(None)

    def _left(self, publisher: str | None) -> Vocabulary:
        """What all pages but a publisher's say."""
        return Vocabulary(self._class_words.odds(publisher), self._text_words.odds(publisher))

    def filled(self, example: Example) -> npt.NDArray[np.float32]:
        """An example's features, with what other publishers' pages say of its words."""
        return with_words(example, self._without(example.publisher))


def with_words(example: Example, vocabulary: Vocabulary) -> npt.NDArray[np.float32]:
    """An example's features, with what a vocabulary says of its words."""
    features: npt.NDArray[np.float32] = example.features.copy()
    features[_ROWS] = View(example.page.tree, vocabulary).features[_ROWS]
    return features
