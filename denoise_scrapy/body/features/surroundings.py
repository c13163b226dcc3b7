"""Features of what stands around a block: in the tree above it, before and after it, under its path."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.sums import PROSE, TOKENS, Sums

FloatArray = npt.NDArray[np.float64]
Rows = npt.NDArray[np.float32]

#: Levels up whose subtrees are described, and half widths of the windows (in blocks).
LEVELS = (0, 1, 2, 3)
WINDOWS = (2, 5, 12)
#: Neighbours, in blocks, that are described one by one.
STEPS = (-2, -1, 1, 2)
#: Distances in blocks are cut here: beyond it they tell nothing.
FAR = 20

#: Of the subtrees 0 to 3 levels above each block.
SUBTREE_NAMES = tuple(f"{measure}_up{level}" for measure in "prose ld tokens blocks share".split() for level in LEVELS)
#: Of the blocks before and after.
WINDOW_NAMES = tuple(f"{measure}_window{width}" for measure in "ld prose tokens".split() for width in WINDOWS)
#: Of the nearest of them one by one.
NEAR_NAMES = tuple(f"{measure}{step:+d}" for step in STEPS for measure in "tokens ld prose".split())
#: Of all blocks of a block's path on the page: records of a list, paragraphs of a story.
PATH_NAMES = ("path_prose", "path_ld", "path_tokens", "path_count", "path_share", "path_relative")
#: Of where the page's prose is, from here; and its title.
PLACE_NAMES = ("in_container", "from_first", "from_last", "from_title", "prose_before", "position", "index")


def window_sums(values: npt.NDArray[np.generic], width: int) -> FloatArray:
    """Sum over each block, as many blocks before and as many after, shape (blocks,)."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=float)])
    index = np.arange(len(values))
    return np.asarray(sums[np.minimum(index + width + 1, len(values))] - sums[np.maximum(index - width, 0)])


def fill_subtrees(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `SUBTREE_NAMES`."""
    measures = out.reshape(5, len(LEVELS), -1)
    measures[:2] = sums.shares_above
    # of PROSE, LINKS, TOKENS, CHARS, ONES: tokens and blocks
    np.log1p(sums.above[2:5:2], out=measures[2:4])
    np.divide(sums.above[2], sums.whole, out=measures[4])


def fill_windows(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `WINDOW_NAMES`."""
    windows = np.empty((5, len(WINDOWS), out.shape[1]))  # PROSE, LINKS, TOKENS, CHARS, ONES
    for number, width in enumerate(WINDOWS):
        windows[:, number] = sums.windows(width)
    _, links, tokens, chars, count = windows
    np.divide(links, np.maximum(chars, 1, out=chars), out=out[:3])
    np.divide(tokens, count, out=windows[1])
    np.log1p(windows[:2], out=out[3:].reshape(2, len(WINDOWS), -1))


def fill_near(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `NEAR_NAMES`."""
    m = out.shape[1]
    padded = np.zeros((3, m + 4), np.float32)
    inside = padded[:, 2 : m + 2]
    inside[0], inside[1] = sums.log_tokens, sums.page.blocks.link_density
    np.greater(sums.rows[PROSE], 0, out=inside[2])
    for number, step in enumerate(STEPS):
        out[3 * number : 3 * number + 3] = padded[:, 2 + step : 2 + step + m]


def fill_paths(out: Rows, sums: Sums) -> None:
    """Fill in the rows of `PATH_NAMES`."""
    of_paths = sums.by_path  # PROSE, LINKS, TOKENS, CHARS, ONES
    table = np.empty((5, of_paths.shape[1]))
    np.divide(of_paths[:2], np.maximum(of_paths[2:4], 1), out=table[:2])
    np.divide(of_paths[2], of_paths[4], out=table[2])
    table[3] = of_paths[4]
    np.log1p(table[2:4], out=table[2:4])
    np.divide(of_paths[2], sums.whole, out=table[4])
    values = table.take(sums.page.blocks.slots, axis=1)
    out[:5] = values
    np.subtract(sums.log_tokens, values[2], out=out[5])


def fill_place(out: Rows, sums: Sums, inside: npt.NDArray[np.bool_], titles: npt.NDArray[np.bool_]) -> None:
    """Fill in the rows of `PLACE_NAMES`.

    Args:
        out: Shape (rows, m).
        sums: Those of the page.
        inside: Blocks in the container of the page's prose, shape (m,).
        titles: Headings that the page's title holds, shape (m,).
    """
    m = out.shape[1]
    index = np.arange(m, dtype=float)
    paragraphs, named = (inside & (sums.rows[PROSE] > 0)).nonzero()[0], titles.nonzero()[0]
    first, last = (paragraphs[0], paragraphs[-1]) if len(paragraphs) else (0, m - 1)
    distance = index - np.array([first, last, named[0] if len(named) else np.nan])[:, None]
    out[0] = inside
    np.minimum(np.maximum(distance, -FAR, out=distance), FAR, out=out[1:4])
    np.divide(sums.before(PROSE)[:-1], max(float(sums.totals[PROSE]), 1.0), out=out[4])
    np.divide(sums.before(TOKENS)[1:], sums.whole, out=out[5])
    np.divide(index, m, out=out[6])
