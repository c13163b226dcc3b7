"""How much text in elements of each name is content, by publisher: what `Vocabulary.class_words` holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np

from denoise_scrapy.core.tree import Tree
from denoise_scrapy.core.vocabulary import words_of
from training.dataset import Example, recorded_by_publisher

#: Publishers that must have used a word, and what is added to the share of content and of other text in it, in pages:
#: with neither, rare words would be sure of what they cannot know. Odds of less say nothing, and are left away.
PUBLISHERS, PRIOR, LEAST = 3, 1.0, 0.1


class ClassCounts:
    """Text in elements by the words of their names.

    A page counts as one, and the pages of a publisher as the square root of their number: its content and its other
    text are shared out among the words.

    Args:
        examples: Pages; those with foreign content do not count.
    """

    def __init__(self, examples: Sequence[Example]) -> None:
        self._own: dict[str | None, dict[int, tuple[float, float]]] = {}
        self._whole: dict[int, tuple[float, float, int]] = {}
        for publisher, some in recorded_by_publisher(examples).items():
            content, rest = Counter[int](), Counter[int]()
            for one in some:
                _count(one, content, rest)
            weight = len(some) ** -0.5
            own = {word: (weight * content[word], weight * rest[word]) for word in content.keys() | rest.keys()}
            self._own[publisher] = own
            for word, (kept, left) in own.items():
                a, b, n = self._whole.get(word, (0.0, 0.0, 0))
                self._whole[word] = (a + kept, b + left, n + 1)

    def odds(self, publisher: str | None = None) -> dict[int, float]:
        """Log odds of the words by what all pages say, but for a publisher's."""
        found, left_out = dict[int, float](), self._own.get(publisher, {})
        for word, (content, rest, publishers) in self._whole.items():
            own_content, own_rest = left_out.get(word, (0.0, 0.0))
            odds = log((content - own_content + PRIOR) / (rest - own_rest + PRIOR))
            if publishers - (word in left_out) >= PUBLISHERS and abs(odds) >= LEAST:
                found[word] = odds
        return found


def _count(example: Example, content: Counter[int], rest: Counter[int]) -> None:
    """Add the share of a page's content, and of its other text, that stands in elements of each word."""
    tree, share = example.page.tree, example.share
    paths, first, number = np.unique(tree.block_rows["path"], return_index=True, return_inverse=True)
    elements = tree.block_rows["element"].take(first).tolist()
    words = [words_of(tree, token) for token in range(len(tree.token_rows))]
    for counter, some in ((content, share > 0.5), (rest, share <= 0.5)):
        tokens = np.bincount(number, example.lengths * some, len(paths))
        if len(tokens) and tokens.sum():
            for element, part in zip(elements, (tokens / tokens.sum()).tolist(), strict=True):
                if part:
                    for word in _above(tree, element, words):
                        counter[word] += part


def _above(tree: Tree, element: int, words: Sequence[frozenset[int]]) -> frozenset[int]:
    """The words of an element and of all around it, by those of each token."""
    rows, found = tree.element_rows, set[int]()
    while element >= 0:
        found |= words[rows["token"][element]]
        element = int(rows["parent"][element])
    return frozenset(found)
