"""What boxes make of the probabilities of their blocks (`core/boxes.pyx`), a whole column at a time."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import FloatArray, IntArray

STORY_SHARE, FACTOR = 0.3, 0.3
LINK = 0.9


def literal_around_story(page: Page, probability: FloatArray) -> FloatArray:
    """Return the probability of each of m blocks, shape (m,), given the boxes that they are in."""
    found, e = probability.copy(), page.elements
    article = e.nearest(e.has_tag({"article"})) if e.holds_tag({"article"}) else None
    if article is not None:
        lower_around_story(page, found, article)
    return found


def lower_around_story(page: Page, probability: FloatArray, article: IntArray) -> None:
    """Lower what is outside of the one article that has the page's headline, and most of its text."""
    blocks = page.blocks
    of, level = article[blocks.element], blocks.rows["heading"]
    is_title = page.words.titles & (level == 1)
    own, inside = {*of[is_title].tolist()} - {-1}, None
    if len(own) == 1:  # and posts: articles without a heading
        inside = blocks.inside(*own) | ~np.isin(of, [-1, *of[level > 0]])
    elif not own:  # then what is beside teasers: articles with a heading that leads away
        teasers = of[(level > 0) & (blocks.link_density > LINK)]
        inside = ~np.isin(of, teasers[teasers >= 0])
    if inside is not None:
        expected = blocks.tokens * probability
        if expected[inside].sum() >= STORY_SHARE * expected.sum():
            probability[~(inside | is_title)] *= FACTOR
