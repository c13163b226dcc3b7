"""Which words a page has used before, against loops over its words."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.cohesion import AROUND, BEGINNING, PRIOR, cohesion
from denoise_scrapy.body.text_words import LONG, PageWords
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages

WORDS = st.lists(st.sampled_from("flood bridge Bridge mayor rain of the opened повеньо мостовой".split()), max_size=12)


def literal(texts, first):
    """The shares by sets of lower-case words."""
    found = [[word.lower() for word in re.findall(r"\w+", text) if len(word) >= LONG] for text in texts]
    begins = set()
    for n, words in enumerate(found):
        if n >= first and sum(map(len, found[first:n])) <= BEGINNING:
            begins |= set(words)
    rows = np.zeros((3, len(texts)))
    for i in range(len(texts)):
        around = range(max(i - AROUND, 0), min(i + AROUND + 1, len(texts)))
        for j in around:
            others = [set(words) for n, words in enumerate(found) if n != j]
            rows[0, i] += sum(any(word in words for words in map(set, found[:j])) for word in found[j])
            rows[1, i] += sum(word in begins for word in found[j])
            rows[2, i] += sum(any(word in words for words in others) for word in found[j])
        rows[:, i] /= sum(len(found[j]) for j in around) + PRIOR
    return rows


@given(st.lists(WORDS.filter(bool), min_size=1, max_size=30), st.data())
def test_shares_equal_sets_of_words(paragraphs, data):
    texts = [" ".join(words) for words in paragraphs]
    page = Page.parse("".join(f"<p>{text}</p>" for text in texts))
    first = data.draw(st.integers(0, len(texts) - 1))
    assert cohesion(page, PageWords.of(page), first) == pytest.approx(literal(texts, first))


@given(SOUP | pages())
def test_any_page_has_shares(html):
    page = Page.parse(html)
    if len(page.blocks):
        rows = cohesion(page, PageWords.of(page), 0)
        assert rows.shape == (3, len(page.blocks)) and (rows >= 0).all() and (rows <= 1).all()


def test_scripts_without_spaces_are_read_in_pairs():
    words = PageWords.of(Page.parse("<p>大桥关闭 flood</p><p>大桥 of</p>"))
    assert words.block.tolist() == [0, 0, 0, 0, 1, 1]
    assert words.numbers[0] == words.numbers[4] and len(set(words.numbers.tolist())) == 5
