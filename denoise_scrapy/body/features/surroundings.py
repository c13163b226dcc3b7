"""Features of what stands around a block: in the tree above it, before and after it, under its path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.container import in_best_container
from denoise_scrapy.page import Page

FloatArray = npt.NDArray[np.float64]
Feature = tuple[str, FloatArray | npt.NDArray[np.bool_] | npt.NDArray[np.int64]]

#: Names and rows of several features of m blocks at once, shape (len(names), m): a call for all costs what one does.
Features = tuple[Sequence[str], FloatArray | npt.NDArray[np.bool_] | npt.NDArray[np.int64]]

#: Levels up whose subtrees are described, and half widths of the windows (in blocks).
LEVELS = (0, 1, 2, 3)
WINDOWS = (2, 5, 12)
#: Neighbours, in blocks, that are described one by one.
STEPS = (-2, -1, 1, 2)
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


_SUBTREES = tuple(f"{measure}_up{level}" for level in LEVELS for measure in "ld prose tokens share blocks".split())


def subtree_features(page: Page, prose: FloatArray) -> Iterator[Features]:
    """Text, links and prose of the subtrees 0 to 3 levels above each block."""
    blocks = page.blocks
    above = blocks.above[: len(LEVELS)]
    links, chars, tokens = blocks.link_char_sums[above], blocks.char_sums[above], blocks.token_sums[above]
    paragraphs, count = blocks.subtree_sums(prose)[above], blocks.subtree_sums(np.ones(len(blocks)))[above]
    total = max(float(blocks.tokens.sum()), 1.0)
    measures = np.array(
        [share(links, chars), share(paragraphs, tokens), np.log1p(tokens), tokens / total, np.log1p(count)]
    )
    yield _SUBTREES, measures.swapaxes(0, 1).reshape(len(_SUBTREES), len(blocks))


_NEAR = tuple(f"{measure}{step:+d}" for measure in "tokens ld prose".split() for step in STEPS)


def window_features(page: Page, prose: FloatArray) -> Iterator[Feature | Features]:
    """Text, links and prose of the blocks before and after, and the nearest of them one by one."""
    blocks = page.blocks
    m = len(blocks)
    index = np.arange(m)

    running = np.zeros((4, m + 1))
    np.cumsum([blocks.link_chars, blocks.chars, blocks.tokens, prose], axis=1, out=running[:, 1:])
    for width in WINDOWS:
        low, high = np.maximum(index - width, 0), np.minimum(index + width + 1, m)
        links, chars, tokens, paragraphs = running.take(high, axis=1) - running.take(low, axis=1)
        yield f"ld_window{width}", share(links, chars)
        yield f"prose_window{width}", np.log1p(paragraphs)
        yield f"tokens_window{width}", np.log1p(tokens / (high - low))
    padded = np.zeros((3, m + 4))
    padded[:, 2 : m + 2] = np.log1p(blocks.tokens), blocks.link_density, prose > 0
    near = [padded[:, 2 + step : 2 + step + m] for step in STEPS]
    yield _NEAR, np.array(near).swapaxes(0, 1).reshape(len(_NEAR), m)


def path_features(page: Page, prose: FloatArray) -> Iterator[Feature]:
    """All blocks of a block's path on the page: records of a list, paragraphs of a story."""
    blocks = page.blocks
    slot = blocks.slots

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
