"""Features of words: what a heading announces, the lines that mark comments, consent to cookies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.announcements import (
    COMMENTS_BIT,
    CONSENT_BIT,
    META_BIT,
    RELATED_BIT,
    Announcement,
    announcements,
    speak_of_consent,
)
from denoise_scrapy.body.features.surroundings import FAR, Feature, window_sums
from denoise_scrapy.page import Page

__all__ = ["ANNOUNCING_TOKENS", "COMMENTS_BIT", "CONSENT_BIT", "META_BIT", "RELATED_BIT", "announcing"]

#: Longer blocks announce nothing.
ANNOUNCING_TOKENS = 14
#: Consent texts are looked for where blocks are short enough to be a notice.
CONSENT_TOKENS = 120

IntArray = npt.NDArray[np.int64]


def announcing(page: Page, bit: int) -> npt.NDArray[np.bool_]:
    """Short blocks that announce something, shape (blocks,).

    Args:
        page: The page.
        bit: `COMMENTS_BIT`, `RELATED_BIT`, `META_BIT` or `CONSENT_BIT`.

    Example:
        >>> announcing(Page.parse("<h3>12 Comments</h3><p>Great story!</p>"), COMMENTS_BIT).tolist()
        [True, False]
    """
    return np.asarray((_word_bits(page, *_short(page)) & bit) != 0)


def _short(page: Page) -> tuple[IntArray, list[Announcement]]:
    """Blocks short enough to announce something, and what they do."""
    short = (page.blocks.tokens < ANNOUNCING_TOKENS).nonzero()[0]
    return short, announcements(list(map(page.marked_texts.__getitem__, short.tolist())))


def _word_bits(page: Page, short: IntArray, said: list[Announcement]) -> IntArray:
    """What each block announces, and whether it speaks of consent, as bits, shape (blocks,)."""
    tokens = page.blocks.tokens
    bits = np.zeros(len(tokens), np.int64)
    bits[short] = [bit for bit, _, _ in said]
    longer = ((tokens >= ANNOUNCING_TOKENS) & (tokens < CONSENT_TOKENS)).nonzero()[0].tolist()
    if any(consents := speak_of_consent([page.marked_texts[i] for i in longer])):
        bits[longer] = CONSENT_BIT * np.array(consents)
    return bits


def lexical_features(page: Page) -> Iterator[Feature]:
    """Distances to headings that announce comments or related pages; lines of meta data; consent around."""
    tokens = page.blocks.tokens
    short, said = _short(page)
    bits = _word_bits(page, short, said)
    long_before = np.where(tokens >= ANNOUNCING_TOKENS, tokens, 0).cumsum()
    late = long_before > 0.03 * max(int(long_before[-1]) if len(tokens) else 0, 1)  # above the story it is a link
    comments, related, meta, consent = (bits & _BITS) != 0
    late &= comments
    since = _since(np.array([late, related]))
    yield "after_comments", np.logical_or.accumulate(late)
    yield "since_comments", since[0]
    yield "is_comments", comments
    yield "since_related", since[1]
    yield "is_related", related
    yield "is_meta", meta
    none = np.zeros(len(tokens))
    yield "meta_around", window_sums(meta, 4) if meta.any() else none
    if consent.any():
        yield "consent", window_sums(consent * tokens, 5) / np.maximum(window_sums(tokens, 5), 1)
    else:
        yield "consent", none
    yield "title_share", _title_share(page, short, said)


_BITS = np.array([[COMMENTS_BIT], [RELATED_BIT], [META_BIT], [CONSENT_BIT]])


def _since(hits: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Blocks since the last hit of each row, shape (rows, blocks), cut at FAR; FAR before any."""
    index = np.arange(hits.shape[1])
    last = np.maximum.accumulate(np.where(hits, index, -FAR - 1), axis=1)
    return np.minimum(index - last, FAR).astype(float)


def _title_share(page: Page, short: IntArray, said: list[Announcement]) -> npt.NDArray[np.float64]:
    """Share of a short block's words that stand in the page's title, shape (blocks,)."""
    title = page.title.lower()
    share = np.zeros(len(page.blocks))
    if title and len(short):
        _, words, counts = zip(*said, strict=True)
        inside = list(map(title.__contains__, chain.from_iterable(words)))
        if True in inside:
            block = np.repeat(short, list(map(len, words)))[inside]
            share[short] = np.bincount(block, minlength=len(share))[short] / np.maximum(counts, 1)
    return share
