"""Odds of class names and of the words of short texts, with each publisher left out, against plain sums."""

from math import log
from zlib import crc32

import numpy as np
import pytest

from denoise_scrapy.body.strategies.combined import block_model
from denoise_scrapy.core.features import ANNOUNCING_TOKENS, NAMES, WORDS, text_numbers
from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from training import vocabulary
from training.dataset import examples
from training.vocabulary import (
    LEAST,
    LEAST_OF_LINES,
    LINE_WEIGHT,
    LINES,
    OF_CLASSES,
    OF_TEXTS,
    Vocabularies,
    odds_of_lines,
    with_lines,
    words_of_content,
)

FRAME = '<div class=menu><p>Home page and other things</div><div class="{1}"><p>The bridge was closed, said {0}.</div>'


def of_publisher(name, frame, kept, dropped="", pages=1):
    """Examples of a publisher whose gold is the first text of its pages."""
    html = frame.format(name, kept, dropped)
    gold = f"The bridge was closed, said {name}." if frame is FRAME else f"{kept} The text of {name}."
    recorded = [RecordedPage(f"http://{name}.example/{n}", html, gold, name) for n in range(pages)]
    return list(examples("made", [recorded], {name: 0}, (0,)))


def test_class_names_have_the_odds_of_other_publishers():
    some = [*of_publisher("a", FRAME, "story", pages=4), *of_publisher("b", FRAME, "story")]
    some += [*of_publisher("c", FRAME, "story text"), *of_publisher("d", FRAME, "menu text")]
    vocabularies, (publishers, prior) = Vocabularies(some), OF_CLASSES
    odds = vocabularies.without(None).class_words
    # four publishers have a menu, one of them with its story; four pages of one count as two
    assert odds[crc32(b"menu")] == pytest.approx(log((1 + prior) / (2 + 1 + 1 + 1 + prior)))
    assert odds[crc32(b"story")] == pytest.approx(log((2 + 1 + 1 + prior) / prior))
    assert publishers > 2 and crc32(b"text") not in odds, "of too few publishers"
    least, most = NAMES.index("class_least"), NAMES.index("class_most")
    for example, expected in ((some[-1], log(prior / (4 + prior))), (some[0], log((1 + prior) / (3 + prior)))):
        assert vocabularies.filled(example)[least, 0] == pytest.approx(expected, abs=1e-5)
    assert vocabularies.filled(some[0])[most].tolist() == [0, 0], "the story's word has two other publishers"


def test_words_of_texts_have_the_odds_of_other_publishers(monkeypatch):
    prior = OF_TEXTS[1]
    monkeypatch.setattr(vocabulary, "OF_TEXTS", (3, prior))
    monkeypatch.setattr(vocabulary, "with_lines", lambda odds, _: odds)
    frame, long = "<p>{1}</p><p>The text of {0}.</p><div>{2}</div>", "Advert " * ANNOUNCING_TOKENS
    some = [*of_publisher("a", frame, "Weather", "Imprint", pages=4)]
    some += of_publisher("b", frame, "Weather", f"Imprint<p>{long}")
    some += of_publisher("c", frame, "Weather imprint", f"Menu<p>{long}")
    some += of_publisher("d", frame, "News", f"Menu<p>{long}")
    vocabularies = Vocabularies(some)
    odds = vocabularies.without(None).text_words
    # four pages of one publisher count as two; menu is of too few publishers, advert only in longer texts
    expected = {"weather": log((2 + 1 + 1 + prior) / prior), "IMPRINT": log((1 + prior) / (2 + 1 + prior))}
    for word, value in (expected | {"menu": 0.0, "advert": 0.0}).items():
        found = odds[text_numbers(Page.parse(f"<p>{word}").tree)[0]]
        assert found == pytest.approx(value if abs(value) >= LEAST else 0, abs=1e-6), word
    assert vocabularies.filled(some[0])[NAMES.index("word_most"), 0] == 0, "the word has two other publishers"
    assert np.count_nonzero(vocabularies.filled(some[-1])[NAMES.index("word_mean")]) == 1, "only 'the', of all four"


def number(word):
    found = text_numbers(Page.parse(f"<p>{word}").tree).tolist()
    assert len(found) == 1, f"{word} is no word of a tree"
    return found[0]


def test_words_of_frames_have_the_odds_of_lines(monkeypatch):
    frames = ["Paylaş bildir", "Bildir & abone ol", "Bildir", "Zgłoś", "Kapı menü", *["Kapat"] * 9, "Kapak"]
    monkeypatch.setattr(vocabulary, "LINES", {"frames": frames, "content": ["Kapı bildir"]})
    monkeypatch.setattr(vocabulary, "CONTENT", {"tr": ["Kırmızı kapı"]})
    odds = np.zeros(WORDS, np.float32)
    odds[[number("zgłoś"), number("menü")]] = 0.5, -1
    added = with_lines(odds, odds_of_lines({number("kapak")}))
    once = LINE_WEIGHT * log(1 / 2)
    expected = {"paylaş": once, "bildir": LINE_WEIGHT * log(2 / 4), "abone": once, "zgłoś": 0.5, "menü": -1}
    expected |= {"kapı": 0, "kırmızı": 0, "kapat": LEAST_OF_LINES, "kapak": 0}
    assert {word: added[number(word)] for word in expected} == pytest.approx(expected)
    assert np.count_nonzero(odds) == 2, "the odds given stay as they are"


def test_the_shipped_model_knows_the_words_of_frames():
    odds = block_model().vocabulary.text_words
    added = np.count_nonzero(with_lines(odds, odds_of_lines(())) != odds)
    assert added < 0.06 * np.count_nonzero(odds), "python -m training.vocabulary adds them, but for words of content"
    for word in ("Paylaş", "Partager", "Iscriviti", "Подписаться"):
        assert odds[number(word)] < -1
    lines = [*LINES["frames"], *LINES["content"]]
    assert len({*lines}) == len(lines)


def test_words_of_content_are_those_that_several_publishers_have():
    some = [one for name in "abcde" for one in of_publisher(name, FRAME, "story", pages=2)]
    known = words_of_content(some)
    assert {number("bridge"), number("closed")} <= known
    assert known.isdisjoint({number("home"), number("page")})
    assert not words_of_content(some[:8]), "of too few publishers"
