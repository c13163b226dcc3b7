"""A tree that selectors can ask, built from the parser's events: its elements are ours, number for number.

lxml's own tree would lose what is below 256 levels and after an inner `</html>`; the numbers would not be ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from lxml import etree, html

from denoise_scrapy.page.found import Measures
from denoise_scrapy.page.markup import SKIPPED_TAGS

#: Elements below this level stand beside one another in the tree: XPath's time on a chain of n elements grows with
#: its cube. Chrome's parser nests no deeper than 512, lxml's no deeper than 256.
MAX_DEPTH = 256
#: Attributes of an element that are in the tree: the time of making more grows with their square.
MAX_ATTRIBUTES = 1000
#: What a document of lxml does not hold.
_REFUSED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_NAMES = re.compile(r"[^\w.:-]+")


class EventTree:
    """The page as a tree, with the number that each element has in our columns.

    What is inside skipped elements (head, scripts) is in the tree, for conditions may ask for it, and has no number.

    Args:
        events: As `parse.read_events` gives them.
        keep_noscript: Whether the text in `noscript` was read as the page's.

    Attributes:
        root: The first element, None on an empty page.
        numbers: Number of each element that has one.

    Example:
        >>> tree = EventTree([("html", {}), ("p", {"data-x": "1"}), "Text", None, None], keep_noscript=False)
        >>> [(element.get("data-x"), tree.numbers[element]) for element in tree.root.iter()]
        [(None, 0), ('1', 1)]
    """

    def __init__(self, events: Iterable[tuple[str, Mapping[str, str]] | str | None], *, keep_noscript: bool) -> None:
        self.root: Any = None
        self.numbers: dict[Any, int] = {}
        self.elements: list[Any] = []  # lxml's elements are the same objects only while somebody holds them
        self._open: list[_Open] = []
        self._levels = self._siblings = self._chars = 0
        self._skipped = 0  # level of the skipped element we are in, 0 for none
        self._text: list[str] = []
        shows = {"noscript"} if keep_noscript else set()
        for event in events:
            if isinstance(event, str):
                self._text.append(event)
                continue
            self._flush()
            if event is None:
                self._end()
            else:
                self._start(*event, skips=event[0] in SKIPPED_TAGS and event[0] not in shows)
        self._flush()
        while self._open:
            self._end()

    def _start(self, tag: str, attributes: Mapping[str, str], *, skips: bool) -> None:
        above = self._open[min(len(self._open), MAX_DEPTH) - 1] if self._open else None
        element = _new_element(self.root if above is None else above.element, tag, attributes)
        if above is not None:
            above.last = element
            above.children += 1
        if self.root is None:
            self.root = element
        self._open.append(_Open(element))
        self._levels += min(len(self._open), MAX_DEPTH)
        self.elements.append(element)
        if not self._skipped:
            self.numbers[element] = len(self.numbers)
            if skips:
                self._skipped = len(self._open)

    def _end(self) -> None:
        if len(self._open) == self._skipped:
            self._skipped = 0
        if self._open:
            ended = self._open.pop()
            self._siblings += ended.children**2
            if ended.texts:
                ended.element.text = "".join(ended.texts)

    def _flush(self) -> None:
        """Put the text so far where it belongs: in the open element, or after its last child."""
        if not self._text or not self._open:
            self._text.clear()
            return
        text = _REFUSED.sub("", "".join(self._text))
        self._text.clear()
        self._chars += len(text)
        if self._open[-1].last is None:
            self._open[-1].texts.append(text)
        else:
            self._open[-1].last.tail = text

    @property
    def measures(self) -> Measures:
        """What the time of a selector depends on."""
        count = max(len(self.elements), 1)
        return Measures(len(self.elements), self._levels / count, self._siblings / count, self._chars)


class _Open:
    """An open element. lxml would count all of its children to tell the last one, and copy all text to add some."""

    __slots__ = ("children", "element", "last", "texts")

    def __init__(self, element: Any) -> None:
        self.element = element
        self.last: Any = None
        self.children = 0
        self.texts: list[str] = []


def _new_element(parent: Any, tag: str, attributes: Mapping[str, str]) -> Any:
    if len(attributes) > MAX_ATTRIBUTES:
        attributes = dict(islice(attributes.items(), MAX_ATTRIBUTES))
    try:
        return _make(parent, tag, attributes)
    except ValueError:  # names and values that no document may hold
        clean = {_NOT_IN_NAMES.sub("", name): _REFUSED.sub("", value) for name, value in attributes.items()}
        clean.pop("", None)
        return _make(parent, _NOT_IN_NAMES.sub("", tag).strip(":") or "unknown", clean)


def _make(parent: Any, tag: str, attributes: Mapping[str, str]) -> Any:
    # made by the HTML parser an element takes names such as @click and o:p
    if parent is None:
        return html.html_parser.makeelement(tag, dict(attributes))
    return etree.SubElement(parent, tag, dict(attributes))
