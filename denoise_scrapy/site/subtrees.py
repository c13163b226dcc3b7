"""The element that holds a page's content best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page

FloatArray = npt.NDArray[np.float64]


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
