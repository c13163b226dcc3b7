"""Decides which stories there are, which are copied and how, and which only look like copies."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from example_project.portal import copies
from example_project.portal.model import Story
from example_project.portal.news import TOPICS, write

BRIEF = 60  # tokens of the shortest stories
QUOTABLE = 680  # words of a story that another may quote: a quote is then at most a third of it


@dataclass
class Newsroom:
    """Stories by section; `extra` lists what only the original's own page links to.

    Copies and the full reports of briefs are linked from nowhere else, so that any crawl meets the
    original first: a cut version is a duplicate after its original, never before.
    """

    news: list[Story] = field(default_factory=list)
    evening: list[Story] = field(default_factory=list)
    xinwen: list[Story] = field(default_factory=list)
    extra: dict[str, list[Story]] = field(default_factory=dict)


def open_newsroom(rng: random.Random) -> Newsroom:
    """Write all stories and plant the copies."""
    room = Newsroom()
    for t, topic in enumerate(TOPICS["en"]):
        for n in range(4):
            brief = BRIEF if (t % 3, n) == (1, 3) else 0
            room.news.append(write(rng, "en", topic, 5 * t + n, size=brief))
    for t, topic in enumerate(TOPICS["zh"]):
        for n in range(3):
            brief = BRIEF if (t, n) in ((1, 2), (6, 2)) else 0
            room.xinwen.append(write(rng, "zh", topic, 5 * t + n, size=brief))
    _evening(rng, room)
    _quoting_in_chinese(rng, room)
    _plant(rng, room)
    return room


def _evening(rng: random.Random, room: Newsroom) -> None:
    """Write the evening's own stories: five quote a fifth of another story, two extend a brief."""
    sources = [story for story in room.news if len(story.truth.split()) > QUOTABLE]
    briefs = [story for story in room.news if len(story.truth.split()) < 120]
    for t, topic in enumerate(TOPICS["en"][:8]):
        size = rng.choice((650, 800, 900)) if t < 7 else 300
        brief = briefs[t % len(briefs)]
        about = brief.topic if t in (5, 6) else topic
        story = write(rng, "en", about, 5 * t + 4, size=size, where="evening")
        if t < 5:
            source = rng.choice([other for other in sources if other.topic != topic])
            room.evening.append(copies.quoting(rng, story, source))
        elif t < 7:
            story = copies.extended(brief, story)
            room.extra.setdefault(brief.path, []).append(story)
        else:
            room.evening.append(story)


def _quoting_in_chinese(rng: random.Random, room: Newsroom) -> None:
    sources = [story for story in room.xinwen[15:] if len(story.truth) > QUOTABLE]
    for n, source in ((3, sources[-1]), (12, sources[-2])):
        story = write(rng, "zh", room.xinwen[n].topic, n // 3 * 5 + n % 3, size=1000)
        room.xinwen[n] = copies.quoting(rng, story, source)


def _plant(rng: random.Random, room: Newsroom) -> None:
    """Plant reprints, cut versions and edited versions; a few stories have two copies."""
    long_en = [story for story in room.news if len(story.truth.split()) > 300]
    long_zh = [story for story in room.xinwen if len(story.truth) > 400]
    for n in range(6):
        _reprint(rng, room, rng.choice(room.news[6 * n : 6 * n + 6]), f"/evening/reprint-{n}.html")
    for n in range(3):
        path = f"/xinwen/zhuanzai/{400 + n}.html"
        _reprint(rng, room, rng.choice(room.xinwen[10 * n : 10 * n + 10]), path)
    for n, story in enumerate(rng.sample(long_en, 10)):
        make = copies.cut if n < 5 else copies.edit
        _add(room, make(rng, story, f"/evening/{'short' if n < 5 else 'late'}-{70 + n}.html"))
    for n, story in enumerate(rng.sample(long_zh, 6)):
        make = copies.cut if n < 2 else copies.edit
        _add(room, make(rng, story, f"/xinwen/zhuanzai/{500 + n}.html"))


def _reprint(rng: random.Random, room: Newsroom, story: Story, path: str) -> None:
    author = rng.choice(room.news if story.lang == "en" else room.xinwen).author
    date = story.date.replace("November", "December").replace("11月", "12月")
    _add(room, copies.reprint(rng, story, path, author, date))


def _add(room: Newsroom, copy: Story) -> None:
    room.extra.setdefault(copy.copy_of, []).append(copy)
