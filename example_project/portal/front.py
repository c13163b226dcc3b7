"""The front page, the page about the paper, and the private pages that robots.txt forbids."""

from __future__ import annotations

from html import escape

from example_project.portal import template_courier
from example_project.portal.markup import Around, Link
from example_project.portal.model import Block, PortalPage, Story
from example_project.portal.newsroom import Newsroom

ABOUT = (
    "The Saltmere Courier has appeared on every working day since the harbour got its first "
    "lighthouse, with two exceptions: a fire in the type room, and the day the tide came up to the "
    "second floor and took the paper rolls with it.",
    "It belongs to its readers. Some four thousand of them own a share each, nobody may own more "
    "than ten, and once a year they meet in the fish auction hall to ask the editors what on earth "
    "they were thinking. The answers are printed in full.",
    "We correct what we get wrong on the same page and at the same size. We do not print what we "
    "have not checked, we say when we could not reach somebody, and we pay for our own lunch.",
    "The Evening edition is made by a desk of three, who shorten, reprint and at times improve what "
    "the morning has written. The Chinese pages are written for the families of the shipyard and "
    "have an editor of their own; the forum and the Tarnhold manual are guests under our roof.",
)


def front(room: Newsroom) -> PortalPage:
    """Return the front page: the newest of everything, and the redirects and dead links."""
    around = Around("/", room.news)
    stories = [*room.news[::5], *room.evening[:3], *room.xinwen[::9]]
    links = [Link(story.path, story.title, story.teaser) for story in stories]
    links.append(Link("/news/latest", "The latest story", "Always the newest we have."))
    links.append(Link("/old/thread.php", "From the boards", "A thread everybody talks about."))
    html = template_courier.index("Good morning, Saltmere", "/", links, (), around)
    return PortalPage("/", "index", html)


def about(room: Newsroom) -> PortalPage:
    """Return the page about the paper."""
    story = Story(
        path="/about.html",
        lang="en",
        topic="culture",
        title="About the Courier",
        teaser="",
        author="the editors",
        date="1 November 2024",
        blocks=tuple(Block("p", text) for text in ABOUT),
    )
    dead = (
        Link("/news/withdrawn-story-1.html", "A story we withdrew"),
        Link("/docs/1.4/index.html", "Manual of version 1.4"),
    )
    html = template_courier.article(story, Around(story.path, room.news), dead)
    return PortalPage(story.path, "about", html, story.truth)


def private() -> list[PortalPage]:
    """Return pages that no polite crawler requests."""
    names = {"/private/drafts.html": "Drafts", "/private/reply.html": "Write a reply"}
    return [
        PortalPage(path, "private", f"<!DOCTYPE html><title>{escape(name)}</title><p>{name}</p>")
        for path, name in names.items()
    ]
