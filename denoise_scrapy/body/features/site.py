"""Features of what the comparison pages tell of a block. NaN where there is none."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.sums import COPIES, PROSE, TOKENS, Sums
from denoise_scrapy.site.shared import SharedBlocks

#: Repetition of a block's text, of its path's and its surroundings' text, and what fills its slot elsewhere.
NAMES = (
    "repeated_path",
    "repeated_up1",
    "repeated_up3",
    "repeated",
    "repeated_in_place",
    "repeated_slot",
    "path_present",
    "slot_tokens",
    "slot_relative",
)


def fill_site(out: npt.NDArray[np.float32], sums: Sums, shared: SharedBlocks, pages: int) -> None:
    """Fill in the rows of `NAMES`.

    Args:
        out: Shape (rows, m).
        sums: Those of the page; COPIES are tokens times the comparison pages that carry them.
        shared: What the page shares with its comparison pages.
        pages: How many these are; none tells nothing.
    """
    if not pages:
        out[:] = np.nan
        return
    copies, tokens = COPIES - PROSE, TOKENS - PROSE
    of_paths = sums.by_path
    carried = of_paths[copies] / (pages * np.maximum(of_paths[tokens], 1))
    out[0] = carried.take(sums.page.blocks.slots)
    around = sums.above[:, 1:4:2]
    np.divide(around[copies], pages * np.maximum(around[tokens], 1), out=out[1:3])
    out[3], out[4], out[5] = shared.text_share, shared.placed_share, shared.slot_share
    out[6] = shared.path_share
    elsewhere = np.log1p(shared.slot_tokens)
    out[7] = elsewhere
    np.subtract(sums.log_tokens, elsewhere, out=out[8])
