"""Builds the whole portal from one seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from example_project.portal import template_courier, template_docs, template_evening, template_forum, template_xinwen
from example_project.portal.docs import CHAPTERS, VERSIONS, write_chapter
from example_project.portal.forum import Thread, write_thread
from example_project.portal.front import about, front, private
from example_project.portal.markup import Around, Link
from example_project.portal.model import Portal, PortalPage, Story
from example_project.portal.news import TOPICS
from example_project.portal.newsroom import Newsroom, open_newsroom

SEED = 2031
TEMPLATES = {
    "news": template_courier,
    "evening": template_evening,
    "xinwen": template_xinwen,
}
TITLES = {"news": "All the news", "evening": "The Evening edition", "xinwen": "新闻中心"}
THREADS = 25
LISTED = 14  # links on an index page


@lru_cache
def build(seed: int = SEED) -> Portal:
    """Return the portal; the same seed gives the same bytes."""
    rng = random.Random(seed)
    portal, room = Portal(), open_newsroom(rng)
    for section in ("news", "evening", "xinwen"):
        _news(portal, room, section)
    _forum(portal, rng, room)
    _docs(portal, rng)
    for topic in TOPICS["en"]:
        stories = [story for story in room.news if story.topic == topic]
        _index(portal, "news", f"/tag/{topic}/", f"Stories about {topic}", stories, room.news)
    portal.add(front(room))
    portal.add(about(room))
    for page in private():
        portal.add(page)
    portal.redirects = {
        "/news/latest": room.news[0].path,
        "/old/thread.php": "/forum/viewtopic-310.html",
    }
    portal.dead = frozenset(("/news/withdrawn-story-1.html", "/docs/1.4/index.html"))
    return portal


def _links(stories: Sequence[Story]) -> list[Link]:
    return [Link(story.path, story.title, story.teaser) for story in stories]


def _news(portal: Portal, room: Newsroom, section: str) -> None:
    """Add a section's stories, the pages that depend on them, and its list pages."""
    stories: list[Story] = getattr(room, section)
    pool = room.xinwen if section == "xinwen" else [*room.news, *room.evening]
    for story in stories:
        _article(portal, section, story, pool, room.extra.get(story.path, ()))
        for other in room.extra.get(story.path, ()):
            where = "xinwen" if section == "xinwen" else "evening"
            _article(portal, where, other, pool, ())
    _index(portal, section, f"/{section}/", TITLES[section], stories, pool)


def _article(portal: Portal, section: str, story: Story, pool: Sequence[Story], extra: Sequence[Story]) -> None:
    html = TEMPLATES[section].article(story, Around(story.path, pool), _links(extra))
    portal.add(PortalPage(story.path, section, html, story.truth, story.copy_of, story.how))


def _numbered(path: str, count: int) -> list[Link]:
    return [Link(f"{path}page-{n}.html" if n else path, str(n + 1)) for n in range(count)]


def _index(
    portal: Portal,
    section: str,
    path: str,
    title: str,
    stories: Sequence[Story],
    pool: Sequence[Story],
) -> None:
    """Add a section's list pages, which yield no items."""
    pager = _numbered(path, -(-len(stories) // LISTED))
    for n, link in enumerate(pager):
        listed = _links(stories[n * LISTED : (n + 1) * LISTED])
        around = Around(link.href, pool)
        html = TEMPLATES[section].index(title, link.href, listed, pager, around)
        portal.add(PortalPage(link.href, "index", html))


def _forum(portal: Portal, rng: random.Random, room: Newsroom) -> None:
    """Add the threads, each free to quote those before it, and their list pages."""
    threads: list[Thread] = []
    for number in range(THREADS):
        threads.append(write_thread(rng, number, threads[-6:]))
    links = [Link(thread.path, thread.title, thread.posts[-1].text[0]) for thread in threads]
    for thread in threads:
        around = Around(thread.path, room.news)
        others = around.rng.sample([link for link in links if link.href != thread.path], 4)
        html = template_forum.thread(thread, around, others)
        portal.add(PortalPage(thread.path, "forum", html, thread.truth))
    pager = _numbered("/forum/", -(-THREADS // LISTED))
    for n, page in enumerate(pager):
        listed = links[n * LISTED : (n + 1) * LISTED]
        html = template_forum.index(page.href, listed, pager, Around(page.href, room.news))
        portal.add(PortalPage(page.href, "index", html))


def _docs(portal: Portal, rng: random.Random) -> None:
    """Add the manual in its versions, with a contents page for each and one above them."""
    for version in VERSIONS:
        chapters = [write_chapter(rng, chapter, version) for chapter in CHAPTERS]
        for story in chapters:
            html = template_docs.page(story, chapters, Around(story.path, chapters))
            portal.add(PortalPage(story.path, "docs", html, story.truth))
        path = f"/docs/{version}/"
        html = template_docs.index(f"Tarnhold {version}", path, _links(chapters))
        portal.add(PortalPage(path, "index", html))
    versions = [Link(f"/docs/{v}/", f"Version {v}", "All chapters of it.") for v in VERSIONS]
    portal.add(PortalPage("/docs/", "index", template_docs.index("Manual", "/docs/", versions)))
