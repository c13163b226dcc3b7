"""The Courier: English news as nested divs with class names of little or no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from example_project.portal.markup import NAV, Around, Link, anchors, head, hidden, noscript, rows, script
from example_project.portal.model import Block, Story

SITE = "The Saltmere Courier"


def _top(around: Around) -> str:
    menu = "".join(f'<div class="k7"><a href="{n.href}">{n.title}</a></div>' for n in NAV)
    return (
        f'<body class="pg"><div id="w"><div class="c-1"><div class="c-1a"><a href="/">{SITE}</a>'
        f'</div><div class="c-1b">{menu}</div></div>'
        f'<div class="c-2 z">{around.ad()}</div>{noscript(around)}\n'
    )


def _bottom(around: Around, path: str) -> str:
    more = anchors(NAV, " &middot; ")
    return (
        f'<div class="c-9"><div class="c-9a">{more}</div><div class="c-9b">'
        f"{around.voice.raw('legal')} &copy; 2024 {SITE}</div></div>"
        f'<div class="ck" id="ck1"><div>{around.voice.raw("cookie")}</div>'
        f'<div class="b">Accept all</div><div class="b">Reject</div></div></div>{script(path)}'
        "</body></html>\n"
    )


def _column(story: Story, around: Around) -> str:
    """Return the text, with the inserts between paragraphs: ads, pictures, pull quotes."""
    parts: list[str] = []
    captions = list(story.captions)
    for number, block in enumerate(story.blocks):
        if number in (1, 5) and captions:
            parts.append(_picture(number, captions.pop(0)))
        if number == 2:
            parts.append(f'<div class="z q1">{around.ad()}</div>')
        if number == 4:
            link = around.links(1)[0]
            parts.append(
                f'<div class="ins"><b>Read also</b><div><a href="{link.href}">{link.title}</a>'
                f"</div><div>{escape(link.teaser)}</div></div>"
            )
        parts.append(_block(block, around))
        if number == 6 and block.kind == "p":
            parts.append(f'<div class="bq">{escape(block.text.split(". ")[0])}</div>')
    parts += [_picture(len(story.blocks), caption) for caption in captions]
    return "\n".join(parts)


def _picture(number: int, caption: str) -> str:
    return f'<div class="g3"><img src="/i/{number}.jpg" alt=""><div class="g3t">{escape(caption)}</div></div>'


def _block(block: Block, around: Around) -> str:
    if block.kind == "p":
        return f"<p>{around.prose(block)}</p>"
    if block.kind == "h2":
        return f'<div class="t4"><b>{escape(block.text)}</b></div>'
    if block.kind == "quote":
        return f'<div class="in2"><p>{around.prose(block)}</p></div>'
    return rows(block)


def _comments(story: Story) -> str:
    """Return readers' comments: plain paragraphs in a box below the article's own."""
    if not story.comments:
        return ""
    lines = [f'<div class="t4" id="c">{len(story.comments)} comments</div>']
    for number, (nick, text) in enumerate(story.comments):
        lines.append(f"<p>{escape(text)}</p>\n<p>Posted by {nick}, {number + 2} hours ago</p>")
    replies = "\n".join([*lines, '<p><a href="/about.html">Leave a reply</a></p>'])
    return f'<div class="usercomments">{replies}</div>'


def _side(around: Around) -> str:
    read = "".join(
        f'<div class="r"><span>{n}</span> <a href="{link.href}">{escape(link.title)}</a></div>'
        for n, link in enumerate(around.links(5), 1)
    )
    return (
        f'<div class="c-5"><div class="h">Most read</div>{read}'
        f'<div class="h">From our partners</div><div>{around.ad()}</div><div>{around.ad()}</div>'
        f'<div class="nl"><div class="h">The morning letter</div>{around.voice.raw("letter")}'
        '<form action="/about.html"><input name="m"><input type="submit" value="Sign up"></form>'
        "</div></div>"
    )


def _related(around: Around) -> str:
    items = "\n".join(
        f'<div class="k2"><a href="{link.href}">{escape(link.title)}</a>'
        f'<div class="k2t">{escape(link.teaser)}</div></div>'
        for link in around.links(around.rng.randint(3, 5))
    )
    return f'<div class="k1"><div class="h">More from the Courier</div>{items}</div>'


def article(story: Story, around: Around, extra: Sequence[Link] = ()) -> str:
    """Return the page of a story; `extra` links lead to its other editions."""
    also = "".join(f'<div class="als"><a href="{link.href}">{escape(link.title)}</a></div>' for link in extra)
    share = "".join(f'<span class="s{n}">{w}</span> ' for n, w in enumerate(("Share", "Mail")))
    tag = f'<a href="/tag/{story.topic}/">{story.topic}</a>'
    return (
        head(story.title, SITE, story.path)
        + _top(around)
        + f'<div class="c-3"><div class="bc"><a href="/">Front page</a> &gt; <a href="/news/">News'
        f'</a> &gt; {tag}</div><div class="c-4"><div class="u"><div class="u1"><h1>'
        f'{escape(story.title)}</h1><div class="d8">By {story.author} | {story.date} | '
        f'{around.rng.randint(2, 9)} min read</div><div class="sh">{share}</div>\n'
        f'<div class="v"><div class="vv">{_column(story, around)}\n<div class="tg">Tags: {tag}, '
        f'<a href="/news/">local</a></div>{also}\n{_comments(story)}</div></div>{hidden(around)}'
        f"</div></div>{_related(around)}</div>{_side(around)}</div>\n" + _bottom(around, story.path)
    )


def index(title: str, path: str, links: Sequence[Link], pager: Sequence[Link], around: Around) -> str:
    """Return a list page with a teaser under each link."""
    items = "\n".join(
        f'<div class="k3"><a href="{link.href}">{escape(link.title)}</a><p>{escape(link.teaser)}'
        f'</p><div class="d8">{around.rng.randint(1, 28)} November</div></div>'
        for link in links
    )
    return (
        head(title, SITE, path)
        + _top(around)
        + f'<div class="c-3"><div class="c-4"><h1>{title}</h1>{items}<div class="pp">'
        f"{anchors(pager)}</div></div>{_side(around)}</div>\n" + _bottom(around, path)
    )
