"""Hands a page's blocks to C, which computes all families of features but the words' in one call."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body import hand_rule
from denoise_scrapy.body.features import blocks, records, sections, surroundings
from denoise_scrapy.body.features.declared import SPREAD_ROWS, declares
from denoise_scrapy.body.features.words import PRICE_TOKENS
from denoise_scrapy.body.strategies.repetition import find_titles
from denoise_scrapy.native import library
from denoise_scrapy.native.features import INPUTS, Settings, Told, fill_features
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site import SiteStatistics, clusters
from denoise_scrapy.site.clusters import BLOCK_NODES


@cache
def settings(edges: tuple[int, ...], most_pages: int) -> Settings:
    """The constants of all families.

    Args:
        edges: First row of each family, in the order of `matrix.FAMILIES`, and how many rows there are.
        most_pages: More comparison pages count as so many.
    """
    return Settings.of(
        {
            "rows": edges[-1],
            "start": edges[:-1],
            "tags": [name_code(tag) for tag in blocks.TAGS],
            "levels": [name_code(tag) for tag in sections.TAGS],
            "nodes": [name_code(tag) for tag in sorted(BLOCK_NODES)],
            "link": name_code("a"),
            "image": name_code("img"),
            "spread": SPREAD_ROWS,
            "points": [hand_rule.FLAG_POINTS.get(flag, 0) for flag in Flag],
            "far": surroundings.FAR,
            "price_tokens": PRICE_TOKENS,
            "records": records.RECORDS,
            "record_elements": records.ELEMENTS,
            "record_tokens": records.TOKENS_EACH,
            "most_pages": most_pages,
            "alpha": clusters.ALPHA,
            **_rule(),
        }
    )


def _rule() -> dict[str, float]:
    """Those of the hand rule."""
    return {
        "prose_points": hand_rule.PROSE_POINTS,
        "block_points": hand_rule.BLOCK_POINTS,
        "outside_points": hand_rule.OUTSIDE_POINTS,
        "teaser_points": hand_rule.TEASER_POINTS,
        "title_points": hand_rule.TITLE_POINTS,
        "slot_points": hand_rule.SLOT_POINTS,
        "linked": hand_rule.LINK_DENSITY,
        "repeated": hand_rule.REPEATED_SHARE,
        "template_slot": hand_rule.SLOT_SHARE,
        "framed": hand_rule.FRAME_SHARE,
        "hidden": hand_rule.HIDDEN_SHARE,
        "teasers": hand_rule.TEASER_LINK_DENSITY,
        "sparse_tokens": hand_rule.SPARSE_TOKENS,
        "sparse": hand_rule.SPARSE_SHARE,
    }


def fill_natively(
    matrix: npt.NDArray[np.float32],
    page: Page,
    site: SiteStatistics,
    bits: npt.NDArray[np.uint8],
    constants: Settings,
) -> bool:
    """Fill in all families but the words'; False where numpy must.

    Args:
        matrix: Shape (features, m).
        page: The page of m blocks.
        site: Its comparison pages.
        bits: What the blocks announce, shape (m,).
        constants: See `settings`.
    """
    lib, columns = library(), page.blocks.native
    if lib is None or columns is None:
        return False
    shared, pages = site.shared_with(page), len(site.pages)
    given = np.empty((len(INPUTS), matrix.shape[1]))
    given[0], given[1], given[2] = find_titles(page), bits, shared.times_on_page
    if pages:
        given[3], given[4], given[5] = shared.text_share, shared.placed_share, shared.slot_share
        given[6], given[7] = shared.path_share, shared.slot_tokens
    declared = sum(1 << number for number, is_so in enumerate(declares(page)) if is_so)
    fill_features(lib, columns, constants, Told(given, pages, declared), matrix)
    return True
