"""What is learned of the words of short texts, with each publisher left out, against plain sums."""

from math import log

import numpy as np
import pytest

from denoise_scrapy.core.features import NAMES
from denoise_scrapy.core.vocabulary import text_numbers
from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from training import text_words
from training.dataset import examples
from training.text_words import ANNOUNCING_TOKENS, LEAST, PRIOR, TextCounts
from training.vocabulary import Vocabularies


def of_publisher(name, kept, dropped, pages=1):
    gold = f"{kept} The text of {name}."
    html = f"<p>{kept}</p><p>The text of {name}.</p><div>{dropped}</div>"
    recorded = [RecordedPage(f"http://{name}.example/{n}", html, gold, name) for n in range(pages)]
    return list(examples("made", [recorded], {name: 0}, (0,)))


def odds_of(counts, word):
    return counts.odds()[text_numbers(Page.parse(f"<p>{word}").tree)[0]]


def test_words_have_the_odds_of_other_publishers(monkeypatch):
    monkeypatch.setattr(text_words, "PUBLISHERS", 3)
    long = "Advert " * ANNOUNCING_TOKENS
    some = [*of_publisher("a", "Weather", "Imprint", 4), *of_publisher("b", "Weather", f"Imprint<p>{long}")]
    some += [*of_publisher("c", "Weather imprint", f"Menu<p>{long}"), *of_publisher("d", "News", f"Menu<p>{long}")]
    counts = TextCounts(some)
    # four pages of one publisher count as two
    assert odds_of(counts, "weather") == pytest.approx(log((2 + 1 + 1 + PRIOR) / PRIOR), abs=1e-6)
    expected = log((1 + PRIOR) / (2 + 1 + PRIOR))
    assert odds_of(counts, "IMPRINT") == (pytest.approx(expected, abs=1e-6) if abs(expected) >= LEAST else 0)
    assert odds_of(counts, "menu") == 0, "of too few publishers"
    assert odds_of(counts, "advert") == 0, "only in longer texts"
    rows = Vocabularies(some).filled(some[0])
    assert rows[NAMES.index("word_most"), 0] == 0, "the word has two other publishers"
    rows = Vocabularies(some).filled(some[-1])
    assert np.count_nonzero(rows[NAMES.index("word_mean")]) == 1, "only 'the', of all four"
