"""The manual: a contents tree at the side, prev and next, and the same note under all pages."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from example_project.portal.docs import VERSIONS
from example_project.portal.markup import Around, Link, anchors, head, rich, rows
from example_project.portal.model import Block, Story

SITE = "Tarnhold manual"
NOTE = (
    "This manual is published under a free licence and may be copied, changed and passed on as "
    "long as this note is kept. If you find a mistake, please tell the documentation group; small "
    "corrections are usually online within a day, and the history of all pages is kept."
)


def _tree(chapters: Sequence[Story], current: str) -> str:
    items = "".join(
        f'<li class="toctree-l1"><a href="{story.path}">{escape(story.title)}</a>'
        + (_branch(story) if story.path == current else "")
        + "</li>"
        for story in chapters
    )
    return f'<div class="sphx" role="navigation"><ul>{items}</ul></div>'


def _branch(story: Story) -> str:
    subs = [block.text for block in story.blocks if block.kind == "h2"]
    return "<ul>" + "".join(f'<li><a href="#s{n}">{escape(s)}</a></li>' for n, s in enumerate(subs)) + "</ul>"


def _blocks(story: Story) -> str:
    parts, section = [], 0
    for block in story.blocks:
        if block.kind == "h2":
            parts.append(f'<h2 id="s{section}">{escape(block.text)}<a class="hl" href="#s{section}">&para;</a></h2>')
            section += 1
        else:
            parts.append(_block(block))
    return "\n".join(parts)


def _block(block: Block) -> str:
    if block.kind == "p":
        return f"<p>{rich(block.text, 'code')}</p>"
    if block.kind == "pre":
        return f'<div class="hi"><button>Copy</button><pre>{escape(block.text)}</pre></div>'
    return rows(block, "code")


def page(story: Story, chapters: Sequence[Story], around: Around) -> str:
    """Return a chapter's page; both versions share one template and the note at the end."""
    place = [chapter.path for chapter in chapters].index(story.path)
    before, after = chapters[place - 1], chapters[(place + 1) % len(chapters)]
    turn = (
        f'<div class="pn"><a rel="prev" href="{before.path}">Previous: {escape(before.title)}</a> '
        f'<a rel="next" href="{after.path}">Next: {escape(after.title)}</a></div>'
    )
    return (
        head(story.title, f"{SITE} {story.topic}", story.path)
        + f'<body class="man"><header><a href="/docs/">{SITE}</a> {_versions(story.topic)}'
        f'<form action="/docs/"><input name="q"></form></header>\n<div class="row">'
        f'{_tree(chapters, story.path)}\n<main role="main">{turn}<section class="doc"><h1>'
        f"{escape(story.title)}</h1>\n{_blocks(story)}\n<hr><p class='nt'>{NOTE}</p></section>"
        f"{turn}<p>Was this page helpful? <button>Yes</button> <button>No</button></p></main>"
        f"</div>\n<footer>Version {story.topic}, built on {around.rng.randint(1, 28)} November "
        f"2024. {anchors([Link('/', 'Saltmere'), Link('/forum/', 'Forum')], ' ')}</footer></body>"
        "</html>\n"
    )


def _versions(current: str) -> str:
    return " ".join(
        f'<a href="/docs/{version}/">{version}{" (this)" if version == current else ""}</a>' for version in VERSIONS
    )


def index(title: str, path: str, links: Sequence[Link]) -> str:
    """Return a contents page."""
    items = "".join(f'<li><a href="{link.href}">{escape(link.title)}</a> {escape(link.teaser)}</li>' for link in links)
    return (
        head(title, SITE, path)
        + f'<body class="man"><header><a href="/">Saltmere</a> {_versions("")}</header><main><h1>'
        f"{title}</h1><ul>{items}</ul></main><footer>{NOTE}</footer></body></html>\n"
    )
