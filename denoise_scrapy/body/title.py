"""A page's title: the headings that contain it, and its text without the name of its site.

Three signals reveal that name: titles of other pages of the site that begin or end with it, the host's name, and a
heading equal to the rest. Without any of them, the title element's text is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from denoise_scrapy.page import Page
from denoise_scrapy.page.attributes import fold, host_of, letters

#: Separators between a title and the site's name: a symbol between spaces, a colon, a bar or underscore, and a dash
#: next to an East Asian character (U+2E80 and above), where spaces are not used.
SEPARATOR = re.compile(
    r"\s+[-–—|·•»«›‹/~:]+\s+|:\s+|\s*[|_｜]+\s*|\s*[-–—](?=[\u2e80-\uffef])|(?<=[\u2e80-\uffef])[-–—]\s*"
)
#: A block with a larger share of links is a site's logo, not a heading of the page.
LINKED = 0.5
#: Labels of hosts with fewer letters are countries and kinds of organisation.
MIN_LABEL = 4


def title_of(page: Page, titles: Sequence[str] = ()) -> str:
    """Return the title of a page, given titles of other pages of its site; "" if it has none."""
    title, titles = page.title, list(filter(None, titles))
    said = fold(title)
    others = [other for other in titles if _folded(other) != said]
    if not title or (len(titles) > 1 and not others):  # the first heading of level one that is not the site's name
        in_heading = page.elements.nearest(page.elements.has_tag({"h1"}))[page.blocks.element] >= 0
        likely = in_heading & (page.blocks.link_density <= LINKED)
        texts = (page.block_text(block) for block in likely.nonzero()[0].tolist())
        return next((" ".join(text.split()) for text in texts if text.strip() and fold(text) not in said), title)
    split = [_split(other) for other in others]
    parts = _without_shared(_parts(title), split)
    parts = _as_a_heading(page, _without_host(parts, page.url))
    return title[parts[0].start() : parts[-1].end()]


_PART = re.compile(r"\S(?:.*\S)?", re.DOTALL)
Parts = list["re.Match[str]"]


def _parts(title: str) -> Parts:
    """Split a title at its separators; at least one part."""
    bounds = [0, *(edge for found in SEPARATOR.finditer(title) for edge in found.span()), len(title)]
    pieces = zip(bounds[::2], bounds[1::2], strict=True)
    found = [match for start, end in pieces if (match := _PART.match(title, start, end))]
    return found or [match for match in [_PART.search(title)] if match]


_folded = lru_cache(256)(fold)  # each page of a site is compared with many


@lru_cache(256)
def _split(title: str) -> tuple[str, ...]:
    """Return the parts of a title, folded."""
    return tuple(fold(part[0]) for part in _parts(title))


def _without_shared(parts: Parts, split: Sequence[tuple[str, ...]]) -> Parts:
    """Remove parts that at least half of the other titles end with; else begin with. At least one part is left."""
    own = tuple(fold(part[0]) for part in parts)
    last = sum(_is_shared(own[-n:], [other[-n:] for other in split]) for n in range(1, len(own)))
    first = 0 if last else sum(_is_shared(own[:n], [other[:n] for other in split]) for n in range(1, len(own)))
    return parts[first : len(parts) - last]


def _is_shared(own: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> bool:
    return bool(others) and 2 * others.count(own) >= len(others)


def _without_host(parts: Parts, url: str) -> Parts:
    """Remove a last or first part that is the host's name, or a label of it."""
    labels = host_of(url).removeprefix("www.").split(".")
    names = {label for label in labels if len(label) >= MIN_LABEL} | {"".join(labels), "".join(labels[:-1])}
    names = {letters(name) for name in names if not name.isdigit()} - {""}
    if len(parts) > 1 and letters(parts[-1][0]) in names:
        return parts[:-1]
    return parts[1:] if len(parts) > 1 and letters(parts[0][0]) in names else parts


def _as_a_heading(page: Page, parts: Parts) -> Parts:
    """Return the longest run of parts, from the first or to the last, that is in a heading of the page."""
    if len(parts) < 2:
        return parts
    likely = page.words.titles & (page.blocks.link_density <= LINKED)
    headings = {fold(page.block_text(block)) for block in likely.nonzero()[0].tolist()}
    title = parts[0].string
    for length in range(len(parts), 0, -1):
        for run in (parts[:length], parts[-length:]):
            if fold(title[run[0].start() : run[-1].end()]) in headings:
                return run
    return parts
