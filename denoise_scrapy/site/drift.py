"""Where a site's pages have their body, title, author and date, and which of these have moved since earlier crawls.

A place is written as a selector: the steps from the nearest named element, as `div.story-text` or `main.page > p`, with
names without numbers. Two places with half of their names in common are one: some names are of a page's section.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BoolArray

Places = Mapping[str, Mapping[str, int]]
#: Parts of pages whose places are recorded.
BODY, PARTS = "body", ("body", "title", "author", "date")
#: Share of a body's words in its place: more are often those of the headline, which has a place of its own.
MOST_OF_BODY = 0.8
#: Characters of a text in which author or date are looked for, as of bylines; steps and characters of a place, and
#: places of a part that are kept of a crawl; under `OTHERS` the pages with others are counted.
MOST_LINE, STEPS, CHARS, KEPT, OTHERS = 150, 3, 80, 4, "…"
#: Share of earlier pages up to which a place counts as new: a redesign may begin with some.
RARE = 0.05
#: What an alarm has that reports a move.
MOVED = " was in `"
_NAMES = re.compile(r"[.#][^.#>\s]+")


def places_of_parts(page: Page, kept: BoolArray, said: Mapping[str, str]) -> dict[str, str]:
    """Return the places of a page's body, and of other parts by their texts; "" for what is not there.

    Args:
        page: A page of m blocks.
        kept: Its blocks that are in the body, shape (m,).
        said: Texts of other parts by name.

    Example:
        >>> page = Page.parse("<h1 class=top>Rain</h1><div class=story><p>It rained.<p>All night.</div>")
        >>> places_of_parts(page, np.array([False, True, True]), {"title": "Rain", "author": ""})
        {'body': 'div.story', 'title': 'h1.top', 'author': ''}
    """
    found, body = dict[str, str](), -1
    if kept.any():
        inside = page.blocks.subtree_sums(page.blocks.tokens * kept)
        body = int(np.flatnonzero(inside >= MOST_OF_BODY * inside.max())[-1])  # the last around most is the innermost
    found[BODY] = _place(page, body)
    is_line, is_heading = page.blocks.chars <= MOST_LINE, page.blocks.rows["heading"] > 0
    for part, text in said.items():
        chosen = np.flatnonzero(is_line & (is_heading if part == "title" else True)).tolist() if text else ()
        block = _holding(page, chosen, text)
        found[part] = _place(page, int(page.blocks.element[block]) if block >= 0 else -1)
    return found


def _holding(page: Page, blocks: Iterable[int], text: str) -> int:
    """Return the first of some blocks that is a text, else the first that has it, -1 without any."""
    first = -1
    for block in blocks:
        line = page.block_text(block)
        if line == text:
            return block
        if first < 0 and text in line:
            first = block
    return first


def _place(page: Page, element: int) -> str:
    """Write the last steps to an element, from the nearest with a name."""
    steps = list[str]()
    while element >= 0 and len(steps) < STEPS:
        steps.insert(0, page.elements.step(element))
        if _NAMES.search(steps[0]):
            break
        element = int(page.elements.parent[element])
    return " > ".join(steps)[:CHARS]


def is_same(a: str, b: str) -> bool:
    """Return whether two places have half of their names in common, or are equal without any.

    Example:
        >>> is_same("article.post.news", "article.post.sport > div"), is_same("div.story", "section.story-text")
        (True, False)
    """
    names, others = ({*_NAMES.findall(one)} for one in (a, b))
    return a == b or 2 * len(names & others) >= max(1, min(len(names), len(others)))


def counted(pages: Sequence[Mapping[str, str]]) -> dict[str, dict[str, int]]:
    """Count the places of pages by part, the most frequent first."""
    found = dict[str, dict[str, int]]()
    for part in PARTS:
        every = Counter(places[part] for places in pages if part in places)
        if every:
            counts = Counter[str]()
            for place, times in every.most_common():
                counts[_known_as(place, counts)] += times
            kept = dict(counts.most_common(KEPT))
            rest = every.total() - sum(kept.values())
            found[part] = kept | ({OTHERS: rest} if rest else {})
    return found


def _known_as(place: str, known: Iterable[str]) -> str:
    """Return the place among some that is the same, else the place itself."""
    return next((one for one in known if one and place and is_same(one, place)), place)


def moved(now: Places, earlier: Sequence[Places], since: str, margin: float) -> list[str]:
    """Return what has moved or is gone, in a few words for each part.

    Args:
        now: Counts of places by part.
        earlier: Those of earlier crawls.
        since: The day from which on.
        margin: Share of the pages that must differ; of author and date, which not all pages have, twice as many.

    Example:
        >>> before, now = {"body": {"div.story": 9}, "author": {"p.by": 9}}, {"body": {"main": 8}, "author": {"": 8}}
        >>> moved(now, [before], "2026-11-24", 0.3)
        ['body was in `div.story` (9 of 9 pages), since 2026-11-24 in `main`', 'author gone: was in `p.by`']
    """
    found = []
    for part, counts in now.items():
        before, here = Counter[str](), Counter[str]()
        for one in earlier:
            for place, times in one.get(part, {}).items():
                before[_known_as(place, before)] += times
        for place, times in counts.items():
            here[_known_as(place, before)] += times
        pages, total = here.total(), before.total()
        usual = max((place for place in before if place not in {"", OTHERS}), key=before.__getitem__, default="")
        least = margin if part in {BODY, "title"} else 2 * margin
        if not usual or not pages or before[usual] / total - here[usual] / pages < least:
            continue
        # the expected share of new places is that of places that were met once (Good and Turing), and of all others
        once = before[OTHERS] + sum(times == 1 for times in before.values())
        new = {place: times for place, times in here.items() if place == OTHERS or before[place] <= RARE * total}
        if here[""] / pages - before[""] / total >= least:
            found.append(f"{part} gone:{MOVED}{usual}`")
        elif sum(new.values()) / pages >= once / total + least and (places := [one for one in new if one != OTHERS]):
            place = max(places, key=new.__getitem__)
            found.append(f"{part}{MOVED}{usual}` ({before[usual]} of {total} pages), since {since} in `{place}`")
    return found
