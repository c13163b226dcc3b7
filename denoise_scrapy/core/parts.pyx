# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What trees know of a block beside the features of the block model: by these they find the parts of a page's text."""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport Flags, FloatRowsOut, Floats
from denoise_scrapy.core.tree cimport (
    COMMENTS, HEADING, IS_CAPTION, IS_FORM, IS_GRAPHIC, IS_ITEM, IS_TIME, META, Block, Tree, block_count,
    element_count, kind_of, token_of,
)

from denoise_scrapy.core.judge import NEIGHBOUR_NAMES
from denoise_scrapy.core.markup import Flag

cdef int32_t FLAGS = len(Flag)

cdef enum:
    # Signals beside the flags: bits of announcements (8) and of tags around (6), whether it is the headline, pictures in
    # the element and in two around it, the last heading of comments (2), and four of each of four blocks beside it.
    SIGNALS = 36


cdef inline int32_t tag_of(Tree tree, int32_t element) noexcept nogil:
    """Return bits of what an element is: a caption, a time or an address, a heading of the page or in it …"""
    cdef int32_t kind = kind_of(tree, element), heading = token_of(tree, element).heading
    return (
        (kind & IS_CAPTION != 0) | (kind & IS_TIME != 0) << 1 | (heading == 1) << 2
        | (heading in (2, 3)) << 3 | (kind & IS_ITEM != 0) << 4 | (kind & IS_FORM != 0) << 5
    )


cdef struct Around:           # an element
    int32_t tags              # of it and those around it, see `tag_of`
    int32_t pictures          # in it
    bint is_announced         # whether a heading of comments is right in it, or in an element around it


cdef struct Signals:          # of a block: the next one to write, and how far apart they are
    float* next
    int32_t apart


cdef inline void put(Signals& out, float value) noexcept nogil:
    out.next[0] = value
    out.next += out.apart


cdef inline void put_bits(Signals& out, int32_t bits, int32_t count) noexcept nogil:
    cdef int32_t i
    for i in range(count):
        put(out, bits >> i & 1)


cdef int look_around(Tree tree, Flags bits, vector[Around]& found) nogil:
    """Read what is around each element, and in it."""
    cdef int32_t i, parent, n = element_count(tree)
    found.resize(n)
    for i in range(block_count(tree)):
        parent = tree.elements[tree.blocks[i].element].parent
        if bits[i] & COMMENTS and parent >= 0:
            found[parent].is_announced = True
    for i in range(n):
        parent = tree.elements[i].parent
        found[i].tags, found[i].pictures = tag_of(tree, i), kind_of(tree, i) & IS_GRAPHIC != 0
        if parent >= 0:
            found[i].tags |= found[parent].tags
            found[i].is_announced |= found[parent].is_announced
    for i in range(n - 1, -1, -1):
        if tree.elements[i].parent >= 0:
            found[tree.elements[i].parent].pictures += found[i].pictures


cdef int read_signals(
    Tree tree, Flags bits, Flags titles, Floats odds, FloatRowsOut out
) nogil:
    """Write the signals of each block that are neither features nor neighbours."""
    cdef:
        int32_t[4] beside
        vector[Around] around
        Signals signals
        Block block
        int32_t i, k, level, element, last = -1, m = block_count(tree)
    look_around(tree, bits, around)
    signals.apart = m
    for i in range(m):
        block, element, signals.next = &tree.blocks[i], tree.blocks[i].element, &out[0, i]
        put_bits(signals, block.flags, FLAGS)
        put_bits(signals, bits[i], 8)
        put_bits(signals, around[element].tags, 6)
        put(signals, titles[i])
        for level in range(3):
            put(signals, around[element].pictures if element >= 0 else 0)
            element = tree.elements[element].parent if element >= 0 else -1
        last = i if bits[i] & COMMENTS else last
        put(signals, i - last if last >= 0 else NAN)
        put(signals, around[block.element].is_announced)
        beside[:] = [i - 1, i - 2, i + 1, i + 2]
        for k in beside:
            put(signals, odds[k] if 0 <= k < m else NAN)
        for k in beside:
            put(signals, tree.blocks[k].tokens if 0 <= k < m else NAN)
        for k in beside:
            put(signals, bits[k] & META if 0 <= k < m else NAN)
        for k in beside:
            put(signals, tree.blocks[k].flags & HEADING != 0 if 0 <= k < m else NAN)


def part_signals(Tree tree not None, words, features, neighbours, odds) -> np.ndarray:
    """Return the part signals of each of a page's m blocks, shape (signals, m), NaN where unknown.

    Args:
        tree: The page.
        words: Its announcements.
        features: Those of the block model, shape (n, m).
        neighbours: The surroundings of its blocks.
        odds: Log odds of the block model's network, shape (m,).

    Raises:
        ValueError: An array has the wrong shape.
    """
    n, m = len(features), tree.blocks.size()
    around = n + len(NEIGHBOUR_NAMES)
    signals = np.empty((around + FLAGS + SIGNALS, m), np.float32)
    signals[:n] = features
    signals[n:around] = neighbours.features(odds)
    cdef:
        Floats first = np.ascontiguousarray(odds, np.float32)
        Flags bits = words.bits, titles = words.titles.view(np.uint8)
        FloatRowsOut out = signals[around:]
    tree._check(bits.shape[0], m, "blocks")
    tree._check(titles.shape[0], m, "blocks")
    with nogil:
        read_signals(tree, bits, titles, first, out)
    return signals
