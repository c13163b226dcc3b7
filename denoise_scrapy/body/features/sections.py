"""Features of sections: the heading a block stands under, and what else stands under it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.sums import HEADINGS, Sums
from denoise_scrapy.page.paths import name_code

#: Tags of the headings' levels.
TAGS = tuple(f"h{level}" for level in range(1, 7))
_LEVEL_CODES = np.array([name_code(tag) for tag in TAGS], np.uint32)[:, None]
_LEVELS = np.arange(1, 7)

NAMES = ("section_prose", "section_ld", "section_tokens", "section_level")


def fill_sections(out: npt.NDArray[np.float32], sums: Sums) -> None:
    """Fill in the rows of `NAMES`. A section is a heading and what follows up to the next one."""
    page, m = sums.page, out.shape[1]
    headings = sums.rows[HEADINGS].nonzero()[0]
    edges = np.empty(len(headings) + 2, np.int64)
    edges[0], edges[1:-1], edges[-1] = -1, headings, m
    of = sums.between(edges[:-1] + 1, edges[1:])  # PROSE, LINKS, TOKENS, CHARS: the headings themselves do not count
    table = np.zeros((len(NAMES), len(headings) + 1))
    np.divide(of[:2], np.maximum(of[2:], 1), out=table[:2])
    np.log1p(of[2], out=table[2])
    tags = page.elements.column("tag").take(page.blocks.element.take(headings))
    np.matmul(_LEVELS, tags == _LEVEL_CODES, out=table[3, 1:])
    out[:] = table.take(sums.before(HEADINGS)[1:].astype(np.int64), axis=1)
