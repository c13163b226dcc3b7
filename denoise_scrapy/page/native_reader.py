"""The reader in C, twin of `reader`. Its callbacks take .25 of lxml's parse in place of .65 (counted instructions)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from denoise_scrapy.native import Library, reading
from denoise_scrapy.page.attributes import TELLS_NOTHING
from denoise_scrapy.page.columns import MarkedText
from denoise_scrapy.page.events import Target
from denoise_scrapy.page.glued import part_glued
from denoise_scrapy.page.markup import BLOCK_TAGS
from denoise_scrapy.page.notes import note_attributes, note_skipped
from denoise_scrapy.page.parsed import ParsedMarkup
from denoise_scrapy.page.paths import PathTable


class NativeReader:
    """Reads one page into a `ParsedMarkup`.

    Args:
        library: The compiled library.
        table: Gets the paths that are new to it.
        keep_noscript: Whether to read the text inside `noscript` as the page's.
    """

    def __init__(self, library: Library, table: PathTable, *, keep_noscript: bool = False) -> None:
        page = self._page = ParsedMarkup(noscript_read=keep_noscript)
        given = reading.Given(
            table.transitions,
            table.parent,
            table.kinds,
            table.tags,
            BLOCK_TAGS,
            page.urls,
            page.attributes,
            page.declaring,
            table.child,
            partial(_note, page, table.tags),
            partial(note_skipped, page),
        )
        self._library = library
        self._table = table
        self._callbacks = reading.callbacks(library, given, keep_noscript=keep_noscript)

    def target(self) -> Target:
        """The callbacks."""
        _, start, end, data = self._callbacks
        return Target(start, end, data)

    @property
    def started(self) -> int:
        """Elements that have started so far."""
        return reading.place(self._library, self._callbacks.reader)[0]

    @property
    def depth(self) -> int:
        """How many of them are open."""
        _, path, level = reading.place(self._library, self._callbacks.reader)
        return level + int(self._table.columns["depth"][path])

    def close(self) -> None:
        """End what is open: a parser that gave up half-way leaves elements so."""
        while self.depth:
            self._callbacks.end("")

    def finish(self) -> tuple[ParsedMarkup, bool]:
        """The page, its words parted; and whether its marks are ours alone. Lets go of all that was read."""
        read = reading.finish(self._library, self._callbacks.reader)
        self._page.paths = read.paths
        self._page.text = MarkedText(read.text, read.wide)
        if not read.marks:
            self._page.text = part_glued(self._page.text, read.paths, self._table)
        return self._page, not read.marks


def _note(
    page: ParsedMarkup, tags: list[str], element: int, path: int, tag: str, attributes: Mapping[str, str]
) -> None:
    """Note what an element tells, if it does: in C all names that tell something somewhere are one."""
    if not TELLS_NOTHING[tag](attributes):
        note_attributes(page, element, tag, attributes, tags[path])
