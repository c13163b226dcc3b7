"""What is learned of class names, with each publisher left out, against plain sums."""

from math import log
from zlib import crc32

import pytest

from denoise_scrapy.core.features import NAMES
from evaluation.corpora import RecordedPage
from training.class_words import PRIOR, PUBLISHERS, ClassCounts
from training.dataset import examples
from training.vocabulary import Vocabularies

STORY = "The bridge was closed on Monday because of the flood, said the mayor of {}."


def of_publisher(name, story_class, pages=1):
    frame = '<div class=menu><p>Home page and other things</div><div class="{}"><p>{}</div>'
    texts = [STORY.format(name + str(n)) for n in range(pages)]
    recorded = [
        RecordedPage(f"http://{name}.example/{n}", frame.format(story_class, text), text, name)
        for n, text in enumerate(texts)
    ]
    return list(examples("made", [recorded], {name: 0}, (0,)))


def test_words_have_the_odds_of_other_publishers():
    some = [*of_publisher("a", "story", 4), *of_publisher("b", "story"), *of_publisher("c", "story text")]
    some += of_publisher("d", "menu text")
    counts = ClassCounts(some)
    odds = counts.odds()
    # four publishers have a menu, one of them with its story; four pages of one count as two
    assert odds[crc32(b"menu")] == pytest.approx(log((1 + PRIOR) / (2 + 1 + 1 + 1 + PRIOR)))
    assert odds[crc32(b"story")] == pytest.approx(log((2 + 1 + 1 + PRIOR) / PRIOR))
    assert PUBLISHERS > 2 and crc32(b"text") not in odds, "of too few publishers"
    filled = Vocabularies(some).filled
    least, most = NAMES.index("class_least"), NAMES.index("class_most")
    for example, expected in ((some[-1], log(PRIOR / (4 + PRIOR))), (some[0], log((1 + PRIOR) / (3 + PRIOR)))):
        assert filled(example)[least, 0] == pytest.approx(expected, abs=1e-5)
    assert filled(some[0])[most].tolist() == [0, 0], "the story's word has two other publishers"
