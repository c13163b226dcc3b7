"""Parser events of lxml's parser target: no tree is built.

The events cost little more than lxml's plain parse, and unlike its tree they lose nothing below 256 levels
and nothing after an inner `</html>`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from lxml import etree

from denoise_scrapy.page.markup import BLOCK_TAGS
from denoise_scrapy.page.pieces import PIECE, Pieces

#: A start tag (tag, attributes), a text run, or None for an end tag.
Event = tuple[str, Mapping[str, str]] | str | None


class Target:
    """Holder of the parser's callbacks. As attributes of a plain object they cost less than methods.

    Attributes:
        start: Called with tag and attributes of each element.
        end: Called with the tag.
        data: Called with each text run; a text may come in several.
        close: Called at the end, by the parser.
    """

    __slots__ = ("close", "data", "end", "start")

    def __init__(
        self,
        start: Callable[[str, Mapping[str, str]], object],
        end: Callable[[str], object],
        data: Callable[[str], object],
    ) -> None:
        self.start, self.end, self.data = start, end, data
        self.close = _nothing


def _nothing() -> None:
    return None


def feed(page: bytes | Pieces, target: Target) -> None:
    """Parse UTF-8 HTML. Comments and processing instructions give no events.

    lxml keeps every name it meets for as long as the thread lives, as it does for the selectors of Scrapy itself. That
    is left as it is: its place is in the interpreter's state for the thread, which belongs to asyncio too.

    Args:
        page: All of it, or a file that may end before it does.
        target: Gets the events.
    """
    # huge_tree: without it one text of 10 MB silently takes all text of the page with it
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    # an empty document, or one the parser gives up on: what it told us until then stands
    with suppress(etree.LxmlError, ValueError, TypeError):
        if isinstance(page, bytes):
            etree.fromstring(page, parser)
        elif len(page.body) <= PIECE:
            etree.fromstring(page.body, parser)
        else:
            etree.parse(page, parser)


def read_events(body: bytes) -> list[Event]:
    """All events of UTF-8 HTML in a list, for those who need them twice."""
    events: list[Event] = []
    append = events.append
    feed(body, Target(lambda tag, attributes: append((tag, attributes)), lambda tag: append(None), append))
    _end_head(events)
    return events


def _end_head(events: list[Event]) -> None:
    """End the head where the body begins, in a page that says neither; `page_events` does so on the way.

    The parser knows that of the tags of HTML 4; the others it would leave inside the head, where nothing shows.
    """
    level = head = 0
    for i, event in enumerate(events):
        if event is None:
            if level <= head:
                return  # the head's own end, or there is none
            level -= 1
        elif not isinstance(event, str):
            level += 1
            if not head and event[0] != "html":
                if event[0] != "head":
                    return
                head = level
            elif head and level == head + 1 and event[0] in BLOCK_TAGS:
                events[i:i] = [None, ("body", {})]  # what was the head's end is the body's now
                return
