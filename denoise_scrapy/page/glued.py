"""Inline elements side by side that a browser shows apart, and their text would run into one word.

Lists of today are often links and spans without a space between, parted by style sheets: `2026` and `2h`, a brand and
a model, two tags. The style is not known here, the letters are: a word seldom goes on with a capital or a digit in
another element. (On recorded pages the truth parts 1008 such pairs and joins 68, most of these in code.)
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.characters import DIGIT, class_table
from denoise_scrapy.page.columns import MarkedText
from denoise_scrapy.page.paths import PathTable

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
    marks = (codes <= 2).nonzero()[0]
    starts = (codes.take(marks) == 1).nonzero()[0]  # numbers of marks
    number = starts.compress(~np.asarray(table.columns["block"], bool).take(paths))
    at = marks.take(number)
    follows = codes.take(at - 1) == 2
    # most pages end here: what comes to the end and the start next is no word
    may_meet = _may_meet()
    follows &= may_meet.take(codes.take(at - 2)) & may_meet.take(codes.take(at + 1))
    at, number = at.compress(follows), number.compress(follows)
    if not len(at):
        return text
    before = marks - np.arange(len(marks))  # characters before each mark: those of a run of marks have as many
    left = marks.take(before.searchsorted(before.take(number))) - 1
    right = marks.take(before.searchsorted(before.take(number), side="right") - 1) + 1
    inside = ((left >= 0) & (right < len(codes))).nonzero()[0]
    beside = codes.take(np.stack([left, right, left - 1]).take(inside, axis=1), mode="clip")
    words = (class_table().take(beside[:2]) >= DIGIT).all(axis=0).nonzero()[0]
    element = starts.searchsorted(number.take(inside.take(words)))
    rows = zip(inside.take(words).tolist(), beside.take(words, axis=1).T.tolist(), element.tolist(), strict=True)
    is_exact = cache(_is_exact)
    places = [
        int(at[i])
        for i, letters, started in rows
        if _meet(*map(chr, letters), twins=_twins(paths, started, table)) and not is_exact(int(paths[started]), table)
    ]
    if not places:
        return text
    edges = [place << text.wide for place in (0, *places, len(codes))]
    pieces = (text.data[edge:after] for edge, after in pairwise(edges))
    return MarkedText((b" \0" if text.wide else b" ").join(pieces), text.wide)


@cache
def _may_meet() -> npt.NDArray[np.bool_]:
    """Whether a character is of a word, or a mark beyond which one may stand, shape (65536,)."""
    may = class_table() >= DIGIT
    may[:3] = True
    return may


def _twins(paths: npt.NDArray[np.int32], element: int, table: PathTable) -> bool:
    """Whether a link follows a link of its own shape: two entries, in any script."""
    return table.tags[paths[element]] == "a" and bool(paths[element] == paths[element - 1])


def _meet(before: str, after: str, further: str, *, twins: bool) -> bool:
    """Whether two words meet here rather than the halves of one.

    Scripts without capitals run on, but for links. Single letters in elements of their own are one word, drawn out.

    Args:
        before: The letter before the place.
        after: The letter behind it.
        further: What stands before both: a mark where the first is alone.
        twins: Whether a link follows a link of its own shape.
    """
    if twins:
        return not after.islower()
    if before.isalpha() and further <= "\x02":
        return False
    return after.isupper() or (after.isdigit() and before.isascii())


def _is_exact(path: int, table: PathTable) -> bool:
    """Whether the path, or one a few levels above it, is of text that is exact."""
    for _ in range(EXACT_LEVELS):
        if table.tags[path] in EXACT_TAGS:
            return True
        path = table.parent[path]
    return False
