"""What boxes make of the model's probabilities, each on a page made for it."""

import numpy as np
import pytest

from denoise_scrapy.core.boxes import weighed
from denoise_scrapy.page import Page

PROSE = "<p>Die Pumpe am Tor wurde im Herbst gekauft, und der Wärter schreibt jede Stunde ihren Stand in ein Buch."
ALL = "<p><a href=/>Alle</a>"
ENTRY = "<div><{0}>{1}</{0}><p>Dichtung für die Pumpe am Tor, dazu ein Buch mit allen Ständen vom Herbst.</p></div>"

TICKER = "".join(
    f"<section>{{0}}<time>{one}</time>{PROSE}</section>" for one in ("11:42", "11.05 Uhr", "9h30", "0:10 am")
)


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
        # posts with times in order: not below names or texts, nor links, a programme, or beside a long text
        (f"<div>{TICKER.format('')}</div>", 4 * [0.1, 0.2], 4 * [0.1, 0.6]),
        (f"<div>{TICKER.replace('section>', 'h4>').replace('</time>', '</h4>').format('')}</div>",
         4 * [0.1, 0.2], 4 * [0.1, 0.6]),
        (f"<div>{TICKER.format('').replace('11.05', '9.05')}</div>", 4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        (f"<div>{TICKER.format('').replace('11.05 Uhr', '11.05.2026')}</div>",
         4 * [0.1, 0.2], [0.1, 0.6, 0.1, 0.2, 0.1, 0.6, 0.1, 0.6]),
        (f"<div>{TICKER.format('<p>Ada</p>')}</div>", 4 * [0.1, 0.1, 0.2], 4 * [0.1, 0.1, 0.2]),
        (f"<div>{TICKER.format('').replace('<p>', '<p><a href=/>')}</div>", 4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        (f"<div>{TICKER.format('').replace(PROSE, '<p>Tagesschau')}</div>", 4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        (f"<div>{9 * PROSE}</div><div>{TICKER.format('')}</div>",
         [*9 * [0.95], *4 * [0.1, 0.2]], [*9 * [0.95], *4 * [0.1, 0.2]]),
        ("".join(f"<section>{PROSE}</p><time>{one}</time></section>" for one in ("9:05", "9:30", "10:10", "11:00")),
         4 * [0.2, 0.1], 4 * [0.2, 0.1]),
        (f"<aside>{TICKER.format('')}</aside>", 4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        (f"{4 * PROSE}<div class=comments>{TICKER.format('')}</div>",
         [*4 * [0.8], *4 * [0.1, 0.2]], [*4 * [0.8], *4 * [0.1, 0.2]]),
        ("".join(f"<div><b>{one} AFP</b>{PROSE}</div>" for one in ("11:42", "12:05", "12:30", "13:10")),
         4 * [0.1, 0.2], 4 * [0.1, 0.6]),
        ("".join(f"<div><b>{one}</b>{PROSE}</div>" for one in ("1.05.", "3.05.", "8.05.", "9.05.")),
         4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        # buttons, but for those in headings
        ("<a href=/>A</a><button>Ajouter</button><h3><button>Pourquoi ?</button></h3>",
         [0.5, 0.6, 0.6], [0.5, 0.18, 0.6]),
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
