"""Comments: what readers wrote under it."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.body.adjustments import COMMENTS_META, comments_begin
from denoise_scrapy.body.features.hand_rule import FRAME_SHARE
from denoise_scrapy.body.features.words import ANNOUNCING_TOKENS, COMMENTS_BIT, META_BIT, announcing
from denoise_scrapy.body.parts import titles
from denoise_scrapy.body.parts.surroundings import BoolArray, Surroundings, own_flag
from denoise_scrapy.page import Flag, Page

#: A short text that stands so often among the comments is a button ("Reply", "Report abuse").
BUTTONS = 3


def find(page: Page) -> BoolArray:
    """Blocks in elements that a class word calls comments, and all that follows a heading of comments.

    Example:
        >>> find(Page.parse("<h1>Fox</h1><p>It ran.</p><ol class=commentlist><li>Great!</ol>")).tolist()
        [False, False, True]
    """
    blocks = page.blocks
    named = page.elements.nearest(_named(page)) >= 0
    return named[blocks.element] | (np.arange(len(blocks)) >= _heading(page))


def _named(page: Page) -> BoolArray:
    """Elements with a class word for comments that can be some, shape (elements,).

    One that holds the page's title is a wrapper ("has-comments"). One that holds most of the page ("commentary") needs
    lines of names and dates, as a thread has them.
    """
    blocks, sums = page.blocks, page.blocks.subtree_sums
    large = sums(blocks.tokens) > FRAME_SHARE * blocks.tokens.sum()
    thread = sums(announcing(page, META_BIT)) >= COMMENTS_META
    return np.asarray(own_flag(page, Flag.COMMENT_WORD) & (sums(titles.find(page)) == 0) & (thread | ~large))


def _heading(page: Page) -> int:
    """The block of the heading of comments, the number of blocks where there is none."""
    dt = page.elements.has_tag({"dt"})[page.blocks.element]
    headings = ((page.blocks.own_flags & Flag.HEADING) != 0) | dt
    return comments_begin(page, headings & announcing(page, COMMENTS_BIT), announcing(page, META_BIT))


def own(around: Surroundings, found: BoolArray) -> BoolArray:
    """The texts of the thread, without what is clicked, filled in, or stands beside each of them.

    After a heading the thread ends with the element that holds it.
    """
    page, blocks = around.page, around.page.blocks
    meta = announcing(page, META_BIT) & ~blocks.ends_in_stop
    _, kind, count = np.unique(np.where(found, blocks.text_hashes, 0), return_inverse=True, return_counts=True)
    button = (count[kind] >= BUTTONS) & (blocks.tokens < ANNOUNCING_TOKENS)
    clicked = (blocks.flags & (Flag.CONTROL | Flag.HEADING)) != 0
    said = found & ~(meta | button | clicked | announcing(page, COMMENTS_BIT) | around.linked)
    return np.asarray(said & _in_thread(page) & ~_in_form(page) & ~around.framed & ~around.template)


def _in_thread(page: Page) -> BoolArray:
    """Blocks in named elements, or in the smallest element around the heading that holds lines of a thread."""
    elements, blocks = page.elements, page.blocks
    inside = (elements.nearest(_named(page)) >= 0)[blocks.element]
    heading = _heading(page)
    if heading == len(blocks):
        return np.asarray(inside)
    lines = blocks.subtree_sums(announcing(page, META_BIT))
    around = blocks.element[heading]
    while lines[around] < COMMENTS_META and elements.parent[around] >= 0:
        around = elements.parent[around]
    return np.asarray(inside | blocks.inside(int(around)))


def _in_form(page: Page) -> BoolArray:
    """Blocks in a form that is not most of the page, as those of old servers are."""
    tokens = page.blocks.tokens
    small = page.blocks.subtree_sums(tokens) <= FRAME_SHARE * tokens.sum()
    return (page.elements.nearest(page.elements.has_tag({"form"}) & small) >= 0)[page.blocks.element]
