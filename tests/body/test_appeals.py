"""Appeals between the paragraphs of a story, and sentences of its own that speak of the same."""

import pytest

from denoise_scrapy import extract

STORY = (
    "<title>The ferry</title><article><h1>The ferry</h1><p>The ferry sails at noon and at four, from the old quay "
    "behind the market, in all weathers.</p><p>{}</p><p>Its captain has crossed the sound eleven thousand times, and "
    "was seasick on the first of them only.</p></article>"
)


@pytest.mark.parametrize(
    ("appeal", "sentence"),
    [
        (
            "Follow us on Facebook and Instagram for more stories like this one.",
            "He followed the stories on Facebook for a year and then sold his telephone.",
        ),
        (
            "Abonnieren Sie unseren Newsletter und lesen Sie jeden Freitag die besten Geschichten.",
            "Den Newsletter der Reederei lesen jeden Freitag zweihundert Leute, die meisten an Land.",
        ),
        (
            "Inscrivez-vous à la newsletter et recevez nos articles chaque semaine.",
            "L’application du port compte les passagers et se trompe souvent d’une dizaine.",
        ),
        (
            "Подписывайтесь на наш канал, чтобы не пропустить новые публикации.",
            "На канале порта за три года появилось всего шесть публикаций.",
        ),
    ],
)
def test_an_appeal_goes_and_a_sentence_that_speaks_of_it_stays(appeal, sentence):
    assert appeal not in extract(STORY.format(appeal)).text
    assert sentence in extract(STORY.format(sentence)).text
