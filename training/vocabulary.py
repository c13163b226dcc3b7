"""Odds that text in elements with a name, or a short block with a word, is content, as held by `Vocabulary`.

Each page counts once, and a publisher's pages count as the square root of their number. The features of a page are
filled in without its publisher: odds from its own pages would be surer than any on a new site.

Recorded pages are of few languages. Words of frames in others come from lines that were written for it (`lines.json`).
`python -m training.vocabulary --corpora DIR...` puts new ones into the model of the package, without a fit.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from html import escape
from itertools import chain
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.strategies.combined import block_model
from denoise_scrapy.core.features import (
    ANNOUNCING_TOKENS,
    FAMILIES,
    NAMES,
    WORDS,
    View,
    Vocabulary,
    text_numbers,
    words_of,
)
from denoise_scrapy.core.tree import Tree
from denoise_scrapy.page import Page
from evaluation.corpora import add_folders_argument
from training.dataset import Example, read_corpora, read_examples, recorded_by_publisher
from training.made import CONTENT
from training.model_file import OUTPUT, save_model

#: Fewest publishers that use a word of class names, or of texts, and the pages added to its counts: with neither,
#: rare words would have extreme odds. 3 and 1 for texts cost Chinese news .02.
OF_CLASSES, OF_TEXTS = (3, 1.0), (5, 2.0)
#: Log odds below this are uninformative, and left out.
LEAST = 0.1
#: Lines in sixty languages as frames and as content have them, and words of frames alone; English frames are well
#: recorded. Of 778 written pages, which nobody had seen, 659 are right with what lines say of frames, 617 without.
LINES: dict[str, list[str]] = json.loads(Path(__file__).with_name("lines.json").read_text("utf-8"))
#: Weight of a word's odds in `LINES`, and the least odds that it gets. With a weight of 4, 663 of those pages are
#: right and more text is lost, with 5, 662.
LINE_WEIGHT, LEAST_OF_LINES = 3.0, -5.0
_ROWS = [NAMES.index(name) for family in ("class_names", "text_words") for name in FAMILIES[family].names]


class WordCounts:
    """Content and other text by word, for each publisher and for all.

    Args:
        examples: Pages; those with foreign content do not count.
        count: Function that adds a page's words to a counter of content and a counter of other text.
        bounds: Fewest publishers that use a word, and the pages added to its counts.
    """

    def __init__(
        self,
        examples: Sequence[Example],
        count: Callable[[Example, Counter[int], Counter[int]], None],
        bounds: tuple[int, float],
    ) -> None:
        self._least, self._prior = bounds
        self._own: dict[str | None, tuple[list[int], npt.NDArray[np.float64]]] = {}
        places = dict[int, int]()
        for publisher, some in recorded_by_publisher(examples).items():
            content, rest = Counter[int](), Counter[int]()
            for one in some:
                count(one, content, rest)
            words = list(content.keys() | rest.keys())
            counted = np.array([[counter[word] for word in words] for counter in (content, rest)])
            self._own[publisher] = [places.setdefault(word, len(places)) for word in words], counted * len(some) ** -0.5
        self._words = np.array(list(places), np.int64)
        self._whole, self._publishers = np.zeros((2, len(places))), np.zeros(len(places), int)
        for at, counted in self._own.values():
            self._whole[:, at] += counted
            self._publishers[at] += 1

    def odds(self, publisher: str | None = None) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return words and their log odds on all pages except one publisher's."""
        counted, publishers = self._whole.copy(), self._publishers.copy()
        if publisher in self._own:
            at, own = self._own[publisher]
            counted[:, at] -= own
            publishers[at] -= 1
        odds = np.log((counted[0] + self._prior) / (counted[1] + self._prior))
        known = (publishers >= self._least) & (abs(odds) >= LEAST)
        return self._words[known], odds[known]


def count_class_words(example: Example, content: Counter[int], rest: Counter[int]) -> None:
    """Add the share of a page's content, and of its other text, that is in elements named with each word."""
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
    """Return the words of an element and of its ancestors, given the words of each token."""
    rows, found = tree.element_rows, set[int]()
    while element >= 0:
        found |= words[rows["token"][element]]
        element = int(rows["parent"][element])
    return frozenset(found)


def count_text_words(example: Example, content: Counter[int], rest: Counter[int]) -> None:
    """Add each word of a page's short blocks, by their share of content; in longer ones it depends on the subject."""
    tree = example.page.tree
    block = tree.word_rows["block"]
    known = ((example.lengths < ANNOUNCING_TOKENS) & ~np.isnan(example.share)).take(block)
    words, number, count = np.unique(text_numbers(tree)[known], return_inverse=True, return_counts=True)
    shares = np.bincount(number, (example.share > 0.5).take(block[known]), len(words)) / count
    for word, share in zip(words.tolist(), shares.tolist(), strict=True):
        content[word] += share
        rest[word] += 1 - share


class Vocabularies:
    """The words of some pages; those with foreign content do not count."""

    def __init__(self, examples: Sequence[Example]) -> None:
        self._class_words = WordCounts(examples, count_class_words, OF_CLASSES)
        self._text_words = WordCounts(examples, count_text_words, OF_TEXTS)
        self._lines = odds_of_lines(words_of_content(examples))
        self._without = lru_cache(maxsize=2)(self.without)

    def without(self, publisher: str | None) -> Vocabulary:
        """Return the odds on all pages except one publisher's; None: on all."""
        names, odds = self._class_words.odds(publisher)
        texts = np.zeros(WORDS, np.float32)
        words, texts_odds = self._text_words.odds(publisher)
        texts[words] = texts_odds
        return Vocabulary(dict(zip(names.tolist(), odds.tolist(), strict=True)), with_lines(texts, self._lines))

    def filled(self, example: Example) -> npt.NDArray[np.float32]:
        """Return an example's features, with word odds from other publishers' pages."""
        return with_words(example, self._without(example.publisher))


def with_words(example: Example, vocabulary: Vocabulary) -> npt.NDArray[np.float32]:
    """Return an example's features, with word odds from a vocabulary."""
    features: npt.NDArray[np.float32] = example.features.copy()
    features[_ROWS] = View(example.page.tree, vocabulary).features[_ROWS]
    return features


def words_of_content(examples: Iterable[Example]) -> set[int]:
    """Return the words that enough publishers have in content of any length."""
    publishers = Counter[int]()
    for some in recorded_by_publisher(examples).values():
        told = (text_numbers(one.page.tree)[(one.share > 0.5)[one.page.tree.word_rows["block"]]] for one in some)
        publishers.update({*np.concatenate([*told]).tolist()})
    return {word for word, count in publishers.items() if count >= OF_TEXTS[0]}


def odds_of_lines(known: Collection[int]) -> dict[int, float]:
    """Return the odds of words that more lines of frames have than texts of content, by their number.

    `known` are words that have no odds since they stand in content: a word of frames may have their number.
    """
    texts = LINES["frames"], chain(LINES["content"], *CONTENT.values())
    frames, content = (Counter(chain.from_iterable(map(_numbers, some))) for some in texts)
    return {
        number: max(LINE_WEIGHT * log((content[number] + 1) / (count + 1)), LEAST_OF_LINES)
        for number, count in frames.items()
        if number not in known and count > content[number]
    }


def with_lines(odds: npt.NDArray[np.float32], lines: Mapping[int, float]) -> npt.NDArray[np.float32]:
    """Return odds of pages, with those of lines where pages have none."""
    added: npt.NDArray[np.float32] = odds.copy()
    for number, value in lines.items():
        added[number] = odds[number] or value
    return added


def _numbers(line: str) -> set[int]:
    """Return the numbers of a line's words, each once."""
    return {*text_numbers(Page.parse(f"<p>{escape(line)}</p>").tree).tolist()}


def main() -> None:
    """Add the words of lines to the model that comes with the package."""
    ap = argparse.ArgumentParser(prog="python -m training.vocabulary", description=__doc__)
    add_folders_argument(ap)
    corpora, folds = read_corpora(ap.parse_args().corpora)
    lines = odds_of_lines(words_of_content(read_examples(corpora, folds, (0,), 2)))
    model = block_model()
    words = model.vocabulary
    vocabulary = Vocabulary(words.class_words, with_lines(words.text_words, lines))
    save_model(replace(model, vocabulary=vocabulary), OUTPUT / "blocks.npz")


if __name__ == "__main__":
    main()
