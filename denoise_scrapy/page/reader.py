"""Turns a page into path ids and one marked string while it is being parsed: the parser's callbacks.

Against a list of events and one loop over it, that costs .2 to .6 of lxml's plain parse less, the larger the page the
more: what the parser has just made is in the processor's cache still, and is freed at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import Library
from denoise_scrapy.page.attributes import (
    KEPT_ATTRIBUTES,
    MAX_SIZE_LENGTH,
    TELLS_NOTHING,
    DeclaredTypes,
    StartTag,
    image_attributes,
    is_json_ld,
    largest,
    written_size,
)
from denoise_scrapy.page.marked_text import END, LINE_BREAK, START, MarkedText, part_glued
from denoise_scrapy.page.markup import HEAD_TAGS, SIZED_TAGS
from denoise_scrapy.page.paths import BREAK, IMAGE, LINK, META, RARE_NAMES, SKIPPED, PathTable

#: A start tag (tag, attributes), a text run, or None for an end tag.
Event = tuple[str, Mapping[str, str]] | str | None


@dataclass
class ParsedMarkup:
    r"""A page as the callbacks leave it.

    Attributes:
        paths: Path id of each element, in document order, shape (elements,).
        text: All text, with `\x01` at each element's start and `\x02` at its end.
        urls: (element, href or src as written) of links and images.
        sizes: (element, width, height) as written, "" for none, of frames that have one: attributes, or inline style.
        attributes: (element, name, value) of what the columns do not hold and a rendering needs (`attributes`).
        picture_source: Address of the last `source` of a picture, until an image comes.
        title: Text of the `title` element.
        base: `href` of the first `base` element, "" where there is none.
        noscript_chars: Visible characters inside skipped `noscript` elements.
        noscript_read: Whether the text inside `noscript` elements was taken as the page's.
        declared: What the page says it is.
        declaring: Elements that may say it, outside the head.
        is_too_large: Whether it is over a bound (`parse.MAX_ELEMENTS`), and the rest of it was read as text.
    """

    paths: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    text: MarkedText = field(default_factory=lambda: MarkedText(b"", False))
    urls: list[tuple[int, str]] = field(default_factory=list)
    sizes: list[tuple[int, str, str]] = field(default_factory=list)
    attributes: list[tuple[int, str, str]] = field(default_factory=list)
    picture_source: str = ""
    title: str = ""
    base: str = ""
    noscript_chars: int = 0
    noscript_read: bool = False
    declared: DeclaredTypes = field(default_factory=DeclaredTypes)
    declaring: list[StartTag] = field(default_factory=list)
    is_too_large: bool = False


class Target:
    """Holder of the parser's callbacks. As attributes of a plain object they cost less than methods."""

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


_FREE_MARKS = {ord(START): None, ord(END): None, 0: None}
_NOT_RARE = RARE_NAMES.isdisjoint


class AnyReader:
    """What the reader in Python and the one in C have in common.

    Args:
        table: Gets the paths that are new to it.
        keep_noscript: Whether to read the text inside `noscript` as the page's.

    Attributes:
        target: The parser's callbacks.
    """

    target: Target

    def __init__(self, table: PathTable, *, keep_noscript: bool = False) -> None:
        self._page = ParsedMarkup(noscript_read=keep_noscript)
        self._table = table

    def _place(self) -> tuple[int, int, int]:
        """Elements that have started, path of the open one, how many are open inside a skipped one, itself included."""
        raise NotImplementedError

    def _read(self) -> tuple[npt.NDArray[np.int32], MarkedText, bool]:
        """Path ids, the marked text, and whether its marks are ours alone. Lets go of all that was read."""
        raise NotImplementedError

    @property
    def started(self) -> int:
        """Elements that have started so far."""
        return self._place()[0]

    @property
    def depth(self) -> int:
        """Elements that are open."""
        _, path, level = self._place()
        return level + int(self._table.columns["depth"][path])

    def close(self) -> None:
        """End what is open: a parser that gave up half-way leaves elements so."""
        for _ in range(self.depth):
            self.target.end("")

    def finish(self) -> tuple[ParsedMarkup, bool]:
        """Return the page, its words parted (`part_glued`), and whether its marks are ours alone.

        If they are not, words are not parted, and the page must be read anew, `clean`. A reader can be finished once.
        """
        self.close()
        page = self._page
        page.paths, page.text, marks_fit = self._read()
        if marks_fit:
            page.text = part_glued(page.text, page.paths, self._table)
        return page, marks_fit


class Reader(AnyReader):
    """Reads one page into a `ParsedMarkup`.

    With `clean` marks are taken out of the text, where character references brought them in.
    """

    def __init__(self, table: PathTable, *, keep_noscript: bool = False, clean: bool = False) -> None:
        super().__init__(table, keep_noscript=keep_noscript)
        self._paths = array("i")
        self._pieces: list[Any] = []  # of the marked string; inside an element that is looked into, its events
        self._mark = 0  # where the pieces of the skipped element begin
        self._skipped: StartTag = ("", {})
        self._looks_into = self._in_first_head = False
        self._inside = 0  # elements that have started inside skipped ones
        self.target, self._open = self._callbacks(clean)

    def _callbacks(self, clean: bool) -> tuple[Target, Callable[[], tuple[int, int]]]:  # noqa: PLR0915
        """The callbacks, and what gives the open path and level; they share variables, faster than attributes."""
        table, paths = self._table, self._paths
        transitions, parent, kinds, tags = table.transitions.get, table.parent, table.kinds, table.tags
        count, add = paths.append, self._pieces.append
        path = 0
        level = 0  # how many elements are open inside a skipped one, itself included

        def start(tag: str, attributes: Mapping[str, str]) -> None:
            nonlocal path, level
            if level:
                if level > 1 or not self._ends_head(tag):
                    level += 1
                    self._start_inside(tag, attributes)
                    return
                self._end_skipped()
                path = transitions((path, "body")) or table.child(path, "body", {})
                add(START)
                count(path)
                level = 0  # what is the head's end for the parser is the body's now
            if not attributes:
                child = transitions((path, tag)) or table.child(path, tag, attributes)
            elif _NOT_RARE(attributes):
                class_ = attributes.get("class")
                key = (path, tag) if class_ is None else (path, tag, class_)
                child = transitions(key) or table.child(path, tag, attributes)
            else:
                child = table.child(path, tag, attributes)
                if "itemtype" in attributes:
                    self._page.declaring.append((tag, attributes))
            kind = kinds[child]
            if kind:
                if kind == LINK:
                    url = attributes.get("href")
                    if url:
                        self._page.urls.append((len(paths), url))
                elif kind >= BREAK:
                    level = self._start_special(kind, child, tag, attributes)
                    path = path if level else child
                    return
                elif attributes and (kind == IMAGE or not TELLS_NOTHING[tag](attributes)):
                    note_attributes(self._page, len(paths), tag, attributes, tags[path])
            add(START)
            count(child)
            path = child

        def end(tag: str) -> None:
            nonlocal path, level
            if not level:
                path = parent[path]
                add(END)
                return
            level -= 1
            if not level:
                self._end_skipped()
            elif self._looks_into:
                add(None)

        data = (lambda text: add(text.translate(_FREE_MARKS))) if clean else add
        return Target(start, end, data), lambda: (path, level)

    def _place(self) -> tuple[int, int, int]:
        return (len(self._paths) + self._inside, *self._open())

    def _start_special(self, kind: int, child: int, tag: str, attributes: Mapping[str, str]) -> int:
        """Start an element that is rare, and return how many skipped elements are open then."""
        self._paths.append(child)
        if kind != SKIPPED or (tag == "noscript" and self._page.noscript_read):
            self._pieces.append(START + LINE_BREAK if kind == BREAK else START)
            if kind == META:
                self._page.declaring.append((tag, attributes))
            return 0
        self._pieces.append(START + END)
        self._mark = len(self._pieces)
        self._skipped = tag, attributes
        self._looks_into = tag in ("head", "noscript") or (tag == "script" and is_json_ld(tag, attributes))
        tags = self._table.tags
        self._in_first_head = tag == "head" and all(tags[path] == "html" for path in self._paths[:-1])
        return 1

    def _ends_head(self, tag: str) -> bool:
        """Whether the body begins here, in a page that says neither; the parser knows that of tags of HTML 4 alone."""
        return self._in_first_head and tag not in HEAD_TAGS

    def _start_inside(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Start an element inside a skipped one."""
        self._inside += 1
        if self._looks_into:
            self._pieces.append((tag, attributes))
        if "itemtype" in attributes or (tag == "meta" and self._skipped[0] != "head"):
            self._page.declaring.append((tag, attributes))

    def _end_skipped(self) -> None:
        """End a skipped element: its pieces are none of the page's."""
        if self._looks_into:
            note_skipped(self._page, self._skipped, self._pieces[self._mark :])
        del self._pieces[self._mark :]

    def _read(self) -> tuple[npt.NDArray[np.int32], MarkedText, bool]:
        paths, text = np.array(self._paths), MarkedText.encode("".join(self._pieces))
        marks_fit = all(np.count_nonzero(text.codes == mark) == len(paths) for mark in (1, 2))
        # lxml's parsers are in cycles with their callbacks, which would hold it until the garbage collector comes
        self._pieces.clear()
        del self._paths[:], self._open, self.target
        return paths, text, marks_fit


class NativeReader(AnyReader):
    """The same in C (`native/source/reader.c`)."""

    def __init__(self, library: Library, table: PathTable, *, keep_noscript: bool = False) -> None:
        super().__init__(table, keep_noscript=keep_noscript)
        page = self._page
        given = (
            *(table.transitions, table.parent, table.kinds, table.tags, HEAD_TAGS),
            *(page.urls, page.attributes, page.declaring),
            *(table.child, partial(_note, page, table.tags), partial(note_skipped, page)),
        )
        self._library = library
        self._reader, *callbacks = library.reader(given, keep_noscript)
        self.target = Target(*callbacks)

    def _place(self) -> tuple[int, int, int]:
        place: tuple[int, int, int] = self._library.reader_place(self._reader)
        return place

    def _read(self) -> tuple[npt.NDArray[np.int32], MarkedText, bool]:
        paths, text, width, marks = self._library.reader_finish(self._reader)
        return np.frombuffer(paths, np.int32), MarkedText(text, width == 2), not marks


def _note(
    page: ParsedMarkup, tags: list[str], element: int, path: int, tag: str, attributes: Mapping[str, str]
) -> None:
    """Note attributes of an element that has some: C looks at names of all tags at once."""
    if not TELLS_NOTHING[tag](attributes):
        note_attributes(page, element, tag, attributes, tags[path])


def note_attributes(page: ParsedMarkup, element: int, tag: str, attributes: Mapping[str, str], parent_tag: str) -> None:
    """Note size and kept attributes of an element."""
    if tag == "img":
        _note_image(page, element, attributes, parent_tag)
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


def _note_image(page: ParsedMarkup, element: int, attributes: Mapping[str, str], parent_tag: str) -> None:
    """Note what is kept of an image. The parser takes `source` for its parent, at times."""
    url = attributes.get("src")
    if url:
        page.urls.append((element, url))
    source = page.picture_source if parent_tag in ("picture", "source") else ""
    page.picture_source = ""
    for name, value in image_attributes(attributes, source):
        page.attributes.append((element, name, value))


def note_skipped(page: ParsedMarkup, skipped: StartTag, inside: Iterable[Event]) -> None:
    """Note what a skipped element holds: a head's title and base, a noscript's size, JSON-LD."""
    tag, attributes = skipped
    level, inside_title = 1, 0
    inside_json = 1 if is_json_ld(tag, attributes) else 0
    title: list[str] = []  # a long one comes in thousands of pieces
    for event in inside:
        if event is None:
            level -= 1
            if level < inside_title:
                inside_title = 0
            if level < inside_json:
                inside_json = 0
        elif isinstance(event, str):
            if inside_title:
                title.append(event)
            elif inside_json:
                page.declared.note_json(event)
            elif tag == "noscript":
                page.noscript_chars += len("".join(event.split()))
        else:
            level += 1
            if tag == "head":
                inside_title = level if event[0] == "title" and not (page.title or any(title)) else inside_title
                inside_json = level if is_json_ld(*event) else inside_json
                _note_head(page, *event)
    page.title += "".join(title)


def _note_head(page: ParsedMarkup, tag: str, attributes: Mapping[str, str]) -> None:
    """Note an element of the head: the base, what `meta` declares."""
    if tag == "meta":
        page.declared.note_meta(attributes)
    elif tag == "base" and not page.base:
        page.base = attributes.get("href", "")
