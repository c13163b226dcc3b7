"""What short texts announce, against each pattern on each text by itself."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body import words as found
from denoise_scrapy.body.words import MARK, plain_words, read_words
from denoise_scrapy.page import Page

PIECES = [
    *(
        "12 Comments",
        "related",
        "by ",
        "Posted  on",
        "3 hours ago",
        "12:30",
        " 2019",
        "Cookie",
        "privacy\npolicy",
        "隐私",
    ),
    *(
        "5 uhr",
        "年",
        "前",
        "says:",
        "reply",
        "am",
        "the",
        " ",
        "\x01",
        "\x02",
        "\x0b",
        "\xa0",
    ),
]
#: Texts as blocks have them: they show something, and preformatted ones begin with a zero.
texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(lambda one: one.strip("\1\2"))
marked = st.builds(lambda text, is_pre: "\0" * is_pre + text, texts, st.booleans())


def plainly(one: str) -> tuple[int, str]:
    text = " ".join(re.sub("[\0\x01\x02]", "", one).split()).lower()
    bits = found.COMMENTS_BIT * bool(found.COMMENTS.search(f"{MARK} {text}"))
    bits |= found.META_BIT * any(re.search(pattern or literal, text) for literal, pattern in found.META.items())
    return bits, text


@settings(deadline=None)
@given(st.lists(marked, min_size=1, max_size=5))
def test_announcements_equal_the_patterns(marked):
    bits, texts = zip(*map(plainly, marked), strict=True)
    assert plain_words(marked) == " ".join(f"{MARK} {text}" for text in texts).split()
    assert found.announced(plain_words(marked)).tolist() == list(bits)


def test_a_text_of_any_length_is_asked_about_once():
    page = Page.parse(f"<p>12 hours ago<p>{'agony' * 200_000}<p>{'hour' * 1000} ago" * 2)
    assert read_words(page).bits.tolist() == [found.META_BIT, 0, found.META_BIT] * 2


def test_long_texts_announce_nothing():
    page = Page.parse(f"<p>comments by the mayor<p>comments {'word ' * 15}by")
    assert read_words(page).bits.tolist() == [found.COMMENTS_BIT, 0]
