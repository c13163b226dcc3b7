"""Block filter: of the page's large, wide, shown blocks, the one with the least link text a character of other text.

Source: the patent on page de-duplication by character frequency, steps S210 to S240 (the content that is
fingerprinted there).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.body.strategies.framework import FrameSizes
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

#: The source's blocks ("such as TABLE, P, TR, DIV"), and today's: with cells and the containers of a layout
#: F1 on big9 is .929, with the source's four .918. List items, headings and table sections too: .926, dragnet -.006.
BLOCK_TAGS = frozenset("table p tr div td section article main aside nav header footer form ul ol dl".split())
#: The source's threshold on width; the content's is the width in which most of the page's text is set.
WIDTH_SHARE = 0.8
#: The minimum of characters, as a share of the page's, which serves every script; those in links do not count. A few
#: sentences without a link have the smallest Topic of all: at fixed minima of 200, 500 and 800 characters the mean
#: F1 over eight corpora is .683, .748, .765; at shares of .25, .3, .35, .4, .5 it is .836, .852, .856, .857, .848
#: (dragnet .848, .857, .856, .849, .821).
MIN_SHARE = 0.35

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


class BlockFilterStrategy(Strategy):
    """The block with the smallest Topic: link text length / non-link text length.

    A block of unknown width is not judged by it. Of equal Topics (many blocks have no link) the one with the
    most text is taken, of equal texts the innermost. Where no block is left, the page's whole text is the content.
    """

    name = "block-filter"
    comparison_pages = 0
    needs_elements = False

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        blocks = page.blocks
        link, word = text_lengths(page)
        chosen = smallest_topic(candidates(page, link, word), link, word)
        shown = (blocks.flags & Flag.HIDDEN) == 0
        kept = blocks.inside(chosen) & shown if chosen >= 0 else shown
        reasons = np.where(kept, "in the block with the least link text", "outside the block with the least link text")
        reasons = np.where(shown, reasons, "hidden")
        return Decision.of_rule(page, kept, reasons.tolist())


def text_lengths(page: Page) -> tuple[IntArray, IntArray]:
    """Link(A) and Word(A): shown characters of each element in links, and not in links (formulas 2 and 3)."""
    elements = page.elements
    flags = np.asarray(elements.column("flags"), np.int64)
    linked = (flags & Flag.LINK) != 0
    shown = np.where(flags & Flag.HIDDEN, 0, elements.own_chars)
    link = elements.subtree_sums(np.where(linked, shown, 0))
    word = elements.subtree_sums(np.where(linked, 0, shown))
    return np.asarray(link), np.asarray(word)


def topics(link: IntArray, word: IntArray) -> FloatArray:
    """Topic(A) = Link(A) / Word(A), infinite where nothing but links is there (formula 1). All of one shape."""
    topic = np.full(np.shape(link), np.inf)
    np.divide(link, word, out=topic, where=word > 0)
    return topic


def candidates(page: Page, link: IntArray, word: IntArray) -> BoolArray:
    """Blocks that are left to choose from, shape (elements,).

    The source deletes hidden blocks; inner blocks (which hold no block: their text is in the outer one); all
    children of a block that display alike; narrow blocks; and blocks of too few characters. On a page of
    inner blocks alone these are the candidates.
    """
    elements = page.elements
    hidden = (np.asarray(elements.column("flags"), np.int64) & Flag.HIDDEN) != 0
    blocks = elements.has_tag(BLOCK_TAGS) & ~hidden & (link + word > 0)
    outer = blocks & (np.asarray(elements.subtree_sums(blocks.astype(np.int64))) > 1)
    left = merge_alike(page, outer) if outer.any() else blocks
    large = left & (word >= MIN_SHARE * word[elements.parent < 0].sum())
    wide = large & ~narrow(page)
    return np.asarray(wide if wide.any() else large, bool)


def merge_alike(page: Page, blocks: BoolArray) -> BoolArray:
    """The blocks without those whose siblings all display as they do: their parent stands in their place.

    Siblings are blocks of one nearest block; they display alike where tag and class are equal. A block without
    siblings is kept: of one block nothing can be said to be alike (merging it too, big9 falls from .929 to .909).
    """
    elements = page.elements
    index = np.flatnonzero(blocks)
    above = elements.parent[index]
    parent = np.where(above >= 0, elements.nearest(blocks)[above], -1)
    index, parent = index[parent >= 0], parent[parent >= 0]
    tag, class_ = (np.asarray(elements.column(name), np.int64)[index] for name in ("tag", "class_"))
    _, display = np.unique(tag << 32 ^ class_, return_inverse=True)
    n = len(elements)
    displays = np.bincount(np.unique(parent * n + display) // n, minlength=n)  # different ones under each parent
    alike = (displays[parent] == 1) & (np.bincount(parent, minlength=n)[parent] > 1)
    left: BoolArray = blocks.copy()
    left[index[alike]] = False
    return left


def narrow(page: Page) -> BoolArray:
    """Elements narrower than the share of the content's width, where widths are known, shape (elements,).

    An element without a width is as wide as its container. The content's width is the one in which the
    median character stands, of those in known widths.
    """
    elements = page.elements
    widths = FrameSizes(page).inherited_widths()
    known = np.flatnonzero(~np.isnan(widths) & (elements.own_chars > 0))
    if not len(known):
        return np.zeros(len(elements), bool)
    known = known[np.argsort(widths[known], kind="stable")]
    chars = np.cumsum(elements.own_chars[known])
    content = widths[known[np.searchsorted(chars, chars[-1] / 2)]]
    with np.errstate(invalid="ignore"):
        return np.asarray(widths < WIDTH_SHARE * content, bool)


def smallest_topic(blocks: BoolArray, link: IntArray, word: IntArray) -> int:
    """The block with the smallest Topic, of equals the one with the most text, then the innermost; -1 for none."""
    index = np.flatnonzero(blocks)
    if not len(index):
        return -1
    order = np.lexsort((-index, -(link + word)[index], topics(link, word)[index]))
    return int(index[order[0]])
