"""What short texts announce: comments, related pages, meta data of a post, consent to cookies; and prices.

The lists hold what is usual on sites in English, Chinese, Japanese, Spanish, French, German, Portuguese, Russian and
Arabic; in other languages they are silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from denoise_scrapy.body.features.remembered import RememberedTexts
from denoise_scrapy.native.texts import ANYWHERE, APART, PLAIN, START, TIME, WORD, YEAR
from denoise_scrapy.page.marked_text import collapsed, without_marks

COMMENTS_BIT, RELATED_BIT, META_BIT, CONSENT_BIT, PRICE_BIT = 1, 2, 4, 8, 16

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
#: What tells of meta data: a literal, and a pattern that begins or ends with it where it is not enough. Of all these as
#: one pattern the search takes 5.3 µs a text (20 characters); literals of all texts in one, then few patterns, .8 µs.
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
CONSENT = (
    "cookie|gdpr|consent to|your personal data|privacy policy|privacy preferences|privacy settings|galletas|"
    "données personnelles|datenschutz|personenbezogene|dados pessoais|персональн|隐私|隱私|プライバシー|クッキー|"
    "الخصوصية|zgoda|zgody|zgodę"
).split("|")
#: A sign or code of money beside a number.
PRICE = re.compile(
    r"(?:[$€£¥₹₽₩]|\b(?:usd|eur|gbp|rs\.?|cny|rmb|pln|kr|zł|руб))\s?\d|\d\s?(?:[$€£¥₹₽₩元円원]|(?:usd|eur|pln|kr|zł|руб)\b)"
)
#: One of these is in each.
MONEY = "$ € £ ¥ ₹ ₽ ₩ 元 円 원 usd eur gbp rs cny rmb pln kr zł руб".split()

#: Beginnings of all that `COMMENTS` and `RELATED` match, after no other letter.
COMMENTS_HEADS = (
    "comment|response|repl|trackback|pingback|discussion|thought|join the|leave a|post a|add a|write a|comentario|"
    "comentário|kommentar|комментари|تعليقات|评论|評論|网友评论|留言|回复|回覆|コメント|user |reader |visitor "
).split("|")
RELATED_HEADS = (
    "related|see also|read more|read also|read next|more from|more on|more in|more stories|more news|you may|you might|"
    "recommended|most read|most popular|most viewed|popular|trending|latest|share this|share on|tag|filed under|"
    "sponsored|advertisement|about the author|newsletter|relacionad|más leídas|más noticias|lea también|à lire aussi|"
    "article liés|articles liés|mehr zum thema|lesen sie auch|leia também|leia mais|mais lidas|читайте также|похожие|"
    "اقرأ أيضا|相关|相關|推荐|推薦|热门|熱門|排行|更多|延伸阅读|関連|おすすめ|人気|ランキング"
).split("|")
#: Where a hint of meta data counts, if not anywhere; what is told by a literal alone is certain, but for white space.
_PLACES = {"by": START, ":": TIME, "19": YEAR, "20": YEAR} | dict.fromkeys("permalink ago edited am pm".split(), WORD)
_PLACES |= {part: PLAIN for part, pattern in META.items() if not pattern and " " not in part and len(part) > 1}

#: What one of must be in a text for each bit, and where: hints for the accelerator.
HINTS = (
    *((head, COMMENTS_BIT, START) for head in COMMENTS_HEADS),
    *((head, RELATED_BIT, START) for head in RELATED_HEADS),
    *((part, META_BIT, _PLACES.get(part, ANYWHERE)) for part in META),
    *((text, CONSENT_BIT, ANYWHERE) for text in CONSENT),
    *((money, PRICE_BIT, APART if money[0].isalpha() and money.isascii() else ANYWHERE) for money in MONEY),
)

_META = {literal: re.compile(pattern or re.escape(literal)).search for literal, pattern in META.items()}
#: One of these parts of words is in each: where white space is not collapsed yet a word is found, and two may not be.
CONSENT_PARTS = (
    "cookie gdpr consent person privacy galletas datenschutz pessoais zgod персональн 隐私 隱私 プライバシー クッキー "
    "الخصوصية"
).split()

#: Short texts remembered, some 7 MB: the pages of a site share most of theirs. Of longer ones fewer, some 2 MB.
MAX_KNOWN, MAX_LONGER = 16_384, 4096


#: What is known of a short text: bits of what it announces, the text in lower case, and how many words it has.
Announcement = tuple[int, str, int]

_known: RememberedTexts[Announcement] = RememberedTexts(MAX_KNOWN)
_longer: RememberedTexts[bool] = RememberedTexts(MAX_LONGER)


def announcements(marked: Sequence[str]) -> list[Announcement]:
    r"""What short texts announce; what was asked before is remembered.

    Args:
        marked: See `Page.marked_texts`.

    Example:
        >>> announcements(["\x0112 Comments\x02"])
        [(1, '12 comments', 2)]
    """
    return _known.ask(marked, announce)


def known_consents(marked: Sequence[str]) -> list[bool]:
    """Which longer texts speak of consent; what was asked before is remembered.

    Args:
        marked: See `Page.marked_texts`.
    """
    return _longer.ask(marked, find_consents)


def forget_announcements() -> None:
    """Forget all texts."""
    _known.clear()
    _longer.clear()


def texts_forgotten() -> int:
    """How many texts had to make room for others."""
    return _known.forgotten + _longer.forgotten


def announce(marked: Iterable[str]) -> list[Announcement]:
    """What short texts announce, found anew."""
    texts = [collapsed(text).lower() for text in marked]
    bits = [
        COMMENTS_BIT * (COMMENTS.search(text) is not None) + RELATED_BIT * (RELATED.search(text) is not None)
        for text in texts
    ]
    whole = "\n".join(texts)
    patterns = [(literal, search) for literal, search in _META.items() if literal in whole]
    consents = _found_in(whole, CONSENT)
    money = _found_in(whole, MONEY)
    for i, text in enumerate(texts):
        for literal, search in patterns:
            if literal in text and search(text):
                bits[i] |= META_BIT
                break
        if consents and _holds(text, consents):
            bits[i] |= CONSENT_BIT
        if money and _holds(text, money) and PRICE.search(text):
            bits[i] |= PRICE_BIT
    return [(bit, text, len(text.split())) for bit, text in zip(bits, texts, strict=True)]


def find_consents(marked: Sequence[str]) -> list[bool]:
    """Whether texts speak of consent; few pages have a word of it, and only texts that have are collapsed."""
    whole = without_marks("\n".join(marked)).lower()
    parts = _found_in(whole, CONSENT_PARTS)
    if not parts:
        return [False] * len(marked)
    return [_holds(without_marks(text).lower(), parts) and _holds(collapsed(text).lower(), CONSENT) for text in marked]


def _found_in(text: str, literals: Iterable[str]) -> list[str]:
    """Those of the literals that a text holds."""
    return [literal for literal in literals if literal in text]


def _holds(text: str, literals: Iterable[str]) -> bool:
    """Whether a text holds one of the literals."""
    return any(literal in text for literal in literals)
