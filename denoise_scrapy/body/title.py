"""A page's title: the headings that contain it, and its text without the name of its site.

What reveals that name: titles of other pages of the site that begin or end with it; the name that the page declares
(Open Graph) or its host has; a title that it declares without it; and a heading equal to the rest. Without any of them,
the title element's text is not changed. Where it has nothing but that name, the first heading is the title, or what the
page declares; without a title, what is declared, or the first heading of the body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from html import unescape
from itertools import chain, repeat

from denoise_scrapy.core.characters import fold, letters, without_unseen
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.attributes import host_of
from denoise_scrapy.page.columns import HALF, BoolArray
from denoise_scrapy.page.parse import MOST_DECLARED, json_strings

#: Separators between a title and the site's name: a symbol between spaces or at an end, a colon, a bar or underscore, a
#: dash next to an East Asian character (U+2E80 and above), where spaces are not used, and what is before a
#: bracket around the end, or around the end of a part where it is a wide one.
SEPARATOR = re.compile(
    r"(?:^|\s+)[-–—|·•»«›‹/~:⋆<>●∙◦│┃❘―]+(?:\s+|$)|:\s+|：|\s*[|_｜丨]+\s*|\s*[-–—](?=[\u2e80-\uffef])|(?<=[\u2e80-\uffef])[-–—]\s*"
    r"|\s+(?=\[[^][]+\]$)|(?=（[^（）]+）(?:\s|$))"
)
#: Labels of hosts with fewer letters are countries and kinds of organisation.
MIN_LABEL = 4


def title_of(page: Page, titles: Sequence[str]) -> str:
    """Return the title of a page, given titles of other pages of its site; "" if it has none."""
    title, titles = page.title, list(filter(None, titles))
    names = list(map(letters, page.tree.declared(b"og:site_name")))
    headlines = page.tree.declared(b"og:title")[:MOST_DECLARED]
    headlines += json_strings(page.json_ld, "headline")[:MOST_DECLARED] if page.json_ld else []
    headlines = [" ".join(without_unseen(unescape(one)).split()) for one in headlines if letters(one)]
    said = fold(title)
    others = [other for other in titles if fold(other) != said]
    # some declare the title as the site's name
    is_site = letters(title) in ["", *names] and not any(letters(one) in letters(title) for one in headlines)
    parts, split = _parts(title), list(map(_split, others))
    if len(parts) == 1:  # a template's, without a title; or the end of others
        is_site |= title[:1] in "|-–" or (len(titles) > 1 and _is_shared((said,), [other[-1:] for other in split]))
    is_site |= len(titles) > 1 and not others
    if is_site:  # then the first heading of level one, or declared title, that is not the site's name
        return next((text for text in chain(_headings(page), headlines) if fold(text) not in said), title)
    cut = _ELLIPSIS.search(title, LEAST_CUT)
    if cut and (whole := _uncut(page, title, cut.start())):
        return whole
    headings = _headings(page)
    spelled = list(map(letters, headings))
    parts = _without_shared(parts, _split(title), split)
    sites = {*names, *_names_of_host(host_of(page.url))} - {""}
    if len(parts) > 1:
        parts = _as_a_heading(page, _without_names(parts, sites), spelled)
    if len(parts) > 1 and len(headings) == 1 and not headlines:  # nothing says that any part is the title
        only = spelled[0]
        if only not in sites and only not in letters(title):
            return headings[0]
    found = title[parts[0].start() : parts[-1].end()]
    found = _as_declared(found, headlines, names) if headlines else found
    said = letters(found)
    for text, one in zip(headings, spelled, strict=True):  # it may have other quotation marks
        if len(text) == len(found) and one == said and text.lower() != found.lower():
            return text
    return found


def first_heading(page: Page, kept: BoolArray) -> str:
    """Return the first heading of a body, its blocks in a mask of shape (blocks,); "" if it has none."""
    found = (page.blocks.has(Flag.HEADING) & kept).nonzero()[0]
    return " ".join(page.block_text(int(found[0])).split()) if len(found) else ""


def _headings(page: Page) -> list[str]:
    """Return the texts of the headings of level one."""
    likely = page.blocks.inside_tags({"h1"}) & (page.blocks.link_density <= HALF) & ~page.unseen_blocks
    texts = map(page.block_text, likely.nonzero()[0].tolist())
    return list(filter(None, map(" ".join, map(str.split, texts))))


_ELLIPSIS = re.compile(r"(?:…|\.{3})(?:\s|$)")
#: Characters before an ellipsis, with which one heading at most begins.
LEAST_CUT = 20


def _uncut(page: Page, title: str, cut: int) -> str:
    """Return the heading that goes on where a title has an ellipsis, "" if there is none."""
    start = title[:LEAST_CUT] + title[LEAST_CUT:cut].rstrip("".join(re.findall(r"\W", title)))
    headings = (page.blocks.has(Flag.HEADING) & ~page.unseen_blocks).nonzero()[0].tolist()
    texts = (" ".join(page.block_text(block).split()) for block in headings)
    return next((text for text in texts if text.startswith(start) and not _ELLIPSIS.search(text, LEAST_CUT)), "")


_PART = re.compile(r"\S(?:.*\S)?", re.DOTALL)
#: French quotation marks, which are separators too.
_QUOTED = re.compile(r"«[^«»]*»")
Parts = Sequence["re.Match[str]"]


@lru_cache(256)
def _parts(title: str) -> Parts:
    """Split a title at its separators; at least one part."""
    unquoted = _QUOTED.sub(lambda found: "x" * len(found[0]), title)
    bounds = [0, *chain.from_iterable(map(re.Match.span, SEPARATOR.finditer(unquoted))), len(title)]
    found = filter(None, map(_PART.match, repeat(title), bounds[::2], bounds[1::2]))
    return tuple(found) or tuple(filter(None, [_PART.search(title)]))


@lru_cache(256)
def _split(title: str) -> tuple[str, ...]:
    """Return the parts of a title, folded."""
    return tuple([fold(part[0]) for part in _parts(title)])


def _without_shared(parts: Parts, own: tuple[str, ...], split: Sequence[tuple[str, ...]]) -> Parts:
    """Remove parts that at least half of the other titles end with; else begin with. At least one part is left."""
    first = last = 0
    for n in range(1, len(own)):
        last += _is_shared(own[-n:], [other[-n:] for other in split])
        if not last:
            first += _is_shared(own[:n], [other[:n] for other in split])
    return parts[first : len(parts) - last]


def _is_shared(own: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> bool:
    return bool(others) and 2 * others.count(own) >= len(others)


@lru_cache(256)
def _names_of_host(host: str) -> set[str]:
    """Return the host's name and its labels as letters."""
    labels = host.removeprefix("www.").split(".")
    names = {label for label in labels if len(label) >= MIN_LABEL} | {"".join(labels), "".join(labels[:-1])}
    return {letters(name) for name in names if not name.isdigit()}


def _without_names(parts: Parts, names: set[str]) -> Parts:
    """Remove the last or first parts that are one of the site's names; at least one part is left."""
    for n in range(len(parts) - 1, 0, -1):
        for left, removed in ((parts[:-n], parts[-n:]), (parts[n:], parts[:n])):
            if letters(removed[0].string[removed[0].start() : removed[-1].end()]) in names:
                return left
    return parts


def _as_declared(title: str, declared: Iterable[str], names: Sequence[str]) -> str:
    """Return the declared title with which a title begins or ends, if the rest is separated, or has the site's name."""
    for short in declared:
        if short in {"", title}:
            continue
        if title.startswith(short):
            rest = title[len(short) :]
            edge = SEPARATOR.match(rest)
        elif title.endswith(short):
            rest = title[: -len(short)]
            edge = next((one for one in SEPARATOR.finditer(rest) if one.end() == len(rest)), None)
        else:
            continue
        said = letters(rest)
        # a colon parts title and subtitle too
        if (edge and edge[0].strip() not in {":", "："}) or any(name and name in said for name in names):
            return short
    return title


def _as_a_heading(page: Page, parts: Parts, first: Sequence[str]) -> Parts:
    """Return the longest run of parts, from the first or to the last, that is in a heading of the page.

    Else the longest part, if that is.
    """
    if len(parts) < 2:
        return parts
    found = page.words.titles.nonzero()[0].tolist()
    own = {letters(page.block_text(block)): page.blocks.link_density[block] <= HALF for block in reversed(found)}
    headings = own | dict.fromkeys(map(letters, first), True)
    title, longest = parts[0].string, max(parts, key=lambda part: len(part[0]))
    for length in range(len(parts), 0, -1):
        for run in (parts[:length], parts[-length:]):
            is_own = headings.get(letters(title[run[0].start() : run[-1].end()]))
            if is_own or (is_own is not None and longest in run):  # a linked one may be the site's logo
                return run
    if longest is parts[0]:  # it may be without the tag of a heading
        whole = (page.words.title_share == 1) & (page.blocks.link_density <= HALF) & ~page.unseen_blocks
        headings |= dict.fromkeys((letters(page.block_text(block)) for block in whole.nonzero()[0].tolist()), True)
    return [longest] if letters(longest[0]) in headings else parts
