"""Finding a rule: the element that holds a page's content, by names that lead back to it, and what to cut from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.path_sums import PathSums
from denoise_scrapy.site.rules import Rule, is_block_node, names_of
from denoise_scrapy.site.subtrees import best_subtree, subtree_scores

#: Sub-paths with a smaller share of content are cut from a rule (extraction study, section 7.9).
CUT_SHARE = 0.1

FloatArray = npt.NDArray[np.float64]


def find_rule(page: Page, content: FloatArray) -> tuple[Rule, int, float] | None:
    """The rule of the block node that holds a page's content best, the node and its F.

    It must lead back to the node: where the best one's names do not, the best of those with an id or class of
    their own is taken.

    Args:
        page: A page of m blocks.
        content: Tokens of each block that are content, shape (m,).

    Returns:
        None where there is no content or no such node.
    """
    # sums by differences of floats: equals differ in the last digits
    scores = np.where(is_block_node(page), subtree_scores(page, content), 0.0).round(9)
    for candidates in (scores, scores * _named(page)):
        best = best_subtree(candidates) if len(candidates) else -1
        if best < 0 or candidates[best] <= 0:
            return None
        rule = names_of(page, best)
        if rule.find(page) == best:
            return rule, best, float(candidates[best])
    return None


def _named(page: Page) -> npt.NDArray[np.bool_]:
    """Block nodes whose id, or else class, no other has, shape (elements,)."""
    blocks, named = is_block_node(page), np.zeros(len(page.elements), bool)
    for column in ("class_", "id"):
        codes = np.where(blocks, page.elements.column(column), 0)
        _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
        named |= (codes != 0) & (counts[inverse] == 1)
    return named


def find_cuts(page: Page, element: int, sums: PathSums, known: Mapping[int, str]) -> dict[int, str]:
    """Elements below one that hold no content by the sums, topmost only; those that were known before stay.

    Args:
        page: The page.
        element: The rule's element.
        sums: Content by path.
        known: Cuts that other pages told; those that hold content on this page, by the sums, leave.

    Returns:
        Their paths from the element on, by path key.

    Example:
        >>> page = Page.parse("<div id=main><p>Story.</p><div class=tools><i>Print</i></div></div>")
        >>> sums = PathSums().add(page.blocks.path_keys, np.array([1.0, 0.0]), page.blocks.tokens)
        >>> list(find_cuts(page, 2, sums, {}).values())
        ['div.tools']
    """
    elements, blocks = page.elements, page.blocks
    share = sums.content_share(blocks.path_keys)
    tokens = np.where(np.isnan(share), 0, blocks.tokens)
    content = blocks.subtree_sums(np.nan_to_num(share) * tokens)
    seen = blocks.subtree_sums(tokens)
    empty = (seen > 0) & (content < CUT_SHARE * seen)
    below = np.arange(element + 1, elements.end[element])
    keys = np.asarray(elements.column("key"), np.uint64)[below]
    top = empty[below] & ~empty[elements.parent[below]]
    full = set(keys[(seen[below] > 0) & ~empty[below]].tolist())
    found = {key: name for key, name in known.items() if key not in full}
    above = len(page.path_table.describe(int(elements.paths[element]))) + 1
    for i in np.flatnonzero(top).tolist():
        found[int(keys[i])] = page.path_table.describe(int(elements.paths[below[i]]))[above:]
    return {key: name for key, name in found.items() if key not in full}
