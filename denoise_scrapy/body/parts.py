"""Parts of a page's text: what trees know of a block beside the features of the block model.

Headline, standfirst, captions, bylines and comments are found by boosted trees, fitted on some seven hundred pages
labelled by readers (`docs/main-text.md`, `training/parts.py`).
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import COMMENTS_BIT, META_BIT
from denoise_scrapy.core.judge import Neighbours
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import BoolArray, FloatArray

Values = npt.NDArray[np.float32]

#: Parts that the model can find.
LEARNED = ("title", "standfirst", "captions", "bylines", "comments")
#: A block belongs to a part if that is at least this probable. On publishers left out, a lower threshold finds more
#: such blocks, and more false ones: F1 of all parts is highest here.
LIKELY = 0.3
#: Number of blocks before and after that the part of a block depends on; and the order of their rows.
AROUND = 2
_MOVES = [1, 0, 3, 4]
#: Enclosing elements whose names indicate a part.
CAPTIONS = {"figcaption", "caption"}
_TAGS = (CAPTIONS, {"time", "address"}, {"h1"}, {"h2", "h3"}, {"li"}, {"form"})
_PICTURES = {"img", "picture", "video", "svg"}


def part_signals(page: Page, features: Values, odds: Values) -> Values:
    """Return the part signals of each of a page's m blocks, shape (signals, m), NaN where unknown.

    They are computed from the block model's features, shape (features, m), and its network's odds, shape (m,).
    """
    e, blocks, words = page.elements, page.blocks, page.words
    flags = blocks.flags[None, :] >> np.arange(len(Flag))[:, None] & 1
    bits = words.bits[None, :] >> np.arange(8)[:, None] & 1
    tags = [inside_tags(page, names) for names in _TAGS]
    pictures = np.append(e.subtree_sums(e.has_tag(_PICTURES)), 0)  # element -1, none, has 0
    parent = np.append(e.parent, -1)
    above = [blocks.element, parent[blocks.element], parent[parent[blocks.element]]]
    around = [pictures[some] for some in above]
    beside = np.full((4, AROUND + len(blocks) + AROUND), np.nan, np.float32)
    beside[:, AROUND:-AROUND] = odds, blocks.tokens, words.bits & META_BIT, blocks.has(Flag.HEADING)
    moved = np.lib.stride_tricks.sliding_window_view(beside, len(blocks), 1)[:, _MOVES].reshape(-1, len(blocks))
    announced = _announced(page, (words.bits & COMMENTS_BIT) != 0)
    rows = np.array([*flags, *bits, *tags, words.titles, *around, *announced], np.float32)
    return np.concatenate([features, Neighbours.of(page.tree).features(odds), rows, moved])


def _announced(page: Page, announcing: BoolArray) -> tuple[FloatArray, BoolArray]:
    """Return the blocks since the last heading of comments, NaN before any; and those in the element around one."""
    e, numbers = page.elements, np.arange(len(announcing))
    last = np.maximum.accumulate(np.where(announcing, numbers, -1))
    around = np.zeros(len(e) + 1, bool)  # the last value is for no element
    around[e.parent[page.blocks.element[announcing]]] = True
    return np.where(last >= 0, numbers - last, np.nan), (e.nearest(around[:-1]) >= 0)[page.blocks.element]


def inside_tags(page: Page, tags: Collection[str]) -> BoolArray:
    """Return the blocks in elements with some tags."""
    return (page.elements.nearest(page.elements.has_tag(tags)) >= 0)[page.blocks.element]
