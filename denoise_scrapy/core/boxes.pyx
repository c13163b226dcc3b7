# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What a box is as a whole, where the model judges its blocks one by one: a story, an entry of a list.

`python -m benchmarks.rules` measures each rule.
"""

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.unordered_set cimport unordered_set
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport DoublesOut, Flags
from denoise_scrapy.core.hashing cimport mix
from denoise_scrapy.core.tree cimport (
    IS_QUOTE, IS_STORY, Block, Tree, block_count, element_count, is_inside, is_within, kind_of,
)

#: Share of the expected text that the article with the page's headline has, if what is beside it is other stories or a
#: frame; and the factor of what is beside it, and of a byline or comment. The model keeps a byline beside
#: few pages of a site, and drops it beside more: mean F1 of 3,154 pages changes by -.0001.
cdef double STORY_SHARE = 0.3, FACTOR = 0.3
#: Least probability of an entry's text; mean probability of titles below which they are hardly content.
cdef double LIKELY = 0.44, UNLIKELY = 0.1
#: Share of links in a block that is a link.
cdef double LINK = 0.9

cdef enum:
    # Fewest entries of a list.
    ENTRIES = 3
    # Fewest tokens that titles of entries have on average: numbers and votes have fewer, and threads lose .0007 by them.
    TITLE = 2

#: The rules, in order; each can be left out to measure it.
RULES = ("lower around story", "raise titles")


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


cdef struct Titles:           # of the boxes in one place
    int32_t boxes
    int32_t different
    int32_t tokens
    double probability


cdef inline int32_t title_of(Tree tree, int32_t one, int32_t other) noexcept nogil:
    """Return the first heading of two blocks, else the first of them; -1 stands for none."""
    if one < 0 or other < 0:
        return max(one, other)
    if (tree.blocks[one].heading > 0) != (tree.blocks[other].heading > 0):
        return one if tree.blocks[one].heading else other
    return min(one, other)


cdef inline int32_t longest_of(Tree tree, int32_t one, int32_t other) noexcept nogil:
    """Return the longer one of two blocks, else the first of them; -1 stands for none."""
    if one < 0 or other < 0:
        return max(one, other)
    if tree.blocks[one].tokens != tree.blocks[other].tokens:
        return one if tree.blocks[one].tokens > tree.blocks[other].tokens else other
    return min(one, other)


cdef int raise_titles(Tree tree, DoublesOut probability) nogil:
    """Raise the titles of entries, boxes alike with two blocks or more, to their texts: either alone is half of it.

    A title is the first heading in its box, else the first block, and no paragraph: with them, threads lose .0007.
    Most differ from each other, and they are not unlikely: names above posts and quotations are bylines, and buttons
    repeat.
    """
    cdef:
        vector[int32_t] title, text    # by element, -1 for none
        vector[int32_t] blocks         # their number in each element
        unordered_map[uint64_t, Titles] places
        unordered_set[uint64_t] seen
        Titles* place
        Block block
        int32_t i, parent, n = element_count(tree)
    title.assign(n, -1)
    text.assign(n, -1)
    blocks.resize(n)
    for i in range(block_count(tree)):
        parent = tree.blocks[i].element
        if probability[i] > 0 and not is_within(tree, parent, IS_QUOTE):
            title[parent] = title_of(tree, title[parent], i)
        text[parent] = longest_of(tree, text[parent], i)
        blocks[parent] += 1
    for i in range(n - 1, -1, -1):
        parent = tree.elements[i].parent
        if parent >= 0:
            title[parent] = title_of(tree, title[parent], title[i])
            text[parent] = longest_of(tree, text[parent], text[i])
            blocks[parent] += blocks[i]
    for i in range(n):
        if blocks[i] > 1 and title[i] >= 0:
            block, place = &tree.blocks[title[i]], &places[tree.elements[i].shape]
            place.boxes += 1
            place.different += seen.insert(mix(tree.elements[i].shape) + block.text_hash).second
            place.tokens += block.tokens
            place.probability += probability[title[i]]
    for i in range(n):
        if title[i] >= 0 and title[i] != text[i] and not tree.blocks[title[i]].prose and (
                probability[text[i]] >= LIKELY):
            place = &places[tree.elements[i].shape]
            if place.boxes >= ENTRIES and 2 * place.different > place.boxes and (
                    place.tokens >= TITLE * place.boxes and place.probability > UNLIKELY * place.boxes):
                probability[title[i]] = max(probability[title[i]], probability[text[i]])


cdef int weigh(Tree tree, Flags titles, Flags asides, DoublesOut probability, Flags applies) nogil:
    """Apply the rules."""
    cdef int32_t i
    for i in range(block_count(tree)):
        probability[i] *= FACTOR if asides[i] else 1
    if applies[0]:
        lower_around_story(tree, titles, probability)
    if applies[1]:
        raise_titles(tree, probability)


def weighed(Tree tree not None, titles, asides, probability, *, without=()) -> np.ndarray:
    """Return the probability of each of m blocks, given the boxes that they are in.

    Args:
        tree: The page.
        titles: Which say the title (`features.Words.titles`), shape (m,).
        asides: Which are bylines or comments, shape (m,).
        probability: The model's, shape (m,).
        without: `RULES` to leave out.

    Raises:
        ValueError: An array has the wrong shape.

    Example:
        >>> from lxml.html import document_fromstring
        >>> from denoise_scrapy.core.tree import tree_of
        >>> tree = tree_of(document_fromstring("<p>Ann Reed</p><p>The tide was low.</p>"))
        >>> weighed(tree, np.zeros(2, bool), [True, False], [0.9, 0.8]).round(2).tolist()
        [0.27, 0.8]
    """
    found = np.array(probability, np.float64)
    cdef:
        DoublesOut chances = found
        Flags is_title = titles.view(np.uint8)
        Flags is_aside = np.ascontiguousarray(asides, np.bool_).view(np.uint8)
        Flags applies = np.array([rule not in without for rule in RULES]).view(np.uint8)
    tree._check(chances.shape[0], tree.blocks.size(), "blocks")
    tree._check(is_title.shape[0], tree.blocks.size(), "blocks")
    tree._check(is_aside.shape[0], tree.blocks.size(), "blocks")
    with nogil:
        weigh(tree, is_title, is_aside, chances, applies)
    return found
