"""What the user's selectors keep and remove, as runs of a page's text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import Elements
from denoise_scrapy.page.selectors import Match

BoolArray = npt.NDArray[np.bool_]


def removed_elements(elements: Elements, kept: Sequence[Match], removed: Sequence[Match]) -> BoolArray:
    """Which of n elements the selectors remove, and do not keep, shape (n,).

    Args:
        elements: A page's elements.
        kept: What the selectors of content found.
        removed: What the selectors of noise found.
    """
    return _inside(elements, removed) & ~_inside(elements, kept)


def _inside(elements: Elements, matches: Sequence[Match]) -> BoolArray:
    return elements.inside(np.concatenate([np.zeros(0, np.int64), *(match.elements for match in matches)]))


def removed_runs(elements: Elements, kept: Sequence[Match], removed: Sequence[Match]) -> BoolArray:
    """Whether the text after each mark is in removed elements, shape (marks,). Arguments as of `removed_elements`."""
    return np.append(removed_elements(elements, kept, removed), False)[
        elements.text_owner
    ]  # owner -1 is the last value


def left_pieces(elements: Elements, removed: BoolArray, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Positions of what is left of the text between two positions.

    Args:
        elements: A page's elements.
        removed: See `removed_runs`.
        start: Position after a mark.
        end: Position of a mark, or the text's end.
    """
    first, last = np.searchsorted(elements.marks, [start - 1, end])
    edges = [*elements.marks[first:last].tolist(), end]
    for run in np.flatnonzero(~removed[first:last]).tolist():
        yield edges[run] + 1, edges[run + 1]
