"""From HTML to path ids and one marked string, by the events of lxml's parser target: no tree is built.

The events cost little more than lxml's plain parse, and unlike its tree they lose nothing below 256 levels
and nothing after an inner `</html>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from lxml import etree
from w3lib.encoding import html_to_unicode

from denoise_scrapy.page.attributes import (
    KEPT_ATTRIBUTES,
    MAX_SIZE_LENGTH,
    TELLS_NOTHING,
    image_attributes,
    largest,
    written_size,
)
from denoise_scrapy.page.declared import DeclaredTypes, is_json_ld
from denoise_scrapy.page.markup import BLOCK_TAGS, SIZED_TAGS, URL_ATTRIBUTES
from denoise_scrapy.page.paths import PathTable
from denoise_scrapy.page.selectors import Match, Selector, match_selectors

START, END = "\x01", "\x02"
#: Stands for `<br>` in the marked string: white space for every count, and a line's end when rendered.
LINE_BREAK = "\x0b"
_FREE_MARKS = {ord(START): None, ord(END): None, 0: None}
_MARK_BYTES = bytes.maketrans(START.encode() + END.encode() + b"\0", b"   ")
_CLOSING = re.compile(rb"</(body|html)", re.IGNORECASE)
_CLOSING_TAGS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")

#: A start tag (tag, attributes), a text run, or None for an end tag.
Event = tuple[str, Mapping[str, str]] | str | None


@dataclass
class ParsedMarkup:
    r"""A page as the event loop leaves it.

    Attributes:
        paths: Path id of each element, in document order.
        text: All text, with `\x01` at each element's start and `\x02` at its end.
        urls: (element, href or src as written) of links and images.
        sizes: (element, width, height) as written, "" for none, of frames that tell one: attributes, or inline style.
        attributes: (element, name, value) of what the columns do not hold and a rendering needs (`attributes`).
        picture_source: Address that the last `source` of a picture told, until an image comes.
        title: Text of the `title` element.
        base: `href` of the first `base` element, "" where there is none.
        noscript_chars: Visible characters inside skipped `noscript` elements.
        noscript_read: Whether the text inside `noscript` elements was taken as the page's.
        declared: What the page says it is.
        matches: What each of the user's selectors found.
    """

    paths: list[int] = field(default_factory=list)
    text: str = ""
    urls: list[tuple[int, str]] = field(default_factory=list)
    sizes: list[tuple[int, str, str]] = field(default_factory=list)
    attributes: list[tuple[int, str, str]] = field(default_factory=list)
    picture_source: str = ""
    title: str = ""
    base: str = ""
    noscript_chars: int = 0
    noscript_read: bool = False
    declared: DeclaredTypes = field(default_factory=DeclaredTypes)
    matches: list[Match] = field(default_factory=list)


class _Target:
    """Holder of lxml's callbacks. As attributes of a plain object they cost less than methods."""


def read_events(body: bytes) -> list[Event]:
    """Parser events of UTF-8 HTML. Comments and processing instructions give none."""
    events: list[Event] = []
    append = events.append
    target = _Target()
    target.start = lambda tag, attributes: append((tag, attributes))  # type: ignore[attr-defined]
    target.end = lambda tag: append(None)  # type: ignore[attr-defined]
    target.data = append  # type: ignore[attr-defined]
    target.close = lambda: None  # type: ignore[attr-defined]
    # huge_tree: without it one text of 10 MB silently takes all text of the page with it
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    # an empty document, or one the parser gives up on: what it told us until then stands
    with suppress(etree.LxmlError, ValueError, TypeError):
        etree.fromstring(body, parser)
    _end_head(events)
    return events


def _end_head(events: list[Event]) -> None:
    """End the head where the body begins, in a page that says neither.

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


def to_utf8(html: str | bytes, encoding: str | None = None) -> bytes:
    r"""Bytes that the parser reads as UTF-8, without the marks we use and without what confuses it.

    Args:
        html: A page. Bytes are decoded as browsers do (BOM, `encoding`, meta, else a guess).
        encoding: Encoding that the server or the framework told, if any.

    Example:
        >>> to_utf8(b"<meta charset=latin1>caf\xe9")
        b'<meta charset=latin1>caf\xc3\xa9'
    """
    if isinstance(html, bytes):
        declared = f"text/html; charset={encoding}" if encoding else None
        html = html_to_unicode(declared, html, default_encoding="utf-8")[1]
    body = html.encode("utf-8", "replace")
    if b"\x01" in body or b"\x02" in body or b"\0" in body:
        body = body.translate(_MARK_BYTES)
    if body[:200].lstrip().startswith(b"<?xml"):
        body = _XML_DECLARATION.sub(b"", body, count=1)
    ends = [tag.lower() for tag in _CLOSING.findall(body)]  # .4 of the time of `body.lower()` and two counts
    if ends.count(b"body") > 1 or ends.count(b"html") > 1:
        # embedded documents: with their ends gone, what follows stays in the element it stands in
        body = _CLOSING_TAGS.sub(b"", body)
    return body


def parse_markup(body: bytes, table: PathTable, selectors: Sequence[Selector] = ()) -> ParsedMarkup:
    """Parse UTF-8 HTML into path ids of `table` and a marked string.

    Text inside `noscript` is read only where it is the page's better half: forums exist that serve the
    whole thread there.

    Args:
        body: The page.
        table: Gets the paths that are new to it.
        selectors: What to find on the page besides.

    Raises:
        ValueError: A selector cannot be evaluated.
    """
    events = read_events(body)
    parsed = _intern(events, table, keep_noscript=False)
    # twice the text that shows, and at least some 20 words of 5 letters more (measured rule)
    if parsed.noscript_chars and parsed.noscript_chars > _visible(parsed.text) + 100:
        parsed = _intern(events, table, keep_noscript=True)
    if parsed.text.count(START) != len(parsed.paths) or parsed.text.count(END) != len(parsed.paths):
        clean = (e.translate(_FREE_MARKS) if isinstance(e, str) else e for e in events)  # from &#1; and &#2;
        parsed = _intern(clean, table, keep_noscript=parsed.noscript_read)
    parsed.declared.note_rest(body, events)
    if selectors:
        parsed.matches = match_selectors(events, selectors, keep_noscript=parsed.noscript_read)
    return parsed


def _visible(text: str) -> int:
    return sum(map(len, text.replace(START, "").replace(END, "").split()))


def _intern(events: Iterable[Event], table: PathTable, *, keep_noscript: bool) -> ParsedMarkup:
    """The event loop: one dict look-up and two appends an element, one append a text."""
    page = ParsedMarkup(noscript_read=keep_noscript)
    paths, pieces = page.paths, []
    transitions, parent = table.transitions, table.parent
    skipped, start_marks = table.skipped, table.start_marks
    path = 0
    rest = iter(events)
    for event in rest:
        if event is None:
            path = parent[path]
            pieces.append(END)
        elif isinstance(event, str):
            pieces.append(event)
        else:
            tag, attributes = event
            if attributes:
                child = table.child(path, tag, attributes)
                if tag in URL_ATTRIBUTES:
                    url = attributes.get(URL_ATTRIBUTES[tag])
                    if url:
                        page.urls.append((len(paths), url))
                if tag in TELLS_NOTHING and not TELLS_NOTHING[tag](attributes):
                    _note_attributes(page, tag, attributes, table.tags[path])
            else:
                child = transitions.get((path, tag), 0) or transitions.setdefault(
                    (path, tag), table.child(path, tag, attributes)
                )
            pieces.append(start_marks[child])
            paths.append(child)
            if skipped[child] and not (keep_noscript and tag == "noscript"):
                _skip(event, rest, page)
                pieces.append(END)
            else:
                path = child
    while path:  # a parser that gave up half-way left elements open
        path = parent[path]
        pieces.append(END)
    page.text = "".join(pieces)
    return page


def _note_attributes(page: ParsedMarkup, tag: str, attributes: Mapping[str, str], parent_tag: str) -> None:
    """Note size and kept attributes of the element that starts now."""
    element = len(page.paths)
    if tag == "img":
        _note_image(page, attributes, parent_tag)
    elif tag in SIZED_TAGS:
        width, height = written_size(attributes)
        if width or height:
            page.sizes.append((element, width, height))
    elif tag == "source":
        page.picture_source = largest(attributes.get("srcset", "")) or largest(attributes.get("data-srcset", ""))
    for name in KEPT_ATTRIBUTES.get(tag, ()):
        value = attributes.get(name)
        if value:
            page.attributes.append((element, name, value[:MAX_SIZE_LENGTH]))


def _note_image(page: ParsedMarkup, attributes: Mapping[str, str], parent_tag: str) -> None:
    """Note what is kept of the image that starts now. The parser takes `source` for its parent, at times."""
    source = page.picture_source if parent_tag in ("picture", "source") else ""
    page.picture_source = ""
    element = len(page.paths)
    for name, value in image_attributes(attributes, source):
        page.attributes.append((element, name, value))


def _skip(start: tuple[str, Mapping[str, str]], rest: Iterator[Event], page: ParsedMarkup) -> None:
    """Read past a skipped element's end, noting a head's title and base, a noscript's size and JSON-LD."""
    tag, level, inside_title = start[0], 1, 0
    inside_json = 1 if is_json_ld(*start) else 0
    for event in rest:
        if event is None:
            level -= 1
            if not level:
                return
            if level < inside_title:
                inside_title = 0
            if level < inside_json:
                inside_json = 0
        elif isinstance(event, str):
            if inside_title:
                page.title += event
            elif inside_json:
                page.declared.note_json(event)
            elif tag == "noscript":
                page.noscript_chars += len("".join(event.split()))
        else:
            level += 1
            if tag == "head":
                inside_title = level if event[0] == "title" and not page.title else inside_title
                inside_json = level if is_json_ld(*event) else inside_json
                _note_head(event, page)


def _note_head(start: tuple[str, Mapping[str, str]], page: ParsedMarkup) -> None:
    """Note an element of the head: the base, what `meta` declares."""
    tag, attributes = start
    if tag == "meta":
        page.declared.note_meta(attributes)
    elif tag == "base" and not page.base:
        page.base = attributes.get("href", "")
