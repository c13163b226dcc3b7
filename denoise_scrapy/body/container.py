"""Where the prose is: the element that holds the page's paragraphs best, and how linked the surroundings are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.subtrees import best_subtree, subtree_scores

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


def link_density_around(page: Page, levels: int) -> FloatArray:
    """Link characters / characters in the element some levels above each block's (`Blocks.above`), shape (m,)."""
    blocks = page.blocks
    around = blocks.above[levels]
    return np.asarray(blocks.link_char_sums[around] / np.maximum(blocks.char_sums[around], 1))
