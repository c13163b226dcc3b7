"""The forum: a table for each post, with the author's column, signatures and quotes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from example_project.portal.forum import Post, Thread
from example_project.portal.markup import NAV, Around, Link, anchors, head, noscript, script

SITE = "Saltmere Boards"


def _top(around: Around) -> str:
    return (
        f'<body id="phx"><div class="wrap"><div class="hd"><a href="/forum/">{SITE}</a>'
        f'<ul class="lin">{"".join(f"<li>{anchors([n])}</li>" for n in NAV)}</ul>'
        '<form action="/forum/"><input name="q" value="Search"></form></div>'
        f'<p class="rl">Please read the rules before posting. Be kind, stay on topic, no prices '
        f"in titles.</p>{noscript(around)}"
    )


def _bottom(around: Around, path: str) -> str:
    return (
        '<div class="whois"><h3>Who is online</h3><p>Users browsing this forum: '
        f"{around.voice.raw('nick')}, {around.voice.raw('nick')} and {around.rng.randint(2, 30)} "
        f'guests</p></div><div class="cpy">Powered by Phenix boards. {around.voice.raw("cookie")}'
        f"</div></div>{script(path)}</body></html>\n"
    )


def _post(post: Post, number: int, around: Around) -> str:
    quote = ""
    if post.quote[1]:
        quote = (
            f'<blockquote><div><cite>{post.quote[0]} wrote:</cite><div class="qt">'
            f"{escape(post.quote[1])}</div></div></blockquote>"
        )
    text = "<br><br>".join(escape(part) for part in post.text)
    sig = f'<div class="sg">{post.signature}</div>' if post.signature else ""
    rank = around.rng.choice(("Newcomer", "Regular", "Old hand", "Moderator"))
    return (
        f'<table class="tb" id="p{number}"><tr><td class="au" width="160"><b>{post.author}</b>'
        f"<br>{rank}<br>Posts: {around.rng.randint(3, 4000)}<br>Joined: {2011 + number}</td>"
        f'<td class="po"><div class="mt"><a href="#p{number}">#{number}</a> Post by <b>'
        f'{post.author}</b> on {post.date}</div><div class="cx">{quote}{text}</div>{sig}'
        f'<div class="bt"><a href="/private/reply.html">Reply</a> <a href="/about.html">Report'
        "</a></div></td></tr></table>\n"
    )


def thread(item: Thread, around: Around, others: Sequence[Link]) -> str:
    """Return the page of a thread; an ad follows the first post."""
    posts = [_post(post, number, around) for number, post in enumerate(item.posts, 1)]
    posts.insert(1, f'<table class="tb sp"><tr><td>Sponsor</td><td>{around.ad()}</td></tr></table>')
    same = "".join(
        f'<tr><td><a href="{link.href}">{escape(link.title)}</a></td><td>{around.voice.raw("nick")}, {around.day()}'
        f"</td><td>{around.rng.randint(1, 90)}</td></tr>"
        for link in others
    )
    return (
        head(item.title, SITE, item.path)
        + _top(around)
        + f'<div class="crumb"><a href="/forum/">Index</a> &raquo; {item.board}</div>'
        f'<h1>{escape(item.title)}</h1><div class="pg">{len(item.posts)} posts &bull; Page 1 of 1'
        f"</div>\n{''.join(posts)}<table class='sim'><tr><th>Similar threads</th><th>Last post"
        f"</th><th>Views</th></tr>{same}</table>\n" + _bottom(around, item.path)
    )


def index(path: str, threads: Sequence[Link], pager: Sequence[Link], around: Around) -> str:
    """Return a list of threads."""
    items = "".join(
        f'<tr><td><a href="{link.href}">{escape(link.title)}</a><br><small>{escape(link.teaser)}'
        f"</small></td><td>{around.rng.randint(2, 9)}</td></tr>"
        for link in threads
    )
    return (
        head("All threads", SITE, path)
        + _top(around)
        + f"<h1>All threads</h1><table class='tl'>{items}</table><div>{anchors(pager)}</div>"
        + _bottom(around, path)
    )
