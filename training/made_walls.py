"""Made walls: recorded pages whose story is replaced by one that only asks, refuses or regrets: no content at all.

And pages of nothing but a few paragraphs of a story, so that few words without a frame are no sign of a wall.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from lxml import html
from lxml.html.builder import E

from benchmarks.corpora import RecordedPage, Site
from denoise_scrapy.page import Page
from training.made import Original
from training.made_boxes import Style
from training.made_donors import donor, language

#: Language -> kind -> four texts, one for each fold: what a model is judged by was worded otherwise than what it saw.
#: A line each: heading, sentences, and buttons after "> ".
WALLS: Mapping[str, Mapping[str, list[str]]] = json.loads(Path(__file__).with_name("walls.json").read_text("utf-8"))
#: How often a wall stands alone, without the frame of the site; has a title of its own, not the story's; and is of any
#: language, not of the site's.
ALONE, TITLED, ANY_LANGUAGE = 0.1, 0.6, 0.5
#: How many other pages of the site show the same, where they do.
SAME = 3
#: Paragraphs of a story alone, fewest and most; how often under its headline.
PARAGRAPHS, HEADED = (1, 8), 0.5


def made_wall(site: Site, i: int, fold: int, rng: random.Random) -> list[Page]:
    """A page of a site as a wall, and other pages of it that show the same; none where it cannot be one.

    Args:
        site: The recorded pages.
        i: Number of the page.
        fold: Which of the wordings.
        rng: Where all chances come from.
    """
    spoken = language(site[i])
    if rng.random() < ANY_LANGUAGE or spoken not in WALLS:
        spoken = rng.choice(sorted(WALLS))
    texts = WALLS[spoken][rng.choice(sorted(WALLS[spoken]))]
    style, alone, titled = Style(rng, spoken, "plain", rng), rng.random() < ALONE, rng.random() < TITLED

    def wall(recorded: RecordedPage) -> Page | None:
        return _wall(recorded, style, texts[fold % len(texts)], alone, titled)

    first = wall(site[i])
    if first is None:
        return []
    rest = rng.sample([*site[:i], *site[i + 1 :]], min(len(site) - 1, SAME))
    return [first, *filter(None, map(wall, rest if rng.random() < 0.5 else []))]


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


def _wall(recorded: RecordedPage, style: Style, text: str, alone: bool, titled: bool) -> Page | None:
    """One page with a text in place of its story, or of all."""
    original = None if alone else Original.of(recorded)
    if alone:
        markup = str(html.tostring(E("body", _box(style, text)), encoding="unicode"))
    elif original is None:
        return None
    else:
        original.replace_story([_box(style, text)], keep_rest=False)
        markup = original.markup()
        if titled:
            title = escape(text.partition("\n")[0])
            markup = re.sub(r"(<title[^>]*>)[^<]*", lambda found: found[1] + title, markup, count=1)
    return Page.parse(markup, url=recorded.url)


def _box(style: Style, text: str) -> Any:
    """The text as the style writes it."""
    first, *lines = text.split("\n")
    said = [line for line in lines if not line.startswith("> ")]
    buttons = [style.make(style.rng.choice(("a", "button")), "", line[2:]) for line in lines if line.startswith("> ")]
    parts = [style.heading(first), *(style.make(style.text_tag, "", line) for line in said)]
    if buttons:
        parts.append(style.make("div", "", *buttons))
    return style.make("div", "box", *parts)
