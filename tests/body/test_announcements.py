"""What short texts announce, against each pattern by itself."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body import words as found
from denoise_scrapy.body.words import read_words
from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import collapsed

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
        "\0",
    ),
]
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def plainly(marked: str) -> tuple[int, str, int]:
    text = collapsed(marked).lower()
    bits = found.COMMENTS_BIT * bool(found.COMMENTS.search(text))
    bits |= found.META_BIT * any(re.search(pattern or literal, text) for literal, pattern in found.META.items())
    return bits, text, len(text.split())


@settings(deadline=None)
@given(texts)
def test_announcements_equal_the_patterns(marked):
    assert found.announce(marked) == plainly(marked)


def test_texts_of_any_length_are_asked_about_but_long_ones_are_not_kept():
    found.announce.cache_clear()
    page = Page.parse(f"<p>12 hours ago<p>{'hour' * found.MAX_CHARS} ago" * 2)
    assert read_words(page).bits.tolist() == [found.META_BIT] * 4
    assert found.announce.cache_info().currsize == 1


def test_long_texts_announce_nothing():
    page = Page.parse(f"<p>comments by the mayor<p>comments {'word ' * 15}by")
    assert read_words(page).bits.tolist() == [found.COMMENTS_BIT, 0]
