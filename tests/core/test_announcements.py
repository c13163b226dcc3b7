"""What short texts announce and say of the title, against regular expressions and Python's own strings."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.core.features import (
    ANNOUNCING_TOKENS,
    COMMENTS_BIT,
    COMMENTS_PATTERNS,
    META_BIT,
    META_PATTERNS,
    read_words,
)
from denoise_scrapy.page import Flag, Page
from tests.html_strategies import ODD_PAGES, SOUP, pages

COMMENTS = re.compile(
    r"[^\w]*(?:\d+ ?)?(?:(?:user|reader|visitor) )?(?:comments?|responses?|repl(?:y|ies)|trackbacks?|"
    r"pingbacks?|discussion|thoughts? on|join the (?:conversation|discussion)|"
    r"(?:leave|post|add|write) a (?:reply|comment|response)|"
    r"comentarios?|comentários?|commentaires?|kommentare?|комментари[ийя]|تعليقات|"
    r"评论|評論|网友评论|留言|回复|回覆|コメント)\b.{0,60}\Z"
)
META = re.compile(
    r"\bsays:?$|\breply$|\bpermalink\b|\bago\b|\bposted (?:by|on|at|in)\b|\bedited\b|^by\b|\b\d{1,2}:\d{2}\b|"
    r"\b19\d{2}\b|\b20\d{2}\b|\bam\b|\bpm\b|前$|\bvor \d|há \d|\bpublicad[oa]\b|\bpublié|\bveröffentlicht|\d uhr\b|"
    r"年|月|日|回复|回覆|返信|hace |il y a|назад|منذ|опубликован|نشر|发布|發布|来源|來源|作者|編集|投稿|更新"
)


def lowered(text):
    """A text in lower case, one space between words.

    Capitals whose lower case is two characters stay. Beyond the basic plane nothing is a letter, as in all counts.
    """
    plain = "".join([one if ord(one) < 1 << 16 else chr(0xE000 | ord(one) & 0xFFF) for one in text])
    lower = [one.lower() if one.isupper() and len(one.lower()) == 1 else one for one in plain]
    return " ".join("".join(lower).replace("ς", "σ").split())


def literal_words(tree):
    """What the words of a page's blocks tell: columns of `Words`."""
    title, bits, shares, titles = lowered(tree.title), [], [], []
    for row in tree.block_rows:
        start, end = row["text"].tolist()
        text = lowered(tree.slice(start, end).replace("\x01", "").replace("\x02", ""))
        is_short = row["tokens"] < ANNOUNCING_TOKENS
        comments, meta = COMMENTS.match(text), META.search(text)
        found = COMMENTS_BIT * bool(comments) + META_BIT * bool(meta)
        bits.append(found * bool(is_short))
        said = [word for word in text.split() if len(word) > 1 and word in title]
        shares.append(len(said) / len(text.split()) if is_short else 0.0)
        is_title = text.replace(" ", "") in title.replace(" ", "") and row["chars"] <= len(title.replace(" ", ""))
        titles.append(bool(row["own_flags"] & Flag.HEADING) and is_title)
    return [bits, shares, titles]


PIECES = (
    "12 Comments", "(3) Replies", "Leave a Reply", "User comments", "Join the discussion", "Thought on", "thoughts",
    "评论", "12评论", "网友评论", "コメント", "комментарии", "Комментариев", "تعليقات", "related", "by ", "Posted  on",
    "Posted", "3 hours ago", "agony", "12:30", "112:30", "1:5", "٣:٤٥", " 2019", "1999x", "20190", "5 uhr", "Uhr", "年",
    "前",
    "says:", "says", "reply", "am", "vor 3", "há 2", "publicada", "publicados", "publié le", "hace ", "il y a",
    "İstanbul", "the", "Straße", "ΛΟΓΟΣ", "λόγος", "_", "-", "・", "😀", "\U00020000", "\u200b", " ", " ", "\n", "\x0b",
    "\xa0", "\u3000",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
BLOCKS = st.lists(st.tuples(st.sampled_from(["p", "h1", "h2", "pre"]), TEXTS), max_size=6)


def written(title, blocks):
    """A page of blocks, some with an inline element and a break."""
    escape = str.maketrans({"\x0b": "<br>", "<": "&lt;"})
    inner = [f"<{tag}>{text[:3].translate(escape)}<b>{text[3:].translate(escape)}</b></{tag}>" for tag, text in blocks]
    return Page.parse(f"<title>{title}</title>{''.join(inner)}")


def check(page):
    assert [column.tolist() for column in read_words(page.tree)] == literal_words(page.tree)


@settings(deadline=None)
@given(TEXTS, BLOCKS)
def test_words_equal_regular_expressions(title, blocks):
    check(written(title, blocks))


@settings(deadline=None)
@given(SOUP | pages() | ODD_PAGES)
def test_words_of_any_page(html):
    check(Page.parse(html))


@given(st.sampled_from(COMMENTS_PATTERNS + META_PATTERNS), st.data())
def test_each_pattern_is_found(pattern, data):
    text = data.draw(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True))
    text += "x" * text.endswith(" ")  # spaces at the ends are none
    announced = read_words(Page.parse(f"<h2>{text.lower()}").tree).bits[0]
    assert announced & sum(
        bit * (pattern in patterns) for bit, patterns in ((COMMENTS_BIT, COMMENTS_PATTERNS), (META_BIT, META_PATTERNS))
    )


def test_hostile_titles_and_texts_take_little():
    signs = "--+ " * 500_000
    page = Page.parse(f"<title>{'-' * 1000}</title><p>{signs}<p>{'agony' * 200_000}<p>{'hour' * 1000} ago")
    assert read_words(page.tree).bits.tolist() == [0, 0, META_BIT]
