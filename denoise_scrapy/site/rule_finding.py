"""Finding a rule: the element that holds a page's content, by names that lead back to it, and what to cut from it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.path_sums import PathSums
from denoise_scrapy.site.rules import Rule, is_block_node, names_of
from denoise_scrapy.site.subtrees import best_subtree, subtree_scores

#: Cuts of one rule that are remembered, and characters of one: a path of ten names of usual length has 200. Pages that
#: write a new name on each element below have thousands of cuts.
MAX_CUTS, MAX_CUT_CHARS = 32, 1000
#: Sub-paths with a smaller share of content are cut from a rule (extraction study, section 7.9).
CUT_SHARE = 0.1

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


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
    blocks = is_block_node(page)
    nodes = blocks.nonzero()[0]
    if not len(nodes):
        return None
    # sums by differences of floats: equals differ in the last digits
    scores = subtree_scores(page, content).take(nodes).round(9)
    return _best_rule(page, nodes, scores, blocks) or _best_rule(page, nodes, scores * _named(page, nodes), blocks)


def _best_rule(
    page: Page, nodes: IntArray, scores: FloatArray, blocks: npt.NDArray[np.bool_]
) -> tuple[Rule, int, float] | None:
    """Rule, element and score of the best of some nodes, None where the rule does not lead back to it."""
    best = best_subtree(scores)
    if scores[best] <= 0:
        return None
    element = int(nodes[best])
    rule = names_of(page, element)
    return (rule, element, float(scores[best])) if rule.find(page, blocks) == element else None


def _named(page: Page, nodes: IntArray) -> npt.NDArray[np.bool_]:
    """Which of the block nodes have an id, or else a class, that no other has, shape (nodes,)."""
    named = np.zeros(len(nodes), bool)
    for column in ("class_", "id"):
        codes = page.elements.column(column).take(nodes)
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
        Their paths from the element on, by path key; the last `MAX_CUTS`.

    Example:
        >>> page = Page.parse("<div id=main><p>Story.</p><div class=tools><i>Print</i></div></div>")
        >>> sums = PathSums().add(page.blocks.path_keys, np.array([1.0, 0.0]), page.blocks.tokens)
        >>> list(find_cuts(page, 2, sums, {}).values())
        ['div.tools']
    """
    elements, blocks = page.elements, page.blocks
    share = sums.content_share(blocks.path_keys)
    unknown = np.isnan(share)
    tokens = np.where(unknown, 0, blocks.tokens)
    share[unknown] = 0.0
    inside = slice(element, elements.end[element])
    content = blocks.subtree_sums(share * tokens)[inside]
    seen = blocks.subtree_sums(tokens)[inside]
    has_text = seen > 0
    empty = has_text & (content < CUT_SHARE * seen)
    keys = page.path_table.columns["key"].take(elements.paths[inside])
    full = set(keys[1:][(has_text & ~empty)[1:]].tolist())
    parent = elements.parent[inside][1:] - element
    paths: dict[int, int] = {}  # of what is new, by key
    for i in ((empty[1:] & ~empty.take(parent)).nonzero()[0] + 1).tolist():
        key = int(keys[i])
        if key not in known and key not in full:
            paths.setdefault(key, int(elements.paths[element + i]))
    describe = page.path_table.describe
    above = len(describe(int(elements.paths[element]))) + 1
    found = {key: name for key, name in known.items() if key not in full}
    for key, path in list(paths.items())[-MAX_CUTS:]:
        found[key] = describe(path)[above:]
    return {key: name for key, name in list(found.items())[-MAX_CUTS:] if len(name) <= MAX_CUT_CHARS}
