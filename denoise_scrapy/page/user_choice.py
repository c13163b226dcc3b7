"""What the user's selectors keep and remove, as runs of a page's text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import Elements
from denoise_scrapy.page.selectors import Match

BoolArray = npt.NDArray[np.bool_]


def inside_matches(elements: Elements, matches: Sequence[Match]) -> BoolArray:
    """Which of n elements some match holds, shape (n,)."""
    return elements.inside(np.concatenate([np.zeros(0, np.int64), *(match.elements for match in matches)]))


def removed_runs(elements: Elements, kept: Sequence[Match], removed: Sequence[Match]) -> BoolArray:
    """Whether the text after each mark is removed and not kept, shape (marks,).

    Args:
        elements: A page's elements.
        kept: What the selectors of content found.
        removed: What the selectors of noise found.
    """
    lost = inside_matches(elements, removed) & ~inside_matches(elements, kept)
    return np.append(lost, False)[elements.text_owner]  # owner -1 is the last value


def left_pieces(elements: Elements, removed: BoolArray, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Positions of what is left of the text between two positions.

    Args:
        elements: A page's elements.
        removed: See `removed_runs`.
        start: Position after a mark.
        end: Position of a mark, or the text's end.
    """
    edges = np.append(elements.marks, len(elements.text.codes))
    first, last = np.searchsorted(edges, [start - 1, end])
    for run in (first + np.flatnonzero(~removed[first:last])).tolist():
        yield int(edges[run]) + 1, int(edges[run + 1])
