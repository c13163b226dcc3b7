"""Features of a block itself: length, links, punctuation, tag, and what it and its ancestors are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.sums import CHARS, LINKS, WHOLES, Sums
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.marked_text import CJK, COMMA, UPPER
from denoise_scrapy.page.paths import name_code

Rows = npt.NDArray[np.float32]

#: Tags of a block's own element that are told apart.
TAGS = "p li td th h1 h2 h3 h4 div span pre dt dd figcaption blockquote label button section article".split()
_TAG_CODES = np.array([name_code(tag) for tag in TAGS], np.uint32)[:, None]

_COUNTED = ("commas", "stops", "digits", "capitals", "cjk")  # the order of the classes of characters
OWN_NAMES = (
    *("tokens", "chars", "ld", "word_length", *_COUNTED, "ends_in_stop", "depth"),
    *(f"tag_{tag}" for tag in TAGS),
)

_BITS = np.array(list(Flag), np.int32)[:, None]
_FLAGS = [str(flag.name).lower() for flag in Flag]
#: Flags that are words of class and id.
_WORDS = [flag > Flag.CONTROL for flag in Flag].index(True)
#: What the blocks themselves are, what they are in, and the same where it covers at most half of the page. That last is
#: asked of words only: where they cover the page, they frame nothing.
FLAG_NAMES = (
    *(f"own_{flag}" for flag in _FLAGS),
    *(f"in_{flag}" for flag in _FLAGS),
    *(f"in_{flag}_part" for flag in _FLAGS[_WORDS:]),
)
#: Rows of what the blocks are in.
INSIDE = slice(len(_FLAGS), 2 * len(_FLAGS))


def fill_own(out: Rows, sums: Sums) -> None:
    """Fill in what the blocks themselves hold, rows as in `OWN_NAMES`."""
    page = sums.page
    blocks, lengths = page.blocks, np.maximum(sums.rows[WHOLES], 1)  # tokens, characters
    out[0] = sums.log_tokens
    out[1] = np.log1p(sums.rows[CHARS])
    np.divide(sums.rows[LINKS : CHARS + 1 : CHARS - LINKS], lengths[::-1], out=out[2:4])
    np.divide(blocks.counts.T[COMMA : UPPER + 1], lengths[1], out=out[4:8])
    np.divide(blocks.counts[:, CJK], lengths[1], out=out[8])
    out[9] = blocks.ends_in_stop
    out[10] = page.elements.depth.take(blocks.element)
    np.equal(page.elements.column("tag").take(blocks.element), _TAG_CODES, out=out[11:])


def fill_flags(out: Rows, page: Page) -> None:
    """Fill in what the blocks are and are in, the first two thirds of `FLAG_NAMES`."""
    flags = np.empty((2, 1, len(page.blocks)), np.int32)
    flags[0], flags[1] = page.blocks.own_flags, page.blocks.flags
    np.not_equal(flags & _BITS, 0, out=out[: INSIDE.stop].reshape(2, len(_BITS), -1))


def fill_parts(out: Rows, covered: npt.NDArray[np.float64], whole: int) -> None:
    """Fill in the rest, with the tokens that each flag covers, shape (flags,), and those of the page."""
    np.multiply(out[INSIDE][_WORDS:], (covered[_WORDS:] <= whole / 2)[:, None], out=out[INSIDE.stop :])
