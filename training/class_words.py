"""How much text in elements of each name is content, by publisher: what `ClassWords` knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import log

import numpy as np
from typing_extensions import override

from denoise_scrapy.body.class_words import ClassWords, words_of
from denoise_scrapy.page import PathTable
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
        self._own: dict[str, dict[int, tuple[float, float]]] = {}
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
        self.without = cache(lambda publisher: ClassWords(_Odds(self._whole, self._own.get(publisher, {}))))

    def words(self) -> ClassWords:
        """What all pages say."""
        odds = _Odds(self._whole, {})
        return ClassWords({word: odds[word] for word in odds})


class _Odds(Mapping[int, float]):
    """Log odds of the words, without one publisher's."""

    def __init__(self, whole: Mapping[int, tuple[float, float, int]], own: Mapping[int, tuple[float, float]]) -> None:
        self._whole, self._own = whole, own

    @override
    def __getitem__(self, word: int) -> float:
        content, rest, publishers = self._whole[word]
        if word in self._own:
            content, rest, publishers = content - self._own[word][0], rest - self._own[word][1], publishers - 1
        odds = log((content + PRIOR) / (rest + PRIOR))
        if publishers < PUBLISHERS or abs(odds) < LEAST:
            raise KeyError(word)
        return odds

    @override
    def __iter__(self) -> Iterator[int]:
        return (word for word in self._whole if word in self)

    @override
    def __len__(self) -> int:
        return sum(1 for _ in self)


def _count(example: Example, content: Counter[int], rest: Counter[int]) -> None:
    """Add the share of a page's content, and of its other text, that stands in elements of each word."""
    page, share = example.page, np.nan_to_num(example.share)
    paths, number = np.unique(page.elements.paths.take(page.blocks.element), return_inverse=True)
    page.drop_columns()
    for counter, some in ((content, share > 0.5), (rest, share <= 0.5)):
        tokens = np.bincount(number, example.lengths * some, len(paths))
        if len(tokens) and tokens.sum():
            for path, part in zip(paths.tolist(), (tokens / tokens.sum()).tolist(), strict=True):
                if part:
                    for word in _above(page.path_table, path):
                        counter[word] += part


_words_of = cache(words_of)


def _above(table: PathTable, path: int) -> frozenset[int]:
    """The words of all elements of a path."""
    found = set[int]()
    while path > 0:
        found.update(_words_of(table.tags[path], *table.names(path)))
        path = table.parent[path]
    return frozenset(found)
