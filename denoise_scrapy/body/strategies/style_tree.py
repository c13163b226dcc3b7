"""Site style tree: content and presentation of the site's pages, merged; what they all share is dropped.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), sections 3 and 4. An
element is noise there if its importance, and that of everything in it, is low. Its importance is never less than that
of the texts in it, so only texts are measured here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.core.markup import ROOT_TAGS
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, FloatArray, IntArray
from denoise_scrapy.site import SiteStatistics

# Texts of lower importance are noise. Measured on five corpora, .4 gains big9 and dragnet .004 and changes the others
# by .002 at most.
NOISE_THRESHOLD = 0.2
# Maximum rows of nodes and features of all pages: 40 bytes each, some 40 MB.
MAX_SIZE = 1_000_000

HashArray = npt.NDArray[np.uint64]


class StyleNodes(NamedTuple):
    """A page's part of the site's tree: t visible elements in document order, and their f features.

    A style node is an element with the sequence of its children, equal on all pages with equal styles and positions
    from the root down. A feature is a word (in scripts without spaces, a pair of characters), an image source or a
    link.
    """

    element: IntArray  # index of each in the page, shape (t,)
    style: IntArray  # shape (t,)
    feature_style: IntArray  # style of each feature's element, shape (f,)
    feature: HashArray  # shape (f,)

    @classmethod
    def of(cls, page: Page) -> StyleNodes:
        """Return the nodes of a page."""
        elements, words, urls = page.elements, page.tree.word_rows, page.noted.references
        element = np.flatnonzero(elements.shown)
        node_of = np.full(len(elements) + 1, -1)  # the last value is for parent -1
        node_of[element] = np.arange(len(element))
        tag, class_ = (np.asarray(elements.column(name), np.uint64) for name in ("tag", "class_"))
        # only the tags of roots count: their classes name the page's section
        presentation = (tag << np.uint64(32)) | np.where(elements.has_tag(ROOT_TAGS), np.uint64(0), class_)
        style = _styles(node_of[elements.parent[element]], presentation[element])
        # hashes of words have 32 bits
        targets = np.array([crc32(url.encode("utf-8", "replace")) << 32 for _, url in urls], np.uint64)
        places = np.array([place for place, _ in urls], np.int64)
        node = node_of[np.concatenate([words["element"].astype(np.int64), places])]
        feature = np.concatenate([words["number"], targets])[node >= 0]
        return cls(element, style, style[node[node >= 0]], feature)


def _styles(parent: IntArray, presentation: HashArray) -> IntArray:
    """Return the style node of each element: its element node (style above, position) and its children's sequence."""
    parents, positions = parent.tolist(), []
    children: list[list[int]] = [[] for _ in range(len(parent) + 1)]  # the last ones are of parent -1
    for above, own in zip(parents, presentation.tolist(), strict=True):
        positions.append(len(children[above]))
        children[above].append(own)
    style: list[int] = []
    for above, position, below in zip(parents, positions, children, strict=False):
        # parents come first; hashes of numbers, and of tuples of them, are the same in every process
        node = hash((style[above] if above >= 0 else 0, position))
        style.append(hash((node, hash(tuple(below)))))
    return np.array(style, np.int64)


def content_importance(page: Page, others: Sequence[Page]) -> FloatArray:
    """Return the importance of each element's own content, in the style tree of a page and others.

    It is 1 - the mean entropy of its features on the pages with its style node: 0 for what all pages share, and for
    nothing. The first pages are omitted until at most `MAX_SIZE` nodes and features are left.

    The result has shape (elements,), NaN for invisible ones.
    """
    pages = [StyleNodes.of(each) for each in (*others, page)]
    while len(pages) > 1 and sum(len(nodes.element) + len(nodes.feature) for nodes in pages) > MAX_SIZE:
        del pages[0]
    own = pages[-1]
    importance = np.full(len(page.elements), np.nan)
    if len(own.element):
        # a page has a style node at most once
        styles, on_pages = np.unique(np.concatenate([nodes.style for nodes in pages]), return_counts=True)
        importance[own.element] = _of_styles(pages, styles, on_pages)[styles.searchsorted(own.style)]
    return importance


def _of_styles(pages: Sequence[StyleNodes], styles: IntArray, on_pages: IntArray) -> FloatArray:
    """Return the importance of the content of each style node."""
    of_style = styles.searchsorted(np.concatenate([nodes.feature_style for nodes in pages]))
    on_page = np.repeat(np.arange(len(pages)), [len(nodes.feature) for nodes in pages])
    features, feature = np.unique(np.concatenate([nodes.feature for nodes in pages]), return_inverse=True)
    of_both = of_style * len(features) + feature  # at most the square of `MAX_SIZE`
    both, counts = np.unique(of_both * len(pages) + on_page, return_counts=True)
    pairs, which = np.unique(both // len(pages), return_inverse=True)
    p = counts / np.bincount(which, counts)[which] if len(which) else counts
    entropy = np.bincount(which, -p * np.log(p))
    home = pairs // max(len(features), 1)
    held = np.bincount(home, minlength=len(styles))
    mean = np.bincount(home, entropy, len(styles)) / np.maximum(held, 1) / np.log(np.maximum(on_pages, 2))
    return np.where(held > 0, 1 - mean, 0.0)


class StyleTreeStrategy(Strategy):
    """Site style tree of the page and its comparison pages, without noise."""

    name = "style-tree"
    comparison_pages = 9
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # the tree of a page alone has no noise
        noisy = content_importance(page, site.whole_pages[: self.comparison_pages]) < NOISE_THRESHOLD
        chosen = page.blocks.share_owned_by(noisy) <= HALF  # most of a block that is kept
        same = "in elements that say the same on the site's pages"
        return Decision.of_method(page, chosen, 0.6, "in elements that say something of their own", same)
