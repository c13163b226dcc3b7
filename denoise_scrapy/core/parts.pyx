# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""What trees know beside the features of the block model: of a block, to find the parts of a text, and of a page."""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport Flags, FloatRowsOut, Floats, Longs
from denoise_scrapy.core.tree cimport (
    COMMENTS, HEADING, IS_CAPTION, IS_FORM, IS_GRAPHIC, IS_ITEM, IS_TIME, META, Block, Tree, block_count,
    element_count, kind_of, token_of,
)

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


def part_signals(Tree tree not None, words, seen, odds) -> np.ndarray:
    """Return the part signals of each of a page's m blocks, shape (signals, m), NaN where unknown.

    Args:
        tree: The page.
        words: Its announcements.
        seen: Features of the block model and of its blocks' neighbours (`Neighbours.added_to`), shape (n, m).
        odds: Log odds of the block model's network, shape (m,).

    Raises:
        ValueError: An array has the wrong shape.
    """
    n, m = len(seen), tree.blocks.size()
    signals = np.empty((n + FLAGS + SIGNALS, m), np.float32)
    signals[:n] = seen
    cdef:
        Floats first = np.ascontiguousarray(odds, np.float32)
        Flags bits = words.bits, titles = words.titles.view(np.uint8)
        FloatRowsOut out = signals[n:]
    tree._check(bits.shape[0], m, "blocks")
    tree._check(titles.shape[0], m, "blocks")
    with nogil:
        read_signals(tree, bits, titles, first, out)
    return signals


cdef int sum_page(const float[:, ::1] features, Floats odds, Longs tokens, float[::1] out) nogil:
    """Write the sums and means of a page, see `page_signals`."""
    cdef:
        double[2] sums, weights
        int32_t i, j, side, n = features.shape[0], m = features.shape[1]
    for j in range(m):
        out[0] += tokens[j]
        if odds[j] > 0:
            out[1] += tokens[j]
            out[3] += 1
        out[4] = max(out[4], odds[j])
    out[2] = m
    for i in range(n):
        sums[:] = [0, 0]
        weights[:] = [0, 0]
        for j in range(m):
            if features[i, j] == features[i, j]:
                side = not odds[j] > 0
                sums[side] += tokens[j] * features[i, j]
                weights[side] += tokens[j]
        for side in range(2):
            out[5 + side * n + i] = sums[side] / max(weights[side], 1.0)


def page_signals(features, odds, tokens) -> np.ndarray:
    """Return the signals of a page of m blocks, shape (5 + 2n, 1): sums, and means of kept and of other blocks.

    The sums are tokens, those of kept blocks, blocks, kept blocks, and the highest odds. Means are weighted by tokens.

    Args:
        features: Those of the block model, shape (n, m), NaN where unknown.
        odds: Log odds of its network, shape (m,); blocks with more than 0 are kept.
        tokens: Of each block, shape (m,).

    Raises:
        ValueError: The shapes do not match.
    """
    cdef:
        const float[:, ::1] rows = np.ascontiguousarray(features, np.float32)
        Floats first = np.ascontiguousarray(odds, np.float32)
        Longs counts = np.ascontiguousarray(tokens, np.int64)
    if not first.shape[0] == counts.shape[0] == rows.shape[1]:
        raise ValueError(f"odds of {first.shape[0]} and tokens of {counts.shape[0]} do not match {rows.shape[1]} blocks")
    signals = np.zeros((5 + 2 * len(features), 1), np.float32)
    cdef float[::1] out = signals[:, 0]
    with nogil:
        sum_page(rows, first, counts, out)
    return signals
