"""A page's body as a tree of features, for LCS matching."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import FloatArray, IntArray
from denoise_scrapy.page.page import Page

#: A node whose own text is more than this share of its subtree's text is a content node (the source's value).
CONTENT_TEXT_RATE = 0.75


class FeatureTree:
    """Columns of the n nodes of a page's body, level by level (breadth first), each of shape (n,).

    Source: Song, Zhi, Zhou, Luo and An, Web page noise removal by LCS-based maximum similarity matching of feature
    trees (2011), section 2. Its fourteen attributes, except the children, are `tag`, `id`, `class_` (codes, equal
    for equal names), `outer_length` (outerHTML), `inner_hash` (innerHTML), `text_length` (innerText), `text_rate`
    (own text / text of the subtree); `parent` (-1 for a root), `depth` (0 for BODY); and `boxes` (left, top, width,
    height; shape (n, 4), NaN where unknown). Invisible markup (scripts, styles …) has no nodes.

    Attributes:
        element: Index of the node's element in the page.
        levels: First node of each level, and finally n.
        is_content: Whether it is a content tag, or more than three quarters of its subtree's text is its own.

    Example:
        >>> page = Page.parse("<body><div id=a><p>One two.</p><p>Three.</p></div><script>x</script>")
        >>> tree = FeatureTree(page)
        >>> tree.depth.tolist(), tree.text_rate.tolist()
        ([0, 1, 2, 2], [0.0, 0.0, 1.0, 1.0])
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        elements = page.elements
        # roots are BODY and, if markup follows its end, BODY's siblings
        is_root = elements.has_tag({"html"}) & (elements.depth == 1)
        members = np.flatnonzero(elements.shown & ~is_root)
        self.element = members[np.argsort(elements.depth[members], kind="stable")]
        node_of = np.full(len(elements) + 1, -1)  # the last value is for parent -1
        node_of[self.element] = np.arange(len(self.element))
        self.parent: IntArray = node_of[elements.parent[self.element]]
        depth = elements.depth[self.element]
        self.depth: IntArray = depth - depth[0] if len(depth) else depth
        self.levels: IntArray = np.append(np.flatnonzero(np.diff(self.depth, prepend=-1)), len(depth))
        self.tag, self.id, self.class_, self.token = (
            elements.column(name)[self.element] for name in ("tag", "id", "class_", "token")
        )
        urls = np.zeros(len(elements), np.uint64)
        for element, url in page.noted.references:
            urls[element] = hash(url) & 0xFFFFFFFFFFFFFFFF  # of one process: never stored
        self.inner_hash: npt.NDArray[np.uint64] = page.tree.inner_hashes(urls)[self.element]
        self.text_length: IntArray = np.asarray(elements.subtree_sums(elements.own_chars))[self.element]
        self.text_rate: FloatArray = elements.own_chars[self.element] / np.maximum(self.text_length, 1)
        is_content = np.asarray(elements.column("content"), bool)[self.element]
        self.is_content = is_content | (self.text_rate > CONTENT_TEXT_RATE)

    def __len__(self) -> int:
        return len(self.element)

    @cached_property
    def outer_length(self) -> IntArray:
        """Approximate characters of outerHTML: tags with class and id, URLs, visible text."""
        return self.code_lengths[self.element]

    @cached_property
    def code_lengths(self) -> IntArray:
        """The same of each element of the page, shape (elements,)."""
        own = np.asarray(self.page.elements.column("markup"), np.int64) + self.page.elements.own_chars
        for element, url in self.page.noted.references:
            own[element] += len(url) + 8  # ` href=""` or ` src=""`
        return np.asarray(self.page.elements.subtree_sums(own))

    @cached_property
    def boxes(self) -> FloatArray:
        """left, top, width, height in CSS pixels, NaN where unknown, shape (n, 4)."""
        boxes = self.page.boxes
        if boxes is None:
            return np.full((len(self), 4), np.nan)
        return np.stack([boxes.x, boxes.y, boxes.width, boxes.height], axis=1).astype(np.float64)[self.element]
