"""Site style tree: what the site's pages say, and how they show it, merged; what they all share is dropped.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), sections 3 and 4. An
element is noise where neither it nor anything in it is important. So a text lies in a noisy element, or is noise
itself, exactly where its own leaf is unimportant: the importance of leaves decides, and that of the elements above is
not computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy, without_hidden
from denoise_scrapy.page import Elements, Page
from denoise_scrapy.page.marked_text import CJK, DIGIT, hash_table, mix, segment_hashes
from denoise_scrapy.page.paths import ROOT_TAGS
from denoise_scrapy.site import SiteStatistics

# Leaves whose importance lies below this are noise. Measured on five corpora, .4 brings big9 and dragnet .004 and moves
# the others by .002 at most.
NOISE_THRESHOLD = 0.2
# A block with more than this share of its text in noise is dropped.
NOISY_SHARE = 0.5
# Rows of nodes and features of all pages, some 40 MB.
MAX_SIZE = 1_000_000

IntArray = npt.NDArray[np.int64]
HashArray = npt.NDArray[np.uint64]
FloatArray = npt.NDArray[np.float64]


class StyleTreeStrategy(Strategy):
    """Site style tree of the page and its comparison pages, less the noisy elements."""

    name = "style-tree"
    comparison_pages = 9
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # the tree of a page alone knows no noise
        importance = leaf_importance(page, site.whole_pages[: self.comparison_pages])
        noisy = page.blocks.share_owned_by(importance < NOISE_THRESHOLD) > NOISY_SHARE
        kept = without_hidden(page, ~noisy)
        reasons = np.where(noisy, "in elements that say the same on the site's pages", "hidden")
        reasons = np.where(kept, "in elements that say something of their own", reasons)
        probability = np.where(kept, 0.6, 0.1)
        return Decision(kept, probability, 0.5 if kept.any() else 0.0, reasons.tolist(), is_rule=True)


def leaf_importance(page: Page, others: Sequence[Page]) -> FloatArray:
    """CompImp of the leaf that each element's own text, image or link target makes, shape (elements,).

    That is 1 - the mean entropy of the leaf's features over the pages of its style; 0 of an empty leaf, NaN of elements
    that show nothing. Of pages with more than `MAX_SIZE` nodes the first are left out.

    Example:
        >>> one, two = (Page.parse(f"<body><p>Menu</p><p>{word}</p>") for word in ("One", "Two"))
        >>> leaf_importance(one, [two])[2:].tolist()  # the two paragraphs
        [0.0, 1.0]
    """
    pages = [StyleNodes.of(each) for each in (*others, page)]
    while len(pages) > 1 and sum(nodes.size for nodes in pages) > MAX_SIZE:
        del pages[0]
    found, own = np.full(len(page.elements), np.nan), pages[-1]
    if len(own):
        style = np.unique(np.concatenate([nodes.style for nodes in pages]), return_inverse=True)[1]
        found[own.element] = _content_importance(pages, style)[style[-len(own) :]]
    return found


@dataclass(frozen=True, eq=False)
class StyleNodes:
    """The t elements of a page that are nodes of the tree, in document order, and the f features they hold.

    An element is a node unless it shows nothing (a script, a style sheet …). It is the same node on two pages
    where its place is: the same styles from the root down, and the same position in the last one.

    Attributes:
        element: Index of each node's element in the page, shape (t,).
        style: Which style node its children make, equal on all pages, shape (t,).
        feature_node: Node of each feature: a word of its own text, its image source or link target, shape (f,).
        feature: A hash of the feature, shape (f,).

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
        """The nodes of a page."""
        elements = page.elements
        element = np.flatnonzero(elements.shown)
        node_of = np.full(len(elements) + 1, -1)  # the last one answers for parent -1
        node_of[element] = np.arange(len(element))
        parent: IntArray = node_of[elements.parent[element]]
        style = _styles(parent, *_sequences(parent, _presentation(elements)[element]))
        feature_element, feature = _features(page)
        known = node_of[feature_element] >= 0
        return cls(element, style, node_of[feature_element][known], feature[known])

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


def _sequences(parent: IntArray, presentation: HashArray) -> tuple[HashArray, IntArray]:
    """Hash of each node's sequence of children, and each node's position in its parent's."""
    order = np.argsort(parent, kind="stable")
    edges = np.searchsorted(parent[order], np.arange(len(parent) + 1))
    sequence = segment_hashes(presentation[order], edges[:-1], edges[1:])
    rank = np.zeros(len(parent), np.int64)
    rank[order] = np.arange(len(parent)) - np.where(parent[order] < 0, 0, edges[parent[order]])
    return sequence, rank


def _styles(parent: IntArray, sequence: HashArray, rank: IntArray) -> IntArray:
    """Style node of each element: its element node (style above, position), and the sequence of its children."""
    style = [0] * len(parent)
    places = zip(parent.tolist(), sequence.tolist(), rank.tolist(), strict=True)
    for i, (above, children, position) in enumerate(places):  # parents come first: no recursion
        # hashes of numbers are the same in every process
        style[i] = hash((hash((style[above] if above >= 0 else 0, position)), children))
    return np.array(style, np.int64)


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


def _content_importance(pages: Sequence[StyleNodes], style: IntArray) -> FloatArray:
    """CompImp of the leaf in each of M styles; `style`: which one each node of each page has."""
    n = np.bincount(style)  # pages with each: a page has a node once at most
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
    return np.where(held > 0, 1 - mean, 0.0)
