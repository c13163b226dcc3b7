"""Features of what stands around a block: in the tree above it, before and after it, under its path."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.container import in_best_container
from denoise_scrapy.page import Page

FloatArray = npt.NDArray[np.float64]
Feature = tuple[str, FloatArray | npt.NDArray[np.bool_] | npt.NDArray[np.int64]]

#: Levels up whose subtrees are described, and half widths of the windows (in blocks).
LEVELS = (0, 1, 2, 3)
WINDOWS = (2, 5, 12)
#: Distances in blocks are cut here: beyond it they tell nothing.
FAR = 20


def share(part: npt.ArrayLike, whole: npt.ArrayLike) -> FloatArray:
    """Part / whole, 0 where there is nothing."""
    return np.asarray(np.asarray(part, float) / np.maximum(whole, 1))


def window_sums(values: npt.NDArray[np.generic], width: int) -> FloatArray:
    """Sum over each block, as many blocks before and as many after, shape (blocks,)."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=float)])
    index = np.arange(len(values))
    return np.asarray(sums[np.minimum(index + width + 1, len(values))] - sums[np.maximum(index - width, 0)])


def subtree_features(page: Page, prose: FloatArray) -> Iterator[Feature]:
    """Text, links and prose of the subtrees 0 to 3 levels above each block."""
    elements, blocks = page.elements, page.blocks
    sums = blocks.subtree_sums
    tokens, links, chars = sums(blocks.tokens), sums(blocks.link_chars), sums(blocks.chars)
    paragraphs, count = sums(prose), sums(np.ones(len(blocks)))
    total = max(float(blocks.tokens.sum()), 1.0)
    above = blocks.element
    for level in LEVELS:
        yield f"ld_up{level}", share(links[above], chars[above])
        yield f"prose_up{level}", share(paragraphs[above], tokens[above])
        yield f"tokens_up{level}", np.log1p(tokens[above])
        yield f"share_up{level}", tokens[above] / total
        yield f"blocks_up{level}", np.log1p(count[above])
        above = elements.parent_or_self[above]


def window_features(page: Page, prose: FloatArray) -> Iterator[Feature]:
    """Text, links and prose of the blocks before and after, and the nearest of them one by one."""
    blocks = page.blocks
    m = len(blocks)
    index = np.arange(m)

    def running(values: npt.NDArray[np.generic]) -> FloatArray:
        return np.concatenate([[0.0], np.cumsum(values, dtype=float)])

    links, chars, tokens = running(blocks.link_chars), running(blocks.chars), running(blocks.tokens)
    paragraphs = running(prose)
    for width in WINDOWS:
        low, high = np.maximum(index - width, 0), np.minimum(index + width + 1, m)
        yield f"ld_window{width}", share(links[high] - links[low], chars[high] - chars[low])
        yield f"prose_window{width}", np.log1p(paragraphs[high] - paragraphs[low])
        yield f"tokens_window{width}", np.log1p((tokens[high] - tokens[low]) / (high - low))
    padded = {
        "tokens": np.pad(np.log1p(blocks.tokens), 2),
        "ld": np.pad(blocks.link_density, 2),
        "prose": np.pad((prose > 0).astype(float), 2),
    }
    for name, values in padded.items():
        for step in (-2, -1, 1, 2):
            yield f"{name}{step:+d}", values[2 + step : 2 + step + m]


def path_features(page: Page, prose: FloatArray) -> Iterator[Feature]:
    """All blocks of a block's path on the page: records of a list, paragraphs of a story."""
    blocks = page.blocks
    _, slot = np.unique(blocks.path_keys, return_inverse=True)

    def sums(values: npt.NDArray[np.generic]) -> FloatArray:
        return np.asarray(np.bincount(slot, np.asarray(values, float)), float)

    count, tokens = sums(np.ones(len(blocks))), sums(blocks.tokens)
    mean = tokens / np.maximum(count, 1)
    yield "path_count", np.log1p(count)[slot]
    yield "path_tokens", np.log1p(mean)[slot]
    yield "path_ld", share(sums(blocks.link_chars), sums(blocks.chars))[slot]
    yield "path_prose", share(sums(prose), tokens)[slot]
    yield "path_share", (tokens / max(float(blocks.tokens.sum()), 1.0))[slot]
    yield "path_relative", np.log1p(blocks.tokens) - np.log1p(mean)[slot]


def container_features(page: Page, prose: FloatArray) -> Iterator[Feature]:
    """Where the page's prose is, from here."""
    inside = in_best_container(page, prose.astype(np.int64))
    m = len(page.blocks)
    index = np.arange(m)
    paragraphs = np.flatnonzero(inside & (prose > 0))
    first, last = (int(paragraphs[0]), int(paragraphs[-1])) if len(paragraphs) else (0, m - 1)
    before = np.concatenate([[0.0], np.cumsum(prose)])
    yield "in_container", inside
    yield "from_first", np.clip(index - first, -FAR, FAR)
    yield "from_last", np.clip(index - last, -FAR, FAR)
    yield "prose_before", before[:-1] / max(before[-1], 1)
    position = np.cumsum(page.blocks.tokens)
    yield "position", position / max(int(position[-1]) if m else 1, 1)
    yield "index", index / max(m, 1)
