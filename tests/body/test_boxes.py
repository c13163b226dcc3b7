"""What boxes make of the model's probabilities, each on a page made for it."""

import numpy as np
import pytest

from denoise_scrapy.core.boxes import weighed
from denoise_scrapy.page import Page

PROSE = "<p>Die Pumpe am Tor wurde im Herbst gekauft, und der Wärter schreibt jede Stunde ihren Stand in ein Buch."
ALL = "<p><a href=/>Alle</a>"
POSTS = 3 * "<div><{0}><a href=/ada>Ada</a></{0}><div><p>Dichtung.</p></div></div>"
REMARKS = 3 * "<div><a href=/ada>Ada</a><div class='{0}'><p>Dichtung.</p></div></div>"
ENTRY = "<div><{0}>{1}</{0}><p>Dichtung für die Pumpe am Tor, dazu ein Buch mit allen Ständen vom Herbst.</p></div>"
TICKER = "".join(
    f"<section>{{0}}<time>{one}</time>{PROSE}</section>" for one in ("11:42", "11.05 Uhr", "9h30", "0:10 am")
)
LINKS = "<li><a href=/1>Clerk</a><li><a href=/2>Tenor</a><li><a href=/3>Painter</a>"


def weights(html: str, chances: list[float]) -> list[float]:
    page = Page.parse(html)
    assert len(page.blocks) == len(chances)
    return np.round(weighed(page.tree, page.words, np.zeros(len(chances), bool), chances), 2).tolist()


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
        # a section of links below its own heading, which may be alone in a box
        (f"<main><h2>Offene Stellen</h2><ul>{LINKS}</ul></main>", [0.6, 0.2, 0.2, 0.2], [0.6, 0.6, 0.6, 0.6]),
        (f"<main><div><h3>募集中</h3></div><ul>{LINKS}</ul></main>", [0.6, 0.2, 0.2, 0.2], [0.6, 0.6, 0.6, 0.6]),
        (f"<main><h2>Related</h2><ul>{LINKS}</ul></main>", [0.3, 0.2, 0.2, 0.2], [0.3, 0.2, 0.2, 0.2]),
        # sources, even one
        (f"<main>{PROSE}<div><h2>参考资料</h2></div><ul><li>Akte 12</li></ul></main>{ALL}",
         [0.9, 0.6, 0.2, 0.1], [0.9, 0.6, 0.6, 0.1]),
        # buttons, but for those in headings
        ("<a href=/>A</a><button>Ajouter</button><h3><button>Pourquoi ?</button></h3>",
         [0.5, 0.6, 0.6], [0.5, 0.18, 0.6]),
        # an appeal between paragraphs
        (f"<div>{5 * PROSE}</p><aside><h4>Вы с нами?</h4><p>Помогите.</p><a href=/x>Дать</a></aside></div>",
         [*5 * [0.99], 0.7, 0.5, 0.01], [*5 * [0.99], 0.21, 0.15, 0.0]),
        (f"<div>{5 * PROSE}</p><form><h3>Newsletter</h3><p>Ogni mattina.<button>Ora</button></form></div>",
         [*5 * [0.99], 0.7, 0.8, 0.6], [*5 * [0.99], 0.21, 0.24, 0.05]),
        (f"<div>{5 * PROSE}</p><form><p>E-Mail</p><p>Monatlich.<input></form></div>",
         [*5 * [0.99], 0.5, 0.96], [*5 * [0.99], 0.15, 0.29]),
        (f"<div>{5 * PROSE}</p><div><p>Monatlich.</p><a href=/x>Ja</a></div></div>",
         [*5 * [0.99], 0.96, 0.4], [*5 * [0.99], 0.96, 0.4]),
        (f"<div>{5 * PROSE}</p><div><p>Mehr davon.</p><a href=/x>Alle Texte von hier</a></div></div>",
         [*5 * [0.99], 0.8, 0.5], [*5 * [0.99], 0.8, 0.5]),
        (f"<div>{5 * PROSE}</p><div><button>Copy</button><pre>retries = 4</pre></div></div>",
         [*5 * [0.99], 0.5, 0.8], [*5 * [0.99], 0.15, 0.8]),
        # posts of a thread, and teasers
        (f"<h1>Pumpe brummt</h1>{POSTS.format('p')}", [0.9, *3 * [0.3, 0.2]], [0.9, *3 * [0.3, 0.6]]),
        (f"<nav></nav><h1>Pumpe brummt</h1>{10 * PROSE}{POSTS.format('p')}",
         [0.9, *10 * [0.9], *3 * [0.3, 0.2]], [0.9, *10 * [0.9], *3 * [0.3, 0.2]]),
        (f"<h1>Pumpe brummt</h1>{POSTS.format('h3')}", [0.9, *3 * [0.3, 0.2]], [0.9, *3 * [0.3, 0.2]]),
        (f"<h1>Pumpe brummt</h1><div class=md><p>Wer?</p></div><div class=comments>{REMARKS.format('md')}</div>",
         [0.9, 0.9, *3 * [0.1, 0.02]], [0.9, 0.9, *3 * [0.1, 0.6]]),
        (f"<p>Wer?</p><div class=comments>{REMARKS.format('')}</div>",
         [0.9, *3 * [0.1, 0.02]], [0.9, *3 * [0.1, 0.6]]),
        (f"<h1>Pumpe brummt</h1><div class=md><p>Wer?</p></div><div class=comments>{REMARKS.format('text')}</div>",
         [0.9, 0.9, *3 * [0.1, 0.02]], [0.9, 0.9, *3 * [0.1, 0.02]]),
        (f"<title>Tor</title><article><h1>Tor</h1><p>Offen.</article><div class=comments>{REMARKS.format('')}</div>",
         [0.9, 0.9, *3 * [0.4, 0.4]], [0.9, 0.9, *3 * [0.12, 0.12]]),
        # posts with times in order: not without order, below names, nor links, nor a programme, nor beside a long text
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
        (f"<aside>{TICKER.format('')}</aside>", 4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        (f"{4 * PROSE}<div class=comments>{TICKER.format('')}</div>",
         [*4 * [0.8], *4 * [0.1, 0.2]], [*4 * [0.8], *4 * [0.1, 0.2]]),
        ("".join(f"<div><b>{one} AFP</b>{PROSE}</div>" for one in ("11:42", "12:05", "12:30", "13:10")),
         4 * [0.1, 0.2], 4 * [0.1, 0.6]),
        ("".join(f"<div><b>{one}</b>{PROSE}</div>" for one in ("1.05.", "3.05.", "8.05.", "9.05.")),
         4 * [0.1, 0.2], 4 * [0.1, 0.2]),
        # the footer of an article
        (f"<article><p><a href=/>A</a><footer><h3>Quellen</h3><li>Akte 12</li></footer></article><footer>{PROSE}",
         [0.5, 0.3, 0.2, 0.3], [0.5, 0.6, 0.6, 0.3]),
        ("<article><h2>Tor</h2><footer><p>Von Max</p><a href=/tor>Tor</a></footer></article>",
         [0.5, 0.3, 0.2], [0.5, 0.3, 0.2]),
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
