"""A page as a site style tree sees it: element nodes, the styles of their children, the content of leaves.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), section 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Elements, Page
from denoise_scrapy.page.marked_text import CJK, DIGIT, hash_table, mix, segment_hashes
from denoise_scrapy.page.paths import ROOT_TAGS

IntArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]


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
    """Tag and class without digits; of the roots the tag alone: their classes tell of the page."""
    tag, class_ = (np.asarray(elements.column(name), np.uint64) for name in ("tag", "class_"))
    is_root = elements.has_tag(ROOT_TAGS)
    return np.asarray(mix((tag << np.uint64(32)) | np.where(is_root, np.uint64(0), class_)))


def _sequences(parent: IntArray, presentation: HashArray) -> tuple[HashArray, IntArray, IntArray]:
    """Hash of each node's sequence of children, each node's position in its parent's, and children's numbers."""
    order = np.argsort(parent, kind="stable")
    edges = np.searchsorted(parent[order], np.arange(len(parent) + 1))
    sequence = segment_hashes(presentation[order], edges[:-1], edges[1:])
    rank = np.zeros(len(parent), np.int64)
    rank[order] = np.arange(len(parent)) - np.where(parent[order] < 0, 0, edges[parent[order]])
    return sequence, rank, np.diff(edges)


def _identities(parent: IntArray, sequence: HashArray, rank: IntArray) -> tuple[IntArray, IntArray]:
    """Element node and style node of each element: (style above, position), and (element node, sequence)."""
    node, style = [0] * len(parent), [0] * len(parent)
    places = zip(parent.tolist(), sequence.tolist(), rank.tolist(), strict=True)
    for i, (above, children, position) in enumerate(places):  # parents come first: no recursion
        # hashes of numbers are the same in every process
        node[i] = hash((style[above] if above >= 0 else 0, position))
        style[i] = hash((node[i], children))
    return np.array(node, np.int64), np.array(style, np.int64)


def _features(page: Page) -> tuple[IntArray, HashArray]:
    """Elements and hashes of all words (CJK characters one by one), image sources and link targets."""
    elements = page.elements
    classes = elements.classes
    is_word = (classes >= DIGIT) & (classes < CJK)
    inner = np.concatenate([[False], is_word, [False]])
    single = np.flatnonzero(classes == CJK)
    starts = np.concatenate([np.flatnonzero(inner[1:] & ~inner[:-1]), single])
    ends = np.concatenate([np.flatnonzero(inner[:-1] & ~inner[1:]), single + 1])
    mark = np.searchsorted(elements.marks, starts) - 1
    owned = mark >= 0
    words = segment_hashes(hash_table()[elements.text.codes], starts[owned], ends[owned])
    urls = page._urls  # (element, reference as written); the page shows them to no one else yet
    targets = mix(np.array([crc32(url.encode("utf-8", "replace")) for _, url in urls], np.uint64))
    places = np.array([element for element, _ in urls], np.int64)
    return np.concatenate([elements.text_owner[mark[owned]], places]), np.concatenate([words, targets])
