"""Blocks as HTML, and parts shared by the templates: ads, teasers, scripts, hidden boxes, small print."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from example_project.portal.grammar import Voice, rules
from example_project.portal.model import Block, Story

PLAIN_EN = re.compile(r"(?<= )[a-z]{3,} [a-z]{3,}(?= )")
PLAIN_ZH = re.compile(r"[㐀-鿿]{4}")


@dataclass(frozen=True)
class Link:
    """A link to a page with its title and a teaser in prose."""

    href: str
    title: str
    teaser: str = ""


class Around:
    """The frame around one page's text, the same in every run: draws are seeded with the path."""

    def __init__(self, path: str, pool: Sequence[Story]):
        self.rng = random.Random(f"around {path}")
        self.voice = Voice(self.rng, rules("site_en", "nicks"))
        self.pool = [story for story in pool if story.path != path]

    def links(self, count: int) -> list[Link]:
        """Return links to other stories; every second teaser is the first sentence of its story."""
        stories = self.rng.sample(self.pool, min(count, len(self.pool)))
        return [Link(s.path, s.title, s.lead if self.rng.random() < 0.5 else s.teaser) for s in stories]

    def day(self) -> str:
        """Return a date as shown in lists of links."""
        return f"2024-{self.rng.randint(1, 12):02d}-{self.rng.randint(1, 28):02d}"

    def ad(self) -> str:
        """Return a text advertisement, a different one on each page."""
        return rich(self.voice.raw("ad"))

    def prose(self, block: Block) -> str:
        """Return a paragraph's HTML, one in three with a link to another story inside."""
        text = rich(block.text)
        spots = list((PLAIN_ZH if PLAIN_ZH.search(text) else PLAIN_EN).finditer(text))
        if not spots or not self.pool or self.rng.random() > 0.35:
            return text
        spot = self.rng.choice(spots)
        href = self.rng.choice(self.pool).path
        return f'{text[: spot.start()]}<a href="{href}">{spot[0]}</a>{text[spot.end() :]}'


def rich(text: str, tag: str = "b") -> str:
    """Escape a text; its bold parts become `tag`."""
    text = escape(text, quote=False)
    return text.replace("&lt;b&gt;", f"<{tag}>").replace("&lt;/b&gt;", f"</{tag}>")


def rows(block: Block, tag: str = "b") -> str:
    """Return a list or table as HTML."""
    if block.kind == "table":
        head, *body = block.rows
        cells = "".join(f"<th>{rich(cell, tag)}</th>" for cell in head)
        lines = ["<tr>" + "".join(f"<td>{rich(cell, tag)}</td>" for cell in row) + "</tr>" for row in body]
        return f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    items = "\n".join(f"<li>{rich(row[0], tag)}</li>" for row in block.rows)
    return f"<{block.kind}>{items}</{block.kind}>"


def script(path: str) -> str:
    """Return an inline script with words in it, like those of counters and consent boxes."""
    return (
        f'<script>window.dataLayer=window.dataLayer||[];dataLayer.push({{"page":"{path}",'
        '"text":"We value your privacy and so do our partners."});'
        "if(1<2){document.write('<p>Written by a script</p>')}</script>"
    )


def head(title: str, site: str, path: str, lang: str = "en") -> str:
    """Return the start of a document up to its body."""
    return (
        f'<!DOCTYPE html>\n<html lang="{lang}"><head><meta charset="utf-8">\n'
        f"<title>{escape(title)} - {escape(site)}</title>\n"
        '<meta name="viewport" content="width=device-width">\n'
        "<style>body{font:16px/1.5 Georgia,serif}.x0{display:none}td{vertical-align:top}</style>\n"
        f"{script(path)}</head>\n"
    )


def anchors(links: Sequence[Link], between: str = "\n") -> str:
    """Return bare links one after the other."""
    return between.join(f'<a href="{link.href}">{escape(link.title)}</a>' for link in links)


def hidden(around: Around) -> str:
    """Return a box that no reader sees: a pay wall's text under display:none."""
    return f'<div style="display:none" class="m-w"><p>{around.voice.raw("hidden")}</p></div>'


def noscript(around: Around) -> str:
    """Return the text shown by browsers without scripts."""
    return f"<noscript><p>{around.voice.raw('noscript')}</p></noscript>"


NAV = (
    Link("/", "Front page"),
    Link("/news/", "News"),
    Link("/evening/", "Evening"),
    Link("/xinwen/", "中文"),
    Link("/forum/", "Forum"),
    Link("/docs/", "Tarnhold manual"),
    Link("/about.html", "About us"),
    Link("/private/drafts.html", "Newsroom"),
)
