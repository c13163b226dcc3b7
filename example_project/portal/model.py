"""The parts of the portal: blocks of text, stories made of them, and pages with their truth."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MARK = re.compile(r"</?b>")
CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+")


def tokens(text: str) -> list[str]:
    """Return lower-cased words, and CJK text with one token per character."""
    return TOKEN.findall(text.lower())


@dataclass(frozen=True)
class Block:
    """A block of text: `kind` is p, h2, quote, pre, ul, ol or table; lists and tables have rows."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def truth(self) -> str:
        """The block as plain text, a line for each row."""
        lines = [self.text] if self.text else []
        lines += [" ".join(row) for row in self.rows]
        return MARK.sub("", "\n".join(lines))


@dataclass(frozen=True)
class Story:
    """A text with its known facts; `copy_of` and `how` are set on planted duplicates."""

    path: str
    lang: str
    topic: str
    title: str
    teaser: str
    author: str
    date: str
    blocks: tuple[Block, ...]
    captions: tuple[str, ...] = ()
    comments: tuple[tuple[str, str], ...] = ()
    copy_of: str = ""
    how: str = ""

    @property
    def truth(self) -> str:
        """The text that a careful person would keep: title, captions and text."""
        return "\n".join([self.title, *self.captions, *(block.truth for block in self.blocks)])

    @property
    def lead(self) -> str:
        """The first sentence of the text."""
        first = next(block.text for block in self.blocks if block.kind == "p")
        return re.split(r"(?<=。)|(?<=\.) ", first)[0]


@dataclass(frozen=True)
class PortalPage:
    """A page of the portal; `truth` is None if it yields no item (index pages)."""

    path: str
    section: str
    html: str
    truth: str | None = None
    copy_of: str = ""
    how: str = ""


@dataclass
class Portal:
    """All pages by path, with the redirects and the deliberately dead links."""

    pages: dict[str, PortalPage] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    dead: frozenset[str] = frozenset()

    def add(self, page: PortalPage) -> None:
        """Add a page under its path, which must be new."""
        if page.path in self.pages:
            raise ValueError(f"two pages at {page.path}")
        self.pages[page.path] = page

    @property
    def groups(self) -> dict[str, list[str]]:
        """The planted duplicates: the path of each original with the paths of its copies."""
        groups: dict[str, list[str]] = {}
        for page in self.pages.values():
            if page.copy_of:
                groups.setdefault(page.copy_of, []).append(page.path)
        return groups
