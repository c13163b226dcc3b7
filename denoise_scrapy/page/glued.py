"""Inline elements side by side that a browser shows apart, and their text would run into one word.

Lists of today are often links and spans without a space between, parted by style sheets: `2026` and `2h`, a brand and
a model, two tags. The style is not known here, the letters are: a word seldom goes on with a capital or a digit in
another element. (On recorded pages the truth parts 1008 such pairs and joins 68, most of these in code.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import DIGIT, class_table
from denoise_scrapy.page.columns import MarkedText
from denoise_scrapy.page.paths import PathTable

Codes = npt.NDArray[np.integer[npt.NBitBase]]

#: What stands in these is exact: no space is added.
EXACT_TAGS = frozenset(["pre", "code", "kbd", "samp", "tt", "var", "textarea"])
#: Levels up that are looked at for them: highlighted code has its spans two or three deep.
EXACT_LEVELS = 8


def part_glued(text: MarkedText, paths: Sequence[int], table: PathTable) -> MarkedText:
    r"""Put a space between inline elements that follow each other directly, where two words would meet.

    Args:
        text: A marked text: 1 at each element's start, 2 at its end.
        paths: Path id of each element.
        table: Table of the ids.

    Example:
        >>> from denoise_scrapy.page import Page
        >>> Page.parse("<p><span>Boots</span><span>2026</span> <b>W</b><span>ith</span>").block_text(0)
        'Boots 2026 With'
    """
    codes = text.codes
    starts = codes == 1
    follows = np.flatnonzero(starts[1:] & (codes[:-1] == 2)) + 1
    element = np.searchsorted(np.flatnonzero(starts), follows)
    inline = ~np.asarray(table.columns["block"], bool)[np.asarray(paths, np.int32)[element]]
    if not inline.any():
        return text
    follows, element = follows[inline], element[inline]
    shown = np.flatnonzero(codes > 2)
    after = np.searchsorted(shown, follows)
    within = (after > 0) & (after < len(shown))
    follows, element, after = follows[within], element[within], after[within]
    left, right = shown[after - 1], shown[after]
    word = class_table()[codes[np.stack([left, right])]] >= DIGIT
    places = [
        int(follows[i])
        for i in np.flatnonzero(word.all(axis=0)).tolist()
        if _meet(codes, int(left[i]), int(right[i]), twins=_twins(paths, int(element[i]), table))
        and not _is_exact(int(paths[element[i]]), table)
    ]
    return MarkedText(np.insert(codes, places, ord(" ")).tobytes(), text.wide) if places else text


def _twins(paths: Sequence[int], element: int, table: PathTable) -> bool:
    """Whether a link follows a link of its own shape: two entries, in any script."""
    return table.tags[paths[element]] == "a" and paths[element] == paths[element - 1]


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
