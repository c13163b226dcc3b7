"""What the words of a text say of it: log odds that a text with them is content, learned over many publishers.

Source: Pasternack and Roth, *Extracting Article Text from the Web with Maximum Subsequence Segmentation* (2009),
section 4: naive Bayes over the tokens of a page. Theirs are three tokens in a row and the tag around them; here a block
is asked for its words' mean, least and greatest odds, and so is the heading above it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import CJK, DIGIT, hash_table

#: Rows of what is known of a block's words.
ROWS = ("word_mean", "word_least", "word_most")
#: Characters of a word that counts, and of one that is of no other text than its own (`cohesion`). Of scripts without
#: spaces two characters are a word.
SHORTEST, LONG = 2, 5
#: Added to the number of a block's words: of one or two little is known.
PRIOR = 2
#: Bits of a word's number.
BITS = 18
WORDS, _SPREAD = 1 << BITS, np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: its upper bits are well mixed


class PageWords(NamedTuple):
    """A page's words, case and digits aside, in their order; arrays of shape (words,).

    Attributes:
        numbers: Their numbers, below `WORDS`: words of the same letters have the same, and one in a hundred that of
            another word of its page.
        block: Their blocks.
        long: Whether they have `LONG` characters.
    """

    numbers: npt.NDArray[np.int64]
    block: npt.NDArray[np.int64]
    long: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, page: Page) -> PageWords:
        """Those of a page.

        Example:
            >>> words = PageWords.of(Page.parse("<p>It rained<p>RAINED"))
            >>> words.block.tolist(), words.long.tolist(), len(set(words.numbers.tolist()))
            ([0, 0, 1], [False, True, True], 2)
        """
        elements, blocks = page.elements, page.blocks
        classes = elements.classes
        is_word = np.zeros(len(classes) + 2, bool)
        np.logical_and(classes >= DIGIT, classes < CJK, out=is_word[1:-1])
        edges = (is_word[1:] != is_word[:-1]).nonzero()[0]
        starts, ends = edges[::2], edges[1::2]
        counted = ends - starts >= SHORTEST
        starts, ends = starts[counted], ends[counted]
        sums = np.zeros(len(classes) + 1, np.uint64)
        hash_table().take(elements.text.codes, out=sums[1:], mode="clip")  # with the other modes `out` is a copy
        sums.cumsum(out=sums)
        words, long = sums.take(ends) - sums.take(starts), ends - starts >= LONG
        if elements.text.wide:
            cjk = classes == CJK
            pairs = (cjk[:-1] & cjk[1:]).nonzero()[0]
            starts, long = np.append(starts, pairs), np.append(long, np.ones(len(pairs), bool))
            first, second = (hash_table().take(elements.text.codes.take(at)) for at in (pairs, pairs + 1))
            words = np.append(words, 2 * first + second)
            order = starts.argsort(kind="stable")
            starts, words, long = starts[order], words[order], long[order]
        block = blocks.start.searchsorted(starts, "right") - 1
        shown = (block >= 0) & (starts < blocks.end.take(block, mode="clip"))
        numbers = (words[shown] * _SPREAD >> np.uint64(64 - BITS)).astype(np.intp)
        return cls(numbers, block[shown], long[shown])


class TextWords:
    """Log odds of words.

    Args:
        odds: Those of each number (`PageWords.numbers`), 0 for a word that says nothing, float32 of shape (WORDS,). No
            word says anything where None is given.
    """

    def __init__(self, odds: npt.NDArray[np.float32] | None = None) -> None:
        self.odds = np.zeros(WORDS, np.float32) if odds is None else odds

    def rows(self, words: PageWords, m: int) -> npt.NDArray[np.float64]:
        """What is known of the words of a page's m blocks, shape (len(ROWS), m).

        Example:
            >>> page = Page.parse("<p>Read more<p>It rained and rained")
            >>> words = PageWords.of(page)
            >>> known = TextWords()
            >>> known.odds[words.numbers[[0, 3]]] = -3, 1
            >>> known.rows(words, 2).tolist()
            [[-0.75, 0.3333333333333333], [-3.0, 0.0], [0.0, 1.0]]
        """
        odds = self.odds.take(words.numbers)
        count = np.bincount(words.block, minlength=m)
        rows = np.zeros((len(ROWS), m))
        rows[0] = np.bincount(words.block, odds, m) / (count + PRIOR)
        held = count.nonzero()[0]
        if len(held):
            first = (count.cumsum() - count)[held]
            rows[1, held] = np.minimum(np.minimum.reduceat(odds, first), 0)
            rows[2, held] = np.maximum(np.maximum.reduceat(odds, first), 0)
        return rows
