"""The places of a page's headings: what stands behind the # of an address that leads to one."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.body.code import LEVELS
from denoise_scrapy.core.characters import letters
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import BoolArray


def anchors_of(page: Page, kept: BoolArray) -> list[tuple[str, str]]:
    """Return the letters of each kept heading of a page with m blocks, and its place, if links of the page lead there.

    The place is an id of the heading, of something in it, or of an element that begins with it.

    Example:
        >>> links = "<a href='#use'>1</a> <a href='#end'>2</a>"
        >>> text = "<section id=use><h2>Use it</h2><p>Call it.</section><h2><a id=end></a>The end</h2>"
        >>> anchors_of(Page.parse(links + text), np.ones(4, bool))
        [('useit', 'use'), ('theend', 'end')]
    """
    headings = (page.blocks.has(Flag.HEADING) & kept).nonzero()[0].tolist()
    places = dict(page.tree.values_of(b"id")) if headings else {}
    if not places:
        return []
    e, found = page.elements, list[tuple[str, str]]()
    first = np.searchsorted(page.blocks.start, e.rows["marks"]["start"])
    for block in headings:
        element = int(page.blocks.element[block])
        inside = range(element, int(e.end[element]))
        above = [element]
        while len(above) <= LEVELS and (parent := int(e.parent[above[-1]])) >= 0 and first[parent] == block:
            above.append(parent)
        place = next((places[one] for one in (*above, *inside) if one in places), "")
        if place:
            found.append((letters(page.block_text(block)), place))
    return found
