# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What a box is as a whole, where the model judges its blocks one by one: the story, or what stands beside it.

`python -m benchmarks.rules` measures each rule.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport DoublesOut, Flags
from denoise_scrapy.core.tree cimport IS_STORY, Block, Tree, block_count, element_count, is_inside, kind_of

#: Share of the expected text that the article with the page's headline has, if what is beside it is other stories or a
#: frame; and the factor of what is beside it: mean F1 of 3,154 pages changes by -.0001.
cdef double STORY_SHARE = 0.3, FACTOR = 0.3
#: Share of links in a block that is a link.
cdef double LINK = 0.9


cdef int lower_around_story(Tree tree, Flags titles, DoublesOut probability) nogil:
    """Lower what is outside of the one article that has the page's headline, and most of its text."""
    cdef:
        vector[int32_t] story                 # the nearest article, by element, -1 for none
        vector[uint8_t] headed, leads_away    # by article: it has a heading; one that is a link
        vector[bint] inside
        Block block
        int32_t i, of, own = -1, n = element_count(tree), m = block_count(tree)
        bint any_story = False, several = False
        double whole = 0, within = 0
    story.assign(n, -1)
    for i in range(n):
        if kind_of(tree, i) & IS_STORY:
            story[i], any_story = i, True
        elif tree.elements[i].parent >= 0:
            story[i] = story[tree.elements[i].parent]
    if not any_story:
        return 0
    headed.resize(n)
    leads_away.resize(n)
    for i in range(m):
        block = &tree.blocks[i]
        of = story[block.element]
        if of >= 0 and block.heading:
            headed[of] = True
            leads_away[of] |= block.link_chars > LINK * block.chars
            if titles[i] and block.heading == 1:
                several |= own >= 0 and own != of
                own = of
    if several:
        return 0
    inside.resize(m)
    for i in range(m):
        block = &tree.blocks[i]
        of = story[block.element]
        if own < 0:  # then what is beside teasers: articles with a heading that leads away
            inside[i] = of < 0 or not leads_away[of]
        else:  # and posts: articles without a heading
            inside[i] = is_inside(tree, block.element, own) or (of >= 0 and not headed[of])
        whole += block.tokens * probability[i]
        if inside[i]:
            within += block.tokens * probability[i]
    if within >= STORY_SHARE * whole:
        for i in range(m):
            if not inside[i] and not (titles[i] and tree.blocks[i].heading == 1):
                probability[i] *= FACTOR


def around_story(Tree tree not None, titles, probability) -> np.ndarray:
    """Return the probability of each of m blocks, lower outside of the article with the page's headline.

    Args:
        tree: The page.
        titles: Which say the title (`features.Words.titles`), shape (m,).
        probability: The model's, shape (m,).

    Raises:
        ValueError: An array has the wrong shape.

    Example:
        >>> from lxml.html import document_fromstring
        >>> from denoise_scrapy.core.tree import tree_of
        >>> tree = tree_of(document_fromstring("<article><h1>Low tide</h1></article><p>More stories</p>"))
        >>> around_story(tree, np.array([True, False]), [0.9, 0.8]).round(2).tolist()
        [0.9, 0.24]
    """
    found = np.array(probability, np.float64)
    cdef:
        DoublesOut chances = found
        Flags is_title = titles.view(np.uint8)
    tree._check(chances.shape[0], tree.blocks.size(), "blocks")
    tree._check(is_title.shape[0], tree.blocks.size(), "blocks")
    with nogil:
        lower_around_story(tree, is_title, chances)
    return found
