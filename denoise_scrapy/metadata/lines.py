"""The lines of a page with their elements and links, for what is told by the place of a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from denoise_scrapy.core.characters import fold
from denoise_scrapy.core.markup import BLOCK_TAGS
from denoise_scrapy.metadata.annotations import UNSEEN_TAGS

#: Lines of a page that are read. The longest of 4,600 recorded pages has a third of them.
MAX_LINES = 30_000
_UNSEEN = UNSEEN_TAGS | {"noscript", "head"}
_ACTIONS = {"a", "button", "input"}


@dataclass
class Line:
    """A line: its element, its text, the links and buttons in it, and whether the body has it."""

    element: Any
    text: str
    actions: list[Any] = field(default_factory=list)
    is_kept: bool = False


def lines_of(root: Any, body: str) -> list[Line]:
    """Return the lines of lxml's tree of a page, of which a body has some."""
    kept = {fold(line) for line in body.split("\n")} - {""}
    found: list[Line] = []
    for element, text, actions in _texts(root):
        written = " ".join(text.split())
        if written or actions:
            found.append(Line(element, written, actions, fold(written) in kept))
        if len(found) >= MAX_LINES:
            break
    return found


def _texts(root: Any) -> Iterator[tuple[Any, str, list[Any]]]:
    parts: list[str] = []
    actions: list[Any] = []
    owner = root
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if tag in BLOCK_TAGS or tag == "br":
            yield owner, "".join(parts), actions
            parts, actions = [], []
            if tag != "br":
                owner = element if event == "start" else element.getparent()
        if event == "start":
            if tag in _UNSEEN:
                walk.skip_subtree()
            else:
                parts.append(element.text or "")
                if tag in _ACTIONS:
                    actions.append(element)
        else:
            parts.append(element.tail or "")
    yield owner, "".join(parts), actions
