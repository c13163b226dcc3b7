"""The element that holds a page's content best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page

FloatArray = npt.NDArray[np.float64]


def subtree_scores(page: Page, content: npt.NDArray[np.generic]) -> FloatArray:
    """F = 2 · content inside / (tokens inside + all content) of each element, shape (elements,); 0 without content.

    Args:
        page: A page of m blocks.
        content: Tokens of each block that are content, shape (m,).

    Example:
        >>> page = Page.parse("<div><p>Two words.</div><div>Menu</div>")
        >>> subtree_scores(page, np.array([2, 0])).round(2).tolist()  # html, body, div, p, div
        [0.8, 0.8, 1.0, 1.0, 0.0]
    """
    blocks = page.blocks
    if not content.sum():
        return np.zeros(len(page.elements))
    return np.asarray(2 * blocks.subtree_sums(content) / (blocks.token_sums + content.sum()))


def best_subtree(scores: FloatArray) -> int:
    """The element with the highest score, the deepest of equals.

    Args:
        scores: A score each element, shape (elements,); at least one.
    """
    return len(scores) - 1 - int(np.argmax(scores[::-1]))
