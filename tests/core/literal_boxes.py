"""What boxes make of the probabilities of their blocks (`core/boxes.pyx`), a whole column at a time."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from denoise_scrapy.core.markup import KIND_TAGS, Kind
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BoolArray, FloatArray, IntArray

STORY_SHARE, FACTOR = 0.3, 0.3
LIKELY, UNLIKELY = 0.44, 0.1
ENTRIES, LINK, TITLE = 3, 0.9, 2


def literal_weighed(page: Page, probability: FloatArray, asides: BoolArray) -> FloatArray:
    """Return the probability of each of m blocks, shape (m,), given the boxes that they are in."""
    found, e = np.where(asides, FACTOR * probability, probability), page.elements
    article = e.nearest(e.has_tag({"article"})) if e.holds_tag({"article"}) else None
    if article is not None:
        lower_around_story(page, found, article)
    raise_titles(page, found)
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


def raise_titles(page: Page, probability: FloatArray) -> None:
    """Raise the titles of entries, boxes alike with two blocks or more, towards their texts."""
    blocks, places = page.blocks, defaultdict[int, list[tuple[int, int, int]]](list)
    level, tokens, prose, text_hash = (blocks.rows[name] for name in ("heading", "tokens", "prose", "text_hash"))
    quote = page.elements.nearest(page.elements.has_tag(KIND_TAGS[Kind.QUOTE]))
    is_title = (probability > 0) & (quote[blocks.element] < 0)
    for box, shape in enumerate(page.elements.rows["shape"].tolist()):
        some = np.flatnonzero(blocks.inside(box))
        likely = some[is_title[some]]
        if len(some) > 1 and len(likely):
            headings = likely[level[likely] > 0]
            title = headings[0] if len(headings) else likely[0]
            places[shape].append((box, int(title), int(some[np.argmax(tokens[some])])))
    several = [np.array(found) for found in places.values() if len(found) >= ENTRIES]
    titles = [
        found
        for found in several
        if 2 * len({*text_hash[found[:, 1]].tolist()}) > len(found)
        and tokens[found[:, 1]].mean() >= TITLE
        and probability[found[:, 1]].mean() > UNLIKELY
    ]
    for _, title, text in sorted(entry for found in titles for entry in found.tolist()):
        if title != text and not prose[title] and probability[text] >= LIKELY:
            probability[title] = max(probability[title], probability[text])
