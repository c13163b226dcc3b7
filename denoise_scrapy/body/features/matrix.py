"""The matrix of all features of a page's blocks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.declared import declared_features
from denoise_scrapy.body.features.goods import count_pictures, find_prices, goods_features
from denoise_scrapy.body.features.lexical import lexical_features
from denoise_scrapy.body.features.records import record_features
from denoise_scrapy.body.features.sections import section_features
from denoise_scrapy.body.features.site import site_features
from denoise_scrapy.body.features.surroundings import (
    Feature,
    Features,
    container_features,
    path_features,
    subtree_features,
    window_features,
)
from denoise_scrapy.body.strategies.repetition import find_titles, hand_rule
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.characters import CJK, COMMA, DIGIT, STOP, UPPER
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site import SiteStatistics

#: Tags of a block's own element that are told apart.
TAGS = "p li td th h1 h2 h3 h4 div span pre dt dd figcaption blockquote label button section article".split()


_TAG_NAMES = tuple(f"tag_{tag}" for tag in TAGS)
_TAG_CODES = np.array([name_code(tag) for tag in TAGS], np.uint32)[:, None]

#: Names, and rows among all that the blocks themselves are, all that they are in, and the same where it covers less
#: than half of the page. That last is asked of words only: where they cover the page, they frame nothing.
_BITS = np.array(list(Flag), np.int64)[:, None]
_FLAGS = tuple(
    (f"{kind}{str(flag.name).lower()}{part}", row + number * len(_BITS))
    for row, flag in enumerate(Flag)
    for number, (kind, part) in enumerate([("own_", ""), ("in_", ""), ("in_", "_part")])
    if number < 2 or flag > Flag.CONTROL
)
_FLAG_NAMES, _FLAG_ROWS = tuple(name for name, _ in _FLAGS), [row for _, row in _FLAGS]


def _own(page: Page) -> Iterator[Feature | Features]:
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
    yield _TAG_NAMES, page.elements.column("tag")[blocks.element] == _TAG_CODES


def _flags(page: Page) -> Iterator[Features]:
    """What the block, and what any ancestor of it, is by tag, role and class words."""
    own, inherited = (page.blocks.own_flags & _BITS) != 0, (page.blocks.flags & _BITS) != 0
    tokens = page.blocks.tokens
    part = inherited & (inherited @ tokens <= max(int(tokens.sum()), 1) / 2)[:, None]
    yield _FLAG_NAMES, np.concatenate([own, inherited, part])[_FLAG_ROWS]


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
        "alone": not site.pages,
    }
    for name, value in values.items():
        yield name, np.full(len(blocks), float(value))


def _hand_rule(page: Page, site: SiteStatistics, titles: npt.NDArray[np.bool_]) -> Iterator[Feature]:
    """What the hand rule says."""
    kept, points = hand_rule(page, site, titles)
    yield "hand_kept", kept
    yield "hand_points", points
    yield "hand_tokens", np.full(len(kept), np.log1p(kept @ page.blocks.tokens))


def all_features(page: Page, site: SiteStatistics) -> Iterator[Feature | Features]:
    """Names and values of all features, family by family; see `block_features`."""
    prose = page.blocks.paragraph_tokens.astype(float)
    yield from _own(page)
    yield from _flags(page)
    yield from subtree_features(page, prose)
    yield from window_features(page, prose)
    yield from path_features(page, prose)
    yield from container_features(page, prose)
    words = dict(lexical_features(page))
    yield from words.items()
    prices, pictures = find_prices(page), count_pictures(page)
    yield from record_features(page, prose, {"meta": words["is_meta"], "price": prices}, pictures)
    yield from goods_features(page, prices, pictures)
    titles = find_titles(page)
    yield from section_features(page, site, titles)
    yield from declared_features(page)
    yield from site_features(page, site)
    yield from _page(page, page.blocks.paragraph_tokens, site)
    yield from _hand_rule(page, site, titles)


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
    matrix = np.empty((len(NAMES), len(page.blocks)), np.float32)
    row = 0
    for names, values in all_features(page, site):
        after = row + (1 if isinstance(names, str) else len(names))
        matrix[row:after] = values
        row = after
    return matrix


def _names() -> Iterator[str]:
    for names, _ in all_features(Page.parse("<p>One two three.</p>"), SiteStatistics()):
        yield from (names,) if isinstance(names, str) else names


NAMES: tuple[str, ...] = tuple(_names())
