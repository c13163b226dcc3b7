"""Features of what the comparison pages tell of a block. NaN where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

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
    blocks, elements = page.blocks, page.elements
    repeated = site.repeated_share(page)
    yield "repeated", repeated
    yield "repeated_in_place", site.repeated_in_place_share(page)
    yield "repeated_slot", site.repeated_slot_share(page)
    _, slot = np.unique(blocks.path_keys, return_inverse=True)
    tokens = np.bincount(slot, blocks.tokens)
    yield "repeated_path", share(np.bincount(slot, blocks.tokens * repeated), tokens)[slot]
    carried, whole = blocks.subtree_sums(blocks.tokens * repeated), blocks.subtree_sums(blocks.tokens)
    above = blocks.element
    for level in (1, 2, 3):
        above = elements.parent_or_self[above]
        if level != 2:
            yield f"repeated_up{level}", share(carried[above], whole[above])
    yield from _slots(page, site)
    yield "same_as_all", np.full(len(blocks), share(repeated @ blocks.tokens, blocks.tokens.sum()))


def _slots(page: Page, site: SiteStatistics) -> Iterator[Feature]:
    """The other pages' blocks of the same path: on how many pages, how long."""
    keys = page.blocks.path_keys
    present = [np.isin(keys, other.facts.path_keys) for other in site.pages]
    yield "path_present", np.mean(present, axis=0)
    others = np.concatenate([other.facts.path_keys for other in site.pages])
    lengths = np.concatenate([other.facts.tokens for other in site.pages])
    slots, slot = np.unique(others, return_inverse=True)
    mean = np.bincount(slot, lengths) / np.maximum(np.bincount(slot), 1)
    where = np.searchsorted(slots, keys).clip(0, max(len(slots) - 1, 0))
    known: npt.NDArray[np.bool_] = slots[where] == keys if len(slots) else np.zeros(len(keys), bool)
    elsewhere = np.where(known, np.log1p(mean[where]) if len(slots) else 0.0, np.nan)
    yield "slot_tokens", elsewhere
    yield "slot_relative", np.log1p(page.blocks.tokens) - elsewhere
