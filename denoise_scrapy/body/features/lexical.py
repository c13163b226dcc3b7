"""Features of words: what a heading announces, the lines that mark comments, consent to cookies.

The lists hold what is usual on sites in English, Chinese, Japanese, Spanish, French, German, Portuguese, Russian and
Arabic; in other languages they are silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.surroundings import FAR, Feature, window_sums
from denoise_scrapy.page import Page

#: Longer blocks announce nothing.
ANNOUNCING_TOKENS = 14

# All of these are looked for in lower-case text.
COMMENTS = re.compile(
    r"^\W*(?:\d+\s*)?(?:(?:user|reader|visitor) )?(?:comments?|responses?|repl(?:y|ies)|trackbacks?|"
    r"pingbacks?|discussion|thoughts? on|join the (?:conversation|discussion)|"
    r"(?:leave|post|add|write) a (?:reply|comment|response)|"
    r"comentarios?|comentários?|commentaires?|kommentare?|комментари[ийя]|تعليقات|"
    r"评论|評論|网友评论|留言|回复|回覆|コメント)\b.{0,60}$"
)
RELATED = re.compile(
    r"^\W*(?:related|see also|read (?:more|also|next)|more (?:from|on|in|stories|news)|you (?:may|might) (?:also )?"
    r"like|"
    r"recommended|most (?:read|popular|viewed)|popular|trending|latest|share (?:this|on)|tags?\b|filed under|sponsored|"
    r"advertisement|about the author|newsletter|relacionad[oa]s?|más (?:leídas|noticias)|lea también|"
    r"à lire aussi|articles? liés|mehr zum thema|lesen sie auch|leia (?:também|mais)|mais lidas|читайте также|"
    r"похожие|اقرأ أيضا|相关|相關|推荐|推薦|热门|熱門|排行|更多|延伸阅读|関連|おすすめ|人気|ランキング)"
)
META = re.compile(
    r"\bsays:?$|\breply$|\bpermalink\b|\bago\b|\bposted (?:by|on|at|in)\b|\bedited\b|^by\b|"
    r"\b\d{1,2}:\d{2}\b|\b(?:19|20)\d{2}\b|\bam\b|\bpm\b|年|月|日|前$|回复|回覆|返信|hace |il y a|\bvor \d|há \d|"
    r"назад|منذ|\bpublicad[oa]\b|\bpublié|\bveröffentlicht|\d uhr\b|опубликован|"
    r"نشر|发布|發布|来源|來源|作者|編集|投稿|更新"
)
CONSENT = (
    "cookie|gdpr|consent to|your personal data|privacy policy|privacy preferences|privacy settings|galletas|"
    "données personnelles|datenschutz|personenbezogene|dados pessoais|персональн|隐私|隱私|プライバシー|クッキー|"
    "الخصوصية|zgoda|zgody|zgodę"
).split("|")
#: Consent texts are looked for where blocks are short enough to be a notice.
CONSENT_TOKENS = 120

COMMENTS_BIT, RELATED_BIT, META_BIT, CONSENT_BIT = 1, 2, 4, 8


@lru_cache(maxsize=32_768)  # the pages of a site share most of their short texts; some 5 MB
def _announces(text: str) -> int:
    """What a short text announces, as bits."""
    text = text.lower()
    bits = COMMENTS_BIT * bool(COMMENTS.search(text)) + RELATED_BIT * bool(RELATED.search(text))
    return bits + META_BIT * bool(META.search(text)) + CONSENT_BIT * any(word in text for word in CONSENT)


def _consents(text: str) -> int:
    text = text.lower()
    return CONSENT_BIT * any(word in text for word in CONSENT)


def announcing(page: Page, bit: int) -> npt.NDArray[np.bool_]:
    """Short blocks that announce something, shape (blocks,).

    Args:
        page: The page.
        bit: `COMMENTS_BIT`, `RELATED_BIT`, `META_BIT` or `CONSENT_BIT`.

    Example:
        >>> announcing(Page.parse("<h3>12 Comments</h3><p>Great story!</p>"), COMMENTS_BIT).tolist()
        [True, False]
    """
    return np.asarray((_word_bits(page) & bit) != 0)


def _word_bits(page: Page) -> npt.NDArray[np.int64]:
    """What each block announces, and whether it speaks of consent, as bits, shape (blocks,)."""
    bits = []
    for text, tokens in zip(page.block_texts, page.blocks.tokens.tolist(), strict=True):
        if tokens < ANNOUNCING_TOKENS:
            bits.append(_announces(text))
        else:
            bits.append(_consents(text) if tokens < CONSENT_TOKENS else 0)
    return np.array(bits, np.int64)


def lexical_features(page: Page) -> Iterator[Feature]:
    """Distances to headings that announce comments or related pages; lines of meta data; consent around."""
    tokens = page.blocks.tokens
    bits = _word_bits(page)
    long_before = np.cumsum(np.where(tokens >= ANNOUNCING_TOKENS, tokens, 0))
    late = long_before > 0.03 * max(int(long_before[-1]) if len(tokens) else 0, 1)  # above the story it is a link
    comments, related = (bits & COMMENTS_BIT) != 0, (bits & RELATED_BIT) != 0
    meta, consent = (bits & META_BIT) != 0, (bits & CONSENT_BIT) != 0
    yield "after_comments", np.cumsum(comments & late) > 0
    yield "since_comments", _since(comments & late)
    yield "is_comments", comments
    yield "since_related", _since(related)
    yield "is_related", related
    yield "is_meta", meta
    yield "meta_around", window_sums(meta.astype(float), 4)
    yield (
        "consent",
        window_sums(consent * tokens.astype(float), 5) / np.maximum(window_sums(tokens.astype(float), 5), 1),
    )
    yield "title_share", _title_share(page)


def _since(hits: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Blocks since the last hit, cut at FAR; FAR before any."""
    index = np.arange(len(hits))
    last = np.maximum.accumulate(np.where(hits, index, -FAR - 1)) if len(hits) else index
    return np.minimum(index - last, FAR).astype(float)


def _title_share(page: Page) -> npt.NDArray[np.float64]:
    """Share of a short block's words that stand in the page's title, shape (blocks,)."""
    title = page.title.lower()
    found = np.zeros(len(page.blocks))
    if not title:
        return found
    for i in np.flatnonzero(page.blocks.tokens < ANNOUNCING_TOKENS).tolist():
        own = page.block_texts[i].lower().split()
        if own:
            found[i] = sum(len(word) > 1 and word in title for word in own) / len(own)
    return found
