"""Captions of pictures and tables."""

from __future__ import annotations

import re

import numpy as np

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

CAPTION_TAGS = frozenset(["figcaption", "caption"])
PICTURE_TAGS = frozenset(["img", "picture", "video"])
#: Of the class words for captions and pictures those that mean the caption itself.
CAPTION_WORDS = re.compile("caption|credit")
#: An element named after a picture or a caption that holds more than this is no caption.
CAPTION_TOKENS = 60
#: A caption is the body's own where it keeps a text so many blocks away.
REACH = 3


def find(page: Page) -> BoolArray:
    """Blocks in `figcaption` and `caption`, in small elements called so or that hold a picture and no heading.

    Example:
        >>> find(Page.parse("<p>It ran.</p><div class=photo-credit>Photo: Reed</div>")).tolist()
        [False, True]
    """
    tagged = page.elements.nearest(page.elements.has_tag(CAPTION_TAGS)) >= 0
    pictured = _holds(page, page.elements.has_tag(PICTURE_TAGS)) & ~_holds(page, own_flag(page, Flag.HEADING))
    called = named(page, Flag.CAPTION_WORD, CAPTION_WORDS) | (own_flag(page, Flag.CAPTION_WORD) & pictured)
    in_caption = tagged | small_elements(page, called, CAPTION_TOKENS)
    shown = (page.blocks.flags & Flag.CONTROL) == 0
    return np.asarray(mostly_in(page, in_caption) & shown & ~is_heading(page))


def _holds(page: Page, elements: BoolArray) -> BoolArray:
    """Elements in whose subtree one of these is, shape (elements,)."""
    return np.asarray(page.elements.subtree_sums(elements.astype(np.int64)), np.int64) > 0


def own(around: Surroundings, found: BoolArray) -> BoolArray:
    """Captions beside what is kept; those of teasers are links or stand in frames. Many pages say "Photo: AP"."""
    return found & around.near_kept(REACH) & ~around.framed & ~around.linked
