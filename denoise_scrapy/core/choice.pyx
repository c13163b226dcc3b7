# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Choose the blocks to keep: by rules outside the model, then as the set with the highest expected F."""

from typing import NamedTuple

import numpy as np

from cython.operator cimport dereference
from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport Doubles, DoublesOut, Flags, FlagsOut, Floats, Ints
from denoise_scrapy.core.tree cimport (
    HEADING, HIDDEN, IS_LIST, IS_QUOTE, LEVELS, PREFORMATTED, Block, Span, Tree, block_count, is_within,
    token_of,
)

cdef enum:
    # Minimum tokens of a text that may be stock, see `lower_stock`.
    STOCK_TOKENS = 8
    # A text of at least this many tokens is kept once: shorter ones are prices, names, buttons. F1 of pages that
    # readers labelled +.004, `single` +.0035, `wcxb` +.003; forums whose truth repeats every copy -.009.
    ONCE_TOKENS = 6
    # Fewest tokens of a text whose words are pulled out of one of as many next blocks, below a text twice as long: of 49
    # such on read pages, the longest of 32, readers dropped 19, and differed on 17.
    PULLED = 10

#: A text of at least that many tokens that another page has too is stock, an advertisement or an appeal, if the texts
#: beside it are the page's own. The model has a feature for it (`features`, "stock"), but hardly any recorded site has
#: the pages to train it. If it were more than a share of the text to be kept, it would be the page.
cdef double STOCK_FACTOR = 0.3, STOCK_SHARE = 0.3
#: A list whose probabilities have at most this standard deviation is kept or dropped whole: mean F1 on publishers left
#: out +.001, `wcxb` +.008; .15 gains a third of that, .25 the same. Tables and sections gain nothing, similar boxes
#: within one box lose.
cdef double AGREE = 0.2
#: A table of data is kept or dropped whole: each of its blocks has the probability that a fifth of its text reaches. F1
#: of 174 recorded pages with tables .8786; .8752 with the mean, as tables of prices and results have few sure cells;
#: .8669 if most of the text has to be kept by itself, which drops posts and the tables of lists.
cdef double TABLE_SHARE = 0.2
#: Log odds that layout subtracts from a block: for lying entirely beside the main column; for each halving of the font
#: size; for being pinned to the screen. No corpus of the study changes by .003 (docs/figures.md); twice as much costs
#: .004 on dragnet, whose pages have lost their style sheets. Fitted weights came out near zero.
cdef double BESIDE = 1.0, SMALLER = 0.5, PINNED = 1.0


cdef int lower_stock(Tree tree, DoublesOut probability, Floats stock) nogil:
    """Lower a long text, other than a heading, that another page has too, if none is beside it.

    Not if the page's own long texts are under the same path: stories repeat paragraphs of earlier ones.
    """
    cdef:
        vector[bint] is_shared   # with one before the first and one after the last
        vector[bint] of_story    # by path
        vector[int32_t] found
        Block block
        double expected = 0, lowered = 0
        int32_t i, m = block_count(tree)
    is_shared.resize(m + 2)
    of_story.resize(m)
    for i in range(m):
        block = &tree.blocks[i]
        is_shared[i + 1] = stock[i] > 0
        of_story[block.slot] |= block.tokens >= STOCK_TOKENS and not is_shared[i + 1]
        expected += probability[i] * block.tokens
    for i in range(m):
        block = &tree.blocks[i]
        if is_shared[i + 1] and block.tokens >= STOCK_TOKENS and not of_story[block.slot] and (
                not block.own_flags & HEADING and not is_shared[i] and not is_shared[i + 2]):
            found.push_back(i)
            lowered += probability[i] * block.tokens
    if lowered <= STOCK_SHARE * expected:
        for i in found:
            probability[i] *= STOCK_FACTOR


cdef inline double known(double value) noexcept nogil:
    """Return a value, 0 if unknown."""
    return value if value == value else 0


cdef int lower_beside(DoublesOut probability, const double[:, ::1] layout) nogil:
    """Lower blocks off the main column of a rendered page; unknown values change nothing."""
    cdef double loss
    cdef Py_ssize_t i
    for i in range(probability.shape[0]):
        loss = BESIDE * known(layout[0, i]) + SMALLER * max(-known(layout[1, i]), 0.0) + PINNED * known(layout[2, i])
        probability[i] /= probability[i] + (1 - probability[i]) * exp(loss)


cdef int32_t outermost_list(Tree tree, int32_t element) noexcept nogil:
    """Return the outermost list within a few levels around a block's element, -1 for none."""
    cdef int32_t level, found = -1
    for level in range(LEVELS):
        if element < 0:
            break
        if token_of(tree, element).kind & IS_LIST:
            found = element
        element = tree.elements[element].parent
    return found


cdef struct Listed:               # sums over a list's blocks; weights are logarithms of block lengths
    double weight
    double probability
    double square


cdef int move_to_list(Tree tree, DoublesOut probability) nogil:
    """Move the blocks of a list to their mean, if they agree: half of it is worse."""
    cdef:
        vector[int32_t] box      # the list of each block
        vector[Listed] lists     # by element
        Listed* one
        double weight, mean
        int32_t i, m = block_count(tree)
    lists.resize(tree.elements.size())
    for i in range(m):
        box.push_back(outermost_list(tree, tree.blocks[i].element))
        if box[i] >= 0:
            one, weight = &lists[box[i]], log1p(tree.blocks[i].tokens)
            one.weight += weight
            one.probability += probability[i] * weight
            one.square += probability[i] * probability[i] * weight
    for i in range(m):
        if box[i] >= 0:
            one = &lists[box[i]]
            weight = max(one.weight, 1e-9)
            mean = one.probability / weight
            if one.square / weight - mean * mean <= AGREE * AGREE:
                probability[i] = mean


cdef int move_to_table(
    Tree tree, DoublesOut probability, Ints tables, Flags unseen
) nogil:
    """Give the blocks of each table, except unseen ones, the probability that a share of its text reaches."""
    cdef:
        unordered_map[int32_t, double] left    # tokens of each table until that probability
        vector[pair[double, int32_t]] ranked
        pair[double, int32_t] one
        unordered_map[int32_t, double] found
        int32_t i, m = block_count(tree)
    for i in range(m):
        if tables[i] >= 0 and not unseen[i]:
            left[tables[i]] += TABLE_SHARE * (1 + tree.blocks[i].tokens)
            one.first, one.second = -probability[i], i
            ranked.push_back(one)
    sort(ranked.begin(), ranked.end())
    for one in ranked:
        if left[tables[one.second]] > 0:
            found[tables[one.second]] = -one.first
            left[tables[one.second]] -= 1 + tree.blocks[one.second].tokens
    for one in ranked:
        probability[one.second] = found[tables[one.second]]


cdef double select(
    Doubles probability, const vector[int32_t]& tokens, double beta, FlagsOut kept
) nogil:
    """Keep the most probable blocks, as many as maximise the expected F_beta; return the expected F1.

    Equal ones, such as those of a list or table, are kept or dropped together.
    """
    cdef:
        vector[pair[double, int32_t]] ranked
        pair[double, int32_t] one
        double whole = 0, expected = 0, chosen = 0, f, highest = -1, f1 = 0
        size_t i, best = 0
    for i in range(tokens.size()):
        one.first, one.second = -known(probability[i]), i  # of equals the first comes first
        ranked.push_back(one)
    sort(ranked.begin(), ranked.end())
    for i in range(ranked.size()):
        whole -= ranked[i].first * tokens[ranked[i].second]
    for i in range(ranked.size()):
        expected -= ranked[i].first * tokens[ranked[i].second]
        chosen += tokens[ranked[i].second]
        if i + 1 < ranked.size() and ranked[i + 1].first == ranked[i].first:
            continue
        f = expected / max(chosen + beta * beta * whole, 1e-9)
        if f > highest:
            highest, best, f1 = f, i, 2 * expected / max(chosen + whole, 1e-9)
    for i in range(ranked.size()):
        kept[ranked[i].second] = f1 > 0 and i <= best
    return f1


cdef bint is_same_text(const string& text, Span a, Span b) noexcept nogil:
    """Return whether two pieces of text are equal, ignoring marks of elements and white space."""
    cdef int32_t i = a.start, j = b.start
    while True:
        while i < a.end and <unsigned char>text[i] <= 32:
            i += 1
        while j < b.end and <unsigned char>text[j] <= 32:
            j += 1
        if i == a.end or j == b.end:
            return i == a.end and j == b.end
        if text[i] != text[j]:
            return False
        i += 1
        j += 1


cdef int keep_once(Tree tree, Ints tables, FlagsOut kept) nogil:
    """Of equal texts in different places, keep the first visible one: captions, menus for small screens.

    Within one place, whatever its ids, a repetition is intended, as a refrain, a row of a table or a step in several
    sections of a manual; so are quotations, commands and cells of data.
    """
    cdef:
        unordered_map[uint64_t, int32_t] first
        unordered_map[uint64_t, int32_t].iterator found
        Block block
        Block before
        int32_t i, m = block_count(tree)
    for i in range(m):
        block = &tree.blocks[i]
        if not kept[i] or block.tokens < ONCE_TOKENS or is_within(tree, block.element, IS_QUOTE) or (
                tables[i] >= 0 or block.flags & PREFORMATTED):
            continue
        found = first.find(block.text_hash)
        if found == first.end():
            first[block.text_hash] = i
            continue
        before = &tree.blocks[dereference(found).second]
        if tree.elements[before.element].shape == tree.elements[block.element].shape or not is_same_text(
                tree.text, before.text, block.text):
            continue
        if before.flags & HIDDEN and not block.flags & HIDDEN:
            kept[dereference(found).second] = False
            first[block.text_hash] = i
        else:
            kept[i] = False


cdef bint is_part(Tree tree, Span part, Span whole) noexcept nogil:
    """Return whether the words of a block are a part, of two thirds at most, of another one's."""
    cdef int32_t n = part.end - part.start, at, i
    if 3 * n > 2 * (whole.end - whole.start):
        return False
    for at in range(whole.start, whole.end - n + 1):
        i = 0
        while i < n and tree.words[at + i].number == tree.words[part.start + i].number:
            i += 1
        if i == n:
            return True
    return False


cdef int drop_pulled(Tree tree, Ints tables, FlagsOut kept) nogil:
    """Drop quotations that are pulled out of the text: words of one of the next blocks, in a place of another kind."""
    cdef:
        Block block
        Block other
        int32_t i, j, m = block_count(tree)
        bint is_in_text = False
    for i in range(m):
        block = &tree.blocks[i]
        if not kept[i] or block.tokens < PULLED or block.heading:
            continue
        if is_in_text and tables[i] < 0 and not block.flags & PREFORMATTED and (
                not is_within(tree, block.element, IS_LIST)):
            for j in range(i + 1, min(i + 1 + PULLED, m)):
                other = &tree.blocks[j]
                if kept[j] and tree.elements[other.element].shape != tree.elements[block.element].shape and is_part(
                        tree, block.words, other.words):
                    kept[i] = False
                    break
        is_in_text = is_in_text or block.tokens >= 2 * PULLED


def _filled(values, dtype, size_t m):
    """Return values as an array of m; None becomes zeros, which change nothing."""
    if values is None:
        return np.zeros(m, dtype)
    found = np.ascontiguousarray(values, dtype)
    if found.shape != (m,):
        raise ValueError(f"there are {m} blocks, got values of shape {found.shape}")
    return found


class Choice(NamedTuple):
    """The kept blocks of m and their probabilities after the rules, shape (m,) each."""

    kept: np.ndarray
    probability: np.ndarray


cdef int choose_blocks(
    Tree tree, DoublesOut chances, Floats shared, const double[:, ::1] lies, Flags unseen, Ints tables, FlagsOut kept
) nogil:
    """Apply the rules, then choose; arguments as in `choose`."""
    cdef int32_t i
    cdef vector[int32_t] tokens
    for i in range(block_count(tree)):
        tokens.push_back(tree.blocks[i].tokens)
    lower_stock(tree, chances, shared)
    for i in range(block_count(tree)):
        if unseen[i]:
            chances[i] = 0
    if lies.shape[1]:
        lower_beside(chances, lies)
    move_to_list(tree, chances)
    move_to_table(tree, chances, tables, unseen)
    select(chances, tokens, 1, kept)
    keep_once(tree, tables, kept)
    return drop_pulled(tree, tables, kept)


def choose(
    Tree tree not None, probability, *, stock=None, layout=None, unseen=None, tables=None
) -> Choice:
    """Choose the blocks of a page to keep, from the model's probabilities and the rules of this module.

    Args:
        tree: The page of m blocks.
        probability: The model's probability of each block, shape (m,).
        stock: The feature "stock", shape (m,).
        layout: Position of each block (`BlockLayout`: outside, font, pinned) on a rendered page, shape (3, m).
        unseen: Whether nothing shows each block, so that it is never kept, shape (m,).
        tables: The table of data around each block, -1 for none, shape (m,); each is kept whole or dropped.

    Raises:
        ValueError: An array has the wrong shape.
    """
    m = tree.blocks.size()
    found, kept = np.array(probability, np.float64), np.zeros(m, np.bool_)
    cdef:
        DoublesOut chances = _filled(found, np.float64, m)
        Flags hidden = _filled(unseen, np.uint8, m)
        Ints of_table = np.full(m, -1, np.int32) if tables is None else _filled(tables, np.int32, m)
        Floats shared = _filled(stock, np.float32, m)
        const double[:, ::1] lies = np.zeros((3, 0)) if layout is None else np.ascontiguousarray(layout, np.float64)
        FlagsOut chosen = kept.view(np.uint8)
    if layout is not None and (lies.shape[0] != 3 or lies.shape[1] != <Py_ssize_t>m):
        raise ValueError(f"there are {m} blocks, got a layout of shape {np.shape(layout)}")
    with nogil:
        choose_blocks(tree, chances, shared, lies, hidden, of_table, chosen)
    return Choice(kept, found)


def select_by_expected_f1(probability, tokens, *, double beta=1.0) -> tuple:
    """Return the most probable blocks, as many as maximise the expected F_beta, and their expected F1.

    With calibrated probabilities the threshold adapts: about .5 on a page with confident blocks, .2 to .3 otherwise. No
    fixed threshold did as well on five corpora at once. All arrays have shape (m,).

    Example:
        >>> kept, f1 = select_by_expected_f1(np.array([0.1, 0.9, 0.8]), np.array([10, 50, 40]))
        >>> kept.tolist(), round(f1, 2)
        ([False, True, True], 0.92)
    """
    kept = np.zeros(len(probability), np.bool_)
    cdef:
        Doubles chances = _filled(probability, np.float64, len(probability))
        vector[int32_t] lengths = _filled(tokens, np.int32, len(probability)).tolist()
        FlagsOut chosen = kept.view(np.uint8)
    return kept, select(chances, lengths, beta, chosen)


def expected_f1(kept, probability, tokens) -> float:
    """Return the expected F1 of any choice among m blocks, from probabilities and tokens, shape (m,) each."""
    expected = np.asarray(probability) * tokens
    return float(2 * expected[kept].sum() / max(np.asarray(tokens)[kept].sum() + expected.sum(), 1e-9))
