"""What the words of a text say, against loops over its words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.class_words import ClassWords
from denoise_scrapy.body.features import NAMES, Vocabulary, block_features
from denoise_scrapy.body.text_words import LONG, PRIOR, SHORTEST, WORDS, PageWords, TextWords
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import SOUP, pages

ODDS = {"more": -2.0, "read": -1.0, "rain": 1.5, "дождь": 0.5, "大雨": 0.75}
TEXTS = st.lists(st.sampled_from("More read RAIN Дождь the 12 a rain, more-read".split()), min_size=1, max_size=9)


def known():
    words = TextWords()
    for word, odds in ODDS.items():
        words.odds[PageWords.of(Page.parse(f"<p>{word}")).numbers] = odds
    return words


def literal(text):
    found = [word.lower() for word in re.findall(r"\w+", text) if len(word) >= SHORTEST]
    odds = [ODDS.get(word, 0) for word in found]
    return [sum(odds) / (len(odds) + PRIOR), min([0, *odds]), max([0, *odds])]


@given(st.lists(TEXTS.map(" ".join).filter(lambda text: text != "a"), min_size=1, max_size=8))
def test_rows_equal_loops_over_words(texts):
    page = Page.parse("".join(f"<p>{text}</p>" for text in texts))
    rows = known().rows(PageWords.of(page), len(page.blocks))
    expected = [value for text in texts for value in literal(text)]
    assert rows.T.ravel().tolist() == pytest.approx(expected)


def test_a_heading_speaks_for_what_follows():
    page = Page.parse("<p>Rain.<h2>Read more</h2><p>The story.<div><h3>More rain</h3></div><p>The end.")
    features = block_features(page, SiteStatistics(), Vocabulary(ClassWords({}), known()))
    above = features[NAMES.index("heading_word_mean")].tolist()
    assert above == pytest.approx([0, -3 / 4, -3 / 4, -0.5 / 4, -0.5 / 4])


@given(SOUP | pages())
def test_any_page_has_words(html):
    page = Page.parse(html)
    words = PageWords.of(page)
    assert len(words.numbers) == len(words.block) == len(words.long)
    if len(page.blocks):
        assert (words.numbers >= 0).all() and (words.numbers < WORDS).all()
        assert (words.block[1:] >= words.block[:-1]).all()
        assert known().rows(words, len(page.blocks)).shape == (3, len(page.blocks))


def test_words_of_scripts_without_spaces_are_long():
    words = PageWords.of(Page.parse("<p>大雨 of flood"))
    assert words.long.tolist() == [True, False, True] and LONG == 5
