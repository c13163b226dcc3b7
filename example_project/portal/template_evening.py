"""The Evening edition: English news in the semantic tags of HTML 5."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from example_project.portal.markup import NAV, Around, Link, anchors, head, hidden, noscript, rows, script
from example_project.portal.model import Block, Story

SITE = "Saltmere Evening"


def _block(block: Block, around: Around) -> str:
    if block.kind == "quote":
        return f'<blockquote cite="/news/"><p>{around.prose(block)}</p></blockquote>'
    if block.kind in ("p", "h2"):
        return f"<{block.kind}>{around.prose(block)}</{block.kind}>"
    return rows(block)


def _column(story: Story, around: Around) -> str:
    parts = [_block(block, around) for block in story.blocks]
    ad = f'<aside class="promo-inline"><small>Advertisement</small><p>{around.ad()}</p></aside>'
    parts.insert(min(2, len(parts)), ad)
    for number, caption in enumerate(story.captions):
        figure = (
            f'<figure><picture><img src="/i/e{number}.webp" alt="{escape(caption)}"></picture>'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
        )
        parts.insert(number * 3, figure)
    return "\n".join(parts)


def _top(around: Around) -> str:
    items = "".join(f'<li><a href="{n.href}">{n.title}</a></li>' for n in NAV)
    return (
        f'<body><div class="consent" role="dialog"><p>{around.voice.raw("cookie")}</p>'
        f"<button>Fine by me</button></div><header><p>{SITE}</p><nav><ul>{items}</ul></nav>"
        f"</header>{noscript(around)}"
    )


def _bottom(around: Around, path: str) -> str:
    return (
        f"<footer><section><h4>Sections</h4>{anchors(NAV, ' | ')}</section>"
        f"<p>{around.voice.raw('legal')}</p></footer>{script(path)}</body></html>\n"
    )


def _aside(around: Around) -> str:
    teasers = "\n".join(
        f'<article class="card"><h3><a href="{link.href}">{escape(link.title)}</a></h3>'
        f"<p>{escape(link.teaser)}</p></article>"
        for link in around.links(4)
    )
    read = "".join(f'<li><a href="{link.href}">{escape(link.title)}</a></li>' for link in around.links(5))
    return (
        f"<aside><section><h2>You may also like</h2>{teasers}</section><section><h2>Most read "
        f"tonight</h2><ol>{read}</ol></section><section><p>{around.voice.raw('letter')}</p>"
        "</section></aside>"
    )


def article(story: Story, around: Around, extra: Sequence[Link] = ()) -> str:
    """Return the page of a story; `extra` links lead on to longer versions of it."""
    also = f'<p class="onward">{anchors(extra)}</p>' if extra else ""
    return (
        head(story.title, SITE, story.path)
        + _top(around)
        + f'<main><article class="story"><header><p class="kicker">{story.topic}</p><h1>'
        f'{escape(story.title)}</h1><p class="by">By <a rel="author" href="/about.html">'
        f"{story.author}</a>, <time>{story.date}</time></p><ul class='share'><li>Share</li>"
        f'<li>Print</li><li>Save</li></ul></header>\n<section class="txt">'
        f"{_column(story, around)}</section>{hidden(around)}<footer>Filed under "
        f'<a href="/tag/{story.topic}/">{story.topic}</a> by the evening desk</footer>{also}'
        f"</article>{_aside(around)}</main>\n" + _bottom(around, story.path)
    )


def index(title: str, path: str, links: Sequence[Link], pager: Sequence[Link], around: Around) -> str:
    """Return a list page of cards."""
    cards = "\n".join(
        f'<article class="card"><h2><a href="{link.href}">{escape(link.title)}</a></h2>'
        f"<p>{escape(link.teaser)}</p></article>"
        for link in links
    )
    return (
        head(title, SITE, path)
        + _top(around)
        + f"<main><h1>{title}</h1>{cards}<nav>{anchors(pager)}</nav></main>\n"
        + _bottom(around, path)
    )
