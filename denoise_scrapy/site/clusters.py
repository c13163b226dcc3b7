"""Rules of template clusters: where the pages of one template keep their content.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site.rules import Rule, is_block_node, names_of

__all__ = ["ALPHA", "Rule", "best_block", "content_densities", "learn_rule", "relative_alpha"]

#: What one more element in a block costs; the source says "small". One value does not serve small pages and large:
#: from .003 over .005, .01 to .02 dragnet goes .873, .877, .886, .902 and wcxb, whose pages have four times the
#: elements, .582, .564, .518, .479.
ALPHA = 0.005
#: So rules take for alpha this / the page's elements: what a block costs goes by its share of the page. At 1, 2, 3, 4,
#: 5, 6 dragnet has .875, .877, .886, .890, .889, .900, and 265 pages of all kinds, each alone, .826, .815, .801, .786,
#: .775, .765 (with ALPHA .784, and .741 with .01): articles among comments like it high, lists and shops low. 4 is the
#: most that costs nothing there against ALPHA.
SHARE_COST = 4.0

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: As plain numbers: numpy takes 2.5 µs to learn that a member of an enumeration is one.
_LINK, _LINK_TAG = int(Flag.LINK), np.uint32(name_code("a"))


def content_densities(page: Page, alpha: float = ALPHA) -> FloatArray:
    r"""H(b) of each block node, 0 of every other element, shape (elements,).

    H = p_text · (1 - p_link) · p_textl / (1 + size · alpha), where p_text = T_n / (1 + T) is the block's share of the
    page's text outside links, p_link = links_n / (1 + links) its share of the links, p_textl = T_n / (1 + all text_n)
    the share of its own text outside links, and size the number of its elements. Lengths are visible characters.

    Args:
        page: The page.
        alpha: What each element in the block costs.

    Example:
        >>> page = Page.parse("<div>Nine char.s</div><div><a href=/>Link</a></div>")
        >>> content_densities(page, alpha=0).round(3).tolist()  # html, body, div, div, a: 10/11 · 1 · 10/11
        [0.0, 0.0, 0.826, 0.0, 0.0]
    """
    densities = np.zeros(len(page.elements))
    nodes, of_nodes = _node_densities(page, alpha)
    densities[nodes] = of_nodes
    return densities


def _node_densities(page: Page, alpha: float) -> tuple[IntArray, FloatArray]:
    """The page's block nodes in document order, and their H; other elements need no sums."""
    elements = page.elements
    nodes = is_block_node(page).nonzero()[0]
    outside = (np.asarray(elements.column("flags"), np.int32) & _LINK) == 0
    running = np.zeros((3, len(elements) + 1), np.int64)  # text outside links, all text, links
    np.multiply(elements.own_chars, outside, out=running[0, 1:])
    running[1, 1:] = elements.own_chars
    np.equal(elements.column("tag"), _LINK_TAG, out=running[2, 1:])
    running.cumsum(axis=1, out=running)
    end = elements.end.take(nodes)
    text, all_text, links = running.take(end, axis=1) - running.take(nodes, axis=1)
    p_text = text / (1 + running[0, -1])
    p_link = links / (1 + running[2, -1])
    p_textl = text / (1 + all_text)
    return nodes, p_text * (1 - p_link) * p_textl / (1 + (end - nodes) * alpha)


def relative_alpha(page: Page) -> float:
    """The alpha by which a block's size counts as its share of the page.

    Example:
        >>> relative_alpha(Page.parse("<div><p>Text</div>"))  # html, body, div, p
        1.0
    """
    return SHARE_COST / max(len(page.elements), 1)


def best_block(page: Page, alpha: float = ALPHA) -> tuple[int, float]:
    """Index of the block with the highest H, the first of equals, and its H; (-1, 0) where no block has text."""
    nodes, densities = _node_densities(page, alpha)
    best = int(densities.argmax()) if len(densities) else -1
    return (int(nodes[best]), float(densities[best])) if best >= 0 and densities[best] > 0 else (-1, 0.0)


def learn_rule(pages: Sequence[Page], alpha: float | None = ALPHA) -> Rule | None:
    """The rule of a cluster: the names with the largest sum of H over the pages' best blocks.

    Names that are ambiguous on a page of the cluster are left out of it, as long as the path remains.

    Args:
        pages: The pages of one cluster.
        alpha: What each element in a block costs; None: `relative_alpha` of each page.

    Returns:
        The rule, None where no page has a block with text.

    Example:
        >>> frame = "<div><a href=/>Home</a></div><div id=main>{}</div>"
        >>> str(learn_rule([Page.parse(frame.format(text)) for text in ("The first story.", "Another one.")]))
        '#main'
    """
    sums: dict[Rule, float] = {}
    for page in pages:
        best, density = best_block(page, relative_alpha(page) if alpha is None else alpha)
        if best >= 0:
            rule = names_of(page, best)
            sums[rule] = sums.get(rule, 0.0) + density
    if not sums:
        return None
    return _unambiguous(max(sums, key=lambda rule: sums[rule]), pages)


def _unambiguous(rule: Rule, pages: Sequence[Page]) -> Rule:
    candidates = [rule.candidates(page) for page in pages]
    by_id, by_class = (max(int(marked[i].sum()) for marked in candidates) for i in range(2))
    return Rule(rule.id if by_id == 1 else "", rule.class_ if by_class == 1 else "", rule.path)
