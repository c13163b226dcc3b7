"""Which words of a block the page has used before: another story speaks of other things.

Source: Hearst, *TextTiling: Segmenting Text into Multi-Paragraph Subtopic Passages* (1997), section 4: where the
subject changes, words are new. Hearst compares windows of a plain text; here the words around a block are compared with
all before it, with the beginning of the page's prose, and with the whole page.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.words import window_sums
from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import CJK, DIGIT, hash_table

IntArray = npt.NDArray[np.int64]

#: Rows, in their order.
ROWS = ("words_before", "words_of_beginning", "words_elsewhere")
#: Characters of a word that counts: shorter ones are of any text. Of scripts without spaces two characters are one.
LONG = 5
#: Long words that are the beginning; blocks before and after that are looked at together, and what is added to the
#: number of their words: of a handful nothing is known.
BEGINNING, AROUND, PRIOR = 80, 2, 2
#: Numbers of words: a table of so many is written faster than the words of a page are sorted.
BITS = 16
WORDS, SPREAD = 1 << BITS, np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio: its upper bits are well mixed


def cohesion(page: Page, first: int) -> npt.NDArray[np.float64]:
    """Shares of the long words around each of a page's m blocks, shape (len(ROWS), m).

    They are of words that stand in a block before theirs, that stand in the beginning, and that stand in another block.

    Args:
        page: The page.
        first: The block where its prose begins.

    Example:
        >>> page = Page.parse("<p>A heavy flooded bridge<p>The bridge opened<p>Different matters")
        >>> cohesion(page, 0).round(2).tolist()
        [[0.11, 0.11, 0.11], [0.78, 0.78, 0.78], [0.22, 0.22, 0.22]]
    """
    m, (words, block) = len(page.blocks), long_words(page)
    count = np.bincount(block, minlength=m)
    read = count.cumsum() - count  # before each block
    earliest, latest = np.empty((2, WORDS), np.int32)  # of the words that are there; nobody looks at others
    latest[words], earliest[words[::-1]] = block, block[::-1]  # of several the last assignment stays
    early = (block >= first) & (read.take(block) <= read[first] + BEGINNING)
    begins = np.zeros(WORDS, bool)
    begins[words[early]] = True
    before, after = earliest.take(words), latest.take(words)
    whole = window_sums(count, AROUND) + PRIOR
    held = (before < block, begins.take(words), before != after)
    return np.stack([window_sums(np.bincount(block, row, m), AROUND) / whole for row in held])


def long_words(page: Page) -> tuple[IntArray, IntArray]:
    """Numbers below WORDS of a page's long words, case aside, in their order, and their blocks; shape (words,) each.

    Words of the same letters have the same number, and one in forty that of another word of its page.
    """
    elements, blocks = page.elements, page.blocks
    classes, values = elements.classes, hash_table().take(elements.text.codes)
    is_word = np.zeros(len(classes) + 2, bool)
    np.logical_and(classes >= DIGIT, classes < CJK, out=is_word[1:-1])
    edges = (is_word[1:] != is_word[:-1]).nonzero()[0]
    starts, ends = edges[::2], edges[1::2]
    long = ends - starts >= LONG
    sums = np.zeros(len(values) + 1, np.uint64)
    values.cumsum(out=sums[1:])
    starts, words = starts[long], sums.take(ends[long]) - sums.take(starts[long])
    if elements.text.wide:
        cjk = classes == CJK
        pairs = (cjk[:-1] & cjk[1:]).nonzero()[0]
        starts = np.append(starts, pairs)
        words = np.append(words, 2 * values.take(pairs) + values.take(pairs + 1))
        order = starts.argsort(kind="stable")
        starts, words = starts[order], words[order]
    block = blocks.start.searchsorted(starts, "right") - 1
    shown = (block >= 0) & (starts < blocks.end.take(block, mode="clip"))
    return (words[shown] * SPREAD >> np.uint64(64 - BITS)).astype(np.intp), block[shown]
