"""What the words of a page's blocks tell, read once for all features and strategies that ask."""

from __future__ import annotations

from functools import cache
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.announcements import (
    COMMENTS_BIT,
    CONSENT_BIT,
    HINTS,
    MAX_KNOWN,
    META_BIT,
    PRICE_BIT,
    RELATED_BIT,
    Announcement,
    announce,
    announcements,
    find_consents,
    known_consents,
    texts_forgotten,
)
from denoise_scrapy.native import Library, library
from denoise_scrapy.native.texts import CONSENT, TITLE, TOLD, UNSEEN, Asked, KnownTexts, PageAddress, Question, ask
from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import DIGIT, folding_table

#: Longer blocks announce nothing.
ANNOUNCING_TOKENS = 14
#: A price stands in a block of at most so many tokens: in prose it is a sum of money.
PRICE_TOKENS = 25
#: Consent texts are looked for where blocks are short enough to be a notice.
CONSENT_TOKENS = 120

_OF_SHORT_ONES = COMMENTS_BIT | RELATED_BIT | META_BIT

IntArray = npt.NDArray[np.int64]


class Words(NamedTuple):
    """What the words of m blocks tell; arrays of shape (m,).

    Attributes:
        bits: What each block announces (`announcements`).
        title_share: Share of a short block's words that stand in the page's title.
    """

    bits: npt.NDArray[np.uint8]
    title_share: npt.NDArray[np.float64]


def read_words(page: Page) -> Words:
    """What the words of a page's blocks tell.

    Example:
        >>> words = read_words(Page.parse("<title>A story</title><h1>The story</h1><p>3 comments</p>"))
        >>> words.bits.tolist(), words.title_share.tolist()
        ([0, 1], [0.5, 0.0])
    """
    native, address = library(), page.native_address
    bits, share = _read(page) if native is None or address is None else _read_natively(page, native, address)
    bits[page.blocks.tokens >= ANNOUNCING_TOKENS] &= 0xFF ^ _OF_SHORT_ONES
    if (bits & PRICE_BIT).any():
        bits[page.blocks.counts[:, DIGIT] == 0] &= 0xFF ^ PRICE_BIT
    return Words(bits, share)


def _read(page: Page) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    tokens, marked = page.blocks.tokens, page.marked_texts
    known = (tokens <= PRICE_TOKENS).nonzero()[0]
    said = announcements(list(map(marked.__getitem__, known.tolist())))
    bits, share = np.zeros(len(tokens), np.uint8), np.zeros(len(tokens))
    bits[known] = [bit for bit, _, _ in said]
    longer = ((tokens > PRICE_TOKENS) & (tokens < CONSENT_TOKENS)).nonzero()[0].tolist()
    if any(consents := known_consents(list(map(marked.__getitem__, longer)))):
        bits[longer] = np.array(consents) * np.uint8(CONSENT_BIT)
    title, short = page.title.lower(), tokens.take(known) < ANNOUNCING_TOKENS
    if title and short.any():
        share[known[short]] = _title_shares(title, list(compress(said, short.tolist())))
    return bits, share


def _title_shares(title: str, said: list[Announcement]) -> npt.NDArray[np.float64]:
    """Share of each text's words that stand in a title, shape (texts,)."""
    _, texts, words = zip(*said, strict=True)
    # split again and not kept as words: these lie scattered in memory, and cost twice the time
    split = enumerate(" ".join(texts).split())
    inside = [number for number, word in split if word in title and len(word) > 1]
    counts = np.array(words)
    text = np.arange(len(said)).repeat(counts).take(inside)
    return np.asarray(np.bincount(text, minlength=len(said)) / np.maximum(counts, 1))


_known = KnownTexts(MAX_KNOWN)


def forgotten() -> int:
    """How many short texts had to make room for others, of all that this process has read."""
    return _known.forgotten + texts_forgotten()


@cache
def _question() -> Question:
    consents = [hint for hint in HINTS if hint[1] == CONSENT_BIT]
    return Question(folding_table(), HINTS, consents, (ANNOUNCING_TOKENS, PRICE_TOKENS + 1, CONSENT_TOKENS))


def _read_natively(
    page: Page, native: Library, address: PageAddress
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float64]]:
    title = page.title.lower()
    asked = ask(native, address, _known, _question(), title)
    if asked.waiting:
        _read_rest(page, native, title, asked)
    return asked.bits, asked.share


def _read_rest(page: Page, native: Library, title: str, asked: Asked) -> None:
    """What C leaves to do: new texts with a hint, lower case that single codes do not tell, texts that may consent."""
    unseen, titled, consents, new = (asked.left & bits for bits in (UNSEEN, TITLE, CONSENT, UNSEEN | TOLD))
    if unseen.any():
        blocks = unseen.nonzero()[0]
        asked.bits[blocks] = [bits for bits, _, _ in announce(page.marked_texts_of(blocks))]
    if new.any():
        _known.learn(native, asked.keys[new > 0], asked.bits[new > 0])
    if titled.any():
        blocks = titled.nonzero()[0]
        asked.share[blocks] = _title_shares(title, announcements(page.marked_texts_of(blocks)))
    if consents.any():
        blocks = consents.nonzero()[0]
        asked.bits[blocks] = np.array(find_consents(page.marked_texts_of(blocks))) * np.uint8(CONSENT_BIT)
