"""The choice of blocks: rules beside the model, then the set with the highest expected F."""

from typing import NamedTuple

import numpy as np

from cython.operator cimport dereference
from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from denoise_scrapy.core.announcements cimport COMMENTS, META
from denoise_scrapy.core.lock cimport WORTH_BLOCKS
from denoise_scrapy.core.tree cimport HEADING, HIDDEN, IS_LIST, IS_QUOTE, IS_TERM, BlockRow, Span, Tree, is_within

cdef enum:
    # After a heading of comments that so many lines of meta data follow within so many blocks, all counts less. It must
    # come after a share of the long text: a link "12 comments" stands above stories too.
    COMMENTS_META = 3
    COMMENTS_BLOCKS = 60
    # Texts of so many tokens are long.
    LONG_TOKENS = 12
    # On pages of up to so many blocks what every comparison page has in the same place counts less: the model, fitted
    # on whole pages, is in doubt about it. No corpus has such pages, but demos, tests and error pages do.
    FEW = 10
    # Tokens of a text that may be of a common stock, see `lower_stock`.
    STOCK_TOKENS = 8
    # Levels up from a block at which a list is looked for.
    LEVELS = 8
    # A text of so many tokens stands once: shorter ones are prices, names, buttons. F1 of pages that readers labelled
    # +.004, `single` +.0035, `wcxb` +.003; forums of which the truth has every copy -.009.
    ONCE_TOKENS = 6

cdef double COMMENTS_FACTOR = 0.1, COMMENTS_AFTER = 0.03
#: Hidden blocks are seldom content (accordions, tabs), and nobody has read what is never shown: words in them may be
#: meant for machines. F1 on publishers left out is .0003 higher without this …
cdef double HIDDEN_FACTOR = 0.2
#: … unless more than this share of the long text is hidden: then a script shows it.
cdef double HIDDEN_SHARE = 0.7
cdef double REPEATED_FACTOR = 0.4, EVERY = 0.99
#: A text of so many tokens that another page has too is of a common stock, an advertisement or an appeal, where the
#: texts beside are the page's own; or at least the long ones, if this share of what pages say in its place is shared,
#: by so many pages: in five threads of a forum two greetings are alike by chance. The model knows of it (`features`,
#: "stock"), but hardly any recorded site has the pages to learn it from. Portal +.013, no corpus -.001; where texts
#: beside may be shared too, wcxb -.024 (variants of a product share their description). If it were more than a share of
#: the text to be kept, it would be the page.
cdef double STOCK_FACTOR = 0.3, STOCK_SHARE = 0.3, STOCK_PLACE = 0.7
#: So many pages.
STOCK_PAGES = 10
#: A list whose probabilities differ by no more than this standard deviation is kept or dropped whole: mean F1 on
#: publishers left out +.001, `wcxb` +.008; .15 gains a third of that, .25 the same. Tables and sections gain nothing,
#: boxes alike in one box lose.
cdef double AGREE = 0.2
#: What layout takes from a block's log-odds: for standing beside the main column, wholly; for each halving of the font
#: size; for being pinned to the screen. No corpus of the study moves by .003 by it (docs/figures.md); twice as much
#: costs .004 on dragnet, whose pages have lost their style sheets. Fitted weights came out near zero.
cdef double BESIDE = 1.0, SMALLER = 0.5, PINNED = 1.0


cdef inline double long_text(const BlockRow* block) noexcept nogil:
    """The block's tokens if it is long, else 0."""
    return block.tokens if block.tokens >= LONG_TOKENS else 0


cdef int32_t find_comments(Tree tree, const uint8_t[::1] bits) except -1 nogil:
    """The block of the heading under which the comments stand, the number of blocks where there is none."""
    cdef const BlockRow* block
    cdef double before = 0, whole = 0
    cdef int32_t i, j, lines, m = <int32_t>tree.blocks.size()
    cdef bint is_term
    for i in range(m):
        whole += long_text(&tree.blocks[i])
    for i in range(m):
        block = &tree.blocks[i]
        before += long_text(block)
        if not bits[i] & COMMENTS or before <= COMMENTS_AFTER * whole:
            continue
        is_term = tree.tokens[tree.elements[block.element].token].kind & IS_TERM
        if not block.own_flags & HEADING and not is_term:
            continue
        lines = 0
        for j in range(i, min(i + COMMENTS_BLOCKS, m)):
            lines += (bits[j] & META) != 0
        if lines >= COMMENTS_META:
            return i
    return m


cdef int lower_repeated(Tree tree, double[::1] probability, const float[::1] in_place) except -1 nogil:
    """On pages of few blocks, what every comparison page says in the same place counts less, but for headings."""
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    if m <= FEW:
        for i in range(m):
            if in_place[i] >= EVERY and not tree.blocks[i].own_flags & HEADING:
                probability[i] *= REPEATED_FACTOR
    return 0


cdef struct Stock:
    bint is_long
    bint is_shared        # another page has the text too
    bint is_known         # most of what pages say in its place is shared
    bint is_lowered


cdef inline bint is_stock(const Stock* text) noexcept nogil:
    return text.is_long and (text.is_shared or text.is_known)


cdef int lower_stock(
    Tree tree, double[::1] probability, const float[::1] stock, const double[::1] place
) except -1 nogil:
    """A text, no heading, that another page has too counts less, if those beside it are the page's own.

    Not where texts of the page's own stand under the same path: stories repeat paragraphs of earlier ones. In a place
    of common stock a text counts less also if no other page has it.
    """
    cdef const BlockRow* block
    cdef const Stock* before
    cdef const Stock* after
    cdef Stock* text
    cdef vector[Stock] texts
    cdef vector[bint] of_story    # by path
    cdef double expected = 0, lowered = 0
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    texts.resize(m + 2)  # one before the first and one behind the last
    of_story.resize(m)
    for i in range(m):
        block, text = &tree.blocks[i], &texts[i + 1]
        text.is_long, text.is_shared = block.tokens >= STOCK_TOKENS, stock[i] > 0
        text.is_known = place[i] >= STOCK_PLACE
        if text.is_long and not is_stock(text):
            of_story[block.slot] = True
        expected += probability[i] * block.tokens
    for i in range(m):
        block, before, text, after = &tree.blocks[i], &texts[i], &texts[i + 1], &texts[i + 2]
        if not is_stock(text) or of_story[block.slot] or block.own_flags & HEADING:
            continue
        text.is_lowered = (text.is_shared and not before.is_shared and not after.is_shared) or (
            text.is_known and not is_stock(before) and not is_stock(after)
        )
        if text.is_lowered:
            lowered += probability[i] * block.tokens
    if lowered <= STOCK_SHARE * expected:
        for i in range(m):
            if texts[i + 1].is_lowered:
                probability[i] *= STOCK_FACTOR
    return 0


cdef int lower_hidden(Tree tree, double[::1] probability) except -1 nogil:
    """Hidden blocks count less, where they are not the page."""
    cdef double hidden = 0, whole = 0
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    for i in range(m):
        whole += long_text(&tree.blocks[i])
        if tree.blocks[i].flags & HIDDEN:
            hidden += long_text(&tree.blocks[i])
    if hidden <= HIDDEN_SHARE * whole:
        for i in range(m):
            if tree.blocks[i].flags & HIDDEN:
                probability[i] *= HIDDEN_FACTOR
    return 0


cdef inline double known(double value) noexcept nogil:
    """A value, 0 where it is unknown."""
    return value if value == value else 0


cdef int lower_beside(double[::1] probability, const double[:, ::1] layout) except -1 nogil:
    """Lower blocks off the main column of a rendered page; unknown values move nothing."""
    cdef double loss
    cdef Py_ssize_t i
    for i in range(probability.shape[0]):
        loss = BESIDE * known(layout[0, i]) + SMALLER * max(-known(layout[1, i]), 0.0) + PINNED * known(layout[2, i])
        probability[i] /= probability[i] + (1 - probability[i]) * exp(loss)
    return 0


cdef int32_t outermost_list(Tree tree, int32_t element) noexcept nogil:
    """The outermost list around a block of an element, of a few levels; -1 where there is none."""
    cdef int32_t level, found = -1
    for level in range(LEVELS):
        if element < 0:
            break
        if tree.tokens[tree.elements[element].token].kind & IS_LIST:
            found = element
        element = tree.elements[element].parent
    return found


cdef struct Listed:               # sums over the blocks of a list; weights are logarithms of their lengths
    double weight
    double probability
    double square


cdef int move_to_list(Tree tree, double[::1] probability) except -1 nogil:
    """The blocks of a list move to their mean, if they agree: half a list is worse than all of it or none."""
    cdef vector[int32_t] box      # of each block: the list it is in
    cdef vector[Listed] lists     # by element
    cdef Listed* one
    cdef double weight, mean
    cdef int32_t i, m = <int32_t>tree.blocks.size()
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
    return 0


cdef double select(
    const double[::1] probability, const vector[int32_t]& tokens, double beta, uint8_t[::1] kept
) except -1 nogil:
    """Keep the most probable blocks, as many as maximise the expected F_beta; return the expected F1."""
    cdef vector[pair[double, int32_t]] ranked
    cdef pair[double, int32_t] one
    cdef double whole = 0, expected = 0, chosen = 0, f, highest = -1, f1 = 0
    cdef size_t i, best = 0
    for i in range(tokens.size()):
        one.first, one.second = -known(probability[i]), <int32_t>i  # of equals the first goes first
        ranked.push_back(one)
    sort(ranked.begin(), ranked.end())
    for i in range(ranked.size()):
        whole -= ranked[i].first * tokens[ranked[i].second]
    for i in range(ranked.size()):
        expected -= ranked[i].first * tokens[ranked[i].second]
        chosen += tokens[ranked[i].second]
        f = expected / max(chosen + beta * beta * whole, 1e-9)
        if f > highest:
            highest, best, f1 = f, i, 2 * expected / max(chosen + whole, 1e-9)
    for i in range(ranked.size()):
        kept[ranked[i].second] = f1 > 0 and i <= best
    return f1


cdef bint is_same_text(const string& text, Span a, Span b) noexcept nogil:
    """Return whether two pieces of the text are the same, marks of elements and white space aside."""
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


cdef int keep_once(Tree tree, uint8_t[::1] kept) except -1 nogil:
    """Of texts that stand twice in different places keep the first that is shown: captions, menus for small screens.

    What has one place comes again on purpose, a refrain or a row of a table, and so do quotations.
    """
    cdef unordered_map[uint64_t, int32_t] first
    cdef unordered_map[uint64_t, int32_t].iterator found
    cdef const BlockRow* block
    cdef const BlockRow* before
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    for i in range(m):
        block = &tree.blocks[i]
        if not kept[i] or block.tokens < ONCE_TOKENS or is_within(tree, block.element, IS_QUOTE):
            continue
        found = first.find(block.text_hash)
        if found == first.end():
            first[block.text_hash] = i
            continue
        before = &tree.blocks[dereference(found).second]
        if before.slot == block.slot or not is_same_text(tree.text, before.text, block.text):
            continue
        if before.flags & HIDDEN and not block.flags & HIDDEN:
            kept[dereference(found).second] = False
            first[block.text_hash] = i
        else:
            kept[i] = False
    return 0


def _filled(values, dtype, size_t m):
    """An array of m values; of zeros, which move nothing, where nothing is known."""
    if values is None:
        return np.zeros(m, dtype)
    found = np.ascontiguousarray(values, dtype)
    if found.shape != (m,):
        raise ValueError(f"there are {m} blocks, got values of shape {found.shape}")
    return found


class Choice(NamedTuple):
    """The kept ones of m blocks and their probabilities after the rules, shape (m,) each, and the expected F1."""

    kept: np.ndarray
    probability: np.ndarray
    f1: float


cdef int lower(
    Tree tree, double[::1] chances, const uint8_t[::1] announced, const float[::1] repeated, const float[::1] shared,
    const double[::1] places, const double[:, ::1] lies, bint is_forum
) except -1 nogil:
    """Apply the rules to the probabilities; arguments as `choose`'s."""
    cdef int32_t i
    if not is_forum:
        for i in range(find_comments(tree, announced), <int32_t>tree.blocks.size()):
            chances[i] *= COMMENTS_FACTOR
    lower_repeated(tree, chances, repeated)
    lower_stock(tree, chances, shared, places)
    lower_hidden(tree, chances)
    if lies.shape[1]:
        lower_beside(chances, lies)
    move_to_list(tree, chances)
    return 0


def choose(
    Tree tree not None, probability, *, bits=None, in_place=None, stock=None, place=None, layout=None,
    bint is_forum=False, double beta=1.0,
) -> Choice:
    """Choose the blocks of a page that are kept, by the model's probabilities and the rules of this module.

    Args:
        tree: The page of m blocks.
        probability: What the model says of each, shape (m,).
        bits: What its words announce (`announcements`), uint8, shape (m,).
        in_place: The feature "repeated_in_place", shape (m,).
        stock: The feature "stock", shape (m,).
        place: `sharing.Shared.slot_share`, for pages with `STOCK_PAGES` comparison pages, shape (m,).
        layout: Where it lies on a rendered page (`page.Blocks.layout`), shape (3, m).
        is_forum: Whether the page is a thread: there the comments are the content.
        beta: Recall counts beta times as much as precision.

    Raises:
        ValueError: An array has another shape.
    """
    m = tree.blocks.size()
    found, kept = np.array(probability, np.float64), np.zeros(m, np.bool_)
    cdef double[::1] chances = _filled(found, np.float64, m)
    cdef const uint8_t[::1] announced = _filled(bits, np.uint8, m)
    cdef const float[::1] repeated = _filled(in_place, np.float32, m)
    cdef const float[::1] shared = _filled(stock, np.float32, m)
    cdef const double[::1] places = _filled(place, np.float64, m)
    cdef const double[:, ::1] lies = np.zeros((3, 0)) if layout is None else np.ascontiguousarray(layout, np.float64)
    cdef uint8_t[::1] chosen = kept.view(np.uint8)
    cdef vector[int32_t] tokens
    cdef double f1
    cdef int32_t i
    if layout is not None and (lies.shape[0] != 3 or lies.shape[1] != <Py_ssize_t>m):
        raise ValueError(f"there are {m} blocks, got a layout of shape {np.shape(layout)}")
    for i in range(<int32_t>tree.blocks.size()):
        tokens.push_back(tree.blocks[i].tokens)
    if m < WORTH_BLOCKS:
        lower(tree, chances, announced, repeated, shared, places, lies, is_forum)
        f1 = select(chances, tokens, beta, chosen)
        keep_once(tree, chosen)
    else:
        with nogil:
            lower(tree, chances, announced, repeated, shared, places, lies, is_forum)
            f1 = select(chances, tokens, beta, chosen)
            keep_once(tree, chosen)
    return Choice(kept, found, f1)


def select_by_expected_f1(probability, tokens, *, double beta=1.0) -> tuple:
    """Return the most probable blocks, as many as maximise the expected F_beta of their tokens, and their expected F1.

    With calibrated probabilities the cut adapts itself: about .5 on a page whose blocks are sure, .2 to .3 on one where
    they are not. No fixed threshold did as well on five corpora at once. All arrays have shape (m,).

    Example:
        >>> kept, f1 = select_by_expected_f1(np.array([0.1, 0.9, 0.8]), np.array([10, 50, 40]))
        >>> kept.tolist(), round(f1, 2)
        ([False, True, True], 0.92)
    """
    kept = np.zeros(len(probability), np.bool_)
    cdef const double[::1] chances = _filled(probability, np.float64, len(probability))
    cdef vector[int32_t] lengths = _filled(tokens, np.int32, len(probability)).tolist()
    cdef uint8_t[::1] chosen = kept.view(np.uint8)
    return kept, select(chances, lengths, beta, chosen)


def expected_f1(kept, probability, tokens) -> float:
    """Return the expected F1 of any choice of m blocks, by their probabilities and tokens, shape (m,) each."""
    expected = np.asarray(probability) * tokens
    return float(2 * expected[kept].sum() / max(np.asarray(tokens)[kept].sum() + expected.sum(), 1e-9))
