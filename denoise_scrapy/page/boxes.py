"""The layout of a rendered page, as read in the browser (`crawl/layout.js`), matched with our own elements.

The browser returns all boxes, and the page's tags without text, each with its number; our parser repairs these as it
repairs the page.
"""

from __future__ import annotations

import numpy as np

from denoise_scrapy.page.columns import Boxes
from denoise_scrapy.page.page import Page
from denoise_scrapy.page.parse import root_of, to_utf8
from denoise_scrapy.page.shadow import shown_tree

# Values per element: x, y, width, height and font size in tenths of pixels, flags.
COLUMNS = 6
# The attribute with a tag's number. A page's own attributes of this name occur only in `noscript` and similar.
NUMBER = "n"
TENTHS = np.float32(10)
HIDDEN, PINNED = 1, 2


def _boxes(size: str, values: str) -> Boxes:
    page_width, page_height = map(float, size.split(","))
    columns = np.fromiter(map(int, values.split(",")), np.int64).reshape(-1, COLUMNS).T
    x, y, width, height, font_size = columns[:-1].astype(np.float32) / TENTHS
    hidden, pinned = columns[-1] & HIDDEN != 0, columns[-1] & PINNED != 0
    return Boxes(x, y, width, height, page_width, page_height, ~hidden, font_size, pinned)


def boxes_on(page: Page, layout: str) -> Boxes | None:
    """Return the boxes of a page's elements in order, from the output of `layout.js`; None if they do not match."""
    try:
        size, values, tags = layout.split("\n", 2)
        boxes, root = _boxes(size, values), root_of(to_utf8(tags))
        if root is None:
            return None
        root, tree = shown_tree(root, keep_nodes=True)
        if tree.tags() != page.tree.tags():
            return None
        numbers = [-1] * len(tree.element_rows)
        elements = [element for top in (root, *root.itersiblings()) for element in top.iter()]
        for element, number in zip(elements, tree.numbers_of(elements), strict=True):
            if number >= 0:
                numbers[number] = int(element.get(NUMBER) or -1)
        found = np.array(numbers, np.intp)
    except (ValueError, OverflowError):  # scripts of the page have overridden the browser's functions
        return None
    known = found[found != -1]
    fits = not len(known) or (known.min() >= 0 and known.max() < len(boxes) and np.bincount(known).max() == 1)
    return boxes.taken(found) if fits else None
