"""Which words of a block the page has used before: another story speaks of other things.

Source: Hearst, *TextTiling: Segmenting Text into Multi-Paragraph Subtopic Passages* (1997), section 4: where the
subject changes, words are new. Hearst compares windows of a plain text; here the words around a block are compared with
all before it, with the beginning of the page's prose, and with the whole page.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.text_words import BITS, PageWords
from denoise_scrapy.body.words import window_sums
from denoise_scrapy.page import Page

#: Rows, in their order.
ROWS = ("words_before", "words_of_beginning", "words_elsewhere")
#: Long words that are the beginning; blocks before and after that are looked at together, and what is added to the
#: number of their words: of a handful nothing is known.
BEGINNING, AROUND, PRIOR = 80, 2, 2
#: Bits of a word's number that count: a small table is written faster than the words of a page are sorted. One word in
#: forty has the number of another.
TABLE = 16


def cohesion(page: Page, said: PageWords, first: int) -> npt.NDArray[np.float64]:
    """Shares of the long words around each of a page's m blocks, shape (len(ROWS), m).

    They are of words that stand in a block before theirs, that stand in the beginning, and that stand in another block.

    Args:
        page: The page.
        said: Its words.
        first: The block where its prose begins.

    Example:
        >>> page = Page.parse("<p>A heavy flooded bridge<p>The bridge opened<p>Different matters")
        >>> cohesion(page, PageWords.of(page), 0).round(2).tolist()
        [[0.11, 0.11, 0.11], [0.78, 0.78, 0.78], [0.22, 0.22, 0.22]]
    """
    m, long = len(page.blocks), said.long
    words, block = said.numbers[long] >> BITS - TABLE, said.block[long]
    count = np.bincount(block, minlength=m)
    read = count.cumsum() - count  # before each block
    # of the words that are there; nobody looks at others
    earliest, latest = np.empty((2, 1 << TABLE), np.min_scalar_type(m))
    latest[words], earliest[words[::-1]] = block, block[::-1]  # of several the last assignment stays
    early = (block >= first) & (read.take(block) <= read[first] + BEGINNING)
    begins = np.zeros(1 << TABLE, bool)
    begins[words[early]] = True
    before, after = earliest.take(words), latest.take(words)
    whole = window_sums(count, AROUND) + PRIOR
    held = (before < block, begins.take(words), before != after)
    return np.array([window_sums(np.bincount(block, row, m), AROUND) / whole for row in held])
