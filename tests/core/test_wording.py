"""How short texts are worded, against plain loops over their letters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import Page
from denoise_scrapy.core.wording import LEAST_LIKELY, MOST_CHARS, SHORT_CHARS, doubts, letter_sequences, odds_of_text
from tests.html_strategies import SOUP, pages
from tests.page.literal_reader import DIGIT, MARK, OTHER, class_of, value_of

TEXTS = st.text(st.sampled_from("aB é0٣!.,' \n\t\u00ad_-你カ한กिß\U0001f600"), max_size=30) | st.text(max_size=20)
BITS = 9
WEIGHTS = np.random.default_rng(0).normal(size=2**BITS + 1).astype(np.float32)


def literal_sequences(text, bits):
    """The numbers of all sequences of three to five letters, one after the other."""
    letters = [32]
    for char in text:
        if class_of(char) >= DIGIT or (ord(char) > 127 and class_of(char) == OTHER):
            letters.append(value_of(chr(ord(char) & 0xFFFF)) % 2**32)
        elif letters[-1] != 32 and class_of(char) != MARK:
            letters.append(32)
    letters += [32] * (letters[-1] != 32)
    found = set()
    for length in (3, 4, 5):
        for start in range(len(letters) - length + 1):
            number = 0
            for letter in letters[start : start + length]:
                number = (number + letter) * 2654435761 % 2**32
            found.add(number >> (32 - bits))
    return sorted(found)


def literal_odds(text, weights=WEIGHTS):
    numbers = literal_sequences(text, BITS)
    return sum(float(weights[number]) for number in numbers) / max(len(numbers), 1) ** 0.5 + float(weights[-1])


@given(TEXTS, st.sampled_from([2, BITS, 14, 16]))
def test_sequences_equal_plain_loops(text, bits):
    assert letter_sequences(text, bits).tolist() == literal_sequences(text, bits)


@given(st.text("aBzÉñЖя 0٣カ", max_size=30))
def test_case_digits_and_what_is_between_words_make_no_difference(text):
    expected = letter_sequences(text, 16).tolist()
    assert letter_sequences(text.swapcase(), 16).tolist() == expected
    assert letter_sequences(text.replace("0", "7").replace(" ", " ... "), 16).tolist() == expected


@given(TEXTS)
def test_odds_equal_plain_loops(text):
    assert odds_of_text(text, WEIGHTS) == pytest.approx(literal_odds(text), abs=1e-5)


def test_of_a_long_text_the_beginning_is_read():
    text = "A tide of words. " * MOST_CHARS
    assert odds_of_text(text, WEIGHTS) == odds_of_text(text[:MOST_CHARS], WEIGHTS)


def literal_doubt(tree, row):
    if row["heading"] or row["chars"] > SHORT_CHARS or row["tokens"] < 7:
        return 0.0
    return min(literal_odds(tree.slice(row["text"]["start"], row["text"]["end"])), 0.0)


@given(SOUP | pages(), st.integers(0, 99))
def test_doubts_equal_plain_loops(html, seed):
    page = Page.parse(html)
    probability = np.random.default_rng(seed).choice([0.0, 0.04, 0.05, 0.5, 1.0], len(page.blocks))
    rows = page.tree.block_rows
    expected = [
        literal_doubt(page.tree, row) if likely >= LEAST_LIKELY else 0
        for row, likely in zip(rows, probability, strict=True)
    ]
    assert doubts(page.tree, WEIGHTS, probability) == pytest.approx(expected, abs=1e-5)


def test_wrong_shapes_are_refused():
    tree = Page.parse("<p>Tide").tree
    for size in (0, 1, 2, 4, 2**BITS, 2**17 + 1):
        with pytest.raises(ValueError, match=r"2\^bits"):
            odds_of_text("Tide", np.zeros(size, np.float32))
    with pytest.raises(ValueError, match="blocks"):
        doubts(tree, WEIGHTS, [0.5, 0.5])
    assert len(doubts(Page.parse("").tree, WEIGHTS, [])) == 0
