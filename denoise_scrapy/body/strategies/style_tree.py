"""Site style tree: what the site's pages say, and how they show it, merged; what they all share is dropped.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), sections 3 and 4. An
element is noise there if its importance, and that of all in it, is low. The importance of an element is never less than
that of the texts in it, so texts alone are measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.core.markup import ROOT_TAGS
from denoise_scrapy.page import Elements, Page
from denoise_scrapy.page.columns import FloatArray, IntArray
from denoise_scrapy.site import SiteStatistics

# Texts of less importance are noise. Measured on five corpora, .4 brings big9 and dragnet .004 and moves the others by
# .002 at most.
NOISE_THRESHOLD = 0.2
# Rows of nodes and features of all pages, some 40 MB.
MAX_SIZE = 1_000_000

HashArray = npt.NDArray[np.uint64]


class StyleNodes(NamedTuple):
    """The t elements of a page that show anything, in document order, and the f features of their own content.

    Attributes:
        element: Index of each in the page, shape (t,).
        style: The style node that its children make, equal on all pages where the styles and positions from the root
            down are, shape (t,).
        feature_node: Index among the t of each feature's element, shape (f,).
        feature: A hash of a word of its text, its image source or link target, shape (f,).

    Example:
        >>> nodes = StyleNodes.of(Page.parse("<body><p>One <b>word</b></p><script>x</script>"))
        >>> nodes.element.tolist(), nodes.feature_node.tolist()  # html, body, p, b
        ([0, 1, 2, 3], [2, 3])
    """

    element: IntArray
    style: IntArray
    feature_node: IntArray
    feature: HashArray

    @classmethod
    def of(cls, page: Page) -> StyleNodes:
        """Return the nodes of a page."""
        elements = page.elements
        element = np.flatnonzero(elements.shown)
        node_of = np.full(len(elements) + 1, -1)  # the last one answers for parent -1
        node_of[element] = np.arange(len(element))
        style = _styles(node_of[elements.parent[element]], _presentation(elements)[element])
        feature_element, feature = _features(page)
        known = node_of[feature_element] >= 0
        return cls(element, style, node_of[feature_element][known], feature[known])

    @property
    def size(self) -> int:
        """Rows it occupies: nodes and features, some 40 bytes each."""
        return len(self.element) + len(self.feature)


def _presentation(elements: Elements) -> HashArray:
    """Tag and class without digits; of the roots the tag alone: their classes name the page's section."""
    tag, class_ = (np.asarray(elements.column(name), np.uint64) for name in ("tag", "class_"))
    is_root = elements.has_tag(ROOT_TAGS)
    return np.asarray((tag << np.uint64(32)) | np.where(is_root, np.uint64(0), class_))


def _styles(parent: IntArray, presentation: HashArray) -> IntArray:
    """Return the style node of each element: its element node (style above, position) and its children's sequence."""
    order = np.argsort(parent, kind="stable")
    edges = np.searchsorted(parent[order], np.arange(len(parent) + 1))
    ordered = presentation[order].tolist()
    # hashes of numbers, and of tuples of them, are the same in every process
    sequences = [hash(tuple(ordered[a:b])) for a, b in pairwise(edges.tolist())]
    rank = np.zeros(len(parent), np.int64)
    rank[order] = np.arange(len(parent)) - np.where(parent[order] < 0, 0, edges[parent[order]])
    style = [0] * len(parent)
    for i, (above, children, position) in enumerate(zip(parent.tolist(), sequences, rank.tolist(), strict=True)):
        node = hash((style[above] if above >= 0 else 0, position))  # parents come first: no recursion
        style[i] = hash((node, children))
    return np.array(style, np.int64)


def _features(page: Page) -> tuple[IntArray, HashArray]:
    """Elements and hashes of words (of scripts without spaces, pairs of characters), image sources, link targets."""
    words, urls = page.tree.word_rows, page.noted.references
    # those of words have 32 bits
    targets = np.array([crc32(url.encode("utf-8", "replace")) << 32 for _, url in urls], np.uint64)
    places = np.array([element for element, _ in urls], np.int64)
    return np.concatenate([words["element"].astype(np.int64), places]), np.concatenate([words["number"], targets])


def content_importance(page: Page, others: Sequence[Page]) -> FloatArray:
    """Return the importance of what each element of a page says itself, in the style tree of some pages and it.

    That is 1 - the mean entropy of its features on the pages that have its style node: 0 for what all of them say, and
    for nothing. Of pages with more than `MAX_SIZE` nodes the first are left out.

    The result has shape (elements,), NaN for those that show nothing.

    Example:
        >>> one, two = (Page.parse(f"<body><p>Menu</p><p>{word}</p>") for word in ("One", "Two"))
        >>> content_importance(one, [two])[2:].tolist()  # the two paragraphs
        [0.0, 1.0]
    """
    pages = [StyleNodes.of(each) for each in (*others, page)]
    while len(pages) > 1 and sum(nodes.size for nodes in pages) > MAX_SIZE:
        del pages[0]
    own = pages[-1].element
    importance = np.full(len(page.elements), np.nan)
    if len(own):
        _, style = np.unique(np.concatenate([nodes.style for nodes in pages]), return_inverse=True)
        importance[own] = _of_styles(pages, style)[style[-len(own) :]]
    return importance


def _of_styles(pages: Sequence[StyleNodes], style: IntArray) -> FloatArray:
    """Importance of the content of each style node; `style` is that of each element of all pages."""
    offsets = np.cumsum([0, *(len(nodes.element) for nodes in pages)]).tolist()
    of_style = style[np.concatenate([p.feature_node + o for p, o in zip(pages, offsets, strict=False)])]
    on_page = np.repeat(np.arange(len(pages)), [len(nodes.feature) for nodes in pages])
    features = np.concatenate([nodes.feature for nodes in pages])
    order = np.lexsort((on_page, features, of_style))
    feature, page = features[order], on_page[order]
    new_feature = (np.diff(feature, prepend=~feature[:1]) != 0) | (np.diff(of_style[order], prepend=-1) != 0)
    starts = np.flatnonzero(new_feature | (np.diff(page, prepend=-1) != 0))  # of each feature on each page
    counts = np.diff(np.append(starts, len(feature)))
    which = np.cumsum(new_feature[starts]) - 1
    p = counts / np.bincount(which, counts)[which] if len(which) else counts
    entropy = np.bincount(which, -p * np.log(p))
    home = of_style[order][new_feature]
    n = np.bincount(style)  # pages with each style node: a page has one once at most
    held = np.bincount(home, minlength=len(n))
    mean = np.bincount(home, entropy, len(n)) / np.maximum(held, 1) / np.log(np.maximum(n, 2))
    return np.where(held > 0, 1 - mean, 0.0)


#: A block with more than this share of its text in noisy elements is dropped.
NOISY_SHARE = 0.5


class StyleTreeStrategy(Strategy):
    """Site style tree of the page and its comparison pages, less what is noise."""

    name = "style-tree"
    comparison_pages = 9
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # the tree of a page alone has no noise
        noisy = content_importance(page, site.whole_pages[: self.comparison_pages]) < NOISE_THRESHOLD
        chosen = page.blocks.share_owned_by(noisy) <= NOISY_SHARE
        same = "in elements that say the same on the site's pages"
        return Decision.of_method(page, chosen, 0.6, "in elements that say something of their own", same)
