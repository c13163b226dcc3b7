"""The site style tree: pages of a site merged into one tree that knows what each part says and how.

Source: Yi, Liu and Li, Eliminating noisy information in web pages for data mining (KDD 2003), sections 3 and 4.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.style_importance import MergedStyles
from denoise_scrapy.site.style_nodes import StyleNodes

#: Attenuating factor (the source's value): the more styles a node has, the more its own importance counts.
GAMMA = 0.9
#: NodeImp of an element on one page alone. The source says 1: what one page has is content. A later summary
#: of it says 0; measured on five corpora, the body's text is the same with either.
LONE_IMPORTANCE = 1.0
#: Elements whose importance, and that of all in them, lies below this are noise. Measured on five
#: corpora, .4 brings big9 and dragnet .004 and moves the others by .002 at most.
NOISE_THRESHOLD = 0.2
#: Rows of nodes and features held, some 40 MB; beyond them the oldest pages are forgotten.
MAX_SIZE = 1_000_000

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Importance:
    """What a style tree says of a page's n elements, columns of shape (n,); NaN where it does not know them.

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


class StyleTree:
    """Element nodes E = (tag, class, styles), style nodes S = (sequence of elements, number of pages).

    It grows page by page and answers from the pages seen so far. What no page can tell apart is one node:
    the tree is the sum of its pages, and forgets the oldest when it grows too large.

    Args:
        gamma: Attenuating factor, between 0 and 1.
        lone_importance: NodeImp of an element on one page alone.
        max_size: Nodes and features of pages held at most; the newest page is always held.

    Example:
        >>> tree = StyleTree()
        >>> pages = [Page.parse(f"<body><p>Menu</p><p>{word}</p>") for word in ("One", "Two")]
        >>> nodes = [tree.add(page) for page in pages]
        >>> tree.importance(pages[0], nodes[0]).composite[2:].tolist()  # the two paragraphs
        [0.0, 1.0]
    """

    def __init__(
        self, gamma: float = GAMMA, lone_importance: float = LONE_IMPORTANCE, max_size: int = MAX_SIZE
    ) -> None:
        if not 0 <= gamma <= 1:
            raise ValueError(f"gamma must be between 0 and 1, got {gamma}")
        self.gamma = gamma
        self.lone_importance = lone_importance
        self.max_size = max_size
        self._pages: deque[StyleNodes] = deque()
        self._merged: MergedStyles | None = None

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def size(self) -> int:
        """Nodes and features held."""
        return sum(nodes.size for nodes in self._pages)

    def add(self, page: Page) -> StyleNodes:
        """Merge a page into the tree, and return it as the tree sees it."""
        nodes = StyleNodes.of(page)
        self._pages.append(nodes)
        self._merged = None
        while len(self._pages) > 1 and self.size > self.max_size:
            self._pages.popleft()
        return nodes

    def importance(self, page: Page, nodes: StyleNodes | None = None) -> Importance:
        """What the tree says of a page's elements.

        Args:
            page: Any page; it need not be part of the tree.
            nodes: What `add` returned for it, which saves the time to make it anew.
        """
        nodes = StyleNodes.of(page) if nodes is None else nodes
        columns = [np.full(len(page.elements), np.nan) for _ in range(3)]
        if any(map(len, self._pages)) and len(nodes):
            if self._merged is None:
                self._merged = MergedStyles(list(self._pages), self.gamma, self.lone_importance)
            for column, values in zip(columns, self._merged.look_up(nodes), strict=True):
                column[nodes.element] = values
        return Importance(*columns)
