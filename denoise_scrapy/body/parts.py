"""Parts of a page: headline, standfirst, captions, bylines and comments by a fitted model, tables of data by cells.

What counts as which part stands in `docs/main-text.md`. Readers marked it block by block on some seven hundred pages,
and a few boosted trees for each part were fitted on these (`training/parts.py`).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.model import block_model, view_of
from denoise_scrapy.body.strategies.repetition import LINK_DENSITY
from denoise_scrapy.body.tables import data_tables
from denoise_scrapy.core.announcements import COMMENTS_BIT, META_BIT
from denoise_scrapy.core.features import in_best_container
from denoise_scrapy.core.model import Neighbours
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

BoolArray = npt.NDArray[np.bool_]
Values = npt.NDArray[np.float32]

#: Parts that the model knows.
LEARNED = ("title", "standfirst", "captions", "bylines", "comments")
#: All parts, by their switches in `Taste`.
PARTS = (*LEARNED, "tables")
#: A block is of a part where that is at least so likely. Of blocks of publishers left out more are found below, and
#: more others with them: F1 of all parts is highest here.
LIKELY = 0.3
#: Blocks before and after of which a part depends.
AROUND = (1, 2, -1, -2)
#: Elements around a block whose names tell its part.
_CAPTIONS = frozenset(["figcaption", "caption"])
_TAGS = (_CAPTIONS, *map(frozenset, (["time", "address"], ["h1"], ["h2", "h3"], ["li"], ["form"])))
_PICTURES = frozenset(["img", "picture", "video", "svg"])


def part_signals(page: Page, features: Values, odds: Values) -> Values:
    """Return the signals of the part of each of a page's m blocks, shape (signals, m), NaN where unknown.

    Args:
        page: The page.
        features: What the model of blocks sees, shape (features, m).
        odds: What its network says of each, shape (m,).
    """
    e, blocks, words = page.elements, page.blocks, page.words
    flags = blocks.flags[None, :] >> np.arange(len(Flag))[:, None] & 1
    bits = words.bits[None, :] >> np.arange(8)[:, None] & 1
    tags = [_inside(page, names) for names in _TAGS]
    pictures = np.append(e.subtree_sums(e.has_tag(_PICTURES).astype(np.int64)), 0)  # -1 stands for no element
    parent = np.append(e.parent, -1)
    above = [blocks.element, parent[blocks.element], parent[parent[blocks.element]]]
    beside = [odds, blocks.tokens, words.bits & META_BIT, (blocks.flags & Flag.HEADING) != 0]
    moved = [_moved(np.asarray(row, np.float32), by) for row in beside for by in AROUND]
    rows = [
        *features,
        *Neighbours.of(page.tree).features(odds),
        *flags,
        *bits,
        *tags,
        words.titles,
        *(pictures[some] for some in above),
        *_announced(page, (words.bits & COMMENTS_BIT) != 0),
        *moved,
    ]
    return np.array(rows, np.float32)


def _announced(page: Page, announcing: BoolArray) -> tuple[Values, BoolArray]:
    """Blocks since the last that announces comments, NaN before the first; and which are in the element around one."""
    e, numbers = page.elements, np.arange(len(announcing))
    last = np.maximum.accumulate(np.where(announcing, numbers, -1))
    around = np.zeros(len(e) + 1, bool)  # the last is no element
    around[e.parent[page.blocks.element[announcing]]] = True
    return (
        np.where(last >= 0, numbers - last, np.nan).astype(np.float32),
        np.asarray((e.nearest(around[:-1]) >= 0)[page.blocks.element]),
    )


def _inside(page: Page, tags: frozenset[str]) -> BoolArray:
    """Blocks in elements of some names."""
    e = page.elements
    return np.asarray((e.nearest(e.has_tag(tags)) >= 0)[page.blocks.element])


def _moved(row: Values, by: int) -> Values:
    """Return a row moved by so many places, NaN where there is no block."""
    found = np.full_like(row, np.nan)
    if abs(by) < len(row):
        found[max(by, 0) : len(row) + min(by, 0)] = row[max(-by, 0) : len(row) - max(by, 0)]
    return found


class Parts:
    """The parts of a page's m blocks.

    Args:
        page: The page.
        site: Its comparison pages.
        kept: What a strategy keeps, shape (m,).
    """

    def __init__(self, page: Page, site: SiteStatistics, kept: BoolArray) -> None:
        self._page, self._site, self._kept = page, site, kept

    @cached_property
    def _signals(self) -> Values:
        model = block_model()
        features = view_of(self._page, self._site, model.vocabulary).features
        return part_signals(self._page, features, model.network.odds(features))

    def find(self, part: str) -> BoolArray:
        """Blocks of a part, shape (m,)."""
        if part == "tables":
            e = self._page.elements
            tables = e.nearest(e.has_tag({"table"}))[self._page.blocks.element]
            return np.asarray((tables >= 0) & data_tables(self._page)[tables])
        found = np.asarray(block_model().parts[part].probability(self._signals) >= LIKELY)
        return found | _inside(self._page, _CAPTIONS) if part == "captions" else found

    def own(self, part: str) -> BoolArray:
        """Those of them that belong to the body: of tables those in the element that holds it, shape (m,)."""
        found = self.find(part)
        if part != "tables":
            return found
        blocks = self._page.blocks
        return (
            found
            & in_best_container(self._page.tree, np.where(self._kept, blocks.tokens, 0.0))
            & (blocks.link_density < LINK_DENSITY)
        )
