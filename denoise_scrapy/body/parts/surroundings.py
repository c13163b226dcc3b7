"""Where the body stands on the page, as a strategy has found it: what is near it is its own, what frames it is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.hand_rule import FRAME_SHARE, LINK_DENSITY, REPEATED_SHARE
from denoise_scrapy.body.features.sums import in_best_container
from denoise_scrapy.body.features.words import window_sums
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

BoolArray = npt.NDArray[np.bool_]

#: What frames a body, by tag, role or class word.
_FRAME = (
    Flag.HIDDEN,
    Flag.NAV,
    Flag.FOOTER,
    Flag.ASIDE,
    Flag.SIDE_WORD,
    Flag.AD_WORD,
    Flag.RELATED_WORD,
    Flag.CONSENT_WORD,
)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A page of m blocks, its site, and what a strategy keeps of it.

    Attributes:
        page: The page.
        site: Its comparison pages.
        kept: What the strategy keeps, shape (m,).
    """

    page: Page
    site: SiteStatistics
    kept: BoolArray

    @cached_property
    def inside(self) -> BoolArray:
        """Blocks in the element that holds what is kept and little else, shape (m,)."""
        return in_best_container(self.page, np.where(self.kept, self.page.blocks.tokens, 0))

    @cached_property
    def framed(self) -> BoolArray:
        """Blocks in a frame; one that most of what is kept stands in frames nothing. Shape (m,)."""
        blocks = self.page.blocks
        has = (blocks.flags & np.array(_FRAME, np.int64)[:, None]) != 0  # shape (flags, m)
        counts = has @ (blocks.tokens * self.kept) <= FRAME_SHARE * (blocks.tokens @ self.kept)
        return np.asarray((has & counts[:, None]).any(axis=0))

    @cached_property
    def template(self) -> BoolArray:
        """Blocks whose text stands in the same place on comparison pages, shape (m,)."""
        return np.asarray(self.site.repeated_in_place_share(self.page) >= REPEATED_SHARE)

    @property
    def linked(self) -> BoolArray:
        """Blocks that are mostly links, shape (m,)."""
        return np.asarray(self.page.blocks.link_density >= LINK_DENSITY)

    def near_kept(self, reach: int) -> BoolArray:
        """Blocks with a kept one not further away than so many blocks, shape (m,)."""
        return window_sums(self.kept, reach) > 0


def small_elements(page: Page, marked: BoolArray, tokens: int) -> BoolArray:
    """Elements with little text that are marked, or inside of such.

    A class word of a wrapper ("photo-story") says nothing of the texts in it.

    Args:
        page: A page of n elements.
        marked: Which of them are marked, shape (n,).
        tokens: How many an element holds at most.

    Returns:
        Shape (n,).
    """
    small = page.blocks.subtree_sums(page.blocks.tokens) <= tokens
    return np.asarray(page.elements.nearest(marked & small) >= 0)


def mostly_in(page: Page, elements: BoolArray) -> BoolArray:
    """Blocks of which most of the text is these elements' own, shape (blocks,).

    Args:
        page: A page of n elements.
        elements: Which of them, shape (n,).
    """
    return np.asarray(page.blocks.share_owned_by(elements) > 0.5)


def own_flag(page: Page, flag: Flag) -> BoolArray:
    """Elements that have a flag themselves, shape (elements,)."""
    return np.asarray((np.asarray(page.elements.column("own_flags"), np.int64) & flag) != 0)


def named(page: Page, flag: Flag, words: re.Pattern[str]) -> BoolArray:
    """Elements that have a flag themselves because of one of these words in class or id, shape (elements,).

    Args:
        page: The page.
        flag: A flag of words.
        words: Some of these, in lower case.
    """
    marked, paths = own_flag(page, flag), page.elements.paths
    step = page.path_table.step
    by_word = [path for path in np.unique(paths[marked]).tolist() if words.search(step(path).lower())]
    return np.asarray(marked & np.isin(paths, by_word))


def is_heading(page: Page) -> BoolArray:
    """Blocks in a heading, shape (blocks,)."""
    return np.asarray((page.blocks.flags & Flag.HEADING) != 0)
