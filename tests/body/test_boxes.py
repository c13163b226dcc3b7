"""What boxes make of the model's probabilities, each on a page made for it."""

import numpy as np
import pytest

from denoise_scrapy.core.boxes import around_story
from denoise_scrapy.page import Page

PROSE = "<p>Die Pumpe am Tor wurde im Herbst gekauft, und der Wärter schreibt jede Stunde ihren Stand in ein Buch."
ALL = "<p><a href=/>Alle</a>"


def weights(html: str, chances: list[float]) -> list[float]:
    page = Page.parse(html)
    assert len(page.blocks) == len(chances)
    return np.round(around_story(page.tree, page.words.titles, chances), 2).tolist()


@pytest.mark.parametrize(
    ("html", "before", "after"),
    [
        # the article with the headline, beside another story, a frame, a post
        (f"<title>Tor</title><article><h1>Tor</h1>{PROSE}</article><article><h2>Eis</h2></article>{ALL}",
         [0.9, 0.9, 0.6, 0.5], [0.9, 0.9, 0.18, 0.15]),
        (f"<title>Posts</title><article><h1>Tor</h1>{PROSE}</article><article><h1>Eis</h1></article>{ALL}",
         [0.9, 0.9, 0.6, 0.5], [0.9, 0.9, 0.6, 0.5]),
        (f"<title>Tor</title><article><h1>Tor</h1>{PROSE}</article><article><p>Dichtung.</article>{ALL}",
         [0.9, 0.9, 0.6, 0.5], [0.9, 0.9, 0.6, 0.15]),
    ],
)  # fmt: skip
def test_boxes(html: str, before: list[float], after: list[float]) -> None:
    assert weights(html, before) == after
