"""Letters of a text, against Python's own strings."""

from hypothesis import given
from hypothesis import strategies as st
from lxml.html import fromstring

from denoise_scrapy.core.characters import fold, letters


@given(st.text())
def test_letters_and_folding_are_the_literal_ones(text):
    assert letters(text) == "".join(filter(str.isalnum, text.lower()))
    assert fold(text) == "".join(text.split()).lower()


def test_strings_of_lxml_are_read():
    (found,) = fromstring("<p title='Zwei Ä-1'>").xpath("//@title")
    assert type(found) is not str
    assert (letters(found), fold(found)) == ("zweiä1", "zweiä-1")
