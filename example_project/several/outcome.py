"""What several crawlers have kept together, beside what one keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any
from urllib.parse import urlsplit

from example_project.portal import Portal
from example_project.scoring import judge_duplicates

Items = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Outcome:
    """Figures of a crawl.

    Attributes:
        crawlers: Items that each crawler has delivered.
        stories: How many texts were kept of each story, without those that came early; copies count as their story.
        early: Parts of stories that came before the whole: a story is no copy of its part, so both are kept.
        missed: Other copies that were kept beside their story.
        lost: Stories of which nothing was kept.
        dropped: How many copies were not kept.
        again: Items that were delivered a second time, which only a kill may bring about.
        requests: What the portal was asked for, robots.txt apart.
        asked_again: How much of that was asked for a second time.
        seconds: From the start of the first process to the end of the last.

    """

    crawlers: tuple[int, ...]
    stories: Counter[str]
    early: tuple[str, ...]
    missed: tuple[str, ...]
    lost: tuple[str, ...]
    dropped: int
    again: tuple[str, ...]
    requests: int
    asked_again: int
    seconds: float

    def same_items(self, other: Outcome) -> bool:
        """Whether both kept the same items, up to which copy came first."""
        return self.stories == other.stories


def outcome(
    portal: Portal, feeds: Iterable[Items], asked: Sequence[str], seconds: float, order: Sequence[str] = ()
) -> Outcome:
    """Judge the feeds of a crawl by what is known of the portal.

    Args:
        portal: What was crawled.
        feeds: The items of each crawler.
        asked: Paths that the portal was asked for.
        seconds: What it took.
        order: Paths in the order in which their texts were kept.

    """
    paths = [[urlsplit(item["url"]).path for item in feed] for feed in feeds]
    times = Counter(path for feed in paths for path in feed)
    found = judge_duplicates(portal, times)
    early = early_parts(portal, times, order)
    pages = [path for path in asked if path != "/robots.txt"]
    return Outcome(
        crawlers=tuple(map(len, paths)),
        stories=Counter(_story(portal, path) for path in times if path not in early),
        early=early,
        missed=judge_duplicates(portal, set(times) - set(early)).missed,
        lost=found.wrongly_dropped,
        dropped=len(found.dropped),
        again=tuple((times - Counter(set(times))).elements()),
        requests=len(pages),
        asked_again=len(pages) - len(set(pages)),
        seconds=seconds,
    )


def early_parts(portal: Portal, kept: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    """Return those of the kept paths with a part of a story that came before all else that was kept of it."""
    place = {path: number for number, path in enumerate(order)}
    first: dict[str, str] = {}
    for path in sorted(kept, key=lambda path: place.get(path, inf)):
        first.setdefault(_story(portal, path), path)
    return tuple(path for path in first.values() if path in place and portal.pages[path].how == "cut")


def _story(portal: Portal, path: str) -> str:
    return portal.pages[path].copy_of or path


def table(one: Outcome, several: Outcome) -> str:
    """Return the figures side by side."""
    rows = [("", "one crawler", f"{len(several.crawlers)} crawlers")]
    rows += [
        (label, str(value(one)), str(value(several)))
        for label, value in (
            ("items delivered", lambda each: sum(each.crawlers)),
            ("of them a second time", lambda each: len(each.again)),
            ("stories kept", lambda each: len(each.stories)),
            ("stories lost", lambda each: len(each.lost)),
            ("near-duplicates dropped", lambda each: each.dropped),
            ("near-duplicates left", lambda each: len(each.missed)),
            ("parts before the whole", lambda each: len(each.early)),
            ("requests", lambda each: each.requests),
            ("of them a second time", lambda each: each.asked_again),
            ("seconds", lambda each: round(each.seconds, 1)),
        )
    ]
    lines = [f"   {label:<26}{left:>12}{right:>14}" for label, left, right in rows]
    shares = ", ".join(f"{number}: {count}" for number, count in enumerate(several.crawlers, 1))
    return "\n".join([*lines, "", f"   items by crawler: {shares}"])
