"""Site style tree: what the site's pages say, and how they show it, merged; what they all share is dropped.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from zlib import crc32

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy, without_hidden
from denoise_scrapy.core.markup import ROOT_TAGS
from denoise_scrapy.page import Elements, Page
from denoise_scrapy.site import SiteStatistics

# Attenuating factor (the source's value): the more styles a node has, the more its own importance counts.
GAMMA = 0.9
# NodeImp of an element on one page alone. The source says 1: what one page has is content. A later summary
# of it says 0; measured on five corpora, the body's text is the same with either.
LONE_IMPORTANCE = 1.0
# Elements whose importance, and that of all in them, lies below this are noise. Measured on five
# corpora, .4 brings big9 and dragnet .004 and moves the others by .002 at most.
NOISE_THRESHOLD = 0.2
# Rows of nodes and features of all pages, some 40 MB.
MAX_SIZE = 1_000_000

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Importance:
    """Importance of a page's n elements in a style tree, shape (n,) each; NaN for those that show nothing.

    Attributes:
        composite: CompImp of the element.
        highest: The largest CompImp of the element and all below it.
        content: CompImp of the leaf that the element's own text, image or link target makes.
    """

    composite: FloatArray
    highest: FloatArray
    content: FloatArray

    def noisy(self, threshold: float = NOISE_THRESHOLD) -> BoolArray:
        """Elements that are noise: all that is in them says, and shows, the same on every page."""
        return np.asarray(self.highest < threshold)

    def noisy_text(self, threshold: float = NOISE_THRESHOLD) -> BoolArray:
        """Elements whose own text is noise: it lies in a noisy element, or is a noisy leaf itself."""
        return np.asarray(self.content < threshold)


def importance(
    page: Page, others: Sequence[Page], gamma: float = GAMMA, lone_importance: float = LONE_IMPORTANCE
) -> Importance:
    """Return the importance of a page's elements in the site style tree of some pages and it.

    The tree has element nodes E = (tag, class, styles) and style nodes S = (sequence of elements, number of pages).
    Elements alike on all pages are one node. Of pages with more than `MAX_SIZE` nodes the first are left out.

    Args:
        page: The page.
        others: Other pages of its site.
        gamma: Attenuating factor, between 0 and 1.
        lone_importance: NodeImp of an element on one page alone.

    Example:
        >>> one, two = (Page.parse(f"<body><p>Menu</p><p>{word}</p>") for word in ("One", "Two"))
        >>> importance(one, [two]).composite[2:].tolist()  # the two paragraphs
        [0.0, 1.0]
    """
    pages = [StyleNodes.of(each) for each in (*others, page)]
    while len(pages) > 1 and sum(nodes.size for nodes in pages) > MAX_SIZE:
        del pages[0]
    own = pages[-1]
    columns = np.full((3, len(page.elements)), np.nan)
    if len(own):
        columns[:, own.element] = MergedStyles(pages, gamma, lone_importance).look_up(own)
    return Importance(*columns)


@dataclass(frozen=True, eq=False)
class StyleNodes:
    """The t elements of a page that are nodes of the tree, in document order, and the f features they hold.

    An element is a node unless it shows nothing (a script, a style sheet …). It is the same node on two pages
    where its place is: the same styles from the root down, and the same position in the last one.

    Attributes:
        element: Index of each node's element in the page, shape (t,).
        parent: Index of the parent node, -1 for a root, shape (t,).
        depth: Level in the page; parents have less, shape (t,).
        children: Number of child nodes, shape (t,).
        node: Which element node of the tree it is, equal on all pages, shape (t,).
        style: Which style node its children make, shape (t,).
        feature_node: Node of each feature: a word of its own text, its image source or link target, shape (f,).
        feature: A hash of the feature, shape (f,).

    Example:
        >>> nodes = StyleNodes.of(Page.parse("<body><p>One <b>word</b></p><script>x</script>"))
        >>> nodes.parent.tolist(), nodes.children.tolist()  # html, body, p, b
        ([-1, 0, 1, 2], [1, 1, 1, 0])
        >>> nodes.feature_node.tolist()
        [2, 3]
    """

    element: IntArray
    parent: IntArray
    depth: IntArray
    children: IntArray
    node: IntArray
    style: IntArray
    feature_node: IntArray
    feature: HashArray

    @classmethod
    def of(cls, page: Page) -> StyleNodes:
        """The nodes of a page."""
        elements = page.elements
        element = np.flatnonzero(elements.shown)
        node_of = np.full(len(elements) + 1, -1)  # the last one answers for parent -1
        node_of[element] = np.arange(len(element))
        parent: IntArray = node_of[elements.parent[element]]
        sequence, rank, children = _sequences(parent, _presentation(elements)[element])
        node, style = _identities(parent, sequence, rank)
        feature_element, feature = _features(page)
        known = node_of[feature_element] >= 0
        return cls(
            element,
            parent,
            elements.depth[element],
            children,
            node,
            style,
            node_of[feature_element][known],
            feature[known],
        )

    def __len__(self) -> int:
        return len(self.element)

    @property
    def size(self) -> int:
        """Rows it occupies: nodes and features, some 40 bytes each."""
        return len(self.element) + len(self.feature)


def _presentation(elements: Elements) -> HashArray:
    """Tag and class without digits; of the roots the tag alone: their classes name the page's section."""
    tag, class_ = (np.asarray(elements.column(name), np.uint64) for name in ("tag", "class_"))
    is_root = elements.has_tag(ROOT_TAGS)
    return np.asarray((tag << np.uint64(32)) | np.where(is_root, np.uint64(0), class_))


def _sequences(parent: IntArray, presentation: HashArray) -> tuple[IntArray, IntArray, IntArray]:
    """Hash of each node's sequence of children, each node's position in its parent's, and children's numbers."""
    order = np.argsort(parent, kind="stable")
    edges = np.searchsorted(parent[order], np.arange(len(parent) + 1))
    ordered, bounds = presentation[order].tolist(), edges.tolist()
    # hashes of tuples of numbers are the same in every process
    sequence = np.array([hash(tuple(ordered[a:b])) for a, b in pairwise(bounds)], np.int64)
    rank = np.zeros(len(parent), np.int64)
    rank[order] = np.arange(len(parent)) - np.where(parent[order] < 0, 0, edges[parent[order]])
    return sequence, rank, np.diff(edges)


def _identities(parent: IntArray, sequence: IntArray, rank: IntArray) -> tuple[IntArray, IntArray]:
    """Element node and style node of each element: (style above, position), and (element node, sequence)."""
    node, style = [0] * len(parent), [0] * len(parent)
    places = zip(parent.tolist(), sequence.tolist(), rank.tolist(), strict=True)
    for i, (above, children, position) in enumerate(places):  # parents come first: no recursion
        # hashes of numbers are the same in every process
        node[i] = hash((style[above] if above >= 0 else 0, position))
        style[i] = hash((node[i], children))
    return np.array(node, np.int64), np.array(style, np.int64)


def _features(page: Page) -> tuple[IntArray, HashArray]:
    """Elements and hashes of words (of scripts without spaces, pairs of characters), image sources, link targets."""
    words, urls = page.tree.word_rows, page.references
    # those of words have 32 bits
    targets = np.array([crc32(url.encode("utf-8", "replace")) << 32 for _, url in urls], np.uint64)
    places = np.array([element for element, _ in urls], np.int64)
    return np.concatenate([words["element"].astype(np.int64), places]), np.concatenate([words["number"], targets])


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
        """`composite`, `highest` and `content` of one of the pages' t nodes, shape (t,) each."""
        at, at_style = self.nodes.searchsorted(page.node), self.styles.searchsorted(page.style)
        return self.composite[at], self.highest[at], self.content[at_style]


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
    """CompImp of the leaf in each of M styles, 1 - mean entropy of its features, and whether it has any."""
    offsets = np.cumsum([0, *(len(p) for p in pages)]).tolist()
    of_style = style[np.concatenate([p.feature_node + o for p, o in zip(pages, offsets, strict=False)])]
    on_page = np.repeat(np.arange(len(pages)), [len(p.feature) for p in pages])
    features = np.concatenate([p.feature for p in pages])
    order = np.lexsort((on_page, features, of_style))
    feature, page = features[order], on_page[order]
    new_feature = (np.diff(feature, prepend=~feature[:1]) != 0) | (np.diff(of_style[order], prepend=-1) != 0)
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
    """CompImp of each element node, and the largest one at or below it, shape (N,) each: children before parents."""
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


#: A block with more than this share of its text in noisy elements is dropped.
NOISY_SHARE = 0.5


class StyleTreeStrategy(Strategy):
    """Site style tree of the page and its comparison pages, less the noisy elements."""

    name = "style-tree"
    comparison_pages = 9
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # the tree of a page alone has no noise
        found = importance(page, site.whole_pages[: self.comparison_pages])
        noisy = page.blocks.share_owned_by(found.noisy_text(NOISE_THRESHOLD)) > NOISY_SHARE
        kept = without_hidden(page, ~noisy)
        reasons = np.where(noisy, "in elements that say the same on the site's pages", "hidden")
        reasons = np.where(kept, "in elements that say something of their own", reasons)
        probability = np.where(kept, 0.6, 0.1)
        return Decision(kept, probability, 0.5 if kept.any() else 0.0, reasons.tolist(), is_rule=True)
