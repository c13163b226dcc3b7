"""Features of sections: the page's title and the heading a block stands under, and what else stands under it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.surroundings import FAR, Feature, share
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.site.clusters import best_block

LEVELS = np.array([name_code(f"h{level}") for level in range(1, 7)], np.uint32)


def section_features(page: Page, site: SiteStatistics, titles: npt.NDArray[np.bool_]) -> Iterator[Feature]:
    """Where a block stands from the title, what its section is like, how often the page says it, in the H block or not.

    Args:
        page: The page of m blocks.
        site: Its comparison pages.
        titles: Headings that the page's title holds, shape (m,).
    """
    blocks = page.blocks
    index = np.arange(len(blocks))
    from_title = index - int(np.argmax(titles)) if titles.any() else np.full(len(blocks), np.nan)
    yield "from_title", np.asarray(np.clip(from_title, -FAR, FAR), float)
    yield "times_on_page", np.log1p(site.shared_with(page).times_on_page)
    yield from _sections(page)
    best, _ = best_block(page)  # Wang, Chen and Dai (2018): the block with the highest H
    yield "in_best_h", blocks.inside(best) if best >= 0 else np.zeros(len(blocks), bool)


def _sections(page: Page) -> Iterator[Feature]:
    """A section is a heading and what follows up to the next one."""
    blocks = page.blocks
    heading = (blocks.own_flags & Flag.HEADING) != 0
    section = np.cumsum(heading)

    def sums(values: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(np.bincount(section, np.where(heading, 0, values)), float)

    tokens = sums(blocks.tokens)
    yield "section_tokens", np.log1p(tokens)[section]
    yield "section_ld", share(sums(blocks.link_chars), sums(blocks.chars))[section]
    yield "section_prose", share(sums(blocks.paragraph_tokens), tokens)[section]
    tag = np.asarray(page.elements.column("tag"), np.uint32)[blocks.element]
    level = (tag[:, None] == LEVELS) @ np.arange(1, 7)
    first = np.append(0, np.flatnonzero(heading))
    yield "section_level", np.where(section > 0, level[first[section]], 0)
    yield "page_headings", np.full(len(blocks), np.log1p(heading.sum()))
