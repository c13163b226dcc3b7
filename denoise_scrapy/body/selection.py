"""Which blocks to keep: what is known of pages beside the model, then the set with the highest expected F."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.words import COMMENTS_BIT, META_BIT, Words
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.layout import BlockLayout
from denoise_scrapy.page.paths import name_code

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


def select_by_expected_f1(
    probability: FloatArray, tokens: npt.NDArray[np.int64], *, beta: float = 1.0
) -> tuple[BoolArray, float]:
    """Keep the most probable blocks, as many as maximise the expected F1 of their tokens.

    With calibrated probabilities the cut adapts itself: about .5 on a page whose blocks are sure, .2 to .3
    on one where they are not. No fixed threshold did as well on five corpora at once.

    Args:
        probability: How likely each block is content, shape (m,).
        tokens: Its tokens, shape (m,).
        beta: Maximise F_beta in place of F1: recall counts beta times as much as precision.

    Returns:
        Which blocks are kept, shape (m,), and the expected F1 of the choice.

    Example:
        >>> kept, f1 = select_by_expected_f1(np.array([0.1, 0.9, 0.8]), np.array([10, 50, 40]))
        >>> kept.tolist(), round(f1, 2)
        ([False, True, True], 0.92)
    """
    kept, order = np.zeros(len(probability), bool), (-probability).argsort(kind="stable")
    if not len(order):
        return kept, 0.0
    some = tokens.take(order)
    expected = (probability.take(order) * some).cumsum()
    chosen, weight = some.cumsum(), beta * beta
    best = int((expected / np.maximum(chosen + weight * expected[-1], 1e-9)).argmax())
    f1 = float(2 * expected[best] / max(chosen[best] + expected[-1], 1e-9))
    if f1 > 0:
        kept[order[: best + 1]] = True
    return kept, f1


def expected_f1(kept: BoolArray, probability: FloatArray, tokens: npt.NDArray[np.int64]) -> float:
    """The expected F1 of any choice of blocks.

    Args:
        kept: The choice, shape (m,).
        probability: How likely each block is content, shape (m,).
        tokens: Its tokens, shape (m,).

    Example:
        >>> round(expected_f1(np.array([True, False]), np.array([0.9, 0.1]), np.array([50, 10])), 2)
        0.94
    """
    expected = probability * tokens
    return float(2 * expected[kept].sum() / max(tokens[kept].sum() + expected.sum(), 1e-9))


#: After a heading of comments that so many lines of meta data follow within so many blocks, all counts less. It must
#: come after this share of the long text: a link "12 comments" stands above stories too.
COMMENTS_FACTOR, COMMENTS_META, COMMENTS_BLOCKS, COMMENTS_AFTER = 0.1, 3, 60, 0.03

#: As an array's number: a member of an enumeration is converted by its name, 2 µs.
_HIDDEN, _HEADING = np.int64(Flag.HIDDEN), np.int64(Flag.HEADING)
#: A list whose probabilities differ by no more than this standard deviation is kept or dropped whole: mean F1 on
#: publishers left out +.001, `wcxb` +.008; .15 gains a third of that, .25 the same. Tables and sections gain nothing,
#: boxes alike in one box lose.
LISTS, AGREE = ("ul", "ol", "dl"), 0.2
#: Hidden blocks are seldom content (accordions, tabs) …
HIDDEN_FACTOR = 0.2
#: … unless more than this share of the long text is hidden: then a script shows it.
HIDDEN_SHARE, LONG_TOKENS = 0.7, 12
#: On pages of up to so many blocks what every comparison page has in the same place counts less: the model, fitted on
#: whole pages, is in doubt about it. No corpus has such pages, but demos, tests and error pages do.
REPEATED_FACTOR, EVERY, FEW = 0.4, 0.99, 10
#: A text of so many tokens that another page has too is of a common stock, an advertisement or an appeal, where the
#: texts beside are the page's own; or at least the long ones, if this share of what pages say in its place is shared,
#: by so many pages: in five threads of a forum two greetings are alike by chance. The model knows of it (`features`,
#: "stock"), but hardly any recorded site has the pages to learn it from. Portal +.013, no corpus -.001; where texts
#: beside may be shared too, wcxb -.024 (variants of a product share their description). If it were more than a share of
#: the text to be kept, it would be the page.
STOCK_FACTOR, STOCK_TOKENS, STOCK_SHARE = 0.3, 8, 0.3
STOCK_PLACE, STOCK_PAGES = 0.7, 10
#: What layout takes from a block's log-odds: for standing beside the main column, wholly; for each halving of the font
#: size; for being pinned to the screen. No corpus of the study moves by .003 by it (docs/figures.md); twice as much
#: costs .004 on dragnet, whose pages have lost their style sheets. Fitted weights came out near zero.
BESIDE, SMALLER, PINNED = 1.0, 0.5, 1.0


def cut_comments(page: Page, probability: FloatArray, words: Words) -> FloatArray:
    """What follows the heading of the comments counts less.

    Args:
        page: The page of m blocks.
        probability: Shape (m,).
        words: What its words announce.
    """
    begin = comments_begin(page, words.bits)
    if begin == len(probability):  # as on most pages
        return probability
    lowered: FloatArray = probability.copy()
    lowered[begin:] *= COMMENTS_FACTOR
    return lowered


def comments_begin(page: Page, bits: npt.NDArray[np.uint8]) -> int:
    """The block of the heading under which the comments stand, m where there is none.

    Args:
        page: The page of m blocks.
        bits: What the words of each block announce, shape (m,).
    """
    tokens, announced = page.blocks.tokens, (bits & COMMENTS_BIT) != 0
    if not announced.any():
        return len(tokens)
    is_term = page.elements.column("tag").take(page.blocks.element) == name_code("dt")
    headings = announced & (_headings(page) | is_term)
    long = np.cumsum(np.where(tokens >= LONG_TOKENS, tokens, 0))
    lines = np.concatenate([[0], np.cumsum((bits & META_BIT) != 0)])
    for i in np.flatnonzero(headings & (long > COMMENTS_AFTER * long[-1])).tolist():
        if lines[min(i + COMMENTS_BLOCKS, len(tokens))] - lines[i] >= COMMENTS_META:
            return int(i)
    return len(tokens)


def lower_hidden(page: Page, probability: FloatArray) -> FloatArray:
    """Hidden blocks count less, where they are not the page."""
    hidden = (page.blocks.flags & _HIDDEN) != 0
    if not hidden.any():
        return probability
    tokens = page.blocks.tokens
    long = np.where(tokens >= LONG_TOKENS, tokens, 0)
    if hidden @ long > HIDDEN_SHARE * long.sum():
        return probability
    return np.where(hidden, HIDDEN_FACTOR * probability, probability)


def lower_repeated(page: Page, probability: FloatArray, in_place: npt.NDArray[np.float32]) -> FloatArray:
    """On pages of few blocks, what every comparison page says in the same place counts less, but for headings.

    Args:
        page: The page of m blocks.
        probability: Shape (m,).
        in_place: Share of the comparison pages that carry each block's text in its place, NaN without any, shape (m,).
    """
    if len(probability) > FEW:
        return probability
    return np.where((in_place >= EVERY) & ~_headings(page), REPEATED_FACTOR * probability, probability)


def lower_stock(page: Page, probability: FloatArray, stock: npt.NDArray[np.float32], place: FloatArray) -> FloatArray:
    """A text, no heading, that another page has too counts less, if those beside it are the page's own.

    Not where texts of the page's own stand under the same path: stories repeat paragraphs of earlier ones. In a place
    of common stock a text counts less also if no other page has it.

    Args:
        page: The page of m blocks.
        probability: Shape (m,).
        stock: Of texts that another page has the share of their place's text that two pages have, 0 for the page's own,
            NaN where there is no other page, shape (m,).
        place: That share of each block's place, 0 if too few pages are known, shape (m,).
    """
    shared, tokens, slots = stock > 0, page.blocks.tokens, page.blocks.slots
    long, known = tokens >= STOCK_TOKENS, place >= STOCK_PLACE
    story = np.bincount(slots, long & ~shared & ~known).take(slots) > 0
    of_stock = long & (shared | known)
    among = of_stock & ~story & ~_headings(page) & (shared & _alone(shared) | known & _alone(of_stock))
    expected = probability * tokens
    if expected @ among > STOCK_SHARE * expected.sum():
        return probability
    return np.where(among, STOCK_FACTOR * probability, probability)


def _alone(these: BoolArray) -> BoolArray:
    """Blocks with none of these before or after them."""
    padded = np.concatenate([[False], these, [False]])
    return np.asarray(~(padded[:-2] | padded[2:]))


def _headings(page: Page) -> BoolArray:
    return np.asarray((page.blocks.own_flags & _HEADING) != 0)


def move_to_list(page: Page, probability: FloatArray) -> FloatArray:
    """The blocks of a list move to their mean, if they agree: half a list is worse than all of it or none.

    Args:
        page: The page of m blocks.
        probability: Shape (m,).
    """
    boxes = page.blocks.above
    listed = page.elements.has_tag(LISTS).take(boxes)
    outermost = len(listed) - 1 - listed[::-1].argmax(axis=0)
    box = boxes[outermost, np.arange(len(probability))]
    weight = np.log1p(page.blocks.tokens)
    whole = np.maximum(np.bincount(box, weight), 1e-9)
    mean = np.bincount(box, probability * weight) / whole
    variance = np.bincount(box, probability**2 * weight) / whole - mean**2
    together = listed.any(axis=0) & (variance.take(box) <= AGREE**2)
    return np.where(together, mean.take(box), probability)


def lower_beside(page: Page, probability: FloatArray) -> FloatArray:
    """What stands off the main column of a rendered page counts less; what is unknown of a block moves nothing."""
    if page.boxes is None or not len(page.blocks):
        return probability
    layout = BlockLayout.of(page.blocks, page.boxes)
    smaller = np.maximum(-np.nan_to_num(layout.font), 0)
    loss = BESIDE * np.nan_to_num(layout.outside) + SMALLER * smaller + PINNED * layout.pinned
    return np.asarray(probability / (probability + (1 - probability) * np.exp(loss)))
