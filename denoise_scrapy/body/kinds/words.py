"""What words of a page say about its kind: declared types, title, short texts, class names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from denoise_scrapy.body.kinds.lists import CLASS_WORDS, DECLARED, PHRASES, TITLE_WORDS
from denoise_scrapy.page import Page

Value = tuple[str, float]

#: Blocks of fewer tokens are labels, buttons and headings: phrases are looked for in these alone. 6 to 14 do alike;
#: in Chinese a button has up to 7.
LABEL_TOKENS = 8
#: Titles and class names longer than this are cut before words are looked for: time is bounded.
_MAX_LENGTH = 400
#: Each phrase with its first word; "" where the phrase is in another script than ours and may stand within a word.
_PHRASES = {
    name: [(phrase.split()[0] if phrase.isascii() else "", phrase) for phrase in phrases.split("|")]
    for name, phrases in PHRASES.items()
}
_TITLE = {name: words.split("|") for name, words in TITLE_WORDS.items()}
_CLASS_PATTERN = re.compile("|".join(rf"(?P<{name}>{words})" for name, words in CLASS_WORDS.items()))
_CLASS_BIT = {name: 1 << i for i, name in enumerate(CLASS_WORDS)}
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\b20[12]\d\b")
_COUNTED = re.compile(r"(?:^|\s)\d{1,2}\s+\w")
_TITLE_PARTS = re.compile(r"\s[-|–—:»·]\s")


@lru_cache(maxsize=16_384)
def _word_bit(word: str) -> int:
    match = _CLASS_PATTERN.match(word.lower())
    return _CLASS_BIT[str(match.lastgroup)] if match else 0


@lru_cache(maxsize=16_384)
def class_bits(step: str) -> int:
    """Which of `CLASS_WORDS` an element's class and id hold, a bit each.

    Args:
        step: The element as `PathTable.step` has it.

    Example:
        >>> class_bits("div#main.threadTitle.post-list") == _CLASS_BIT["forum"], class_bits("article")
        (True, 0)
    """
    if "." not in step and "#" not in step:
        return 0
    bits = 0
    for word in _NAME_WORD.findall(step[:_MAX_LENGTH])[1:]:  # the first is the tag's
        bits |= _word_bit(word)
    return bits


def declared_features(types: frozenset[str]) -> Iterator[Value]:
    """Which groups of types the page declares."""
    for name, some in DECLARED.items():
        yield f"declares_{name}", float(not some.isdisjoint(types))
    yield "declares", np.log1p(len(types))


def title_features(title: str) -> Iterator[Value]:
    """Words, length and form of the page's title."""
    title = title[:_MAX_LENGTH].lower()
    for name, words in _TITLE.items():
        yield f"title_{name}", float(any(word in title for word in words))
    yield "title_length", np.log1p(len(title))
    yield "title_question", float("?" in title or "？" in title)
    yield "title_parts", float(len(_TITLE_PARTS.split(title)))
    yield "title_year", float(bool(_YEAR.search(title)))
    yield "title_counts", float(bool(_COUNTED.search(title)))


def phrase_features(page: Page) -> Iterator[Value]:
    """How many of each list's phrases the page's labels hold.

    Example:
        >>> dict(phrase_features(Page.parse("<p>In stock: 3<p>Add <b>to</b> cart!")))["says_buy"]
        2.0
    """
    words = _label_words(page)
    text, known = " ".join(words), frozenset(words)
    ascii_only = text.isascii()
    for name, phrases in _PHRASES.items():
        found = 0
        for first, phrase in phrases:  # of a space-separated script, the first word alone refuses nearly all
            if first in known if first else not ascii_only:
                found += first == phrase or phrase in text
        yield f"says_{name}", float(found)


def _label_words(page: Page) -> list[str]:
    """The words of all short blocks, in lower case."""
    blocks, text = page.blocks, page.elements.text
    short = blocks.tokens < LABEL_TOKENS
    starts, lengths = blocks.start[short], (blocks.end - blocks.start)[short] + 1  # the mark after it parts words
    offset = np.cumsum(lengths) - lengths
    places = np.repeat(starts - offset, lengths) + np.arange(int(lengths.sum()))
    codes = text.codes[np.minimum(places, len(text.codes) - 1)]
    letters = codes.tobytes().decode("utf-16-le", "replace") if text.wide else codes.tobytes().decode("latin-1")
    return _WORD.findall(letters.lower())
