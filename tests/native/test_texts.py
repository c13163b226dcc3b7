"""What the words of a page tell, in C against Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.words import forget_texts, read_words
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.blocks import KnownTexts
from denoise_scrapy.page import Page
from tests.html_strategies import pages

pytestmark = pytest.mark.skipif(library() is None, reason="the accelerator is not compiled")

#: What announces something, what is folded or parted oddly, and what fills blocks.
PIECES = (
    "12 Comments|Related|by Ann|posted  on|3 hours ago|12:30|cookie|Privacy\n policy|your personal\xa0data|隐私|"
    "says:|İstanbul|ΟΔΟΣ|\U0001f600|\ud83d|\ude00|<b>|</b>|<br>|<p>|<pre>|</pre>| |\t\n|\u200b|\x1c|\x85|the|"
    "story|STORY|a|<h2>the story</h2>|<h3> b y\tAnn😀</h3>|x y z x y z x y z |prİvacy|&#0;"
).split("|")
PIECES += ["word " * 13, "word " * 30, "x" * 5000]
TITLES = ["the", " story", "İ", "word", "\U0001f600", " by Ann", "x" * 600]
html = st.tuples(
    st.lists(st.sampled_from(TITLES), max_size=4).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | pages(),
).map(lambda parts: f"<title>{parts[0]}</title><body>{parts[1]}")


@settings(deadline=None)
@given(html, st.booleans())
def test_words_equal_the_twin(source, again):
    forget_texts()
    page = Page.parse(source)
    found = read_words(page)
    if again:
        found = read_words(page)  # all is known now
    with switched_off():
        expected = read_words(Page.parse(source))
    assert found.bits.tolist() == expected.bits.tolist()
    assert found.title_share.tolist() == expected.title_share.tolist()


def test_what_the_user_removes_is_no_text():
    page = Page.parse("<title>One</title><p>One <b>Related</b></p><p>Two</p>", remove="b")
    assert page.text_of(np.array([True, True])) == "One\nTwo"
    assert read_words(page).title_share.tolist() == [1, 0]


def test_texts_are_forgotten_where_there_are_too_many():
    native, known = library(), KnownTexts(8, 14)
    for first in range(1, 31, 5):
        known.learn(native, np.arange(first, first + 5, dtype=np.uint64), np.ones(5, np.uint8))
        assert np.count_nonzero(known._keys) <= 8
    known.learn(native, np.arange(1, 100, dtype=np.uint64), np.ones(99, np.uint8))
    assert np.count_nonzero(known._keys) == 8
    assert known.forgotten > 20
