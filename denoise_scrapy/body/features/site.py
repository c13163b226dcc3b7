"""Features of what the comparison pages tell of a block. NaN where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from denoise_scrapy.body.features.surroundings import Feature, share
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

NAMES = (
    "repeated",
    "repeated_in_place",
    "repeated_slot",
    "repeated_path",
    "repeated_up1",
    "repeated_up3",
    "path_present",
    "slot_tokens",
    "slot_relative",
    "same_as_all",
)


def site_features(page: Page, site: SiteStatistics) -> Iterator[Feature]:
    """Repetition of a block's text, of its path's and its surroundings' text, and what fills its slot elsewhere."""
    if not site.pages:
        unknown = np.full(len(page.blocks), np.nan)
        yield from ((name, unknown) for name in NAMES)
        return
    blocks = page.blocks
    repeated = site.repeated_share(page)
    yield "repeated", repeated
    yield "repeated_in_place", site.repeated_in_place_share(page)
    yield "repeated_slot", site.repeated_slot_share(page)
    tokens = np.bincount(blocks.slots, blocks.tokens)
    yield "repeated_path", share(np.bincount(blocks.slots, blocks.tokens * repeated), tokens)[blocks.slots]
    carried, whole = blocks.subtree_sums(blocks.tokens * repeated), blocks.token_sums
    for level in (1, 3):
        above = blocks.above[level]
        yield f"repeated_up{level}", share(carried[above], whole[above])
    shared = site.shared_with(page)
    yield "path_present", shared.path_share
    elsewhere = np.log1p(shared.slot_tokens)
    yield "slot_tokens", elsewhere
    yield "slot_relative", np.log1p(blocks.tokens) - elsewhere
    yield "same_as_all", np.full(len(blocks), share(repeated @ blocks.tokens, blocks.tokens.sum()))
