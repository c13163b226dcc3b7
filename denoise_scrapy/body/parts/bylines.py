"""Bylines: the lines that say who wrote it, and when."""

from __future__ import annotations

import re

import numpy as np

from denoise_scrapy.body.features.lexical import META_BIT, announcing
from denoise_scrapy.body.features.surroundings import window_sums
from denoise_scrapy.body.hand_rule import LINK_DENSITY
from denoise_scrapy.body.parts import titles
from denoise_scrapy.body.parts.surroundings import (
    BoolArray,
    Surroundings,
    is_heading,
    mostly_in,
    named,
    own_flag,
    small_elements,
)
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.marked_text import CJK, DIGIT

BYLINE_TAGS = frozenset(["time", "address"])
#: Of the class words for bylines those that mean nothing else ("info", "meta" and "date" do).
AUTHOR_WORDS = re.compile("author|byline|dateline")
#: A longer text is more than a byline (a portrait of the author).
BYLINE_TOKENS = 30
#: A byline stands so many blocks from the title, or from the body's first or last block.
REACH = 4


def find(page: Page) -> BoolArray:
    """Short blocks that tell a date or an author in an element called so; beside the title one of both is enough.

    Example:
        >>> find(Page.parse("<h1>Fox wins</h1><p class=author>Ann Reed</p><p>It ran and ran, and then won.")).tolist()
        [False, True, False]
    """
    blocks, elements = page.blocks, page.elements
    telling = announcing(page, META_BIT)
    near_title = window_sums(titles.find(page), REACH) > 0
    author = named(page, Flag.BYLINE_WORD, AUTHOR_WORDS)
    marked = own_flag(page, Flag.BYLINE_WORD) | elements.has_tag(BYLINE_TAGS)
    in_author = mostly_in(page, small_elements(page, author, BYLINE_TOKENS))
    in_marked = mostly_in(page, small_elements(page, marked, BYLINE_TOKENS))
    # the signs for day, month and year are parts of other words
    dated = telling & ((blocks.counts[:, DIGIT] > 0) | (blocks.counts[:, CJK] == 0)) & ~blocks.ends_in_stop
    plain = dated & (blocks.link_density < LINK_DENSITY)
    called = (in_marked & telling) | (near_title & (in_author | plain))
    return np.asarray(called & (blocks.tokens <= BYLINE_TOKENS) & ~is_heading(page))


def own(around: Surroundings, found: BoolArray) -> BoolArray:
    """Bylines near the title or the ends of what is kept: teasers in a list have their dates too.

    The pages of one author have one byline, and all dates are alike: that they are repeated says nothing.
    """
    ends = titles.own(around, titles.find(around.page))
    kept = np.flatnonzero(around.kept)
    if len(kept):
        ends[kept[[0, -1]]] = True
    return found & (window_sums(ends, REACH) > 0) & ~around.framed
