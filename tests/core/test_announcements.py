"""What short texts announce and say of the title, against regular expressions and Python's own strings."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.core.features import (
    COMMENTS_BIT,
    COMMENTS_PATTERNS,
    META_BIT,
    META_PATTERNS,
    read_words,
)
from denoise_scrapy.page import Page
from tests.core.literal_words import literal_words
from tests.html_strategies import ODD_PAGES, SOUP, pages

PIECES = (
    "12 Comments", "(3) Replies", "Leave a Reply", "User comments", "Join the discussion", "Thought on", "thoughts",
    "评论", "12评论", "网友评论", "コメント", "комментарии", "Комментариев", "تعليقات", "related", "by ", "Posted  on",
    "Posted", "3 hours ago", "agony", "12:30", "112:30", "1:5", "٣:٤٥", " 2019", "1999x", "20190", "5 uhr", "Uhr", "年",
    "前", "says:", "says", "reply", "am", "vor 3", "há 2", "publicada", "publicados", "publié le", "hace ", "il y a",
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
    words, expected = read_words(page.tree), literal_words(page.tree)
    assert words.bits.tolist() == expected.bits
    assert words.title_share.tolist() == expected.title_share
    assert words.titles.tolist() == expected.titles


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
    announced = read_words(Page.parse(f"<p>{text.lower()}").tree).bits[0]
    assert announced & (COMMENTS_BIT if pattern in COMMENTS_PATTERNS else META_BIT)


def test_hostile_titles_and_texts_take_little():
    signs = "--+ " * 500_000
    page = Page.parse(f"<title>{'-' * 1000}</title><p>{signs}<p>{'agony' * 200_000}<p>{'hour' * 1000} ago")
    assert read_words(page.tree).bits.tolist() == [0, 0, META_BIT]
