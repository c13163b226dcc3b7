"""Inline elements side by side that a browser shows apart, and their text would run into one word.

Lists of today are often links and spans without a space between, parted by style sheets: `2026` and `2h`, a brand and
a model, two tags. The style is not known here, the letters are: a word seldom goes on with a capital or a digit in
another element. (On recorded pages the truth parts 1008 such pairs and joins 68, most of these in code.)
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import DIGIT, class_table, codes_that
from denoise_scrapy.page.columns import MarkedText
from denoise_scrapy.page.paths import PathTable

Codes = npt.NDArray[np.integer[npt.NBitBase]]

#: What stands in these is exact: no space is added.
EXACT_TAGS = frozenset(["pre", "code", "kbd", "samp", "tt", "var", "textarea"])
#: Levels up that are looked at for them: highlighted code has its spans two or three deep.
EXACT_LEVELS = 8


def part_glued(text: MarkedText, paths: npt.NDArray[np.int32], table: PathTable) -> MarkedText:
    r"""Put a space between inline elements that follow each other directly, where two words would meet.

    Args:
        text: A marked text: 1 at each element's start, 2 at its end.
        paths: Path id of each element, shape (elements,).
        table: Table of the ids.

    Example:
        >>> from denoise_scrapy.page import Page
        >>> Page.parse("<p><span>Boots</span><span>2026</span> <b>W</b><span>ith</span>").block_text(0)
        'Boots 2026 With'
    """
    codes = text.codes
    starts = (codes == 1).nonzero()[0]
    at = starts.compress(~np.asarray(table.columns["block"], bool).take(paths))
    at = at.compress(codes.take(at - 1) == 2)
    # most pages end here: what comes to the end and the start next is no word
    may_meet = _may_meet()
    at = at.compress(may_meet.take(codes.take(at - 2)) & may_meet.take(codes.take(at + 1)))
    if not len(at):
        return text
    shown = np.flatnonzero(codes > 2)
    after = shown.searchsorted(at)
    within = (after > 0) & (after < len(shown))
    at, after = at[within], after[within]
    left, right = shown[after - 1], shown[after]
    words = class_table()[codes[np.stack([left, right])]] >= DIGIT
    element = starts.searchsorted(at)
    places = [
        int(at[i])
        for i in np.flatnonzero(words.all(axis=0)).tolist()
        if _meet(codes, int(left[i]), int(right[i]), twins=_twins(paths, int(element[i]), table))
        and not _is_exact(int(paths[element[i]]), table)
    ]
    return MarkedText(np.insert(codes, places, ord(" ")).tobytes(), text.wide) if places else text


@cache
def _may_meet() -> npt.NDArray[np.bool_]:
    """Whether a character is of a word, or a mark beyond which one may stand, shape (65536,)."""
    may = class_table() >= DIGIT
    may[:3] = True
    return may


@cache
def character_bits() -> bytes:
    """What each code of the basic plane is, for C: `native.events.Given.characters`."""
    word = class_table() >= DIGIT
    bits = word.astype(np.uint8)
    for bit, test in ((2, str.isupper), (4, str.isdigit), (8, str.islower), (16, str.isalpha)):
        bits[word & codes_that(test)] |= np.uint8(bit)
    return bits.tobytes()


def _twins(paths: npt.NDArray[np.int32], element: int, table: PathTable) -> bool:
    """Whether a link follows a link of its own shape: two entries, in any script."""
    return table.tags[paths[element]] == "a" and bool(paths[element] == paths[element - 1])


def _meet(codes: Codes, left: int, right: int, *, twins: bool) -> bool:
    """Whether two words meet here rather than the halves of one.

    Scripts without capitals run on, but for links. Single letters in elements of their own are one word, drawn out.
    """
    before, after = chr(codes[left]), chr(codes[right])
    if twins:
        return not after.islower()
    drawn_out = before.isalpha() and left > 0 and codes[left - 1] <= 2
    return not drawn_out and (after.isupper() or (after.isdigit() and before.isascii()))


def _is_exact(path: int, table: PathTable) -> bool:
    """Whether the path, or one a few levels above it, is of text that is exact."""
    for _ in range(EXACT_LEVELS):
        if table.tags[path] in EXACT_TAGS:
            return True
        path = table.parent[path]
    return False
