"""Updates of a live blog: those that its JSON-LD declares, else repeated posts with times in its body."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from heapq import nlargest
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from denoise_scrapy.metadata.annotations import MAX_JSON, JsonLd, Line, clean
from denoise_scrapy.metadata.dates import MOST_BESIDE
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF

#: Updates that are read.
MAX_UPDATES = 500
#: Posts that are a live blog: a report with a correction has two times.
LEAST = 3
#: Seconds from the first to the last post: those of days are a blog's.
LONGEST = 3 * 86_400
#: Kinds of pages whose posts are no updates. Those of a thread are if each begins with its time: its posts begin with
#: names, and a live blog with few comparison pages is often taken for one.
OTHER_KINDS = frozenset(["question", "list", "shop", "collection", "none"])
#: Levels above a time in which its post is looked for, and characters of a text that is only a time.
MAX_LEVELS, MAX_TIME = 8, 40
#: Largest groups of posts that are looked at: each takes a look at all lines.
MOST_GROUPS = 8

_CLOCK = re.compile(
    r"(?<![\d.:])([01]?\d|2[0-3])\s?[:.h時时]\s?([0-5]\d)(?:[:.][0-5]\d)?(?![\d.:]*\d)\s*(?:([ap])\.?m\b)?",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
#: Elements that are the heading of a post whose text follows; others hold it.
_HEADINGS = frozenset("h1 h2 h3 h4 h5 h6 p dt b strong time span".split())


class Update(NamedTuple):
    """A post of a live blog: when, as the page writes it or in ISO 8601; its text, one paragraph per line."""

    time: str
    text: str


def updates_in(root: Any, ld: JsonLd, lines: Sequence[Line], kind: Callable[[], str]) -> list[Update]:
    """Return the posts of a live blog in the order of the page; none if it is none.

    Args:
        root: lxml's tree of the page.
        ld: Its JSON-LD.
        lines: Its lines.
        kind: Returns the kind of page; it is asked for posts that may be those of a thread.
    """
    found, begin = _declared(ld), False
    if not found:
        found, begin = _shown(root, lines)
    if not found or ld.live:
        return found
    of = kind()
    return [] if of in OTHER_KINDS or (of == "thread" and not begin) else found


def _declared(ld: JsonLd) -> list[Update]:
    found, left = list[Update](), MAX_JSON
    for post in ld.values(ld.live, "liveBlogUpdate", most=MAX_UPDATES):
        if isinstance(post, dict):
            written = post.get("articleBody")
            written = written[:left] if isinstance(written, str) else ""
            left -= len(written)
            texts = dict.fromkeys([clean(ld.string(post, "headline")), *_lines(written)])
            if text := "\n".join(filter(None, texts)):
                found.append(Update(ld.string(post, "datePublished", "dateModified").strip()[:MAX_TIME], text))
    return found


def _lines(text: str) -> list[str]:
    """Return the lines of a text, which may be HTML."""
    if _TAG.search(text):
        page = Page.parse(f"<div>{text}</div>")
        text = page.text_of(np.ones(len(page.blocks), np.bool_)) if len(page.blocks) else ""
    return [" ".join(line.split()) for line in text.split("\n")]


def _shown(root: Any, lines: Sequence[Line]) -> tuple[list[Update], bool]:
    """Return repeated posts with times in order that are most of the body, and whether they begin with them."""
    rows: defaultdict[Any, dict[Any, str]] = defaultdict(dict)  # by parent, tag and class: posts with their times
    for element, time in _times(root):
        at = element
        for _ in range(MAX_LEVELS):
            parent = at.getparent()
            if parent is None:
                break
            row = rows[parent, at.tag, (at.get("class") or "").split(" ")[0]]
            row.setdefault(at, time)
            at = parent
    # comments and teasers beside a story have less of the body
    most = HALF * sum(len(line.text) for line in lines if line.is_kept)
    best, begin = list[Update](), False
    for (_, tag, _), row in nlargest(MOST_GROUPS, rows.items(), key=lambda one: len(one[1])):
        if LEAST <= len(row) <= MAX_UPDATES:
            texts, timed = _texts(lines, list(row), tag)
            posts = [Update(row[post], text) for post, text in texts.items()]
            size = sum(len(post.text) for post in posts)
            if size >= most and len(posts) >= LEAST and _are_in_order([post.time for post in posts]):
                best, most, begin = posts, size + 1, all(timed[post] for post in texts)
    return best, begin


def _times(root: Any) -> Iterator[tuple[Any, str]]:
    """Yield the elements that are a time, with it."""
    for element in root.iter("time", "span", "b", "strong", "div", "p", "h2", "h3", "h4", "dt", "td", "a", "em"):
        if element.tag == "time" and (given := (element.get("datetime") or "").strip()[:MAX_TIME]):
            yield element, given
        elif not len(element) and _is_time(text := " ".join((element.text or "")[: 2 * MAX_TIME].split())):
            yield element, text


def _texts(lines: Sequence[Line], posts: list[Any], tag: str) -> tuple[dict[Any, str], dict[Any, bool]]:
    """Return the texts of posts, and whether they begin with a time; those without text are left out.

    A post begins with its element, or with the name of who posted it, if that stands between its time and its text.
    """
    texts: defaultdict[Any, list[Line]] = defaultdict(list)
    timed, told = dict[Any, bool](), set[Any]()
    current, parent = None, posts[0].getparent()
    within = {None: None, parent: parent, **dict(zip(posts, posts, strict=True))}  # of all elements that were met
    for line in lines:
        at, path = line.element, list[Any]()
        while at not in within:
            path.append(at)
            at = at.getparent()
        at = within[at]
        within.update(dict.fromkeys(path, at))
        if at is not None and at is not parent:
            current = at
        elif at is None or tag not in _HEADINGS:
            current = None
        if current is not None:
            is_time = _is_time(line.text)
            if current not in timed or not (line.is_kept or current in told or is_time):
                timed[current] = is_time
            if line.is_kept:
                texts[current].append(line)
                if not is_time:
                    told.add(current)
    found = dict[Any, str]()
    for post, its in texts.items():
        linked = sum(len("".join(link.itertext())) for line in its for link in line.actions if link.tag == "a")
        text = "\n".join(line.text for line in its if not _is_time(line.text))
        if text and linked <= HALF * len(text):  # of a teaser more is linked
            found[post] = text
    return found, timed


def _is_time(text: str) -> bool:
    return len(text) <= MAX_TIME and _CLOCK.search(text) is not None and sum(map(str.isalpha, text)) <= MOST_BESIDE


def _are_in_order(times: list[str]) -> bool:
    """Return whether times rise or fall; those of a clock may pass midnight."""
    read = [_minute(time) for time in times]
    moments = [one for one in read if one is not None]
    if len(moments) < len(times) or len({type(one) for one in moments}) > 1 or len(set(moments)) < LEAST:
        return False
    if isinstance(moments[0], float) and max(moments) - min(moments) > LONGEST:
        return False
    # of a clock that has passed midnight, a step back is one forward
    half = 720 if isinstance(moments[0], int) else float("inf")
    steps = [(after > before) != (abs(after - before) > half) for before, after in pairwise(moments) if after != before]
    return all(steps) or not any(steps)


def _minute(time: str) -> int | float | None:
    """Return a moment in seconds, or the minute of a clock; None for another text."""
    with suppress(ValueError, OverflowError):
        if ":" in time:  # a day alone is no time
            return datetime.fromisoformat(re.sub(r"Z$", "+00:00", time)).timestamp()
    match = _CLOCK.search(time)
    if match is None:
        return None
    hour = int(match[1])
    if match[3] and hour <= 12:
        hour = hour % 12 + 12 * (match[3].lower() == "p")
    return hour * 60 + int(match[2])
