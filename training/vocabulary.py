"""What words say, with each publisher left out: odds of its own pages would be surer than any on a new site."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features import FAMILIES, NAMES, View, Vocabulary
from denoise_scrapy.site import SiteStatistics
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

    def whole(self) -> Vocabulary:
        """What all pages say."""
        return Vocabulary(self._class_words.words(), self._text_words.words())

    def filled(self, example: Example) -> npt.NDArray[np.float32]:
        """An example's features, with what other publishers' pages say of its words."""
        name = example.publisher
        return with_words(example, Vocabulary(self._class_words.without(name), self._text_words.without(name)))


def with_words(example: Example, vocabulary: Vocabulary) -> npt.NDArray[np.float32]:
    """An example's features, with what a vocabulary says of its words."""
    features: npt.NDArray[np.float32] = example.features.copy()
    view = View(example.page, SiteStatistics(), vocabulary)
    features[_ROWS] = [row for family in _FAMILIES for row in FAMILIES[family].find(view)]
    example.page.drop_columns()
    return features
