"""Where the prose is: the element that holds the page's paragraphs best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.sums import OWN, PROSE, TOKENS, Sums
from denoise_scrapy.page import Page

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


def in_best_container(page: Page, prose: npt.NDArray[np.int64]) -> BoolArray:
    """Blocks inside the element whose text is nearest to being all the prose and nothing else.

    The element with the highest F = 2 · prose inside / (tokens inside + all prose), the deepest of equals.

    Args:
        page: A page of m blocks.
        prose: Tokens of each block that count as prose, shape (m,).

    Returns:
        Shape (m,); all true on a page without prose.

    Example:
        >>> page = Page.parse("<div><p>Long prose.<p>More prose.</div><div><p>Note</div>")
        >>> in_best_container(page, np.array([2, 2, 0])).tolist()
        [True, True, False]
    """
    if not prose.sum():
        return np.ones(len(page.blocks), bool)
    return page.blocks.inside(best_subtree(subtree_scores(page, prose)))


def in_best_containers(sums: Sums) -> BoolArray:
    """The same for two kinds of prose at once, the rows OWN and PROSE of the sums, shape (2, m).

    Example:
        >>> page = Page.parse("<div><p>Long prose.<p>More prose.</div><div><p>Note</div>")
        >>> in_best_containers(Sums(page, {OWN: np.array([0, 0, 1])})).tolist()  # no paragraph is long enough
        [[False, False, True], [True, True, True]]
    """
    elements, element, totals = sums.page.elements, sums.page.blocks.element, sums.totals[OWN : PROSE + 1, None]
    inside = sums.under(slice(OWN, TOKENS + 1))
    # without prose all scores would be 0 / 0 where there are no tokens either
    scores = f_scores(inside[OWN : PROSE + 1], inside[TOKENS], np.maximum(totals, 1))
    best = len(elements) - 1 - scores[:, ::-1].argmax(axis=1)[:, None]
    found = (element >= best) & (element < elements.end.take(best))
    return np.asarray(found | (totals == 0))


def f_scores(inside: FloatArray, tokens: FloatArray, total: FloatArray | float) -> FloatArray:
    """F = 2 · content inside / (tokens inside + all content) of each element.

    Args:
        inside: Content in each element's subtree, shape (…, elements).
        tokens: Tokens there, shape (elements,).
        total: Content of the page, more than 0, shape (…, 1).
    """
    return np.asarray(2 * inside / (tokens + total))


def subtree_scores(page: Page, content: npt.NDArray[np.generic]) -> FloatArray:
    """`f_scores` of each element, shape (elements,); 0 without content.

    Args:
        page: A page of m blocks.
        content: Tokens of each block that are content, shape (m,).

    Example:
        >>> page = Page.parse("<div><p>Two words.</div><div>Menu</div>")
        >>> subtree_scores(page, np.array([2, 0])).round(2).tolist()  # html, body, div, p, div
        [0.8, 0.8, 1.0, 1.0, 0.0]
    """
    blocks, total = page.blocks, content.sum()
    if not total:
        return np.zeros(len(page.elements))
    return f_scores(blocks.subtree_sums(content), blocks.token_sums, float(total))


def best_subtree(scores: FloatArray) -> int:
    """The element with the highest score, the deepest of equals.

    Args:
        scores: A score each element, shape (elements,); at least one.
    """
    return len(scores) - 1 - int(scores[::-1].argmax())
