"""The page's title: the headings that say what its title element says, else its first heading of level one."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.body.parts.surroundings import BoolArray, Surroundings
from denoise_scrapy.body.title import find_titles
from denoise_scrapy.page import Page

TITLE_TAGS = frozenset(["h1"])


def find(page: Page) -> BoolArray:
    """Headings whose text is in the page's title, and the `h1` if it is the only one; else the first `h1`.

    Pages exist on which every section has an `h1`.

    Example:
        >>> find(Page.parse("<title>Fox wins - Herald</title><h2>Fox wins</h2><p>It ran.</p><h2>More</h2>")).tolist()
        [True, False, False]
    """
    titled = find_titles(page)
    level_one = page.elements.nearest(page.elements.has_tag(TITLE_TAGS))[page.blocks.element]
    found = np.unique(level_one[level_one >= 0])
    if len(found) == 1 or (len(found) and not titled.any()):
        return np.asarray(titled | (level_one == found[0]))
    return titled


def own(around: Surroundings, found: BoolArray) -> BoolArray:
    """One of the titles, neither framed nor template: of those that are kept, else of all, the longest, then the first.

    The site's name stands in the title as well. The heading stands outside of the body's element often enough.
    """
    blocks = around.page.blocks
    left = np.flatnonzero(found & ~around.framed & ~around.template)
    if not len(left):
        return np.zeros_like(found)
    left = left[around.kept[left]] if around.kept[left].any() else left
    longest = left[np.argmax(blocks.chars[left])]
    return np.asarray(found & (blocks.element == blocks.element[longest]))
