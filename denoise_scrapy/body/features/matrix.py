"""The matrix of all features of a page's blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.lexical import lexical_features
from denoise_scrapy.body.features.records import record_features
from denoise_scrapy.body.features.site import site_features
from denoise_scrapy.body.features.surroundings import (
    Feature,
    container_features,
    path_features,
    subtree_features,
    window_features,
)
from denoise_scrapy.body.strategies.repetition import hand_rule
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.characters import CJK, COMMA, DIGIT, STOP, UPPER
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site import SiteStatistics

#: Tags of a block's own element that are told apart.
TAGS = "p li td th h1 h2 h3 h4 div span pre dt dd figcaption blockquote label button section article".split()


def _own(page: Page) -> Iterator[Feature]:
    """Length, links, punctuation and tag of the block itself."""
    blocks = page.blocks
    chars = np.maximum(blocks.chars, 1)
    counts = blocks.counts / chars[:, None]
    yield "tokens", np.log1p(blocks.tokens)
    yield "chars", np.log1p(blocks.chars)
    yield "ld", blocks.link_density
    yield "word_length", blocks.chars / np.maximum(blocks.tokens, 1)
    for name, kind in (("stops", STOP), ("commas", COMMA), ("digits", DIGIT), ("capitals", UPPER), ("cjk", CJK)):
        yield name, counts[:, kind]
    yield "ends_in_stop", blocks.ends_in_stop
    yield "depth", page.elements.depth[blocks.element]
    tag = page.elements.column("tag")[blocks.element]
    for name in TAGS:
        yield f"tag_{name}", tag == name_code(name)


def _flags(page: Page) -> Iterator[Feature]:
    """What the block, and what any ancestor of it, is by tag, role and class words."""
    own, inherited = page.blocks.own_flags, page.blocks.flags
    tokens = page.blocks.tokens
    total = max(int(tokens.sum()), 1)
    for flag in Flag.__members__.values():
        has = (inherited & flag) != 0
        name = str(flag.name).lower()
        yield f"own_{name}", (own & flag) != 0
        yield f"in_{name}", has
        if flag > Flag.CONTROL:  # words: where they cover the page, they frame nothing
            yield f"in_{name}_part", has if tokens[has].sum() <= total / 2 else np.zeros_like(has)


def _page(page: Page, prose: npt.NDArray[np.int64], site: SiteStatistics) -> Iterator[Feature]:
    """What is the same for all blocks of the page."""
    blocks = page.blocks
    total = max(int(blocks.tokens.sum()), 1)
    values = {
        "page_tokens": np.log1p(total),
        "page_blocks": np.log1p(len(blocks)),
        "page_ld": blocks.link_chars.sum() / max(int(blocks.chars.sum()), 1),
        "page_prose": prose.sum() / total,
        "page_longest": np.log1p(prose.max(initial=0)),
        "k": min(len(site.pages), 5),
    }
    for name, value in values.items():
        yield name, np.full(len(blocks), float(value))


def _hand_rule(page: Page, site: SiteStatistics) -> Iterator[Feature]:
    """What the hand rule says."""
    kept, points = hand_rule(page, site)
    yield "hand_kept", kept
    yield "hand_points", points
    yield "hand_tokens", np.full(len(kept), np.log1p(kept @ page.blocks.tokens))


def _all(page: Page, site: SiteStatistics) -> Iterator[Feature]:
    prose = page.blocks.paragraph_tokens
    yield from _own(page)
    yield from _flags(page)
    yield from subtree_features(page, prose.astype(float))
    yield from window_features(page, prose.astype(float))
    yield from path_features(page, prose.astype(float))
    yield from container_features(page, prose.astype(float))
    yield from record_features(page, prose.astype(float))
    yield from lexical_features(page)
    yield from site_features(page, site)
    yield from _page(page, prose, site)
    yield from _hand_rule(page, site)


def block_features(page: Page, site: SiteStatistics) -> npt.NDArray[np.float32]:
    """All features of a page's m blocks, shape (features, m), rows as in `NAMES`.

    Args:
        page: A page with at least one block.
        site: Its comparison pages, without the page itself and its copies; maybe none.

    Example:
        >>> features = block_features(Page.parse("<p>One two three.</p>"), SiteStatistics())
        >>> features.shape == (len(NAMES), 1), float(features[NAMES.index("tag_p"), 0])
        (True, 1.0)
    """
    return np.array([values for _, values in _all(page, site)], np.float32)


NAMES: tuple[str, ...] = tuple(name for name, _ in _all(Page.parse("<p>One two three.</p>"), SiteStatistics()))
