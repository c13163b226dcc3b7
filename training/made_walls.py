"""Made walls: recorded pages whose story is replaced by one that only asks, refuses or regrets: no content at all.

And pages of nothing but a few paragraphs of a story, so that few words without a frame are no sign of a wall.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from lxml import html

from benchmarks.corpora import RecordedPage, Site
from denoise_scrapy.page import Page
from training.made import Original
from training.made_boxes import Style
from training.made_donors import donor, language

#: Language -> kind -> four texts, one for each fold: what a model is judged by was worded otherwise than what it saw.
#: A line each: heading, sentences, and buttons after "> ".
WORDS = Path(__file__).with_name("walls.json")
#: How often a wall stands alone, without the frame of the site; has a title of its own, not the story's; and is of any
#: language, not of the site's.
ALONE, TITLED, ANY_LANGUAGE = 0.1, 0.6, 0.5
#: How many other pages of the site show the same, where they do.
SAME = 3
#: Paragraphs of a story alone, fewest and most; how often under its headline.
PARAGRAPHS, HEADED = (1, 8), 0.5


@dataclass(frozen=True)
class MadeWall:
    """A wall in the frame of a recorded page, and what the site's other pages look like then."""

    page: Page
    others: list[Page]


@cache
def walls() -> Mapping[str, Mapping[str, list[str]]]:
    """All texts."""
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(WORDS.read_text("utf-8"))
    return found


def made_wall(site: Site, i: int, fold: int, pages: list[Page], rng: random.Random) -> Iterator[MadeWall]:
    """A page of a site as a wall: its other pages are as recorded, or show the same.

    Args:
        site: The recorded pages.
        i: Number of the page.
        fold: Which of the wordings.
        pages: The other pages of the site as recorded.
        rng: Where all chances come from.
    """
    spoken = language(site[i])
    if rng.random() < ANY_LANGUAGE or spoken not in walls():
        spoken = rng.choice(sorted(walls()))
    texts = walls()[spoken][rng.choice(sorted(walls()[spoken]))]
    text = texts[fold % len(texts)]
    style, drawn = Style(rng, spoken, "plain", rng), (rng.random() < ALONE, rng.random() < TITLED)
    first = _walled(site, i, style, text, *drawn)
    if first is not None:
        rest = rng.sample([j for j in range(len(site)) if j != i], min(len(site) - 1, SAME))
        same = [_walled(site, j, style, text, *drawn) for j in rest] if rng.random() < 0.5 else []
        yield MadeWall(first, [page for page in same if page is not None] or pages)


def made_alone(recorded: RecordedPage, rng: random.Random) -> Page | None:
    """A page of some paragraphs of a story, all of it content; None where there are none."""
    told, style = donor(recorded), Style(rng, language(recorded), "plain", rng)
    if not told.paragraphs:
        return None
    count, start = rng.randint(*PARAGRAPHS), rng.randrange(len(told.paragraphs))
    lines = [style.make(style.text_tag, "", line) for line in told.paragraphs[start : start + count]]
    head = [style.heading(told.title)] if told.title and rng.random() < HEADED else []
    body = html.Element("body")
    body.extend([*head, *lines] if rng.random() < HEADED else [style.make("div", "box", *head, *lines)])
    title = f"<title>{escape(told.title)}</title>" if rng.random() < TITLED else ""
    return Page.parse(title + str(html.tostring(body, encoding="unicode")), url=recorded.url)


def _walled(site: Site, i: int, style: Style, text: str, alone: bool, titled: bool) -> Page | None:
    if alone:
        body = html.Element("body")
        body.append(_box(style, text))
        return Page.parse(str(html.tostring(body, encoding="unicode")), url=site[i].url)
    original = Original.of(site[i])
    if original is None:
        return None
    original.replace_story([_box(style, text)], keep_rest=False)
    page = original.markup()
    if titled:
        page = re.sub(r"(<title[^>]*>)[^<]*", lambda found: found[1] + escape(text.partition("\n")[0]), page, count=1)
    return Page.parse(page, url=site[i].url)


def _box(style: Style, text: str) -> Any:
    first, *lines = text.split("\n")
    said = [line for line in lines if not line.startswith("> ")]
    buttons = [style.make(style.rng.choice(("a", "button")), "", line[2:]) for line in lines if line.startswith("> ")]
    parts = [style.heading(first), *(style.make(style.text_tag, "", line) for line in said)]
    return style.make("div", "box", *parts, *([style.make("div", "", *buttons)] if buttons else []))
