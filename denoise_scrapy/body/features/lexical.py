"""Features of words: what a heading announces, the lines that mark comments, consent to cookies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.announcements import COMMENTS_BIT, CONSENT_BIT, META_BIT, RELATED_BIT
from denoise_scrapy.body.features.surroundings import FAR, window_sums
from denoise_scrapy.body.features.words import ANNOUNCING_TOKENS, Words, read_words
from denoise_scrapy.native import library
from denoise_scrapy.native.texts import fill_lexical
from denoise_scrapy.page import Page

__all__ = ["ANNOUNCING_TOKENS", "COMMENTS_BIT", "CONSENT_BIT", "META_BIT", "NAMES", "announcing", "fill_words"]

#: Rows: distances to headings that announce comments or related pages; lines of meta data; consent around.
NAMES = (
    "after_comments",
    "since_comments",
    "is_comments",
    "since_related",
    "is_related",
    "is_meta",
    "meta_around",
    "consent",
    "title_share",
)
#: Blocks before and after that count as around a line of meta data, and around a notice of consent.
META_WIDTH, CONSENT_WIDTH = 4, 5
#: Share of the long blocks' tokens that must be before a heading of comments: above the story it is a link.
LATE = 0.03

_BITS = np.array([[COMMENTS_BIT], [RELATED_BIT], [META_BIT], [CONSENT_BIT]], np.uint8)


def announcing(page: Page, bit: int) -> npt.NDArray[np.bool_]:
    """Short blocks that announce something, shape (blocks,).

    Args:
        page: The page.
        bit: `COMMENTS_BIT`, `RELATED_BIT`, `META_BIT` or `CONSENT_BIT`.

    Example:
        >>> announcing(Page.parse("<h3>12 Comments</h3><p>Great story!</p>"), COMMENTS_BIT).tolist()
        [True, False]
    """
    return np.asarray((read_words(page).bits & bit) != 0)


def fill_words(out: npt.NDArray[np.float32], tokens: npt.NDArray[np.int64], words: Words) -> None:
    """Fill in the rows of a page's m blocks.

    Args:
        out: The rows, as in `NAMES`, shape (rows, m).
        tokens: Tokens of the blocks, shape (m,).
        words: What the words tell.
    """
    native = library()
    if native is None or not out.flags.c_contiguous:
        _fill(out, tokens, words.bits)
    else:
        limits = ANNOUNCING_TOKENS, FAR, META_WIDTH, CONSENT_WIDTH, LATE
        fill_lexical(native, words.bits, tokens, limits, out)
    out[-1] = words.title_share


def _fill(out: npt.NDArray[np.float32], tokens: npt.NDArray[np.int64], bits: npt.NDArray[np.uint8]) -> None:
    """All rows but that of the title; most pages announce little, and what nobody says costs nothing."""
    comments, related, meta, consent = hits = (bits & _BITS) != 0
    comment, relate, is_meta, consents = hits.any(axis=1).tolist()
    out[:8] = 0
    out[1:4:2] = FAR
    if comment:
        long_before = np.where(tokens >= ANNOUNCING_TOKENS, tokens, 0).cumsum()
        late = comments & (long_before > LATE * max(int(long_before[-1]), 1))
        out[0], out[1], out[2] = np.logical_or.accumulate(late), _since(late), comments
    if relate:
        out[3], out[4] = _since(related), related
    if is_meta:
        out[5], out[6] = meta, window_sums(meta, META_WIDTH)
    if consents:
        out[7] = window_sums(consent * tokens, CONSENT_WIDTH) / np.maximum(window_sums(tokens, CONSENT_WIDTH), 1)


def _since(hits: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Blocks since the last hit, shape (blocks,), cut at FAR; FAR before any."""
    index = np.arange(len(hits))
    last = np.maximum.accumulate(np.where(hits, index, -FAR - 1))
    return np.minimum(index - last, FAR)
