"""What a first judgement says of a block's neighbours: the features of the second one.

Source: Tu, *Auto-context and Its Application to High-level Vision Tasks* (2008), sections 2 and 3: a classifier that is
given, beside the features, what another one found around each pixel. Around a block are the blocks before and after it,
the boxes it stands in, and the blocks of the same path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import capped

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Blocks before and after of each window, levels of the boxes. Wider windows and boxes gained nothing.
WINDOWS, LEVELS, SHARE_LEVELS = (1, 3), 3, 2
#: Distances in blocks are cut here.
FAR = 30
#: Names of the features, in their order.
NEIGHBOUR_NAMES = (
    "first_odds",
    *(f"first_window{width}" for width in WINDOWS),
    *(f"first_up{level}" for level in range(1, LEVELS + 1)),
    *(f"first_share_up{level}" for level in range(1, SHARE_LEVELS + 1)),
    "first_path",
    "first_before",
    "first_from_best",
    "first_page_share",
    "first_page_tokens",
)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """What stands around each of a page's m blocks.

    Attributes:
        tokens: Tokens of each block, shape (m,).
        slots: Number of each block's path, shape (m,).
        order: The blocks in the order of their elements, shape (m,).
        start: Place in that order where the box 1 to `LEVELS` levels up begins, shape (LEVELS, m).
        end: Where it ends, shape (LEVELS, m).
    """

    tokens: IntArray
    slots: IntArray
    order: IntArray
    start: IntArray
    end: IntArray

    @classmethod
    def of(cls, page: Page) -> Neighbours:
        """Those of a page with at least one block."""
        blocks, elements = page.blocks, page.elements
        boxes = blocks.above[1 : LEVELS + 1]
        before = np.zeros(len(elements) + 1, np.int64)
        np.bincount(blocks.element, minlength=len(elements)).cumsum(out=before[1:])
        order = blocks.element.argsort(kind="stable")
        return cls(blocks.tokens, blocks.slots, order, before.take(boxes), before.take(elements.end.take(boxes)))

    def features(self, odds: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The features by the log odds of the first judgement, shape (m,): rows as in `NEIGHBOUR_NAMES`.

        Means are weighted by the logarithm of a block's length, shares are of the text that is expected to be kept.
        """
        m, first = len(odds), 1 / (1 + np.exp(-odds.astype(np.float64)))
        weight, expected = np.log1p(self.tokens), first * self.tokens
        index, judged = np.arange(m), np.array([first * weight, weight, expected])
        in_line, in_order = _running(judged), _running(judged.take(self.order, axis=1))
        whole = max(float(in_line[2, -1]), 1e-6)
        rows: list[npt.NDArray[np.generic]] = [odds]
        for width in WINDOWS:
            window = in_line.take(np.minimum(index + width + 1, m), axis=1) - in_line.take(
                np.maximum(index - width, 0), axis=1
            )
            rows.append(_mean(window))
        boxes = in_order.take(self.end, axis=1) - in_order.take(self.start, axis=1)
        rows += [*_mean(boxes), *(boxes[2, :SHARE_LEVELS] / whole)]
        paths = np.array([np.bincount(self.slots, row) for row in judged[:2]], float)
        rows += [_mean(paths).take(self.slots), in_line[2, :-1] / whole]
        rows.append(capped(index - int(expected.argmax()), FAR))
        rows += [np.full(m, whole / max(int(self.tokens.sum()), 1)), np.full(m, np.log1p(whole))]
        return np.array(rows, np.float32)


def _running(rows: FloatArray) -> FloatArray:
    """Sums up to each place, shape (rows, m + 1)."""
    sums = np.zeros((len(rows), rows.shape[1] + 1))
    rows.cumsum(axis=1, out=sums[:, 1:])
    return sums


def _mean(sums: FloatArray) -> FloatArray:
    """The mean judgement by the sums of judgements and of weights."""
    return np.asarray(sums[0] / (sums[1] + 1e-3))
