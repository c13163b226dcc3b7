"""How important each node of a site style tree is: entropies of styles and of content, from the leaves up.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), section 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.marked_text import mix
from denoise_scrapy.site.style_nodes import StyleNodes

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class MergedStyles:
    """The tree of several pages as columns: N element nodes, M style nodes, and what they are worth.

    Attributes:
        nodes: Identities of the element nodes, ascending, shape (N,).
        styles: Identities of the style nodes, ascending, shape (M,).
        composite: CompImp of each element node, shape (N,).
        highest: Largest CompImp of each element node and all below it, shape (N,).
        content: CompImp of the leaf that an element's own content makes, one a style, 0 for none, shape (M,).

    Args:
        pages: Pages of the site; one at least, with one node in all at least.
        gamma: Attenuating factor.
        lone_importance: NodeImp of an element on one page alone.
    """

    def __init__(self, pages: Sequence[StyleNodes], gamma: float, lone_importance: float) -> None:
        self.nodes, first, node = _unique([p.node for p in pages])
        self.styles, style_first, style = _unique([p.style for p in pages])
        offsets = np.cumsum([0, *(len(p) for p in pages)]).tolist()
        parent = np.concatenate(
            [np.where(p.parent < 0, -1, p.parent + o) for p, o in zip(pages, offsets, strict=False)]
        )
        m, n = np.bincount(node), np.bincount(style)  # pages with each: a page has a node once at most
        owner, share = node[style_first], n / m[node[style_first]]
        self.content, held = _content_importance(pages, style, n)
        children = np.concatenate([p.children for p in pages])[style_first]
        # own text and URLs beside child elements are one more element of the style
        weight = share / np.maximum(children + (held & (children > 0)), 1)
        styles = np.bincount(owner, minlength=len(m))
        is_leaf = np.bincount(owner, children, len(m)) == 0
        attenuation = np.where(is_leaf, 1.0, gamma**styles)
        own = (1 - attenuation) * _node_importance(owner, share, m, lone_importance)
        above = np.where(parent < 0, -1, node[parent])[first]
        highest = np.zeros(len(m))
        np.maximum.at(highest, owner, self.content)
        below = np.bincount(owner, weight * self.content, len(m)).astype(np.float64)
        depth = np.concatenate([p.depth for p in pages])[first]
        order = np.argsort(-depth, kind="stable")
        self.composite, self.highest = _bottom_up(
            order,
            above,
            weight=weight[style[parent]][first],
            own=own,
            attenuation=attenuation,
            below=below,
            highest=highest,
        )

    def look_up(self, page: StyleNodes) -> tuple[FloatArray, FloatArray, FloatArray]:
        """`composite`, `highest` and `content` of a page's t nodes, NaN where the tree has none, shape (t,) each."""
        at = np.minimum(np.searchsorted(self.nodes, page.node), len(self.nodes) - 1)
        known = self.nodes[at] == page.node
        at_style = np.minimum(np.searchsorted(self.styles, page.style), len(self.styles) - 1)
        known_style = self.styles[at_style] == page.style
        return (
            np.where(known, self.composite[at], np.nan),
            np.where(known, self.highest[at], np.nan),
            np.where(known_style, self.content[at_style], np.nan),
        )


def _unique(columns: list[IntArray]) -> tuple[IntArray, IntArray, IntArray]:
    """Distinct values of all pages, the first row of each, and which of them each row has."""
    values, first, which = np.unique(np.concatenate(columns), return_index=True, return_inverse=True)
    return values, first, which


def _node_importance(owner: IntArray, share: FloatArray, m: IntArray, lone_importance: float) -> FloatArray:
    """NodeImp: entropy of each element's styles, to the base of its number of pages."""
    entropy = np.bincount(owner, -share * np.log(share), len(m))
    return np.where(m > 1, entropy / np.log(np.maximum(m, 2)), lone_importance)


def _content_importance(
    pages: Sequence[StyleNodes], style: IntArray, n: IntArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """CompImp of the leaf in each of M styles, 1 - mean entropy of its features, and whether it has any.

    Args:
        pages: The pages.
        style: Which style each node of each page has, shape (nodes of all pages,).
        n: Pages that use each style, shape (M,).
    """
    offsets = np.cumsum([0, *(len(p) for p in pages)]).tolist()
    of_style = style[np.concatenate([p.feature_node + o for p, o in zip(pages, offsets, strict=False)])]
    on_page = np.repeat(np.arange(len(pages)), [len(p.feature) for p in pages])
    features = mix(of_style.astype(np.uint64)) ^ np.concatenate([p.feature for p in pages])
    order = np.lexsort((on_page, features))
    feature, page = features[order], on_page[order]
    new_feature = np.diff(feature, prepend=~feature[:1]) != 0
    starts = np.flatnonzero(new_feature | (np.diff(page, prepend=-1) != 0))  # of each feature on each page
    counts = np.diff(np.append(starts, len(feature)))
    which = np.cumsum(new_feature[starts]) - 1
    p = counts / np.bincount(which, counts)[which] if len(which) else counts
    entropy = np.bincount(which, -p * np.log(p))
    home = of_style[order][new_feature]
    held = np.bincount(home, minlength=len(n))
    mean = np.bincount(home, entropy, len(n)) / np.maximum(held, 1) / np.log(np.maximum(n, 2))
    return np.where(held > 0, 1 - mean, 0.0), held > 0


def _bottom_up(
    order: IntArray,
    above: IntArray,
    *,
    weight: FloatArray,
    own: FloatArray,
    attenuation: FloatArray,
    below: FloatArray,
    highest: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """CompImp of each element node, and the largest one at or below it, shape (N,) each.

    Args:
        order: The nodes, children before parents.
        above: Parent of each, -1 for none.
        weight: What each adds of its own to the sum over its parent's styles.
        own: (1 - gamma^l) NodeImp.
        attenuation: gamma^l.
        below: What the content leaves add to that sum.
        highest: Largest CompImp of the content leaves.
    """
    composite, sums, largest = own.tolist(), below.tolist(), highest.tolist()
    parents, weights, factors = above.tolist(), weight.tolist(), attenuation.tolist()
    for i in order.tolist():
        value = composite[i] = composite[i] + factors[i] * sums[i]
        largest[i] = max(largest[i], value)
        up = parents[i]
        if up >= 0:
            sums[up] += weights[i] * value
            largest[up] = max(largest[up], largest[i])
    return np.array(composite), np.array(largest)
