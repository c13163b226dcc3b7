"""The text that a page states in its data and does not show: an article of JSON-LD, or what its script would show.

Pages are hostile: JSON-LD is searched, as much of it as for types; other JSON is read up to a size, without recursion.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from html import escape, unescape
from typing import Any, NamedTuple

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF
from denoise_scrapy.page.parse import json_strings

#: Expected tokens of the page's own body for each token of a script's data: with as many, the page shows its text. Of
#: an article in JSON-LD it shows most, as data says that it is the page's text: of 97 recorded pages with one
#: `articleBody` two have less than three quarters of it, and one, behind a paywall, less than half.
OF_SCRIPT = 0.2
#: A text of fewer tokens is a teaser; from as many expected tokens of a page's own body its script's data is not read.
LEAST_TOKENS = 40
#: Median F1 of `articleBody` on 71 recorded pages that show it; and a guess.
ARTICLE_CONFIDENCE, SCRIPT_CONFIDENCE = 0.9, 0.5
#: Characters of a script's data: longer ones, which are cut, are not JSON.
MAX_STATE = 1_000_000
#: Characters of a string from which it is prose: fewer are labels and addresses.
PROSE = 60

_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)


class Stated(NamedTuple):
    """A text as a page of its own, and the confidence in it."""

    page: Page
    confidence: float


def stated_text(page: Page, shown: float = 0) -> Stated | None:
    """Return the text that a page states in its data, None if it shows it, or without any, or with several.

    Args:
        page: The page.
        shown: Expected tokens of the body that it shows.

    Example:
        >>> data = '{"@type": "Article", "articleBody": "' + "It rained all night. " * 20 + '"}'
        >>> found = stated_text(Page.parse(f"<script type=application/ld+json>{data}</script><div id=root></div>"))
        >>> found.page.block_texts[0][:20], found.confidence
        ('It rained all night.', 0.9)
    """
    if len(page.articles) == 1:
        headlines = json_strings(page.json_ld, "headline")[:1]
        return _stated(page, headlines, page.articles, shown / HALF, ARTICLE_CONFIDENCE)
    if page.articles or shown >= LEAST_TOKENS:
        return None
    states = [value for value in page.tree.declared(b"state") if len(value) <= MAX_STATE]
    found = [prose for state in [*states, *page.json_ld] if (prose := _prose_of(state))]  # also of a job, a recipe
    if not found:
        return None
    longest = max(found, key=lambda texts: sum(map(len, texts)))
    return _stated(page, [page.title], longest, shown / OF_SCRIPT, SCRIPT_CONFIDENCE)


def _stated(page: Page, headlines: list[str], texts: Sequence[str], least: float, confidence: float) -> Stated | None:
    """Return a text, None if it has fewer tokens."""
    # at most one for each word, and one for each character of other scripts: most pages show their text
    if sum(len(one.split()) + len(one) - len(one.encode("ascii", "ignore")) for one in texts) < least:
        return None
    shown = "".join(f"<h1>{escape(one)}</h1>" for one in headlines if one.strip())
    made = Page.parse(shown + "".join(map(_as_html, texts)), url=page.url or None)
    tokens = int(made.blocks.tokens[~made.unseen_blocks].sum())
    return Stated(made, confidence) if tokens >= max(least, LEAST_TOKENS) and not made.is_too_large else None


def _as_html(text: str) -> str:
    """Return a text as paragraphs; some are HTML, and some of those are escaped once more."""
    for written in (text, unescape(text)):
        if _TAG.search(written):
            return f"<div>{written}</div>"
    return "".join(f"<p>{escape(line)}</p>" for line in unescape(text).splitlines() if line.strip())


def _prose_of(state: str) -> list[str]:
    """Return the strings with the most prose among those in one place of JSON, whatever the numbers of its lists."""
    try:
        todo: list[tuple[int, Any]] = [(0, json.JSONDecoder(strict=False).raw_decode(state.lstrip())[0])]
    except (ValueError, RecursionError):
        return []
    places = defaultdict[int, list[str]](list)  # by a hash of the names around
    while todo:
        place, value = todo.pop()
        if isinstance(value, str):
            places[place].append(value)
        elif isinstance(value, dict):
            todo += [(hash((place, name)), inner) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            todo += [(place, inner) for inner in reversed(value)]

    def amount(texts: list[str]) -> int:
        return sum(len(text) for text in texts if len(text) >= PROSE and (" " in text[:PROSE] or not text.isascii()))

    found = max(places.values(), key=amount, default=[])
    return found if amount(found) else []
