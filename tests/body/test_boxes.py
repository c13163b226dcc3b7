"""What boxes make of the model's probabilities, each on a page made for it."""

import numpy as np
import pytest

from denoise_scrapy.core.boxes import weighed
from denoise_scrapy.page import Page

PROSE = "<p>Die Pumpe am Tor wurde im Herbst gekauft, und der Wärter schreibt jede Stunde ihren Stand in ein Buch."
ALL = "<p><a href=/>Alle</a>"
ENTRY = "<div><{0}>{1}</{0}><p>Dichtung für die Pumpe am Tor, dazu ein Buch mit allen Ständen vom Herbst.</p></div>"


def weights(html: str, chances: list[float]) -> list[float]:
    page = Page.parse(html)
    assert len(page.blocks) == len(chances)
    return np.round(weighed(page.tree, page.words.titles, np.zeros(len(chances), bool), chances), 2).tolist()


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
        # titles of entries, whose texts are likely; not of quotations, nor what repeats, nor numbers
        (ALL.join(ENTRY.format("a", one) for one in ("Tor am Deich", "Zweites Tor", "Eis im Mai")),
         [0.2, 0.9, 0.0, 0.2, 0.6, 0.0, 0.2, 0.3], [0.9, 0.9, 0.0, 0.6, 0.6, 0.0, 0.2, 0.3]),
        ("".join(f"<div><blockquote><b>{one} sagt</b></blockquote>{PROSE}</div>" for one in ("Ada", "Max", "Eva")),
         3 * [0.2, 0.9], 3 * [0.2, 0.9]),
        (3 * ENTRY.format("a", "In den Korb"), 3 * [0.2, 0.9], 3 * [0.2, 0.9]),
        ("".join(ENTRY.format("b", one) for one in "123"), 3 * [0.2, 0.9], 3 * [0.2, 0.9]),
        ("".join(ENTRY.format("b", one) for one in ("Von Ada", "Von Max", "Von Eva")),
         3 * [0.05, 0.9], 3 * [0.05, 0.9]),
        ("".join(ENTRY.format("b", one) for one in ("Neu", "Alt", "Rar")), 3 * [0.2, 0.9], 3 * [0.2, 0.9]),
        ("".join(f"<div>{PROSE} {one}{PROSE} Für alle Zeit.</div>" for one in ("Neu", "Alt", "Rar")),
         3 * [0.2, 0.9], 3 * [0.2, 0.9]),
        ("".join(f"<div><b>4. Mai</b><p><h3>{one}</h3>{PROSE}</div>" for one in ("Am Tor", "Im Eis", "Im Mai")),
         3 * [0.2, 0.2, 0.9], 3 * [0.2, 0.9, 0.9]),
    ],
)  # fmt: skip
def test_boxes(html: str, before: list[float], after: list[float]) -> None:
    assert weights(html, before) == after
