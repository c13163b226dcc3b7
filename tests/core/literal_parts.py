"""The part signals of blocks (`core/parts.pyx`), a whole column at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import COMMENTS_BIT, META_BIT
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import BoolArray, FloatArray

Values = npt.NDArray[np.float32]

#: Offsets of the blocks before and after.
AROUND = (1, 2, -1, -2)
_TAGS = ({"figcaption", "caption"}, {"time", "address"}, {"h1"}, {"h2", "h3"}, {"li"}, {"form"})
FLAGS = len(Flag)
_PICTURES = {"img", "picture", "video", "svg"}


def literal_signals(page: Page, seen: Values, odds: Values) -> Values:
    """Return the part signals of each of a page's m blocks, shape (signals, m), NaN where unknown.

    They are computed from what the block model's trees see, shape (n, m), and its network's odds, shape (m,).
    """
    e, blocks, words = page.elements, page.blocks, page.words
    tagged = np.frombuffer(b"".join(map(e.tree.tagged, _TAGS)), np.uint8).reshape(len(_TAGS), -1)
    tags = np.packbits(tagged, 0, "little")[0].astype(np.int64)
    bits = blocks.rows["flags"] | words.bits.astype(np.int64) << FLAGS
    bits |= e.tree.inherited(tags).take(blocks.element) << FLAGS + 8
    each = (bits >> np.arange(FLAGS + 8 + len(_TAGS))[:, None] & 1).astype(np.float32)
    pictures, parent = e.subtree_sums(e.has_tag(_PICTURES)), e.parent[blocks.element]
    above = blocks.element, parent, np.where(parent >= 0, e.parent[parent], -1)
    around = [np.where(some >= 0, pictures[some], 0) for some in above]
    m, most = len(odds), max(AROUND)
    beside = np.full((4, m + 2 * most), np.nan, np.float32)
    beside[:, most:-most] = odds, blocks.tokens, words.bits & META_BIT, blocks.has(Flag.HEADING)
    moved = beside[:, np.subtract.outer(most + np.arange(m), AROUND).T]
    announced = _announced(page, (words.bits & COMMENTS_BIT) != 0)
    rows = np.array([words.titles, *around, *announced], np.float32)
    return np.concatenate([seen, each, rows, moved.reshape(-1, m)])


def _announced(page: Page, announcing: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return the blocks since the last heading of comments, NaN before any; and those in the element around one."""
    e, numbers = page.elements, np.arange(len(announcing))
    last = np.maximum.accumulate(np.where(announcing, numbers, -1))
    around = np.zeros(len(e) + 1, bool)  # the last value is for no element
    around[e.parent[page.blocks.element[announcing]]] = True
    return np.where(last >= 0, numbers - last, np.nan), (e.nearest(around[:-1]) >= 0)[page.blocks.element]
