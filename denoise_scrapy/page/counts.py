"""What a page's characters come to, block by block, from running totals: no character is looked at twice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import CJK, CLASSES, DIGIT, SPACE, running_count
from denoise_scrapy.page.columns import Elements, IntArray

#: Characters of a block that a 16-bit count holds.
_MOST = (1 << 16) - 1


def count_tokens(e: Elements, block_of_text: IntArray, start: IntArray, end: IntArray) -> IntArray:
    """Tokens of each block: runs of word characters, and CJK characters one by one.

    Args:
        e: The page's elements.
        block_of_text: Block of the text after each mark, shape (marks,).
        start: Position of each block's first character, shape (m,).
        end: Position after its last, shape (m,).
    """
    classes = e.classes
    word = classes - DIGIT < CJK - DIGIT  # unsigned: what is below wraps round to large values
    begins = word.copy()
    np.greater(word[1:], word[:-1], out=begins[1:])
    begins[_goes_on(e, block_of_text, word)] = False
    if e.text.wide:
        begins |= classes == CJK
    total = running_count(begins)
    return (total.take(end) - total.take(start)).astype(np.int64)


def _goes_on(e: Elements, block_of_text: IntArray, word: npt.NDArray[np.bool_]) -> IntArray:
    """Positions where a word of the same block goes on after marks: `foo<b>bar</b>` is one."""
    bounds = e.mark_bounds
    told = (bounds[1:] - bounds[:-1] > 1).nonzero()[0]  # marks with text after them
    block = block_of_text.take(told)
    left, right = bounds.take(told[:-1] + 1) - 1, bounds.take(told[1:]) + 1
    return np.asarray(right[word.take(left) & word.take(right) & (block[1:] == block[:-1])])


def count_classes(e: Elements, start: IntArray, end: IntArray) -> IntArray:
    """Characters of each class in each block, shape (m, CLASSES); marks are none."""
    counts = np.zeros((len(start), CLASSES), np.int64)
    if int((end - start).max(initial=0)) > _MOST:
        for kind in range(SPACE, CLASSES):
            total = running_count(e.classes == kind)
            counts[:, kind] = total.take(end) - total.take(start)
        return counts
    # four counts of 16 bits in one number, whose running totals overflow and still differ by what they should:
    # .6 of the time of a `bincount` of block and class, which waits for its last sum at every character
    before, last = start - 1, end - 1  # a mark stands before each block
    for first, ones in zip((SPACE, SPACE + 4), _ONES, strict=True):
        total = ones.take(e.classes, mode="clip")
        total.cumsum(out=total)
        counts[:, first : first + 4] = (total.take(last) - total.take(before)).view("<u2").reshape(-1, 4)
    return counts


def _ones() -> npt.NDArray[np.uint64]:
    """A one in the field of 16 bits of each class, shape (2, CLASSES)."""
    ones = np.zeros((CLASSES, 8), "<u2")
    ones[np.arange(SPACE, CLASSES), np.arange(CLASSES - SPACE)] = 1
    return np.ascontiguousarray(ones.view("<u8").T)


_ONES = _ones()
