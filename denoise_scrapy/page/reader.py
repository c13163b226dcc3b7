"""Turns a page into path ids and one marked string while it is being parsed: the parser's callbacks.

Against a list of events and one loop over it, that costs .2 to .6 of lxml's plain parse less, the larger the page the
more: what the parser has just made is in the processor's cache still, and is freed at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from denoise_scrapy.page.attributes import TELLS_NOTHING
from denoise_scrapy.page.columns import MarkedText
from denoise_scrapy.page.declared import is_json_ld
from denoise_scrapy.page.events import Target
from denoise_scrapy.page.glued import part_glued
from denoise_scrapy.page.markup import BLOCK_TAGS
from denoise_scrapy.page.notes import note_attributes, note_skipped
from denoise_scrapy.page.parsed import ParsedMarkup
from denoise_scrapy.page.paths import RARE_NAMES, PathTable
from denoise_scrapy.page.tokens import BREAK, IMAGE, LINK, META, SKIPPED

START, END = "\x01", "\x02"
#: Stands for `<br>` in the marked string: white space for every count, and a line's end when rendered.
LINE_BREAK = "\x0b"
_FREE_MARKS = {ord(START): None, ord(END): None, 0: None}
_NOT_RARE = RARE_NAMES.isdisjoint


class Reader:
    """Reads one page into a `ParsedMarkup`.

    Args:
        table: Gets the paths that are new to it.
        keep_noscript: Whether to read the text inside `noscript` as the page's.
        clean: Whether to take marks out of the text, where character references brought them in.
    """

    def __init__(self, table: PathTable, *, keep_noscript: bool = False, clean: bool = False) -> None:
        self._page = ParsedMarkup(noscript_read=keep_noscript)
        self._table = table
        self._paths = array("i")
        self._pieces: list[Any] = []  # of the marked string; inside an element that is looked into, its events
        self._mark = 0  # where the pieces of the skipped element begin
        self._skipped: tuple[str, Mapping[str, str]] = ("", {})
        self._looks_into = self._in_first_head = False
        self._clean = clean
        self._close: Callable[[], None] | None = None
        self._inside = 0  # elements that have started inside skipped ones
        self._open: Callable[[], int] = int

    def target(self) -> Target:  # noqa: PLR0915 - what shares variables stands together
        """The callbacks. A known element costs one look-up and two appends, an end or a text one append.

        They share the variables of this call, which are read faster than attributes of an object.
        """
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

        def close() -> None:  # a parser that gave up half-way leaves elements open
            while level or path:
                end("")

        data = (lambda text: add(text.translate(_FREE_MARKS))) if self._clean else add
        self._close = close
        self._open = lambda: level + int(table.columns["depth"][path])
        return Target(start, end, data)

    @property
    def started(self) -> int:
        """Elements that have started so far."""
        return len(self._paths) + self._inside

    @property
    def depth(self) -> int:
        """How many of them are open."""
        return self._open()

    def close(self) -> None:
        """End what is open: a parser that gave up half-way leaves elements so."""
        if self._close:
            self._close()

    def _start_special(self, kind: int, child: int, tag: str, attributes: Mapping[str, str]) -> int:
        """Start an element that is rare, and tell how many skipped elements are open then."""
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
        """Whether the body begins here, in a page that says neither.

        The parser knows that of the tags of HTML 4; the others it would leave inside the head, where nothing shows.
        """
        return self._in_first_head and tag in BLOCK_TAGS

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
            note_skipped(self._page, *self._skipped, self._pieces[self._mark :])
        del self._pieces[self._mark :]

    def finish(self) -> tuple[ParsedMarkup, bool]:
        """The page, its words parted (`glued`); and whether its marks are ours alone.

        If they are not, words are not parted, and the page must be read anew, `clean`.

        Lets go of all that was read: lxml's parsers are in cycles with their callbacks, which would hold it until the
        garbage collector comes.
        """
        self.close()
        page, count = self._page, len(self._paths)
        page.paths = np.array(self._paths)
        page.text = MarkedText.encode("".join(self._pieces))
        self._pieces.clear()
        del self._paths[:], self._page, self._close, self._open
        codes = page.text.codes
        marks_fit = np.count_nonzero(codes == 1) == count == np.count_nonzero(codes == 2)
        if marks_fit:
            page.text = part_glued(page.text, page.paths, self._table)
        return page, marks_fit
