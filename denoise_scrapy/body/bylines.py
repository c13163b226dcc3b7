"""Bylines in the languages of which few pages were labelled: the trees that find them see little of their words."""

from __future__ import annotations

from itertools import islice

import numpy as np

from denoise_scrapy.core.judge import Forest
from denoise_scrapy.metadata.names import is_person, names_in
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, FloatArray, FloatColumn

#: Lines of at most so many tokens are read, the first of a page, unless the network is sure that they are frames: each
#: takes 30 microseconds.
MOST_TOKENS, MOST_LINES, LEAST_ODDS = 20, 40, -3.0
#: Tokens of "By" and a name; a longer line that ends as a sentence does is one.
MOST_OF_A_NAME = 5


def byline_chances(page: Page, signals: FloatColumn, odds: FloatColumn, forest: Forest) -> FloatArray:
    """Return the chance that each of m blocks is a byline: by the trees, and 1 if it says by which person it is.

    Args:
        page: The page.
        signals: Those of its parts (`core.parts.part_signals`).
        odds: The log odds of the network, shape (m,).
        forest: The trees.
    """
    chance = forest.probability(signals)
    blocks = page.blocks
    may_be = (chance < HALF) & (odds >= LEAST_ODDS) & (blocks.tokens <= MOST_TOKENS) & (blocks.rows["heading"] == 0)
    for block in islice(np.flatnonzero(may_be).tolist(), MOST_LINES):
        text = page.block_text(block)  # of several lines one is often a title
        is_sentence = blocks.tokens[block] > MOST_OF_A_NAME and text.rstrip(' »”"')[-1:] in set(".!?…。")
        if "\n" not in text and not is_sentence and any(map(is_person, names_in(text, is_byline=True))):
            chance[block] = 1
    return chance
