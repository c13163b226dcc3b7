"""What the words of a page's blocks tell: comments, names and dates, the page's title.

The lists hold what is usual on sites in English, Chinese, Japanese, Spanish, French, German, Portuguese, Russian and
Arabic; in other languages they are silent.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import END, PREFORMATTED, START

FloatArray = npt.NDArray[np.float64]

COMMENTS_BIT, META_BIT = 1, 2

# All of these are looked for in lower-case words with single spaces; before each text stands MARK.
MARK = "\0"
COMMENTS = re.compile(
    r"\0 [^\w\0]*(?:\d+ ?)?(?:(?:user|reader|visitor) )?(?:comments?|responses?|repl(?:y|ies)|trackbacks?|"
    r"pingbacks?|discussion|thoughts? on|join the (?:conversation|discussion)|"
    r"(?:leave|post|add|write) a (?:reply|comment|response)|"
    r"comentarios?|comentários?|commentaires?|kommentare?|комментари[ийя]|تعليقات|"
    r"评论|評論|网友评论|留言|回复|回覆|コメント)\b[^\0]{0,60}(?= \0|\Z)"
)
#: What tells of meta data: a literal, and a pattern that begins or ends with it where it is not enough. All of these as
#: one pattern take six times as long (4.7 µs a text of 20 characters).
META = {
    "says": r"\bsays:?$",
    "reply": r"\breply$",
    "permalink": r"\bpermalink\b",
    "ago": r"\bago\b",
    "posted ": r"\bposted (?:by|on|at|in)\b",
    "edited": r"\bedited\b",
    "by": r"^by\b",
    ":": r"\b\d{1,2}:\d{2}\b",
    "19": r"\b19\d{2}\b",
    "20": r"\b20\d{2}\b",
    "am": r"\bam\b",
    "pm": r"\bpm\b",
    "前": r"前$",
    "vor ": r"\bvor \d",
    "há ": r"há \d",
    "publicad": r"\bpublicad[oa]\b",
    "publié": r"\bpublié",
    "veröffentlicht": r"\bveröffentlicht",
    " uhr": r"\d uhr\b",
} | dict.fromkeys(
    "年|月|日|回复|回覆|返信|hace |il y a|назад|منذ|опубликован|نشر|发布|發布|来源|來源|作者|編集|投稿|更新".split("|"),
    "",
)
_META = [(literal, re.compile(pattern or re.escape(literal)).search) for literal, pattern in META.items()]
#: Longer blocks announce nothing.
ANNOUNCING_TOKENS = 14
#: Blocks that are looked at together: calls of C for all of 100,000 take .2 s, in which no other thread runs.
AT_ONCE = 5_000


class Words(NamedTuple):
    """What the words of m blocks tell; arrays of shape (m,).

    Attributes:
        bits: What each block announces, the sum of its bits (`COMMENTS_BIT` …).
        title_share: Share of a short block's words that stand in the page's title.
    """

    bits: npt.NDArray[np.uint8]
    title_share: FloatArray


def read_words(page: Page) -> Words:
    """What the words of a page's blocks tell.

    Example:
        >>> words = read_words(Page.parse("<title>A story</title><h1>The story</h1><p>3 comments</p>"))
        >>> words.bits.tolist(), words.title_share.tolist()
        ([0, 1], [0.5, 0.0])
    """
    tokens = page.blocks.tokens
    short = (tokens < ANNOUNCING_TOKENS).nonzero()[0]
    bits, share = np.zeros(len(tokens), np.uint8), np.zeros(len(tokens))
    for first in range(0, len(short), AT_ONCE):
        some = short[first : first + AT_ONCE]
        words = plain_words(page.marked_texts_of(some))
        bits[some] = announced(words)
        if page.title:
            share[some] = _title_shares(page.title.lower(), words)
    return Words(bits, share)


def plain_words(marked: Iterable[str]) -> list[str]:
    r"""The words of some slices of a marked text in lower case, MARK before those of each; no slice is empty.

    Example:
        >>> plain_words(["\x01Leave\n a\x02 Reply", "\0Home"]) == [MARK, "leave", "a", "reply", MARK, "home"]
        True
    """
    # all at once: as many calls as for one text. MARK stands before preformatted ones already, and nowhere else
    text = f"{MARK}{MARK.join(marked)}".replace(f"{MARK}{PREFORMATTED}", MARK)
    return text.replace(START, "").replace(END, "").replace(MARK, f" {MARK} ").lower().split()


def announced(words: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Bits of what each of some texts announces, by their `plain_words`, shape (texts,)."""
    text = " ".join(words)
    texts = text.split(MARK)[1:]
    ends = list(accumulate([len(one) + 1 for one in texts]))
    bits = np.zeros(len(texts), np.uint8)
    for match in COMMENTS.finditer(text):
        bits[bisect_right(ends, match.start())] |= COMMENTS_BIT
    dated = set[int]()
    for literal, search in _META:
        at = text.find(literal)
        while at >= 0:  # each text is asked once at most: it may be as long as the page
            number = bisect_right(ends, at)
            if number not in dated and search(texts[number].strip()):
                dated.add(number)
            at = text.find(literal, ends[number])
    bits[list(dated)] |= META_BIT
    return bits


def _title_shares(title: str, words: Sequence[str]) -> FloatArray:
    """Share of each text's words that stand in a title, shape (texts,)."""
    # of each text its words, and the mark before them
    counts = np.array([text.count(" ") for text in f"{' '.join(words)} ".split(MARK)[1:]])
    held = np.fromiter(map(title.__contains__, words), np.bool_, len(words)).nonzero()[0]
    inside = np.array([number for number in held.tolist() if len(words[number]) > 1], np.int64)
    text = counts.cumsum().searchsorted(inside, side="right")
    return np.asarray(np.bincount(text, minlength=len(counts)) / np.maximum(counts - 1, 1))


def window_sums(values: npt.NDArray[np.generic], width: int) -> FloatArray:
    """Sum over each block, as many blocks before and as many after, shape (blocks,)."""
    m = len(values)
    padded = np.zeros(m + 2 * width + 1)
    padded[width + 1 : width + 1 + m] = values
    padded.cumsum(out=padded)
    return np.asarray(padded[2 * width + 1 :] - padded[:m])
